import { expect, test } from "vitest";
import { isWorthReading, timesAround } from "../../web/archive/ahead.ts";
import { MINUTE } from "../../web/archive/clock.ts";
import { Frames } from "../../web/archive/frames.ts";
import { Previews } from "../../web/archive/previews.ts";

/* Tests which previews of a large archive are requested, in which order, and which requests end early. */

const LAST = Date.UTC(2026, 10, 22, 13, 34);
const COUNT = 20_000;
const frames = new Frames(
  Float64Array.from({ length: COUNT }, (_, i) => LAST - (COUNT - 1 - i) * MINUTE),
  [],
  false,
);

interface Asked {
  times: number[];
  signal: AbortSignal;
  answer(): void;
}

/** A service that answers when the test lets it, and the list of its requests. */
function slowService() {
  const asked: Asked[] = [];
  const previews = new Previews({
    timeline: () => Promise.reject(new Error("not asked")),
    times: () => Promise.reject(new Error("not asked")),
    seek: async () => null,
    image: async () => null,
    previews: (utc, signal) =>
      new Promise((done, fail) => {
        const times = utc.map((one) => Date.parse(one));
        const samples = utc.map((at) => ({ at, captureId: at }));
        const images = utc.map((at) => ({ captureId: at, capturedAtUtc: at, width: 128, height: 72, jpegBase64: "" }));
        asked.push({ times, signal, answer: () => done({ samples, images }) });
        signal.addEventListener("abort", () => fail(signal.reason));
      }),
  });
  return { asked, previews };
}

test("the shown picture is requested alone, once, and before its neighbours", async () => {
  const { asked, previews } = slowService();
  const time = frames.at(10_000);
  const first = previews.first(time);
  const again = previews.first(time);
  const guess = previews.guess(timesAround(frames, time, { direction: 1, stride: 1 }));
  expect(asked.map(({ times }) => times.length)).toEqual([1, 32]);
  expect(asked[0]?.times).toEqual([time]);
  expect(asked[1]?.times).not.toContain(time);
  asked[0]?.answer();
  await Promise.all([first, again]);
  expect(previews.get(time)).toBeDefined();
  asked[1]?.answer();
  await guess;
  await previews.first(time);
  expect(asked).toHaveLength(2);
});

test("requests in advance end when the finger stops, and pictures that are shown elsewhere are still read", async () => {
  const { asked, previews } = slowService();
  const strip = [frames.at(3), frames.at(1_443)];
  const shown = previews.want(strip);
  const stale = previews.guess(timesAround(frames, frames.at(5_000), { direction: 1, stride: 40 }));
  const waiting = previews.guess(timesAround(frames, frames.at(9_000), { direction: 1, stride: 40 }));
  const time = frames.at(18_000);
  const first = previews.first(time);
  await Promise.all([stale, waiting]);
  expect(asked.map(({ times, signal }) => [times.length, signal.aborted])).toEqual([
    [2, false],
    [32, true],
    [1, false],
  ]);
  for (const { answer } of asked) answer();
  await Promise.all([shown, first]);
  expect([...strip, time].filter((one) => previews.get(one) === undefined)).toEqual([]);
  expect(previews.has(frames.at(5_000))).toBe(false);
  // A cancelled request is not a refusal: the same times are read again when they are needed.
  const back = previews.first(frames.at(5_000));
  expect(asked).toHaveLength(4);
  asked[3]?.answer();
  await back;
  expect(previews.get(frames.at(5_000))).toBeDefined();
});

test("a request in advance that contains the shown picture continues, and no second request is sent", async () => {
  const { asked, previews } = slowService();
  const time = frames.at(12_000);
  const guess = previews.guess(timesAround(frames, frames.at(11_990), { direction: 1, stride: 1 }));
  const first = previews.first(time);
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([false]);
  asked[0]?.answer();
  await Promise.all([guess, first]);
  expect(previews.get(time)).toBeDefined();
});

test("most of the frames that are read ahead are in the direction of the movement, as far apart as the finger moves", () => {
  const time = frames.at(10_000);
  const times = timesAround(frames, time, { direction: -1, stride: 50 });
  expect(times[0]).toBe(time);
  expect(times).toHaveLength(33);
  expect(times.filter((one) => one < time)).toHaveLength(24);
  expect(times[1]).toBe(frames.at(9_950));
  // There are fewer at an end of the archive.
  expect(timesAround(frames, LAST, { direction: 1, stride: 1 })).toHaveLength(9);
});

test("previews are read ahead when one of the nearest is missing, or many are", () => {
  const times = timesAround(frames, frames.at(10_000), { direction: 1, stride: 1 });
  const without = (...missing: number[]) => isWorthReading(times, (time) => !missing.includes(time));
  expect(without()).toBe(false);
  expect(without(frames.at(10_000))).toBe(false);
  expect(without(frames.at(10_001))).toBe(true);
  expect(without(frames.at(9_999))).toBe(true);
  expect(without(frames.at(10_020), frames.at(10_021))).toBe(false);
  expect(without(...times.slice(-13))).toBe(true);
  // A small archive has few frames, which are all read with the first one.
  const small = new Frames(Float64Array.from([1, 2, 3]), [], false);
  expect(isWorthReading(timesAround(small, 3, { direction: 1, stride: 1 }), (time) => time === 3)).toBe(true);
});
