import { mkdirSync } from "node:fs";
import type { HTTPRequest } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { sendImages } from "../support/cameras";
import { button, expectSound, press, sees, textOf } from "../support/console";
import { complaints, enter, page, service, site, useDesk } from "../support/desk";
import { entitle } from "../support/running";

/* The console at its edges: a new organization, cameras that do nothing, very long names, and people who set their own colours. */

const withId = z.looseObject({ id: z.string() });
const HOUR = 3_600_000;
/** More than two pages of the list. */
const ANNOTATIONS = 130;
/** A name without a place to break. */
const LONG_NAME = `Breakwater${"x".repeat(190)}`;

useDesk({ settings: { FIRST_USER_IS_ADMIN: "true" }, site: "plain" }, async () => {
  await enter("locations");
  await sees(page, "Locations");
  const place = `/v1/spatial/locations/${site.locationId}/annotations`;
  for (let n = 0; n < ANNOTATIONS; n++)
    await service.api(z.unknown(), "POST", place, site.token, { kind: "note", title: `Mark ${n}` });
});

/** Keeps a picture of the page for a person who sets SCREENSHOTS to a folder. */
async function shot(name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}

const focused = () => page.evaluate("document.activeElement.id || document.activeElement.textContent.slice(0, 40)");

test("“Skip to content” moves the focus to the content, and the view stays", async () => {
  const before = page.url();
  await page.focus(".skip");
  await page.keyboard.press("Enter");
  expect(await focused()).toBe("main");
  expect(page.url()).toBe(before);
});

test("a new organization is told that an administrator switches cameras on, and whom to ask", async () => {
  await page.goto(`${service.url}/console/cameras`);
  await sees(page, "Cameras are switched off for");
  await sees(page, "You administer this service");
  await expectSound(page, "cameras switched off");
  await shot("cameras-off");
  expect(await page.$(".alert")).toBeNull();
  await entitle(service, site);
  await page.reload();
  await sees(page, "Create the first one, then pair it.");
});

test("a camera that was never paired does not “work”, and has no coverage", async () => {
  const create = (name: string) =>
    service.api(z.unknown(), "POST", `/v1/spatial/locations/${site.locationId}/cameras`, site.token, { name });
  for (const name of ["Gate 10", "Gate 9", LONG_NAME]) await create(name);
  // A card in the window has its contents from its first moment on: a part that is replaced takes a press with it.
  const { identifier } = await page.evaluateOnNewDocument(`(function look() {
    if (document.querySelector(".cam.far") !== null) document.documentElement.dataset.far = "seen";
    requestAnimationFrame(look);
  })()`);
  await page.goto(`${service.url}/console/cameras?sort=name`);
  await sees(page, "3 are not paired.");
  await page.removeScriptToEvaluateOnNewDocument(identifier);
  expect(await page.evaluate("document.documentElement.dataset.far ?? null")).toBeNull();
  expect(await page.$$eval(".last24.none", (strips) => strips.length)).toBe(3);
  const names = await page.$$eval(".cam b", (all) => all.map((one) => one.textContent.slice(0, 10)));
  expect(names).toEqual(["Breakwater", "Gate 9", "Gate 10"]);
  await expectSound(page, "unpaired cameras");
  await shot("wall-unpaired");
  const cut = await page.evaluate(`(() => {
    const { textOverflow, whiteSpace } = getComputedStyle(document.querySelector(".cam b"));
    return [textOverflow, whiteSpace];
  })()`);
  expect(cut).toEqual(["ellipsis", "nowrap"]);
});

test("“Show more” reads one more page, and no page twice", async () => {
  const asked: string[] = [];
  // Without live events, nothing else reads the list.
  await page.setRequestInterception(true);
  const follow = (request: HTTPRequest) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith("/annotations") && pathname.startsWith("/v1/"))
      asked.push(searchParams.get("cursor") ?? "first");
    if (pathname.startsWith("/sync-hub")) void request.abort();
    else void request.continue();
  };
  page.on("request", follow);
  await page.goto(`${service.url}/console/locations/${site.locationId}/annotations`);
  const rows = () => page.$$eval("[id^=annotation-]", (all) => all.length);
  await eventually(async () => expect(await rows()).toBeGreaterThan(0), LONG_PATIENCE);
  const size = await rows();
  for (let shown = size; shown < ANNOTATIONS; ) {
    await press(page, "Show more");
    shown = Math.min(ANNOTATIONS, shown + size);
    await eventually(async () => expect(await rows()).toBe(shown), LONG_PATIENCE);
  }
  expect(asked).toHaveLength(Math.ceil(ANNOTATIONS / size));
  expect(new Set(asked).size).toBe(asked.length);
  page.off("request", follow);
  await page.setRequestInterception(false);
  complaints.length = 0;
});

