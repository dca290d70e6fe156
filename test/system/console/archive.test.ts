import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { pairCamera, picture, STARTED, sendImages } from "../support/cameras";
import { expectSound, press, sees, textOf } from "../support/console";
import { browser, complaints, enter, page, service, site, useDesk } from "../support/desk";

/* The archive of a camera in the console, over images that a device sent. */

const HOUR = 3_600_000;

let cameraId: string;

useDesk({ site: "entitled" }, async () => {
  cameraId = await sendImages(service, site, "Gate", [30 * HOUR, 29 * HOUR, 2 * HOUR, HOUR]);
});

/** The age of the frame that is shown. Its picture, words and address belong to the same frame. */
async function shownAge(): Promise<number> {
  await page.waitForSelector(".stage .picture");
  const time = await page.$eval(".moment time", (element) => element.getAttribute("datetime") ?? "");
  const words = await page.$eval(".stage .picture", (element) => element.getAttribute("alt") ?? "");
  expect(words).toContain("Gate");
  expect(words).toContain(await textOf(page, ".moment time .date"));
  return STARTED - Date.parse(time);
}
const shows = (age: number) => eventually(async () => expect(await shownAge()).toBe(age), LONG_PATIENCE);
const addressIs = (age: number) =>
  eventually(() => expect(new URL(page.url()).searchParams.get("t")).toBe(new Date(STARTED - age).toISOString()));

test("the archive opens at the latest picture, and keys move picture, time and address", async () => {
  await enter(`cameras/${cameraId}`);
  await shows(HOUR);
  await sees(page, "Latest");
  await page.keyboard.press("ArrowLeft");
  await shows(2 * HOUR);
  await addressIs(2 * HOUR);
  await page.keyboard.press("[");
  await shows(29 * HOUR);
  await page.keyboard.press("Home");
  await shows(30 * HOUR);
  await page.keyboard.press("End");
  await shows(HOUR);
  await addressIs(HOUR);
  await expectSound(page, "archive");
});

test("a reload and Back return to the picture", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  await page.keyboard.press("Home");
  await shows(30 * HOUR);
  await page.reload();
  await shows(30 * HOUR);
  await page.keyboard.press("End");
  await shows(HOUR);
  await page.goBack();
  await shows(30 * HOUR);
  await page.click(".archive-head nav a");
  await sees(page, "Nothing has changed here yet.");
  await page.goBack();
  await shows(30 * HOUR);
});

test("a gap is opened from the table, and has an address", async () => {
  await press(page, "Gaps");
  await sees(page, "Times without pictures");
  await expectSound(page, "gaps");
  await page.click(".gaps .link");
  await shows(29 * HOUR);
  await eventually(() => expect(page.url()).toContain("panel=gaps"));
  const slider = await page.$eval("[role=slider]", (element) => element.getAttribute("aria-valuetext"));
  expect(slider).toBe(await page.$eval(".stage .picture", (element) => element.getAttribute("alt")));
});

test("new pictures arrive, and the view moves only if it shows the latest", async () => {
  const crane = await pairCamera(service, site, "Crane");
  await crane.send(3 * HOUR, 0);
  await page.goto(`${service.url}/console/cameras/${crane.id}`);
  const latest = () => page.$eval("[role=slider]", (element) => element.getAttribute("aria-valuemax"));
  const showsCrane = (age: number) =>
    eventually(async () => {
      const time = await page.$eval(".moment time", (element) => element.getAttribute("datetime") ?? "");
      expect(STARTED - Date.parse(time)).toBe(age);
    });
  await page.waitForSelector(".stage .picture");
  await showsCrane(3 * HOUR);
  await crane.send(2 * HOUR, 60);
  await showsCrane(2 * HOUR);
  await page.keyboard.press("Home");
  await showsCrane(3 * HOUR);
  await crane.send(HOUR, 120);
  await eventually(async () => expect(await latest()).toBe("2"));
  await showsCrane(3 * HOUR);
  // A removed picture does not come back with the next picture while the removal can be undone.
  await press(page, "Remove the picture");
  await showsCrane(2 * HOUR);
  expect(await latest()).toBe("1");
  await crane.send(HOUR / 2, 180);
  await eventually(async () => expect(await latest()).toBe("2"));
  await showsCrane(2 * HOUR);
  expect(complaints).toEqual([]);
});

