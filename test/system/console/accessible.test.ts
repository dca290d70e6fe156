import type { HTTPRequest } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { announcedIn, listenToRegions } from "../support/announcements";
import { openTab } from "../support/browser";
import { STARTED, sendImages } from "../support/cameras";
import { press, sees, textOf, watch } from "../support/console";
import { browser, complaints, page, service, site, turnTo, useDesk } from "../support/desk";

/* The console for people who use only the keyboard, want no motion, speak to their device, or are in another time zone. */

const HOUR = 3_600_000;
/** More presses of Tab than a view has controls. */
const MAX_TABS = 60;
const LOCATION_ZONE = "Europe/Oslo";
const PERSON_ZONE = "America/New_York";

let cameraId: string;

useDesk({ site: "entitled" }, async () => {
  const place = `/v1/spatial/locations/${site.locationId}`;
  await service.api(z.unknown(), "PATCH", place, site.token, { timeZone: LOCATION_ZONE });
  cameraId = await sendImages(service, site, "Gate", [30 * HOUR, 29 * HOUR, 2 * HOUR, HOUR]);
});

const motion = (value: "reduce" | "no-preference") =>
  page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value }]);
const shownAge = async () =>
  STARTED - Date.parse(await page.$eval(".moment time", (element) => element.getAttribute("datetime") ?? ""));
const shows = (age: number) => eventually(async () => expect(await shownAge()).toBe(age), LONG_PATIENCE);
const openArchive = async () => {
  await page.goto(`${service.url}/console/cameras/${cameraId}`);
  await page.waitForSelector(".stage .picture");
  await shows(HOUR);
  await eventually(() => expect(page.url()).toContain("t="), LONG_PATIENCE);
};

/** Whether the element with the focus, or the field around it, has a visible outline. */
const OUTLINED = `[document.activeElement, document.activeElement.parentElement].some((one) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  return outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
})`;

/** Presses Tab until an element has the focus. Each element on the way shows that it has the focus. */
async function tabTo(selector: string): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate("document.activeElement === document.body")) continue;
    const here = await page.evaluate("document.activeElement.outerHTML.slice(0, 120)");
    expect.soft([here, await page.evaluate(OUTLINED)]).toEqual([here, true]);
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`Tab does not lead to ${selector}`);
}

test("only the keyboard leads from the sign-in to the picture before a gap", async () => {
  await page.goto(`${service.url}/console/cameras`);
  await page.waitForSelector("[name=email]");
  await tabTo("[name=email]");
  await page.keyboard.type(site.email);
  await tabTo("[name=password]");
  await page.keyboard.type(site.password);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".cam img");
  await tabTo(".cam");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".stage .picture");
  await shows(HOUR);
  await tabTo("[role=slider]");
  await page.keyboard.press("ArrowLeft");
  await shows(2 * HOUR);
  await tabTo("button[aria-label='Previous gap']");
  await page.keyboard.press("Enter");
  await shows(29 * HOUR);
  await tabTo("a[href='/console/reports']");
  await page.keyboard.press("Enter");
  await eventually(() => expect(page.url()).toBe(`${service.url}/console/reports`));
  expect(complaints).toEqual([]);
});

test("people who want no motion see none while a picture is awaited, and play a film if they choose to", async () => {
  await page.setRequestInterception(true);
  // Only the preview of the latest picture arrives. The previews of the others are read before the key is pressed.
  let previews = 0;
  const held: HTTPRequest[] = [];
  const hold = (request: HTTPRequest) => {
    if (request.url().includes("/previews") && ++previews > 1) held.push(request);
    else void request.continue();
  };
  page.on("request", hold);
  await openArchive();
  const moving = () => page.evaluate("document.getAnimations().length");
  await motion("no-preference");
  await page.keyboard.press("Home");
  await page.waitForSelector(".stage[aria-busy=true]");
  await eventually(async () => expect(await moving()).toBe(1));
  await motion("reduce");
  const line = "getComputedStyle(document.querySelector('.stage'), '::after').opacity";
  await eventually(async () => expect([await moving(), await page.evaluate(line)]).toEqual([0, "1"]));
  page.off("request", hold);
  for (const request of held) await request.continue();
  await page.setRequestInterception(false);
  await shows(30 * HOUR);
  expect(await page.evaluate(line)).toBe("0");
  // Nothing plays by itself. The ruler shows all four pictures.
  expect(await page.$("[aria-label=Pause]")).toBeNull();
  await page.keyboard.press("Space");
  await shows(HOUR);
  await page.waitForSelector("[aria-label=Play]");
  await motion("no-preference");
});

/** The state that the keys of the archive can change, except for downloads. Runs in the page. */
const STATE = `JSON.stringify([
  location.href,
  [...document.querySelectorAll("dialog[open], .side, .compare, .stage.zoomed, .toast")].map((one) => one.className),
  document.querySelector(".play").getAttribute("aria-label"),
  document.querySelector(".legend .btn.nums").textContent,
  document.fullscreenElement !== null,
])`;
/** The keys of one character, with the keys that undo what they do. */
const SINGLE_KEYS: readonly (readonly [key: string, undo: string])[] = [
  ["[", "End"],
  ["+", "-"],
  ["-", "+"],
  ["b", "b"],
  ["z", "z"],
  ["e", "e"],
  ["s", "Escape"],
  ["?", "Escape"],
];

