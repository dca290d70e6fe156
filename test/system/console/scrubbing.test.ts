import { expect, test } from "vitest";
import { z } from "zod";
import { SCALE_HEIGHT } from "../../../web/archive/draw.ts";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { addFrames, type PairedCamera, pairCamera, picture, STARTED } from "../support/cameras";
import { press } from "../support/console";
import { complaints, enter, page, service, site, useDesk } from "../support/desk";

/*
 * Tests which pictures an archive of 20,000 frames requests while a finger moves on its ruler, in which order, and how
 * often the ruler is drawn. The times come from the service; the pictures come from the tab, so that they arrive when
 * the test says so.
 */

const HOUR = 3_600_000;
const MINUTE = 60_000;
const FRAMES = 20_000;
/** One pixel of the ruler is three and a half minutes. */
const TOLERANCE_MS = 20 * MINUTE;
/** Times of one request. */
const BATCH = 32;

let gate: PairedCamera;

/** Maximum duration of a timer between the rest of a finger and the request for the sharp picture, milliseconds. */
const MAX_PAUSE_MS = 50;

/** Timers that are longer than `window.longest` do not end while it has a value. */
const HOLD_TIMERS = `
  window.longest = null;
  const setTimer = window.setTimeout.bind(window);
  window.setTimeout = (run, ms = 0, ...values) => {
    const end = () => (window.longest !== null && ms > window.longest ? setTimer(end, ms) : run(...values));
    return setTimer(end, ms);
  };`;

/** Answers requests for pictures in the tab: a single preview at once, a batch when the test lets it go. */
const answersIn = (jpegBase64: string) => `
  const held = [];
  window.asked = [];
  window.letGo = () => { for (const answer of held.splice(0)) answer(); };
  const send = window.fetch.bind(window);
  const json = (body) => new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
  const bytes = Uint8Array.from(atob("${jpegBase64}"), (letter) => letter.charCodeAt(0));
  const idOf = (time) => "0192f0c1-5b7e-7cc3-8d43-" + time.toString(16).padStart(12, "0");
  window.fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(typeof input === "string" ? input : input.url ?? input, location.href);
    if (pathname === "/picture-of-a-test") return new Response(new Blob([bytes], { type: "image/jpeg" }));
    const image = /^\\/v1\\/camera-captures\\/(.+)\\/download$/.exec(pathname);
    const isPreviews = pathname.endsWith("/previews");
    if (image === null && !isPreviews) return send(input, init);
    const { signal } = input;
    const form = isPreviews ? "previews" : searchParams.get("thumbnail") === "true" ? "thumbnail" : "original";
    const behind = window.asked.filter(({ ended, answered }) => !ended && !answered).length;
    const own = image === null ? [] : [parseInt(image[1].slice(-12), 16)];
    const entry = { form, times: own, behind, ended: false, answered: false };
    window.asked.push(entry);
    signal.addEventListener("abort", () => { entry.ended = true; });
    if (image !== null) {
      entry.answered = true;
      return json({ url: "/picture-of-a-test" });
    }
    const { times } = await input.json();
    entry.times = times.map((time) => Date.parse(time));
    if (times.length > 1)
      await new Promise((done, fail) => {
        held.push(done);
        if (signal.aborted) fail(signal.reason);
        signal.addEventListener("abort", () => fail(signal.reason));
      });
    entry.answered = true;
    return json({
      samples: entry.times.map((time, i) => ({ at: times[i], captureId: idOf(time) })),
      images: entry.times.map((time, i) => ({
        captureId: idOf(time), capturedAtUtc: times[i], width: 64, height: 36, jpegBase64: "${jpegBase64}",
      })),
    });
  };`;

/**
 * Counts the drawings of the ruler, and the calls of each, by the frame of the screen that they belong to. Two frames
 * can have one timestamp on a busy machine, so frames are told apart by their callbacks: callbacks that were registered
 * before the first callback of a frame belong to that frame, and later callbacks to the next frame.
 */
const COUNT_DRAWINGS = `
  window.drawn = new Map();
  let [registered, ofFrame, frame] = [0, 0, 0];
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (run) => {
    const own = registered++;
    return request((time) => {
      if (own >= ofFrame) {
        frame += 1;
        ofFrame = registered;
      }
      run(time);
    });
  };
  const pen = CanvasRenderingContext2D.prototype;
  for (const name of ["clearRect", "fillRect", "strokeRect", "fillText", "fill", "drawImage"]) {
    const draw = pen[name];
    pen[name] = function (...values) {
      if (this.canvas.className === "ruler") {
        const counts = window.drawn.get(frame) ?? { drawings: 0, calls: 0 };
        window.drawn.set(frame, { drawings: counts.drawings + (name === "clearRect"), calls: counts.calls + 1 });
      }
      return draw.apply(this, values);
    };
  }`;