/** Opens the panel of this name. */
const openPanel = (name: string) => page.click(`.archive-head button[title="${name}"]`);

test("a day is compared with another, and the address has both", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  const at = new Date(STARTED - 2 * HOUR).toISOString();
  await page.goto(`${service.url}/console/cameras/${cameraId}?t=${at}`);
  await shows(2 * HOUR);
  await openPanel("Days");
  await sees(page, "Every day at");
  await expectSound(page, "days");
  // The time of day is the picture's time of day until it is changed. It stays when another picture is shown.
  const timeField = "input[type=time]";
  const dayTime = () => page.$eval(timeField, (input) => (input as unknown as { value: string }).value);
  expect(await dayTime()).toBe((await textOf(page, ".moment time b")).slice(0, 5));
  const chosen = new Date(STARTED - 29 * HOUR).toISOString().slice(11, 16);
  await page.$eval(
    timeField,
    (input, time) => {
      Object.assign(input, { value: time });
      input.dispatchEvent(new Event("change", { bubbles: true }));
    },
    chosen,
  );
  await sees(page, `Every day at ${chosen}`);
  await page.click(".days .day:enabled");
  await shows(29 * HOUR);
  expect([await dayTime(), new URL(page.url()).searchParams.get("daily")]).toEqual([chosen, chosen]);
  await page.goBack();
  await shows(2 * HOUR);
  await page.keyboard.press("b");
  await page.waitForSelector(".compare .half .picture");
  await eventually(() => expect(page.url()).toContain("before="));
  await page.focus(".compare input");
  await page.keyboard.press("ArrowRight");
  const cut = () => page.$eval(".compare", (element) => element.getAttribute("style"));
  await eventually(async () => expect(await cut()).toContain("51%"));
  await expectSound(page, "before and after");
  await page.reload();
  await page.waitForSelector(".compare .half .picture");
  await press(page, "Before / after");
  await page.waitForSelector(".compare", { hidden: true });
});

test("a key downloads the original, another copies a link to the moment with its zoom, and a third fills the screen", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pictures-"));
  const devtools = await browser.target().createCDPSession();
  await devtools.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await page.keyboard.press("d");
  const name = `gate-${new Date(STARTED - 2 * HOUR).toISOString().slice(0, 19).replaceAll(":", "-")}Z.jpg`;
  await eventually(() => expect(readdirSync(folder)).toEqual([name]), LONG_PATIENCE);
  expect(readFileSync(join(folder, name)).equals(picture(120))).toBe(true);
  rmSync(folder, { recursive: true });
  await browser
    .defaultBrowserContext()
    .overridePermissions(service.url, ["clipboard-read", "clipboard-sanitized-write"]);
  await page.bringToFront();
  await page.keyboard.press("z");
  await page.keyboard.press("c");
  await sees(page, "A link to this moment is copied.");
  const link = new URL(z.string().parse(await page.evaluate("navigator.clipboard.readText()")));
  expect(link.searchParams.get("t")).toBe(new Date(STARTED - 2 * HOUR).toISOString());
  expect(link.searchParams.get("zoom")).toMatch(/^\d/);
  await browser.defaultBrowserContext().overridePermissions(service.url, []);
  await page.keyboard.press("c");
  await sees(page, "The browser does not let this page copy.");
  await browser.defaultBrowserContext().clearPermissionOverrides();
  await page.keyboard.press("f");
  await eventually(async () => expect(await page.evaluate("document.fullscreenElement?.className")).toContain("stage"));
  await page.keyboard.press("f");
  await eventually(async () => expect(await page.evaluate("document.fullscreenElement")).toBeNull());
  await page.keyboard.press("z");
  await page.waitForSelector(".stage:not(.zoomed)");
});

test("a film plays, and ends where the ruler ends", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  await page.keyboard.press("Home");
  await shows(30 * HOUR);
  await page.click(".transport .play");
  await shows(HOUR);
  await page.waitForSelector("[aria-label=Play]");
});

