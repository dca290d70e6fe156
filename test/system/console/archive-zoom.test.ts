import type { HTTPRequest } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { type PairedCamera, pairCamera, STARTED } from "../support/cameras";
import { textOf } from "../support/console";
import { complaints, enter, page, service, site, useDesk } from "../support/desk";

/* The zoom of the ruler and of the picture by wheel, fingers and taps, and the address that keeps it. */

const HOUR = 3_600_000;
/** The width of the originals, pixels. The stage is narrower. */
const WIDTH = 1_920;

let gate: PairedCamera;

useDesk({ site: "entitled" }, async () => {
  gate = await pairCamera(service, site, "Gate", { timeZone: "Pacific/Auckland" });
  for (const [n, age] of [30 * HOUR, 29 * HOUR, 2 * HOUR, HOUR].entries()) await gate.send(age, 60 * n, WIDTH);
  await enter("locations");
});

const timeOf = (age: number) => new Date(STARTED - age).toISOString();
/** Opens the archive at a frame, and waits for its original. */
async function openAt(age: number, query = ""): Promise<void> {
  await page.goto(`${service.url}/console/cameras/${gate.id}?t=${timeOf(age)}${query}`);
  await showsOriginal(age);
}
const showsOriginal = (age: number) =>
  eventually(async () => {
    expect(await page.$eval(".moment time", (one) => one.getAttribute("datetime"))).toBe(timeOf(age));
    expect(await page.evaluate("document.querySelector('.stage .picture')?.naturalWidth")).toBe(WIDTH);
  }, LONG_PATIENCE);
const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
const boxOf = async (selector: string) => {
  const box = await (await page.waitForSelector(selector))?.boundingBox();
  if (!box) throw new Error(`${selector} has no place`);
  return box;
};

const look = z.object({ scale: z.number(), pixel: z.number(), shares: z.tuple([z.number(), z.number()]) });
/** The scale of the picture, the size of one of its pixels on the screen, and what is at a point of the window. */
const lookAt = async (x: number, y: number) =>
  look.parse(
    await page.evaluate(`(() => {
      const image = document.querySelector(".stage .picture");
      const { left, top, width, height } = image.getBoundingClientRect();
      const fit = Math.min(width / image.naturalWidth, height / image.naturalHeight);
      return {
        scale: width / image.clientWidth,
        pixel: fit * devicePixelRatio,
        shares: [(${x} - left) / width, (${y} - top) / height],
      };
    })()`),
  );
const isZoomed = (scale: number) =>
  eventually(async () => expect((await lookAt(0, 0)).scale).toBeCloseTo(scale, 2), LONG_PATIENCE);

/** Runs a gesture of fingers. */
async function withTouch(gesture: () => Promise<void>): Promise<void> {
  const devtools = await page.createCDPSession();
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  await gesture();
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: false });
  await devtools.detach();
}

test("the wheel zooms the ruler about the pointer and pans it, without a new entry of the history", async () => {
  await openAt(HOUR, "&span=4320");
  const entries = await page.evaluate("history.length");
  const { x, y, width } = await boxOf("canvas.ruler");
  const bubble = () => textOf(page, ".bubble");
  const last = await textOf(page, ".moment time b");
  // The first place of the latest picture on the ruler, after the gap of a day and the picture before.
  let at = x + 0.6 * width;
  await page.mouse.move(at, y + 60);
  await eventually(async () => expect(await bubble()).toContain("No pictures for"), LONG_PATIENCE);
  await eventually(async () => {
    at += 6;
    await page.mouse.move(at, y + 60);
    expect(await bubble()).toContain(last);
  }, LONG_PATIENCE);
  await page.mouse.wheel({ deltaY: -4_000 });
  await eventually(() => expect(parameter("span")).toBe("30"), LONG_PATIENCE);
  // Around another point, the ruler would show the gap of a day here.
  expect(await bubble()).toContain(last);
  await page.keyboard.down("Shift");
  await page.mouse.wheel({ deltaY: -3 * width });
  await page.keyboard.up("Shift");
  await eventually(async () => expect(await bubble()).not.toContain(last));
  expect(parameter("span")).toBe("30");
  await page.mouse.wheel({ deltaY: 600 });
  await eventually(() => expect(Number(parameter("span"))).toBeGreaterThan(60), LONG_PATIENCE);
  expect(await page.evaluate("history.length")).toBe(entries);
});

