import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { HTTPRequest, Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { openTab } from "./support/browser";
import { STARTED, sendImages } from "./support/cameras";
import { expectSound, press } from "./support/console";
import { browser, service, site, useDesk } from "./support/desk";
import { LAYOUT, WATCH } from "./support/viewer-scripts";

/* The viewer of a share link in a real browser, over images that a device sent. */

const HOUR = 3_600_000;
/** Maximum compressed bytes of a first visit. */
const MAX_FIRST_LOAD_BYTES = 150 * 1024;

useDesk({ site: "entitled" });

/** A page with lists of its requests and of the errors that the browser reported. */
async function openPage(url: string): Promise<{ page: Page; requests: string[]; complaints: string[] }> {
  const page = await openTab(browser);
  await page.setViewport({ width: 1280, height: 800 });
  const [requests, complaints]: [string[], string[]] = [[], []];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, requests, complaints };
}

const text = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => (element as unknown as { textContent: string }).textContent);

/** The time of the frame that is shown, once a picture is. */
async function shownAt(page: Page): Promise<number> {
  await page.waitForSelector(".stage .picture");
  return Date.parse(await page.$eval(".moment time", (element) => element.getAttribute("datetime") ?? ""));
}

const waitForTime = (page: Page, age: number) =>
  eventually(async () => expect(await shownAt(page)).toBe(STARTED - age), LONG_PATIENCE);

const link = z.looseObject({ id: z.string(), url: z.string(), token: z.string(), revision: z.int() });

test("a stranger looks through the archive, and the page closes when the link is ended", async () => {
  const ages = [30 * HOUR, 29 * HOUR, 2 * HOUR, HOUR];
  const gate = await sendImages(service, site, "Gate", ages);
  const crane = await sendImages(service, site, "Crane <b>north</b>", [3 * HOUR]);
  const shares = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const made = await service.api(link, "POST", shares, site.token, { name: "Neighbours", cameraIds: [gate, crane] });
  const { page, requests, complaints } = await openPage(made.url);

  await waitForTime(page, HOUR);
  expect(await text(page, ".viewer-head h1")).toBe("Neighbours");
  expect(
    await page.$$eval(".cams [role=tab] .name", (tabs) =>
      tabs.map((tab) => (tab as unknown as { innerHTML: string }).innerHTML),
    ),
  ).toEqual(["Gate", "Crane &lt;b&gt;north&lt;/b&gt;"]);
  await eventually(async () => expect(await text(page, ".age")).toContain("Latest"), LONG_PATIENCE);
  await press(page, "Gaps");
  await page.waitForSelector(".gaps");
  expect(await page.$$eval(".gaps tbody tr", (rows) => rows.length)).toBe(1);
  // The open panel is in the address.
  await page.reload();
  await page.waitForSelector(".gaps");
  await press(page, "Gaps");
  await page.waitForSelector(".gaps", { hidden: true });

  await page.keyboard.press("ArrowLeft");
  await waitForTime(page, 2 * HOUR);
  await page.keyboard.press("Home");
  await waitForTime(page, 30 * HOUR);
  await page.keyboard.press("]");
  await waitForTime(page, 29 * HOUR);
  await page.keyboard.press("ArrowRight");
  await waitForTime(page, 2 * HOUR);
  await page.reload();
  await waitForTime(page, 2 * HOUR);
  expect(await page.$eval("[role=slider]", (slider) => slider.getAttribute("aria-valuetext"))).toContain("Gate");

  const box = await (await page.$("canvas.ruler"))?.boundingBox();
  if (!box) throw new Error("no ruler");
  // The preview is loaded when the pointer rests. The pointer moves again in case it rested before the page was
  // ready.
  const pointAt = async (x: number, shown: () => Promise<void>) =>
    eventually(async () => {
      await page.mouse.move(x + 1, box.y + 60);
      await page.mouse.move(x, box.y + 60);
      await eventually(shown, 5_000);
    }, LONG_PATIENCE);
  await pointAt(box.x + 0.5 * box.width, async () =>
    expect(await text(page, ".bubble")).toContain("No pictures for 1 d"),
  );
  for (const x of [1, 4, 9, 14, box.width - 14, box.width - 9, box.width - 2])
    await pointAt(box.x + x, async () => expect(await page.$(".bubble img")).not.toBeNull());
  await page.mouse.click(box.x + box.width - 4, box.y + 60);
  await waitForTime(page, HOUR);

  // Two fingers move apart. The moments under them stay under them, so the part near the end moves to the middle.
  const devtools = await page.createCDPSession();
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  const across = (share: number): [x: number, y: number] => [box.x + share * box.width, box.y + 60];
  const held = await page.touchscreen.touchStart(...across(0.98));
  const drawn = await page.touchscreen.touchStart(...across(0.9));
  for (const share of [0.7, 0.4, 0.1]) await drawn.move(...across(share));
  await drawn.end();
  await held.end();
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: false });
  await pointAt(box.x + 0.8 * box.width, async () => {
    expect(await page.$(".bubble img")).not.toBeNull();
    expect(await text(page, ".bubble")).not.toContain("No pictures");
  });
  expect(await shownAt(page)).toBe(STARTED - HOUR);

  await page.click(".cams [role=tab]:nth-child(2)");
  await waitForTime(page, 3 * HOUR);
  const small = await page.$eval(
    ".stage .picture",
    (image) => (image as unknown as { naturalWidth: number }).naturalWidth,
  );
  expect(small).toBeGreaterThan(0);

  expect(complaints).toEqual([]);
  expect(requests.filter((url) => url.includes("svcshare1") && !url.includes("#"))).toEqual([]);
  expect(requests.filter((url) => !/^(blob:|data:)/.test(url) && !url.startsWith(service.url))).toEqual([]);

  const revoke = `/v1/camera-shares/${made.id}/revoke`;
  await service.api(z.unknown(), "POST", revoke, site.token, { baseRevision: made.revision });
  // The page checks the link without a user action.
  await page.waitForSelector(".sentence");
  expect(await text(page, ".sentence h1")).toBe("This link has ended.");
  expect(await page.$(".viewer")).toBeNull();
  await page.close();
});