test("keys of one character can be switched off, which is kept", async () => {
  await page.keyboard.press("?");
  await page.waitForSelector("dialog.keys[open]");
  await expectSound(page, "keys");
  await page.click("dialog.keys input[type=checkbox]");
  await press(page, "Close");
  await page.keyboard.press("z");
  expect(await page.$(".stage.zoomed")).toBeNull();
  await page.reload();
  await shows(HOUR);
  await page.keyboard.press("z");
  expect(await page.$(".stage.zoomed")).toBeNull();
  await press(page, "All keys");
  await page.click("dialog.keys input[type=checkbox]");
  await press(page, "Close");
  await page.keyboard.press("z");
  await page.waitForSelector(".stage.zoomed");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".stage:not(.zoomed)");
});

test("a range is exported as a ZIP, even after a reload", async () => {
  await openPanel("Export");
  await sees(page, "4 pictures in this time.");
  await expectSound(page, "export");
  await press(page, "Pictures (ZIP)");
  await press(page, "Prepare the ZIP");
  await eventually(() => expect(page.url()).toContain("export="));
  await page.reload();
  await sees(page, "Download the ZIP");
  const url = await page.$eval(".side a[download]", (link) => link.getAttribute("href") ?? "");
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  expect(new TextDecoder().decode(bytes.slice(0, 2))).toBe("PK");
});

test("a range is saved as a film", async () => {
  const folder = mkdtempSync(join(tmpdir(), "films-"));
  const devtools = await browser.target().createCDPSession();
  await devtools.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await press(page, "Film (MP4)");
  await sees(page, "1 gap is cut");
  await press(page, "Make the film");
  await sees(page, "The film is saved.");
  const films = () => readdirSync(folder).filter((name) => name.endsWith(".mp4"));
  await eventually(() => expect(films()).toHaveLength(1), LONG_PATIENCE);
  const film = readFileSync(join(folder, films()[0] ?? ""));
  expect(film.subarray(4, 8).toString()).toBe("ftyp");
  expect(film.includes("mdat")).toBe(true);
  rmSync(folder, { recursive: true });
});

test("a picture is removed, and that is undone; without it, the service deletes the picture", async () => {
  await page.keyboard.press("End");
  await shows(HOUR);
  await press(page, "Remove the picture");
  await shows(2 * HOUR);
  await press(page, "Undo");
  await shows(HOUR);
  await press(page, "Remove the picture");
  await shows(2 * HOUR);
  // A person who leaves the page does not wait for the end of the undo time.
  await page.goto(`${service.url}/console/search`);
  await eventually(async () => {
    const path = `/v1/cameras/${cameraId}/captures?locationId=${site.locationId}`;
    const list = z.object({ items: z.array(z.unknown()) });
    expect((await service.api(list, "GET", path, site.token)).items).toHaveLength(3);
  }, LONG_PATIENCE);
  expect(complaints).toEqual([]);
});

test("a picture that was removed in a window that is closed is deleted", async () => {
  const other = await browser.newPage();
  await other.goto(`${service.url}/console/cameras/${cameraId}`);
  await other.waitForSelector(".stage .picture");
  await press(other, "Remove the picture");
  await sees(other, "The picture is removed.");
  await other.close();
  await eventually(async () => {
    const path = `/v1/cameras/${cameraId}/captures?locationId=${site.locationId}`;
    const list = z.object({ items: z.array(z.unknown()) });
    expect((await service.api(list, "GET", path, site.token)).items).toHaveLength(2);
  }, LONG_PATIENCE);
});

test("the overview of the location counts its cameras", async () => {
  const list = z.object({ items: z.array(z.unknown()) });
  const { items } = await service.api(list, "GET", `/v1/spatial/locations/${site.locationId}/cameras`, site.token);
  await page.goto(`${service.url}/console/locations/${site.locationId}`);
  await page.waitForSelector(".factlist a");
  expect(await textOf(page, ".factlist")).toMatch(new RegExp(`Cameras\\s+${items.length}\\s+Documents\\s+0`));
});

test("a camera that a person cannot see is explained", async () => {
  await page.goto(`${service.url}/console/cameras/${crypto.randomUUID()}`);
  await sees(page, "You cannot see this camera");
  await expectSound(page, "hidden camera");
  // The browser reports each 404.
  expect(complaints.splice(0).filter((text) => !text.includes("404"))).toEqual([]);
});
