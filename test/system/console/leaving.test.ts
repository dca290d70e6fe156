import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees } from "../support/console";
import { complaints, enter, page, service, useDesk } from "../support/desk";

/* How a person takes data out, deletes an organization, brings it back, and deletes the account, in a real browser. */

const person = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
const made = z.object({ id: z.string() });
const signedIn = z.object({ accessToken: z.string(), user: made });

async function register(email: string) {
  const body = { email, password: person.password, displayName: "Ada" };
  return service.api(signedIn, "POST", "/v1/auth/register", undefined, body);
}

let token = "";
useDesk({ settings: { DEFAULT_CAMERAS: "true" } }, async () => {
  ({ accessToken: token } = await register(person.email));
  await service.api(made, "POST", "/v1/orgs", token, { name: "Harbour works" });
  await enter("settings/organization", person);
});

const openPart = async (name: string) => {
  await page.click(`.subnav ::-p-text(${name})`);
  await page.waitForSelector(`h1::-p-text(${name})`);
};

/** Fills a field of a day, whose form depends on the language of the browser when it is typed. */
const setDay = (name: string, day: string) =>
  page.$eval(
    `main [name=${name}]`,
    (field, value) => {
      (field as unknown as { value: string }).value = value;
    },
    day,
  );

test("an owner prepares an export of a range of images, downloads it and removes it", async () => {
  await sees(page, "Export everything");
  await page.click("main ::-p-text(With images of cameras)");
  await page.waitForSelector("main [name=from]");
  await expectSound(page, "export");
  await setDay("from", "2026-11-20");
  await setDay("to", "2026-11-10");
  await press(page, "Prepare the export");
  await sees(page, "The first day is after the last one.");
  await setDay("to", "2026-11-21");
  await press(page, "Prepare the export");
  await page.waitForSelector("main a[download]", { timeout: 60_000 });
  await sees(page, "With images");
  await expectSound(page, "ready export");
  const url = await page.$eval("main a[download]", (link) => (link as unknown as { href: string }).href);
  const zip = new Uint8Array(await (await fetch(url)).arrayBuffer());
  expect(new TextDecoder().decode(zip.slice(0, 2))).toBe("PK");
  await press(page, "Remove it");
  await sees(page, "The export is removed.");
  await page.waitForSelector("main a[download]", { hidden: true });
  // The message would lie over the button of the next test.
  await press(page, "Close");
});

test("a person exports their own data", async () => {
  await openPart("Profile");
  await press(page, "Prepare the export");
  await page.waitForSelector("main a[download]", { timeout: 60_000 });
  await expectSound(page, "own export");
});

test("a deleted organization comes back, and is removed with a receipt", async () => {
  await openPart("Organization");
  await press(page, "Delete the organization");
  await page.waitForSelector("dialog[open]");
  await page.click("dialog button[type=submit]");
  await sees(page, "Harbour works is deleted.");
  await page.goto(`${service.url}/console/settings/deleted-organizations`);
  await sees(page, "is removed");
  await expectSound(page, "deleted organization");
  await press(page, "Restore Harbour works");
  await sees(page, "Harbour works is back.");
  await sees(page, "No deleted organizations");
  await service.api(z.unknown(), "DELETE", `/v1/orgs/${await onlyOrganization()}`, token);
  await page.reload();
  await press(page, "Remove Harbour works now and forever");
  await sees(page, "Nobody can bring it back");
  await expectSound(page, "remove forever");
  await page.click("dialog button[type=submit]");
  await sees(page, "The removal of Harbour works has begun.");
  await eventually(async () => {
    await page.reload();
    await page.waitForSelector("main .list li");
    expect(await page.$eval("main", (main) => main.textContent)).toContain("Everything was removed by");
  }, LONG_PATIENCE);
  await page.click("main summary");
  await sees(page, "Members");
  await expectSound(page, "receipt");
});

async function onlyOrganization(): Promise<string> {
  const { items } = await service.api(z.object({ items: z.array(made) }), "GET", "/v1/orgs", token);
  return items[0]?.id ?? "";
}

test("the only owner reads which organization keeps them, and then deletes the account", async () => {
  const { id } = await service.api(made, "POST", "/v1/orgs", token, { name: "Pier works" });
  await openPart("Profile");
  await press(page, "Delete the account");
  await sees(page, "This cannot be undone.");
  await expectSound(page, "delete the account");
  await fill(page, { password: "not the password" });
  await press(page, "Delete the account for good");
  await sees(page, "The password is wrong.");
  await page.click("dialog [name=password]", { count: 3 });
  await fill(page, { password: person.password });
  await press(page, "Delete the account for good");
  await sees(page, "You are the only owner of “Pier works”.");
  await service.api(z.unknown(), "DELETE", `/v1/orgs/${id}`, token);
  complaints.splice(0);
  await press(page, "Delete the account for good");
  await sees(page, "Your account is deleted.");
  await page.waitForSelector("[name=email]");
  await expectSound(page, "after the account");
  await expect(service.api(z.unknown(), "GET", "/v1/auth/me", token)).rejects.toThrow("401");
  await register(person.email);
});
