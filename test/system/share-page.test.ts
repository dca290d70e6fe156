import { createHash, randomBytes, randomUUID } from "node:crypto";
import { encode } from "jpeg-js";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { openBrowser, openTab } from "./support/browser";
import { entitle, newSite, RunningService, type Site } from "./support/running";

/* The page of a share link in a real browser, over images that a device sent. */

const HOUR = 3_600_000;
/** What the images' ages are counted from. */
const STARTED = Date.now();

let service: RunningService;
let site: Site;
let browser: Browser;

beforeAll(async () => {
  service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true" });
  site = await newSite(service);
  await entitle(service, site);
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A plain picture whose red tells which one it is. */
function picture(red: number): Uint8Array<ArrayBuffer> {
  const [width, height] = [64, 36];
  const data = new Uint8Array(4 * width * height);
  for (let at = 0; at < data.length; at += 4) data.set([red, 90, 140, 255], at);
  return Uint8Array.from(encode({ data, width, height }, 90).data);
}

const operation = z.looseObject({
  operationId: z.string(),
  uploadUrl: z.string(),
  requiredHeaders: z.record(z.string(), z.string()),
  statusUrl: z.string(),
});
const withId = z.looseObject({ id: z.string() });

/** A paired camera that has sent images of these ages, milliseconds. @returns its id. */
async function sendImages(name: string, ages: readonly number[]): Promise<string> {
  const path = `/v1/spatial/locations/${site.locationId}/cameras`;
  const { id } = await service.api(withId, "POST", path, site.token, { name });
  const codes = z.looseObject({ pairingCode: z.string() });
  const { pairingCode } = await service.api(codes, "POST", `/v1/cameras/${id}/enrollments`, site.token);
  const credentialSecret = randomBytes(32).toString("hex");
  const paired = z.looseObject({ credentialId: z.string(), assignmentGeneration: z.int() });
  const redeem = "/v1/camera-ingestion/enrollments/redeem";
  const proposal = { pairingCode, credentialSecret, redemptionId: randomUUID() };
  const { credentialId, assignmentGeneration } = await service.api(paired, "POST", redeem, undefined, proposal);
  const bearer = `svccam1.${credentialId.replaceAll("-", "")}.${credentialSecret}`;
  for (const [n, age] of ages.entries()) {
    const bytes = picture(60 * n);
    const started = await service.api(operation, "POST", "/v1/camera-ingestion/uploads", bearer, {
      captureId: randomUUID(),
      assignmentGeneration,
      capturedAtUtc: new Date(STARTED - age).toISOString(),
      sizeBytes: bytes.byteLength,
      checksumSha256: createHash("sha256").update(bytes).digest("hex"),
      clockQuality: "synchronized",
      contentType: "image/jpeg",
    });
    const put = await fetch(started.uploadUrl, { method: "PUT", headers: started.requiredHeaders, body: bytes });
    expect(put.ok).toBe(true);
    await service.api(z.unknown(), "POST", `${started.statusUrl}/complete`, bearer);
    const state = z.looseObject({ status: z.string() });
    await eventually(
      async () => expect((await service.api(state, "GET", started.statusUrl, bearer)).status).toBe("completed"),
      LONG_PATIENCE,
    );
  }
  return id;
}

/** A page that remembers what it asked for and what it complained of. */
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

const text = (page: Page, id: string): Promise<string> =>
  page.$eval(`#${id}`, (element) => (element as unknown as { textContent: string }).textContent);

/** The time of the frame that is shown, once a picture is. */
async function shownAt(page: Page): Promise<number> {
  await page.waitForSelector("#picture:not([hidden])");
  return Date.parse(await page.$eval("#time", (element) => element.getAttribute("datetime") ?? ""));
}

const waitForTime = (page: Page, age: number) =>
  eventually(async () => expect(await shownAt(page)).toBe(STARTED - age), LONG_PATIENCE);

const link = z.looseObject({ id: z.string(), url: z.string(), token: z.string(), revision: z.int() });

test("a stranger looks through the archive, and the page closes when the link is ended", async () => {
  const ages = [30 * HOUR, 29 * HOUR, 2 * HOUR, HOUR];
  const gate = await sendImages("Gate", ages);
  const crane = await sendImages("Crane <b>north</b>", [3 * HOUR]);
  const shares = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const made = await service.api(link, "POST", shares, site.token, { name: "Neighbours", cameraIds: [gate, crane] });
  const { page, requests, complaints } = await openPage(made.url);

  await waitForTime(page, HOUR);
  expect(await text(page, "name")).toBe("Neighbours");
  expect(
    await page.$$eval("#cameras [role=tab]", (tabs) =>
      tabs.map((tab) => (tab as unknown as { innerHTML: string }).innerHTML),
    ),
  ).toEqual(["Gate", "Crane &lt;b&gt;north&lt;/b&gt;"]);
  await eventually(async () => {
    expect(await text(page, "age")).toContain("latest");
    expect(await page.$$eval("#gap-rows tr", (rows) => rows.length)).toBe(1);
  }, LONG_PATIENCE);

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
  expect(await page.$eval("#ruler", (ruler) => ruler.getAttribute("aria-valuetext"))).toContain("Gate");

  const box = await (await page.$("#ruler"))?.boundingBox();
  if (!box) throw new Error("no ruler");
  // What the pointer is to show is loaded once it rests there; it moves again if it rested before the page was ready.
  const pointAt = async (x: number, shown: () => Promise<void>) =>
    eventually(async () => {
      await page.mouse.move(x + 1, box.y + 20);
      await page.mouse.move(x, box.y + 20);
      await eventually(shown, 5_000);
    }, LONG_PATIENCE);
  await pointAt(box.x + 0.5 * box.width, async () =>
    expect(await text(page, "label")).toContain("no pictures for 1 d"),
  );
  for (const x of [1, 4, 9, 14, box.width - 14, box.width - 9, box.width - 2])
    await pointAt(box.x + x, async () => expect(await page.$("#tiny:not([hidden])")).not.toBeNull());
  await page.mouse.click(box.x + box.width - 4, box.y + 20);
  await waitForTime(page, HOUR);

  // Two fingers drawn apart: the moments under them stay under them, so that what was near the end is in the middle.
  const devtools = await page.createCDPSession();
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  const across = (share: number): [x: number, y: number] => [box.x + share * box.width, box.y + 20];
  const held = await page.touchscreen.touchStart(...across(0.98));
  const drawn = await page.touchscreen.touchStart(...across(0.9));
  for (const share of [0.7, 0.4, 0.1]) await drawn.move(...across(share));
  await drawn.end();
  await held.end();
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: false });
  await pointAt(box.x + 0.8 * box.width, async () => {
    expect(await page.$("#tiny:not([hidden])")).not.toBeNull();
    expect(await text(page, "label")).not.toContain("no pictures");
  });
  expect(await shownAt(page)).toBe(STARTED - HOUR);

  await page.click("#cameras [role=tab]:nth-child(2)");
  await waitForTime(page, 3 * HOUR);
  const small = await page.$eval("#picture", (image) => (image as unknown as { naturalWidth: number }).naturalWidth);
  expect(small).toBeGreaterThan(0);

  expect(complaints).toEqual([]);
  expect(requests.filter((url) => url.includes("svcshare1") && !url.includes("#"))).toEqual([]);
  expect(requests.filter((url) => !/^(blob:|data:)/.test(url) && !url.startsWith(service.url))).toEqual([]);

  const revoke = `/v1/camera-shares/${made.id}/revoke`;
  await service.api(z.unknown(), "POST", revoke, site.token, { baseRevision: made.revision });
  await page.click("#cameras [role=tab]:nth-child(1)");
  await page.waitForSelector("#ended:not([hidden])");
  expect(await text(page, "ended-title")).toBe("This link has ended.");
  expect(await page.$eval("#viewer", (viewer) => viewer.hasAttribute("hidden"))).toBe(true);
  await page.close();
});