test("a double click and a double tap show half of the ruler", async () => {
  await openAt(HOUR, "&span=960");
  const { x, y, width } = await boxOf("canvas.ruler");
  await page.mouse.click(x + 0.5 * width, y + 20, { count: 2 });
  await eventually(() => expect(parameter("span")).toBe("480"), LONG_PATIENCE);
  await withTouch(async () => {
    await page.touchscreen.tap(x + 0.5 * width, y + 20);
    await page.touchscreen.tap(x + 0.5 * width, y + 20);
  });
  await eventually(() => expect(parameter("span")).toBe("240"), LONG_PATIENCE);
});

test("the wheel zooms the picture about the pointer, a drag moves it, and a reload shows the same part", async () => {
  await openAt(HOUR);
  const entries = await page.evaluate("history.length");
  const { x, y, width, height } = await boxOf(".stage");
  const [px, py] = [x + 0.7 * width, y + 0.4 * height];
  const before = await lookAt(px, py);
  await page.mouse.move(px, py);
  await page.mouse.wheel({ deltaY: -500 });
  await isZoomed(Math.exp(500 * 0.0018));
  const zoomed = await lookAt(px, py);
  expect(zoomed.shares[0]).toBeCloseTo(before.shares[0], 2);
  expect(zoomed.shares[1]).toBeCloseTo(before.shares[1], 2);
  await page.mouse.down();
  await page.mouse.move(px - 60, py - 30, { steps: 3 });
  await page.mouse.up();
  const dragged = await lookAt(px - 60, py - 30);
  expect(dragged.shares[0]).toBeCloseTo(before.shares[0], 2);
  await eventually(() => expect(parameter("zoom")).toMatch(/^2\.\d+,/), LONG_PATIENCE);
  expect(await page.evaluate("history.length")).toBe(entries);
  await page.reload();
  await showsOriginal(HOUR);
  const reloaded = await lookAt(px - 60, py - 30);
  for (const n of [0, 1] as const) expect(reloaded.shares[n]).toBeCloseTo(dragged.shares[n], 2);
  expect(reloaded.scale).toBeCloseTo(dragged.scale, 2);
});

test("two fingers zoom the picture, and a double tap shows its actual size and the whole again", async () => {
  await openAt(HOUR);
  const { x, y, width, height } = await boxOf(".stage");
  const [cx, cy] = [x + width / 2, y + height / 2];
  await withTouch(async () => {
    const one = await page.touchscreen.touchStart(cx - 50, cy);
    const other = await page.touchscreen.touchStart(cx + 50, cy);
    await one.move(cx - 75, cy);
    await other.move(cx + 75, cy);
    await one.end();
    await other.end();
  });
  await isZoomed(1.5);
  const tapTwice = () =>
    withTouch(async () => {
      await page.touchscreen.tap(cx, cy);
      await page.touchscreen.tap(cx, cy);
    });
  await tapTwice();
  await isZoomed(1);
  await eventually(() => expect(parameter("zoom")).toBeNull(), LONG_PATIENCE);
  await tapTwice();
  await eventually(async () => expect((await lookAt(0, 0)).pixel).toBeCloseTo(1, 2));
  await tapTwice();
  await isZoomed(1);
});

