import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, press, sees, textOf, visibleText } from "../support/console";
import { complaints, enter, page, service, useDesk } from "../support/desk";

/* Branding and use of an organization in a real browser. */

const person = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#7a1fa2"/></svg>`;

useDesk({}, async () => {
  const signedIn = z.object({ accessToken: z.string() });
  const account = { ...person, displayName: "Ada Lovelace" };
  const { accessToken } = await service.api(signedIn, "POST", "/v1/auth/register", undefined, account);
  await service.api(z.unknown(), "POST", "/v1/orgs", accessToken, { name: "Harbour works" });
  await enter("settings/branding", person);
});

async function retype(name: string, value: string): Promise<void> {
  await page.click(`main [name=${name}]`, { count: 3 });
  await page.type(`main [name=${name}]`, value);
}

/** The accent that the page shows now, as the browser computes it. */
const accent = (): Promise<unknown> => page.evaluate("getComputedStyle(document.querySelector('.rail .logo')).color");
const light = () => page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);

test("the sample follows the form, and each colour says whether it is readable as text", async () => {
  await page.waitForSelector(".cover");
  await expectSound(page, "empty branding");
  await retype("brandName", "Harbour & Sons");
  await retype("slogan", "Building quays since 1894");
  await retype("primaryColor", "#7a1fa2");
  await retype("accentColor", "#e0a02a");
  await sees(page, "8.2 : 1 on white, fit for text");
  await sees(page, "2.2 : 1 on white, for areas and lines only");
  await sees(page, "it has too little contrast in the dark one.");
  expect(await textOf(page, ".cover")).toMatch(
    /Harbour & Sons[\s\S]*Building quays since 1894[\s\S]*\d [A-Z][a-z]+ 20\d\d\n/,
  );
  // On a narrow phone, the sample shows its whole text.
  await page.setViewport({ width: 320, height: 900 });
  const cut = `(() => {
    const [cover, text] = [".cover", ".cover .in"].map((one) => document.querySelector(one));
    const [outer, inner] = [cover.parentElement.getBoundingClientRect(), cover.getBoundingClientRect()];
    return { right: Math.max(0, inner.right - outer.right), below: text.scrollHeight - text.clientHeight };
  })()`;
  expect(await page.evaluate(cut)).toEqual({ right: 0, below: 0 });
  await page.setViewport({ width: 1280, height: 900 });
  await retype("secondaryColor", "blue");
  await sees(page, "Write a colour as #rrggbb.");
  expect(await page.$("button.primary:disabled")).not.toBeNull();
  await page.click("main [name=secondaryColor]", { count: 3 });
  await page.keyboard.press("Backspace");
  await expectSound(page, "branding");
});

test("saved colours are the console's accent where they have enough contrast, even after a reload", async () => {
  await light();
  const before = await accent();
  await press(page, "Save");
  await sees(page, "The branding is saved.");
  expect(before).toBe("rgb(11, 100, 120)");
  await eventually(async () => expect(await accent()).toBe("rgb(122, 31, 162)"));
  await expectSound(page, "branding with its accent");
  await page.reload();
  await light();
  await eventually(async () => expect(await accent()).toBe("rgb(122, 31, 162)"), LONG_PATIENCE);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await eventually(async () => expect(await accent()).toBe("rgb(92, 189, 210)"), LONG_PATIENCE);
});

test("a logo is uploaded, shown and removed; another file is refused with a message", async () => {
  const logo = join(service.stateDir, "logo.svg");
  writeFileSync(logo, LOGO);
  await page.waitForSelector("input[name=logo]");
  const choose = async (file: string) => {
    const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("label:has(input[name=logo])")]);
    await chooser.accept([file]);
  };
  await choose(logo);
  await sees(page, "logo.svg · 64 × 64");
  await page.waitForSelector(".cover .logo");
  await eventually(
    async () => expect(await page.evaluate("document.querySelector('.cover .logo').naturalWidth")).toBeGreaterThan(0),
    LONG_PATIENCE,
  );
  const text = join(service.stateDir, "logo.png");
  writeFileSync(text, "no picture at all");
  expect(complaints).toEqual([]);
  await choose(text);
  await sees(page, "The picture was not replaced");
  complaints.splice(0);
  await press(page, "Remove the logo");
  await sees(page, "The logo is removed.");
  await page.waitForSelector(".cover .logo", { hidden: true });
});

test("the brand is put on share links, and a discarded change is not kept", async () => {
  const box = "main [name=shownOnShareLinks]";
  const isOn = () => page.$eval(box, (input) => (input as unknown as { checked: boolean }).checked);
  expect(await isOn()).toBe(false);
  await page.click(box);
  await press(page, "Discard");
  expect(await isOn()).toBe(false);
  await page.click(box);
  await press(page, "Save");
  await sees(page, "The branding is saved.");
  await page.reload();
  await page.waitForSelector(box);
  expect(await isOn()).toBe(true);
  await expectSound(page, "branding on share links");
});

test("the use of the organization is shown with its limits", async () => {
  await page.click(".subnav ::-p-text(Storage and use)");
  await sees(page, "used");
  expect(await visibleText(page)).toMatch(/0 bytes of \d+(\.\d+)? [GM]B used/);
  await expectSound(page, "use");
  expect(complaints).toEqual([]);
});

test("what people search for is listed for owners and admins", async () => {
  await page.click(".subnav ::-p-text(Searches)");
  await sees(page, "None in this period.");
  await page.click("::-p-text(90 days)");
  await eventually(() => expect(page.url()).toBe(`${service.url}/console/settings/searches?days=90`));
  await sees(page, "0 searches");
  await expectSound(page, "searches");
  expect(complaints).toEqual([]);
});