useDesk({ site: "entitled" }, async () => {
  gate = await pairCamera(service, site, "Gate");
  await gate.send(HOUR, 0);
  await addFrames(service, gate.id, FRAMES - 1, MINUTE);
});

const requests = z.array(
  z.object({ form: z.string(), times: z.array(z.number()), behind: z.int(), ended: z.boolean() }),
);
/** The requests of the tab since the last `forget`. */
const asked = async () => requests.parse(await page.evaluate("window.asked"));
const forget = () => page.evaluate("window.asked.length = 0");
const letGo = () => page.evaluate("window.letGo()");
const shownTime = async () =>
  Date.parse(await page.$eval(".moment time", (element) => element.getAttribute("datetime") ?? ""));

/** A position on the band of the ruler, by its share of the width. */
async function onBand(share: number): Promise<{ x: number; y: number }> {
  const box = await (await page.waitForSelector("canvas.ruler"))?.boundingBox();
  if (!box) throw new Error("the ruler has no size");
  return { x: box.x + share * box.width, y: box.y + SCALE_HEIGHT + 16 };
}

/** The frame that was requested alone last. */
const restedAt = async (): Promise<number> => {
  const alone = (await asked()).filter(({ form, times }) => form === "previews" && times.length === 1);
  return alone.at(-1)?.times[0] ?? Number.NaN;
};

/**
 * The time at a position of the ruler when the archive opens: it shows three days, and two hours after the last
 * frame.
 */
const timeAt = (share: number): number => STARTED - HOUR + 2 * HOUR - (1 - share) * 72 * HOUR;

/** Waits until the finger rests at a position, and checks the requests since it began to move. @returns the frame. */
async function restsAt(share: number): Promise<number> {
  let time = Number.NaN;
  await eventually(async () => {
    time = await shownTime();
    expect(Math.abs(time - timeAt(share))).toBeLessThan(TOLERANCE_MS);
    expect(time).toBe(await restedAt());
    const forms = (await asked()).filter(({ times }) => times.includes(time)).map(({ form }) => form);
    expect(forms).toEqual(["previews", "thumbnail", "original"]);
  }, LONG_PATIENCE);
  const all = await asked();
  const alone = all.findIndex(({ form, times }) => form === "previews" && times[0] === time);
  const thumbnail = all.findIndex(({ form, times }) => form === "thumbnail" && times[0] === time);
  // Requests for positions that the finger has left are cancelled. Requests for neighbours begin after the wanted
  // request.
  const stale = all.slice(0, alone).filter(({ times }) => times.length > 1);
  expect(stale.filter(({ ended }) => !ended)).toEqual([]);
  expect(all[alone]).toMatchObject({ times: [time], behind: 0, ended: false });
  expect(all.slice(alone + 1, thumbnail).filter(({ form }) => form !== "previews")).toEqual([]);
  expect(Math.max(...all.map(({ times }) => times.length))).toBeLessThanOrEqual(BATCH);
  return time;
}

test("an archive of 20,000 frames opens at its latest picture, which is requested alone", async () => {
  const jpeg = Buffer.from(picture(90)).toString("base64");
  await page.evaluateOnNewDocument(HOLD_TIMERS);
  await page.evaluateOnNewDocument(answersIn(jpeg));
  await page.evaluateOnNewDocument(COUNT_DRAWINGS);
  await enter(`cameras/${gate.id}`);
  await page.waitForSelector(".stage .picture");
  const last = String(FRAMES - 1);
  await page.waitForSelector(`[role=slider][aria-valuemax="${last}"][aria-valuenow="${last}"]`);
  const [first] = await asked();
  expect(first).toMatchObject({ form: "previews", times: [await shownTime()] });
  await letGo();
});

test("the frame at which the finger stops is requested first, alone and once, before the finger is lifted", async () => {
  await forget();
  const [from, to] = [await onBand(0.1), await onBand(0.73)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 30 });
  // No batch is answered.
  const before = await restsAt(0.73);
  const inAddress = () => Date.parse(new URL(page.url()).searchParams.get("t") ?? "");
  expect(inAddress()).toBe(STARTED - HOUR);
  await page.mouse.up();
  await eventually(() => expect(inAddress()).toBe(before), LONG_PATIENCE);
  expect(await shownTime()).toBe(before);
  const ofFrame = (await asked()).filter(({ times }) => times.includes(before));
  expect(ofFrame.map(({ form }) => form)).toEqual(["previews", "thumbnail", "original"]);
  await page.goBack();
  await page.waitForSelector(`[role=slider][aria-valuenow="${FRAMES - 1}"]`);
  await letGo();
});