test("an original that arrives after the double tap has its actual size", async () => {
  await openAt(HOUR);
  await page.setRequestInterception(true);
  const held: HTTPRequest[] = [];
  const hold = (request: HTTPRequest) => {
    if (request.url().includes("thumbnail=false")) held.push(request);
    else void request.continue();
  };
  page.on("request", hold);
  await page.keyboard.press("ArrowLeft");
  await eventually(() => expect(held).toHaveLength(1), LONG_PATIENCE);
  const { x, y, width, height } = await boxOf(".stage");
  await page.mouse.click(x + width / 2, y + height / 2, { count: 2 });
  await page.waitForSelector(".stage.zoomed");
  page.off("request", hold);
  for (const request of held) await request.continue();
  await page.setRequestInterception(false);
  await showsOriginal(2 * HOUR);
  await eventually(async () => expect((await lookAt(0, 0)).pixel).toBeCloseTo(1, 2));
});

test("Back returns to the zoom, the clock and the span of its picture", async () => {
  await openAt(HOUR, "&span=960");
  const [own, cameras] = ["Your clock", "Camera’s clock (Pacific/Auckland)"];
  const clock = (words: string) =>
    eventually(async () => expect(await textOf(page, ".legend .clock")).toContain(words), LONG_PATIENCE);
  await clock(cameras);
  await page.click(".legend .clock");
  await page.keyboard.press("z");
  await eventually(() => expect([parameter("clock"), parameter("zoom")]).toEqual(["own", expect.any(String)]));
  const { scale } = await lookAt(0, 0);
  expect(scale).toBeGreaterThan(1);
  await page.keyboard.press("Home");
  await showsOriginal(30 * HOUR);
  await page.click(".legend .clock");
  await page.keyboard.press("Escape");
  await page.click("[aria-label='Show less time']");
  await eventually(() =>
    expect([parameter("clock"), parameter("zoom"), parameter("span")]).toEqual([null, null, "480"]),
  );
  await page.goBack();
  await showsOriginal(HOUR);
  await isZoomed(scale);
  await clock(own);
  await eventually(() => expect([parameter("clock"), parameter("span")]).toEqual(["own", "960"]), LONG_PATIENCE);
  // A copied link is this address.
  await page.reload();
  await showsOriginal(HOUR);
  await isZoomed(scale);
  await clock(own);
  await page.goForward();
  await showsOriginal(30 * HOUR);
  await isZoomed(1);
  await clock(cameras);
  expect(complaints).toEqual([]);
});

test("a phone shows whose clock the time is of, beside the time and above the bar", async () => {
  await openAt(HOUR);
  const clock = ".moment .clock";
  /** The edges of the clock, and the lower edge of the part of the window above the bar. */
  const PLACES = `(() => {
    const { left, right, top, bottom } = document.querySelector("${clock}").getBoundingClientRect();
    return [left >= 0, right <= innerWidth, top >= 0, bottom <= document.querySelector("main").getBoundingClientRect().bottom];
  })()`;
  for (const [width, height] of [
    [390, 844],
    [360, 640],
    [320, 640],
    [640, 360],
    [844, 390],
  ] as const) {
    await page.setViewport({ width, height });
    // In a low window, the picture fills it, and the bars move away with the view.
    if (height < 421) await page.evaluate(`document.querySelector("${clock}").scrollIntoView({ block: "center" })`);
    const isShown = async () =>
      expect([width, height, await page.evaluate(PLACES)]).toEqual([width, height, Array(4).fill(true)]);
    await eventually(isShown, LONG_PATIENCE);
    const hit = `document.elementFromPoint(...((r) => [r.left + r.width / 2, r.top + r.height / 2])(document.querySelector("${clock}").getBoundingClientRect())).closest("${clock}") !== null`;
    expect([width, height, await page.evaluate(hit)]).toEqual([width, height, true]);
    expect(await textOf(page, clock)).toContain("Camera’s clock (Pacific/Auckland)");
  }
  await page.setViewport({ width: 1280, height: 900 });
  expect(complaints).toEqual([]);
});