/** Remembers each different look of the page, as it was drawn: the picture by its red, the time, the words, the address. */
const WATCH = `(() => {
  const looks = (window.looks = []);
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const look = () => {
    requestAnimationFrame(look);
    const picture = document.getElementById("picture");
    if (picture.hidden || !picture.complete) return;
    pen.drawImage(picture, 0, 0, 1, 1);
    const [at] = location.hash.split("/").slice(2);
    const time = document.getElementById("time");
    const ruler = document.getElementById("ruler");
    const texts = [picture.alt.startsWith(time.textContent), ruler.getAttribute("aria-valuetext") === picture.alt];
    const next = JSON.stringify({ red: pen.getImageData(0, 0, 1, 1).data[0], at, time: time.dateTime, texts });
    if (looks.at(-1) !== next) looks.push(next);
  };
  look();
})()`;

const looks = z.array(
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.object({ red: z.int(), at: z.string(), time: z.string(), texts: z.array(z.boolean()) })),
);

test("picture, time, words and address change together, and each press of an arrow counts", async () => {
  const ages = [4 * HOUR, 3 * HOUR, 2 * HOUR, HOUR];
  const camera = await sendImages("Slow", ages);
  const shares = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const { url } = await service.api(link, "POST", shares, site.token, { name: "Slow", cameraIds: [camera] });
  const { page, complaints } = await openPage(url);
  await waitForTime(page, HOUR);
  await page.evaluate(WATCH);

  // Pictures wait until they are let go.
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.setRequestInterception(true);
  let held = 0;
  page.on("request", (request) => {
    if (!request.url().includes("/image")) return void request.continue();
    held += 1;
    void gate.then(() => request.continue());
  });
  await page.keyboard.press("ArrowLeft");
  await eventually(async () => expect(held).toBeGreaterThan(0), LONG_PATIENCE);
  expect(await shownAt(page)).toBe(STARTED - HOUR);
  // Two more while the first is not shown: each begins where the one before arrives.
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  expect(await shownAt(page)).toBe(STARTED - HOUR);
  letGo();
  await waitForTime(page, 4 * HOUR);

  // A key that is held repeats faster than pictures come.
  for (const [key, age] of [
    ["ArrowRight", HOUR],
    ["ArrowLeft", 4 * HOUR],
  ] as const) {
    for (let repeat = 0; repeat < 60; repeat++) await page.keyboard.down(key);
    await page.keyboard.up(key);
    await waitForTime(page, age);
  }

  const seen = looks.parse(await page.evaluate("window.looks"));
  expect(new Set(seen.map(({ time }) => time)).size).toBeGreaterThan(1);
  for (const { red, at, time, texts } of seen) {
    expect([at, texts]).toEqual([time, [true, true]]);
    const shown = ages.findIndex((age) => STARTED - age === Date.parse(time));
    expect(Math.abs(red - 60 * shown)).toBeLessThan(12);
  }
  expect(complaints).toEqual([]);
  await page.close();
});