test("a link with a passcode asks for it, and opens only with the right one", async () => {
  const camera = await sendImages(service, site, "Locked", [2 * HOUR, HOUR]);
  const shares = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const body = { name: "Locked", cameraIds: [camera], passcode: "harbour 7" };
  const { url } = await service.api(link, "POST", shares, site.token, body);
  const { page, complaints } = await openPage(url);
  await page.waitForSelector("[name=passcode]");
  expect(await text(page, "h1")).toBe("This link has a passcode");
  await expectSound(page, "passcode");
  await page.type("[name=passcode]", "harbour 8");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[role=alert]");
  expect(await text(page, "[role=alert]")).toContain("This passcode is wrong.");
  expect(await page.$(".viewer")).toBeNull();
  await page.$eval("[name=passcode]", (field) => Object.assign(field, { value: "" }));
  await page.type("[name=passcode]", "harbour 7");
  await page.keyboard.press("Enter");
  await waitForTime(page, HOUR);
  // The browser reports each refusal.
  expect(complaints.filter((line) => !line.includes("401"))).toEqual([]);
  await page.close();
});

const looks = z.array(
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.object({ red: z.int(), at: z.string(), time: z.string(), texts: z.array(z.boolean()) })),
);

const previewsBody = z.object({ times: z.array(z.string()) });

test("picture, time, words and address change together, and each press of an arrow counts", async () => {
  const ages = [4 * HOUR, 3 * HOUR, 2 * HOUR, HOUR];
  const camera = await sendImages(service, site, "Slow", ages);
  const shares = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const { url } = await service.api(link, "POST", shares, site.token, { name: "Slow", cameraIds: [camera] });
  const { page, complaints } = await openPage("about:blank");

  // There are no previews, and pictures wait until the test releases them.
  let letGo = () => {};
  let gate = Promise.resolve();
  await page.setRequestInterception(true);
  let held = 0;
  const intercept = (request: HTTPRequest) => {
    if (request.url().endsWith("/previews")) {
      const { times } = previewsBody.parse(JSON.parse(request.postData() ?? "{}"));
      const samples = times.map((at) => ({ at, captureId: null }));
      return void request.respond({ contentType: "application/json", body: JSON.stringify({ samples, images: [] }) });
    }
    if (!request.url().includes("/image")) return void request.continue();
    held += 1;
    void gate.then(() => request.continue());
  };
  page.on("request", intercept);
  await page.goto(url);
  await waitForTime(page, HOUR);
  await eventually(() => expect(held).toBeGreaterThan(1), LONG_PATIENCE);
  await page.evaluate(WATCH);
  gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  held = 0;
  await page.keyboard.press("ArrowLeft");
  await eventually(() => expect(held).toBeGreaterThan(0), LONG_PATIENCE);
  expect(await shownAt(page)).toBe(STARTED - HOUR);
  // Two more steps while the first frame is not shown: each begins at the end of the step before.
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  expect(await shownAt(page)).toBe(STARTED - HOUR);
  letGo();
  await waitForTime(page, 4 * HOUR);

  // A held key repeats faster than pictures arrive: first without previews, then with them.
  const holdKeys = async () => {
    for (const [key, age] of [
      ["ArrowRight", HOUR],
      ["ArrowLeft", 4 * HOUR],
    ] as const) {
      for (let repeat = 0; repeat < 60; repeat++) await page.keyboard.down(key);
      await page.keyboard.up(key);
      await waitForTime(page, age);
    }
  };
  const expectTogether = async () => {
    const seen = looks.parse(await page.evaluate("window.looks"));
    expect(new Set(seen.map(({ time }) => time)).size).toBeGreaterThan(1);
    for (const { red, at, time, texts } of seen) {
      expect([at, texts]).toEqual([time, [true, true, true]]);
      const shown = ages.findIndex((age) => STARTED - age === Date.parse(time));
      expect(Math.abs(red - 60 * shown)).toBeLessThan(12);
    }
  };
  await holdKeys();
  await expectTogether();
  page.off("request", intercept);
  await page.setRequestInterception(false);
  await page.reload();
  await waitForTime(page, 4 * HOUR);
  await page.evaluate(WATCH);
  await holdKeys();
  await expectTogether();
  expect(complaints).toEqual([]);
  await page.close();
});

