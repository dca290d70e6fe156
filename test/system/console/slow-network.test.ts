import { expect, test } from "vitest";
import { z } from "zod";
import { dataOf } from "../../../client/src/index";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { type PairedCamera, pairCamera, STARTED } from "../support/cameras";
import { press, sees, textOf, visibleText } from "../support/console";
import { complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";

/* The wall, the archive and the search on a slow network, and without one. */

const HOUR = 3_600_000;
/** A delay of 400 ms, and 1 Mbit/s in bytes per second. */
const SLOW = { latency: 400, download: 125_000, upload: 125_000 };
/** Maximum sum of layout shifts that people do not notice: the limit of Web Vitals for a good page. */
const MAX_SHIFT = 0.1;

let gate: PairedCamera;

/**
 * Records layout shifts, skeletons and cancelled requests. The request whose address ends with the text given to
 * `hold` is not answered.
 */
const WATCHER = `
  window.shifted = 0;
  window.sawSkeleton = false;
  window.hold = null;
  window.held = null;
  window.ended = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) window.shifted += value;
  }).observe({ type: "layout-shift", buffered: true });
  new MutationObserver(() => {
    if (document.querySelector(".skel") !== null) window.sawSkeleton = true;
  }).observe(document, { childList: true, subtree: true });
  const send = window.fetch.bind(window);
  window.fetch = (input, init) => {
    const url = typeof input === "string" ? input : input.url ?? String(input);
    if (window.hold === null || !url.endsWith(window.hold)) return send(input, init);
    window.hold = null;
    window.held = url;
    const signal = init?.signal ?? input.signal;
    return new Promise((_, fail) => {
      signal?.addEventListener("abort", () => {
        window.ended.push(url);
        fail(signal.reason);
      });
    });
  };`;

useDesk({ site: "entitled" }, async () => {
  gate = await pairCamera(service, site, "Gate");
  for (const [n, age] of [4 * HOUR, 2 * HOUR, HOUR].entries()) await gate.send(age, 60 * n);
  const client = siteClient();
  const file = new Blob(["A keeper painted the buoy."], { type: "text/plain" });
  await client.uploadDocument({ locationId: site.locationId, file, fileName: "keeper notes.txt" });
  await eventually(async () => {
    const { total } = await dataOf(client.api.POST("/v1/search", { body: { term: "keeper", limit: 20 } }));
    expect(total.count).toBe(1);
  }, LONG_PATIENCE);
  await enter("locations");
  await page.evaluateOnNewDocument(WATCHER);
  await page.emulateNetworkConditions(SLOW);
});

const watched = z.object({ shifted: z.number(), sawSkeleton: z.boolean() });
/** Checks that the page showed a skeleton while it waited, and did not move existing content. */
async function expectCalm(view: string): Promise<void> {
  const { shifted, sawSkeleton } = watched.parse(
    await page.evaluate("({ shifted: window.shifted, sawSkeleton: window.sawSkeleton })"),
  );
  expect.soft([view, sawSkeleton]).toEqual([view, true]);
  expect.soft(shifted, view).toBeLessThan(MAX_SHIFT);
}

/** Leaves the next request with this end unanswered. */
const hold = (end: string) => page.evaluate(`window.hold = ${JSON.stringify(end)}`);
const isHeld = () =>
  eventually(async () => expect(await page.evaluate("window.held !== null")).toBe(true), LONG_PATIENCE);
/** Waits until the page cancels the request that is not answered. */
const givesUp = async () => {
  const isEnded = "window.ended.includes(window.held)";
  await eventually(async () => expect(await page.evaluate(isEnded)).toBe(true), LONG_PATIENCE);
  await page.evaluate("window.held = null");
};

const WALL_PICTURE = 'img[alt="Latest picture of Gate"]';
/** The red value of the picture, which identifies it. Runs in the page. */
const RED_OF_PICTURE = `(async () => {
  const image = document.querySelector('${WALL_PICTURE}');
  await image.decode();
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.drawImage(image, 0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data[0];
})()`;
const shownAge = async () =>
  STARTED - Date.parse(await page.$eval(".moment time", (element) => element.getAttribute("datetime") ?? ""));
const shows = (age: number) => eventually(async () => expect(await shownAge()).toBe(age), LONG_PATIENCE);

test("the wall shows a skeleton, then its pictures, without a layout shift", async () => {
  await page.goto(`${service.url}/console/cameras`);
  await page.waitForSelector(WALL_PICTURE);
  await expectCalm("wall");
});

test("requests for pictures end when the person leaves the wall, and the wall has the pictures when the person returns", async () => {
  await page.click(".rail a[href='/console/locations']");
  await sees(page, "Quay");
  await hold("/latest-previews");
  await page.click(".rail a[href='/console/cameras']");
  await isHeld();
  await page.click(".rail a[href='/console/locations']");
  await givesUp();
  await page.click(".rail a[href='/console/cameras']");
  await page.waitForSelector(WALL_PICTURE);
});

test("the archive shows its latest picture, and cancels requests for frames that the person has left", async () => {
  await page.goto(`${service.url}/console/cameras/${gate.id}`);
  await page.waitForSelector(".stage .picture");
  await expectCalm("archive");
  await hold("thumbnail=true");
  await page.keyboard.press("Home");
  await isHeld();
  await shows(4 * HOUR);
  await page.keyboard.press("End");
  await givesUp();
  await shows(HOUR);
});

test("an archive without a network shows a message, and continues when the network returns", async () => {
  await page.setOfflineMode(true);
  await page.keyboard.press("ArrowLeft");
  // A small picture of the frame may be loaded already; the original is not.
  await sees(page, "No connection");
  await page.setOfflineMode(false);
  await shows(2 * HOUR);
  await eventually(async () => expect(await visibleText(page)).not.toContain("No connection"), LONG_PATIENCE);
});

test("a search ends when the person types another term, and the results of the new term follow", async () => {
  await page.goto(`${service.url}/console/search`);
  await page.waitForSelector(".bigfield input");
  await hold("/v1/search");
  await page.keyboard.type("kee");
  await isHeld();
  await page.keyboard.type("per");
  await givesUp();
  await page.waitForSelector("#hits .hit");
  await sees(page, "keeper notes.txt");
  await page.goto(`${service.url}/console/search?q=keeper`);
  await page.waitForSelector("#hits .hit");
  await expectCalm("search");
});

test("the window of the search suggests while the person types, and shows what is awaited", async () => {
  await page.goto(`${service.url}/console/locations`);
  await sees(page, "Quay");
  await page.evaluate("Object.assign(window, { shifted: 0, sawSkeleton: false })");
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
  await page.waitForSelector("dialog.palette[open]");
  await hold("/v1/search/suggestions");
  await page.keyboard.type("kee");
  await isHeld();
  await page.keyboard.type("p");
  await givesUp();
  // The first row searches for the typed term, then come the suggestions, then the results.
  await page.waitForSelector("#row-1");
  const suggestion = await textOf(page, "#row-1");
  expect(suggestion).toMatch(/^keep/);
  await page.waitForSelector("#rows .hit:not(.one)");
  await sees(page, "keeper notes.txt");
  expect(await page.$eval("dialog.palette input", (input) => (input as unknown as { value: string }).value)).toBe(
    "keep",
  );
  await expectCalm("palette");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#hits .hit");
  expect(new URL(page.url()).searchParams.get("q")).toBe(suggestion);
  expect(await page.$("dialog.palette")).toBeNull();
});

test("a wall without a network keeps its pictures, and shows missed ones when the network returns", async () => {
  await page.goto(`${service.url}/console/cameras`);
  await page.waitForSelector(WALL_PICTURE);
  const isRed = async (least: number, most: number) => {
    const red = z.number().parse(await page.evaluate(RED_OF_PICTURE));
    expect(red).toBeGreaterThan(least);
    expect(red).toBeLessThan(most);
  };
  await eventually(() => isRed(100, 140), LONG_PATIENCE);
  await page.setOfflineMode(true);
  await page.evaluate("dispatchEvent(new Event('offline'))");
  await sees(page, "No connection since");
  await gate.send(HOUR / 2, 240);
  await isRed(100, 140);
  await page.setOfflineMode(false);
  await press(page, "Try now");
  await eventually(() => isRed(220, 256), LONG_PATIENCE);
  await eventually(async () => expect(await visibleText(page)).not.toContain("No connection since"), LONG_PATIENCE);
  expect(complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED|WebSocket/.test(text))).toEqual([]);
});