test("only a short pause, and no other request, is between the rest of a finger and the sharp picture", async () => {
  const [from, to] = [await onBand(0.3), await onBand(0.6)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 40, from.y, { steps: 4 });
  await page.evaluate(`window.longest = ${MAX_PAUSE_MS}`);
  await forget();
  await page.mouse.move(to.x, to.y, { steps: 30 });
  // No batch is answered.
  await eventually(async () => {
    const time = await restedAt();
    expect(Math.abs(time - timeAt(0.6))).toBeLessThan(TOLERANCE_MS);
    const ofFrame = (await asked()).filter(({ times }) => times.includes(time)).map(({ form }) => form);
    expect(ofFrame).toEqual(["previews", "thumbnail"]);
    expect(await shownTime()).toBe(time);
  }, LONG_PATIENCE);
  await page.evaluate("window.longest = null");
  await page.mouse.up();
  await letGo();
  await page.goBack();
  await page.waitForSelector(`[role=slider][aria-valuenow="${FRAMES - 1}"]`);
});

test("a finger that is lifted during a movement selects the frame at that position", async () => {
  await forget();
  const [from, to] = [await onBand(0.8), await onBand(0.27)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 12 });
  await page.mouse.up();
  await restsAt(0.27);
  await letGo();
});

const drawings = z.array(z.object({ drawings: z.int(), calls: z.int() }));

test("the ruler is drawn at most once in a frame of the screen, with as many calls as its width allows", async () => {
  for (const span of ["All", "Day"]) {
    await press(page, span);
    const [from, to] = [await onBand(0.05), await onBand(0.95)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.evaluate("window.drawn.clear()");
    await page.mouse.move(to.x, to.y, { steps: 60 });
    const drawn = drawings.parse(await page.evaluate("[...window.drawn.values()]"));
    await page.mouse.up();
    await letGo();
    expect(drawn.length).toBeGreaterThan(1);
    expect(Math.max(...drawn.map((one) => one.drawings))).toBe(1);
    expect(Math.max(...drawn.map(({ calls }) => calls))).toBeLessThan(1.5 * (to.x - from.x));
  }
  await press(page, "All");
});

/** The pixels of the ruler without its right end, the description of the picture, and the address. */
const LOOK = `(() => {
  const ruler = document.querySelector("canvas.ruler");
  const { data } = ruler.getContext("2d").getImageData(0, 0, Math.floor(0.8 * ruler.width), ruler.height);
  const sum = data.reduce((hash, value) => (Math.imul(hash, 31) + value) | 0, 7);
  return { sum, picture: document.querySelector(".stage .picture").alt, address: location.href };
})()`;

test("the frame that a finger touches is requested alone, although the finger could go on", async () => {
  await press(page, "Day");
  await page.keyboard.press("End");
  await page.waitForSelector(`[role=slider][aria-valuenow="${FRAMES - 1}"]`);
  await forget();
  const at = await onBand(0.4);
  // A mouse that stays above the ruler would read previews before it touches.
  await Promise.all([page.mouse.move(at.x, at.y), page.mouse.down()]);
  // No batch is answered.
  await eventually(async () => {
    const time = await shownTime();
    const ofFrame = (await asked()).filter(({ times }) => times.includes(time));
    expect(ofFrame).toMatchObject([
      { form: "previews", times: [time], behind: 0 },
      { form: "thumbnail" },
      { form: "original" },
    ]);
  }, LONG_PATIENCE);
});

test("a new picture that arrives live moves neither the ruler nor the picture of a finger that rests", async () => {
  await letGo();
  const [time, before] = [await shownTime(), await page.evaluate(LOOK)];
  await gate.send(HOUR / 2, 120);
  await page.waitForSelector(`[role=slider][aria-valuemax="${FRAMES}"]`);
  expect(await shownTime()).toBe(time);
  expect(await page.evaluate(LOOK)).toEqual(before);
  await page.mouse.up();
  await eventually(() => expect(page.url()).toContain(encodeURIComponent(new Date(time).toISOString())), LONG_PATIENCE);
  expect(await shownTime()).toBe(time);
});

test("a moving finger sees previews that were read ahead of it in batches", async () => {
  await forget();
  const from = await onBand(0.5);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x - 12, from.y);
  await eventually(async () => {
    await letGo();
    const batches = (await asked()).filter(({ form, times }) => form === "previews" && times.length > 1);
    expect(batches[0]?.times.length).toBeGreaterThan(BATCH / 2);
  }, LONG_PATIENCE);
  await page.mouse.up();
  await letGo();
  expect(complaints).toEqual([]);
});