test("a link to a moment opens it, and another address of the same link is followed", async () => {
  const camera = await sendImages(service, site, "Deep", [5 * HOUR, 4 * HOUR, HOUR]);
  const shares = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const { url } = await service.api(link, "POST", shares, site.token, { name: "Deep", cameraIds: [camera] });
  const moment = (age: number) => `${url}/${camera}/${new Date(STARTED - age).toISOString()}`;
  const { page, complaints } = await openPage(moment(4 * HOUR + 60_000));
  await waitForTime(page, 4 * HOUR);
  await page.goto(moment(5 * HOUR));
  await waitForTime(page, 5 * HOUR);
  await page.keyboard.press("End");
  await waitForTime(page, HOUR);
  await page.goBack();
  await waitForTime(page, 5 * HOUR);
  await page.goto(`${url}/${camera}/nonsense`);
  await page.reload();
  await waitForTime(page, HOUR);
  expect(complaints).toEqual([]);
  await page.close();
});

test("long names push nothing out of a small window, and every camera can be reached", async () => {
  const first = await sendImages(service, site, "Breakwater, looking out over the harbour", [HOUR]);
  const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
  const others: string[] = [];
  for (const name of ["Gate", "Crane, looking north over the whole of the yard", "W".repeat(200), ..."ABCDEFGH"])
    others.push((await service.api(z.looseObject({ id: z.string() }), "POST", cameras, site.token, { name })).id);
  const { url } = await service.api(
    link,
    "POST",
    `/v1/spatial/locations/${site.locationId}/camera-shares`,
    site.token,
    {
      name: "Breakwater rebuild, phase two: for the neighbours of Harbour Street ".repeat(3).slice(0, 199),
      cameraIds: [first, ...others],
    },
  );
  const { page, complaints } = await openPage(url);
  await waitForTime(page, HOUR);
  for (const [width, height] of [
    [390, 844],
    [768, 1024],
    [1440, 900],
  ] as const) {
    await page.setViewport({ width, height });
    expect(await page.evaluate(LAYOUT), `${width} pixels wide`).toEqual({
      overflow: 0,
      outOfReach: [],
      frame: { isWide: true, isHigh: true },
    });
  }

  // A camera without images shows nothing of the previous camera, and the focus stays on its tab.
  await page.focus(".cams [role=tab]:last-child");
  await page.keyboard.press("Enter");
  await eventually(async () => expect(await text(page, ".stage .notice")).toBe("No pictures yet."), LONG_PATIENCE);
  const isBlank = `(() => {
    const { width, height } = document.querySelector("canvas.ruler");
    const { data } = document.querySelector("canvas.ruler").getContext("2d").getImageData(0, 0, width, height);
    return data.every((value) => value === 0);
  })()`;
  await eventually(async () => expect(await page.evaluate(isBlank)).toBe(true), LONG_PATIENCE);
  expect(await page.evaluate("document.activeElement.textContent")).toBe("H");
  expect(complaints).toEqual([]);
  await page.close();
});

test("the page of an unknown or incomplete link shows one short sentence", async () => {
  for (const [fragment, title] of [
    [`#svcshare1.${"0".repeat(32)}.${"0".repeat(64)}`, "This link has ended."],
    ["#svcshare1.1", "This link is not complete."],
    ["", "This link is not complete."],
  ]) {
    const { page, complaints } = await openPage(`${service.url}/s${fragment}`);
    await page.waitForSelector(".sentence h1");
    expect(await text(page, ".sentence h1")).toBe(title);
    expect(complaints.filter((line) => !line.includes("404"))).toEqual([]);
    await page.close();
  }
});

test("is accessible and small, and stores nothing", async () => {
  const camera = await sendImages(service, site, "Quay", [5 * HOUR, 4 * HOUR, HOUR]);
  const shares = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const { url } = await service.api(link, "POST", shares, site.token, { name: "Quay", cameraIds: [camera] });
  const { page, complaints } = await openPage(url);
  await waitForTime(page, HOUR);
  await expectSound(page, "viewer");
  await press(page, "Gaps");
  await expectSound(page, "viewer with its gaps");
  const paths = z
    .array(z.string())
    .parse(await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)"));
  const files = paths.filter((path) => path.startsWith("/s/files/"));
  const sizes = files.map((path) => gzipSync(readFileSync(join(".build/web/share", path.slice(3)))).byteLength);
  expect(files).not.toEqual([]);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_LOAD_BYTES);
  expect(await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]")).toEqual([0, 0, ""]);
  expect(complaints).toEqual([]);
  await page.close();
});

test("is served with a policy that allows no other address", async () => {
  const built = `${service.url}/s/files/`;
  const response = await fetch(`${service.url}/s`);
  expect(response.headers.get("content-security-policy")).toBe(
    `default-src 'none'; script-src ${built}; style-src ${built}; img-src blob: data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  );
  expect(response.headers.get("referrer-policy")).toBe("no-referrer");
});