test("keys of one character do something, and nothing after they are switched off; the other keys still work", async () => {
  await openArchive();
  const state = () => page.evaluate(STATE);
  for (const [key, undo] of SINGLE_KEYS) {
    const before = await state();
    await page.keyboard.press(key as "b");
    await eventually(async () => expect([key, await state()]).not.toEqual([key, before]), LONG_PATIENCE);
    await page.keyboard.press(undo as "b");
    await eventually(async () => expect([undo, await state()]).toEqual([undo, before]), LONG_PATIENCE);
  }
  await press(page, "All keys");
  await page.click("dialog.keys input[type=checkbox]");
  await press(page, "Close");
  await page.evaluate("document.activeElement.blur()");
  const requests: string[] = [];
  const collect = (request: HTTPRequest) => requests.push(request.url());
  const before = await state();
  page.on("request", collect);
  for (const key of [...SINGLE_KEYS.map(([one]) => one), "]", "d", "c", "f", "Space"])
    await page.keyboard.press(key as "b");
  // This key comes after all others.
  await page.keyboard.press("ArrowLeft");
  await shows(2 * HOUR);
  await page.keyboard.press("End");
  await shows(HOUR);
  await eventually(async () => expect(await state()).toBe(before), LONG_PATIENCE);
  page.off("request", collect);
  expect(requests.filter((url) => url.includes("/download") && !url.includes("thumbnail"))).toHaveLength(0);
  await press(page, "All keys");
  await page.click("dialog.keys input[type=checkbox]");
  await press(page, "Close");
  expect(complaints).toEqual([]);
});

/** Closes the window as Escape does, presses a key in the same moment, and waits until the page knows of both. Runs in the page. */
const CLOSE_AND_PRESS = `new Promise((done) => {
  const dialog = document.querySelector("dialog[open]");
  dialog.addEventListener("close", () => setTimeout(done));
  dialog.close();
  const key = new KeyboardEvent("keydown", { key: "?", bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(key);
})`;

test("a key that is pressed in the moment in which a window closes is not lost", async () => {
  await openArchive();
  await page.keyboard.press("s");
  await page.waitForSelector("dialog[open] input:focus");
  await page.evaluate(CLOSE_AND_PRESS);
  await page.waitForSelector("dialog.keys[open]");
  await page.evaluate(CLOSE_AND_PRESS);
  await page.waitForSelector("dialog.keys[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog.keys", { hidden: true });
  expect(complaints).toEqual([]);
});

test("the steps of an export are announced", async () => {
  await page.goto(`${service.url}/console/cameras/${cameraId}?panel=export`);
  await sees(page, "pictures in this time.");
  await listenToRegions(page);
  await press(page, "Pictures (ZIP)");
  await press(page, "Prepare the ZIP");
  await eventually(async () => expect((await announcedIn(page)).at(-1)).toBe("Ready"), LONG_PATIENCE);
});

const linkSchema = z.looseObject({
  showFromUtc: z.string(),
  showUntilUtc: z.string(),
  expiresAtUtc: z.string(),
});
const field = (name: string) =>
  page.$eval(`dialog [name=${name}]`, (input) => (input as unknown as { value: string }).value);

test("the start and the end of a link are times of the location, and of the person on request", async () => {
  const traveller = await openTab(browser);
  await traveller.emulateTimezone(PERSON_ZONE);
  watch(service, traveller, complaints);
  await traveller.setViewport({ width: 1280, height: 900 });
  const before = turnTo(traveller);
  // The session comes from the other tab.
  await page.goto(`${service.url}/console/locations/${site.locationId}/cameras`);
  await press(page, "New link");
  await page.waitForSelector("dialog [name=from]");
  expect(await textOf(page, "dialog")).toContain(`Times of ${LOCATION_ZONE}`);
  // In winter the location is one hour ahead of UTC, and the person five hours behind.
  const times = { from: "2026-01-10T08:00", until: "2026-01-11T18:30", expires: "2036-01-12T00:15" };
  for (const [name, value] of Object.entries(times))
    await page.$eval(`dialog [name=${name}]`, (input, text) => Object.assign(input, { value: text }), value);
  await page.click("dialog form button.primary");
  await page.waitForSelector("output.secret");
  await press(page, "Done");
  // An open dialog would take the next click.
  await page.waitForSelector("dialog", { hidden: true });
  const shares = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const { links } = await service.api(z.object({ links: z.array(linkSchema) }), "GET", shares, site.token);
  expect(links).toMatchObject([
    {
      showFromUtc: "2026-01-10T07:00:00.000Z",
      showUntilUtc: "2026-01-11T17:30:00.000Z",
      expiresAtUtc: "2036-01-11T23:15:00.000Z",
    },
  ]);
  const list = () => textOf(page, "[aria-labelledby=shares]");
  for (const words of [
    `Times of ${LOCATION_ZONE}`,
    "Pictures from Sat, 10 Jan 2026 08:00",
    "Pictures until Sun, 11 Jan 2026 18:30",
    "Ends Sat, 12 Jan 2036 00:15",
  ])
    expect(await list()).toContain(words);
  await page.click("[aria-labelledby=shares] button[title='Change the clock']");
  for (const words of [
    `Your clock (${PERSON_ZONE})`,
    "Pictures from Sat, 10 Jan 2026 02:00",
    "Pictures until Sun, 11 Jan 2026 12:30",
    "Ends Fri, 11 Jan 2036 18:15",
  ])
    await eventually(async () => expect(await list()).toContain(words));
  await press(page, "Edit Gate");
  await page.waitForSelector("dialog [name=from]");
  expect({ from: await field("from"), until: await field("until"), expires: await field("expires") }).toEqual(times);
  await page.close();
  turnTo(before);
  expect(complaints).toEqual([]);
});