/** What of the page stands where people reach it. Runs in the page. */
const LAYOUT = `(() => {
  const tabs = [...document.querySelectorAll("#cameras [role=tab]")];
  const isReached = (tab) => {
    tab.scrollIntoView({ block: "nearest" });
    const { left, right, top, bottom } = tab.getBoundingClientRect();
    const isInside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
    return isInside && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === tab;
  };
  const { width, height } = document.getElementById("frame").getBoundingClientRect();
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    outOfReach: tabs.filter((tab) => !isReached(tab)).map((tab) => tab.textContent),
    frame: { isWide: width === innerWidth, isHigh: height >= innerHeight / 3 },
  };
})()`;

test("long names push nothing out of a small window, and every camera is within reach", async () => {
  const first = await sendImages("Breakwater, looking out over the harbour", [HOUR]);
  const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
  const others: string[] = [];
  for (const name of ["Gate", "Crane, looking north over the whole of the yard", "W".repeat(200), ..."ABCDEFGH"])
    others.push((await service.api(withId, "POST", cameras, site.token, { name })).id);
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

  // A camera without images shows nothing of the one before, and its tab keeps the focus it was opened with.
  await page.focus("#cameras [role=tab]:last-child");
  await page.keyboard.press("Enter");
  await eventually(async () => expect(await text(page, "notice")).toBe("No pictures yet."), LONG_PATIENCE);
  const isBlank = `(() => {
    const { width, height } = document.getElementById("scale");
    const { data } = document.getElementById("scale").getContext("2d").getImageData(0, 0, width, height);
    return data.every((value) => value === 0);
  })()`;
  await eventually(async () => expect(await page.evaluate(isBlank)).toBe(true), LONG_PATIENCE);
  expect(await page.evaluate("document.activeElement.textContent")).toBe("H");
  expect(complaints).toEqual([]);
  await page.close();
});

test("a link that is none, or not whole, is told in one calm sentence", async () => {
  for (const [fragment, title] of [
    [`#svcshare1.${"0".repeat(32)}.${"0".repeat(64)}`, "This link has ended."],
    ["#svcshare1.1", "This link is not complete."],
    ["", "This link is not complete."],
  ]) {
    const { page, complaints } = await openPage(`${service.url}/s${fragment}`);
    await page.waitForSelector("#ended:not([hidden])");
    expect(await text(page, "ended-title")).toBe(title);
    expect(complaints.filter((line) => !line.includes("404"))).toEqual([]);
    await page.close();
  }
});

test("is served with a policy that lets it reach nothing else", async () => {
  const response = await fetch(`${service.url}/s`);
  expect(response.headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob: data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  );
  expect(response.headers.get("referrer-policy")).toBe("no-referrer");
});