test("the window for a link gives the focus back to its button, and its fields stay inside", async () => {
  const cameraId = await sendImages(service, site, "Quay", [30 * HOUR, 29 * HOUR, 2 * HOUR, HOUR]);
  await page.goto(`${service.url}/console/cameras/${cameraId}`);
  await page.waitForSelector(".stage .picture");
  await page.focus(button("Share"));
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog [name=from]");
  const out = await page.evaluate(`[...document.querySelectorAll("dialog .input")].filter((one) => {
    const [box, dialog] = [one.getBoundingClientRect(), one.closest("dialog").getBoundingClientRect()];
    return box.right > dialog.right || one.scrollWidth > box.width + 1;
  }).length`);
  await shot("share-dialog");
  expect(out).toBe(0);
  await expectSound(page, "new link");
  await page.keyboard.press("Escape");
  await eventually(async () => expect(await focused()).toContain("Share"));
});

test("with forced colours, gaps are drawn in other colours than times with pictures", async () => {
  const session = await page.createCDPSession();
  await session.send("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
  await page.evaluate("new Promise(requestAnimationFrame)");
  // The colours of a row of pixels in the band of the ruler.
  const colours = () =>
    page.evaluate(`(() => {
      const canvas = document.querySelector("canvas.ruler");
      const row = canvas.getContext("2d").getImageData(0, canvas.height - 12, canvas.width, 1).data;
      const seen = new Set();
      for (let at = 0; at < row.length; at += 4) seen.add(row.slice(at, at + 4).join());
      return seen.size;
    })()`);
  await eventually(async () => expect(await colours()).toBeGreaterThan(1));
  await shot("archive-forced-colours");
  await page.goto(`${service.url}/console/cameras`);
  await page.waitForSelector(".cam img");
  await shot("wall-forced-colours");
  await session.send("Emulation.setEmulatedMedia", { features: [] });
});

test("names of 200 letters without a space stay in their places on every page", async () => {
  const { organizationId } = site;
  const cluster = await service.api(withId, "POST", "/v1/spatial/clusters", site.token, {
    organizationId,
    name: LONG_NAME,
  });
  const place = { clusterId: cluster.id, name: LONG_NAME };
  const location = await service.api(withId, "POST", "/v1/spatial/locations", site.token, place);
  await service.api(z.unknown(), "POST", `/v1/spatial/locations/${location.id}/cameras`, site.token, {
    name: LONG_NAME,
  });
  await service.api(z.unknown(), "POST", `/v1/spatial/locations/${location.id}/annotations`, site.token, {
    kind: "note",
    title: LONG_NAME,
  });
  const at = `/console/locations/${location.id}`;
  for (const path of [
    "/console/locations",
    at,
    `${at}/cameras`,
    `${at}/annotations`,
    `${at}/documents`,
    `${at}/people`,
    `/console/clusters/${cluster.id}`,
    "/console/cameras",
    `/console/search?q=${LONG_NAME}`,
  ]) {
    await page.goto(`${service.url}${path}`);
    await sees(page, "Breakwaterxxx");
    await shot(`long-names${path.replaceAll(/[^a-z]+/g, "-").slice(0, 40)}`);
    await expectSound(page, path);
  }
});

test("a message about an action ends by itself", async () => {
  await page.goto(`${service.url}/console/settings/profile`);
  await page.waitForSelector("[name=name]");
  // The time of the page runs a hundred times as fast.
  await page.evaluate(
    "const { setTimeout: real } = window; window.setTimeout = (f, ms, ...more) => real(f, ms / 100, ...more)",
  );
  await page.hover("h1");
  await press(page, "Save the name");
  await page.waitForSelector(".toast");
  await eventually(async () => expect(await page.$(".toast")).toBeNull(), LONG_PATIENCE);
});

test("a page whose files cannot be fetched says so, and can be loaded again", async () => {
  await page.goto(`${service.url}/console/locations`);
  await sees(page, "Locations");
  await page.setRequestInterception(true);
  let isBroken = true;
  const refuse = (request: HTTPRequest) =>
    isBroken && /\/files\/.*\.js$/.test(request.url()) ? void request.abort() : void request.continue();
  page.on("request", refuse);
  await page.click("a[href='/console/inbox']");
  await sees(page, "This page could not be fetched");
  await sees(page, "Load the page again.");
  isBroken = false;
  await press(page, "Try again");
  await page.waitForSelector(".inbox h1");
  page.off("request", refuse);
  await page.setRequestInterception(false);
  complaints.length = 0;
});

test("an address without a view has a heading", async () => {
  await page.goto(`${service.url}/console/nowhere`);
  await sees(page, "There is no such page");
  expect(await textOf(page, "h1")).toBe("There is no such page");
  await expectSound(page, "no such page");
});

test("the empty list of documents has one place for files", async () => {
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  await sees(page, "No documents");
  expect(await page.$$eval(".drop", (all) => all.length)).toBe(0);
  expect(complaints).toEqual([]);
});
