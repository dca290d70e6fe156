import fc from "fast-check";
import { expect, test } from "vitest";
import type { CameraTimeline, Capture, CaptureTimes } from "../../client/src/index.ts";
import { DAY, HOUR, MINUTE } from "../../web/archive/clock.ts";
import { Frames, findGaps, type Gap, timesOf } from "../../web/archive/frames.ts";
import { Loader } from "../../web/archive/loader.ts";
import type { ArchivePort } from "../../web/archive/port.ts";

/* The capture times of an archive in the console: how they are read and updated. */

const LAST = Date.UTC(2026, 10, 22, 13, 34);
const every = (step: number, count: number, last = LAST) =>
  Array.from({ length: count }, (_, i) => last - (count - 1 - i) * step);

test("the nearest frame is found; if two are equally near, the earlier", () => {
  const times = fc.uniqueArray(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(times, fc.integer({ min: -50, max: 550 }), (some, at) => {
      const sorted = some.sort((a, b) => a - b);
      const frames = new Frames(Float64Array.from(sorted), [], false);
      const distance = Math.min(...sorted.map((time) => Math.abs(time - at)));
      expect(frames.at(frames.nearest(at))).toBe(sorted.find((time) => Math.abs(time - at) === distance));
    }),
    { seed: 4 },
  );
});

test("gaps are found by the rule of the service, and keep their causes", () => {
  const times = [
    ...every(10 * MINUTE, 12, LAST - DAY),
    ...every(10 * MINUTE, 12, LAST - 4 * HOUR),
    ...every(MINUTE, 30),
  ];
  const [first, second] = findGaps(Float64Array.from(times), [
    { start: LAST - DAY, end: LAST - 4 * HOUR - 110 * MINUTE, cause: "paused" },
  ]);
  expect(first).toEqual({ start: LAST - DAY, end: LAST - 4 * HOUR - 110 * MINUTE, cause: "paused" });
  expect(second).toEqual({ start: LAST - 4 * HOUR, end: LAST - 29 * MINUTE, cause: "unknown" });
  // A changed interval is none.
  expect(findGaps(Float64Array.from([...every(MINUTE, 9, LAST - 9 * HOUR), ...every(HOUR, 9)]), [])).toEqual([]);
});

/** A service with one camera, whose frames and gaps can change. */
function fakeService(times: number[]) {
  const state = { times, watermark: 1, gaps: [] as Gap[], openGap: null as Gap | null, calls: [] as string[] };
  const capture = (time: number) => ({ id: String(time), capturedAtUtc: new Date(time).toISOString() }) as Capture;
  const within = (from = "", to = "") =>
    state.times.filter((time) => !(time < Date.parse(from)) && !(time > Date.parse(to)));
  const port: ArchivePort = {
    timeline: async (range): Promise<CameraTimeline> => {
      state.calls.push(range === undefined ? "timeline" : "timeline of a range");
      const [first, last] = [state.times[0], state.times.at(-1)];
      const [from, to] = [Date.parse(range?.fromUtc ?? ""), Date.parse(range?.toUtc ?? "")];
      // The service finds what is longer than a part of the range, and lists the 128 longest.
      const found = state.gaps
        .filter(({ start, end }) => start >= from && end <= to && end - start > (to - from) / 512)
        .sort((a, b) => b.end - b.start - (a.end - a.start))
        .slice(0, 128);
      const told = ({ start, end, cause }: Gap) => ({
        ...{ startUtc: new Date(start).toISOString(), endUtc: new Date(end).toISOString(), cause },
      });
      const gaps = found.map(told);
      const openGap = range === undefined && state.openGap !== null ? told(state.openGap) : null;
      const ends = {
        first: first === undefined ? null : capture(first),
        last: last === undefined ? null : capture(last),
      };
      return { ...ends, gaps, openGap, watermark: state.watermark };
    },
    times: async ({ fromUtc, toUtc }): Promise<CaptureTimes> => {
      const all = within(fromUtc, toUtc);
      state.calls.push(`times of ${all.length}`);
      const page = all.slice(-500);
      const [first] = page;
      const stepsMs = page.slice(1).map((time, i) => time - (page[i] ?? 0));
      return {
        firstUtc: first === undefined ? null : new Date(first).toISOString(),
        stepsMs,
        hasOlder: all.length > 500,
      };
    },
    seek: async () => null,
    previews: async () => ({ samples: [], images: [] }),
    image: async () => null,
  };
  return { state, port };
}

test("older times are read page by page, back to the wanted time", async () => {
  const { port } = fakeService(every(10 * MINUTE, 1_800));
  const loader = new Loader(port);
  expect(await loader.load(LAST - 700 * 10 * MINUTE)).toMatchObject({ count: 1_000, partial: true });
  let frames = await loader.older();
  while (frames?.partial) frames = await loader.older();
  expect(Array.from(frames?.times ?? [])).toEqual(every(10 * MINUTE, 1_800));
});

test("a refresh reads nothing without a change, and recent times after a change", async () => {
  const { state, port } = fakeService(every(HOUR, 400, LAST - HOUR));
  const loader = new Loader(port);
  const before = await loader.load(null);
  state.calls.length = 0;
  expect(await loader.refresh()).toBe(before);
  expect(state.calls).toEqual(["timeline"]);
  state.times.push(LAST);
  // A frame that waited on the device during an outage arrives late.
  state.times.splice(-10, 0, LAST - 10 * HOUR + MINUTE);
  state.times.sort((a, b) => a - b);
  state.watermark += 1;
  state.calls.length = 0;
  const after = await loader.refresh();
  expect(Array.from(after?.times ?? [])).toEqual(state.times);
  expect(state.calls).toEqual(["timeline", "times of 171"]);
  // Expired frames go.
  state.times = state.times.slice(50);
  state.watermark += 1;
  expect(Array.from((await loader.refresh())?.times ?? [])).toEqual(state.times);
});

test("a removed frame can be added again at its place", async () => {
  const { state, port } = fakeService(every(HOUR, 5));
  const loader = new Loader(port);
  await loader.load(null);
  expect(loader.drop(LAST - HOUR)?.count).toBe(4);
  expect(Array.from(loader.restore(LAST - HOUR)?.times ?? [])).toEqual(state.times);
});

test("a refresh does not add a removed frame, which can be added among the new frames", async () => {
  const { state, port } = fakeService(every(HOUR, 5));
  const loader = new Loader(port);
  await loader.load(null);
  loader.drop(LAST);
  const before = [...state.times];
  state.times.push(LAST + HOUR);
  state.watermark += 1;
  const seen = await loader.refresh();
  expect(Array.from(seen?.times ?? [])).toEqual([...before.slice(0, -1), LAST + HOUR]);
  expect(await loader.refresh()).toBe(seen);
  expect(Array.from(loader.restore(LAST)?.times ?? [])).toEqual(state.times);
  // The whole archive is read again when old frames change. Dropped frames stay away.
  loader.drop(LAST - HOUR);
  state.times = state.times.slice(1);
  state.watermark += 1;
  expect(Array.from((await loader.refresh())?.times ?? [])).toEqual(state.times.filter((time) => time !== LAST - HOUR));
});

test("the gap until now begins, grows and ends with the answers of the service", async () => {
  const { state, port } = fakeService(every(10 * MINUTE, 12));
  const loader = new Loader(port);
  expect(await loader.load(null)).toMatchObject({ gaps: [], end: LAST });
  const gap: Gap = { start: LAST, end: LAST + HOUR, cause: "unknown" };
  state.openGap = gap;
  expect(await loader.refresh()).toMatchObject({ gaps: [{ ...gap, isOpen: true }], last: LAST, end: LAST + HOUR });
  state.openGap = { ...gap, end: LAST + 2 * HOUR, cause: "offline" };
  const grown = await loader.refresh();
  expect(grown).toMatchObject({ gaps: [{ ...state.openGap, isOpen: true }], end: LAST + 2 * HOUR });
  // Its cause is known already.
  state.calls.length = 0;
  expect(await loader.explain(LAST - HOUR, LAST + 2 * HOUR)).toBeNull();
  expect(await loader.refresh()).toBe(grown);
  expect(state.calls).toEqual(["timeline"]);
  // The newest frame is removed for the person who undoes that later. The gap is still the service's.
  expect(loader.drop(LAST)?.gaps).toEqual(grown?.gaps);
  loader.restore(LAST);
  state.times.push(LAST + 2 * HOUR);
  state.watermark += 1;
  // The times are newer than the gap.
  expect(await loader.refresh()).toMatchObject({ gaps: [], end: LAST + 2 * HOUR });
});

test("an archive whose only frame is dropped is empty, even after a refresh", async () => {
  const { state, port } = fakeService([LAST]);
  const loader = new Loader(port);
  await loader.load(null);
  expect(loader.drop(LAST)).toBeNull();
  state.watermark += 1;
  expect(await loader.refresh()).toBeNull();
  expect(loader.restore(LAST)?.count).toBe(1);
});

test("the causes of gaps are read once, in ranges in which the service finds them", async () => {
  // A gap of 20 minutes each day, and one of 10 hours each month: they are not found in one range.
  const times = every(2 * MINUTE, 40 * 720).filter((time) => {
    const age = LAST - time;
    return (
      !(age % DAY > 12 * HOUR && age % DAY < 12 * HOUR + 20 * MINUTE) && !(age % (30 * DAY) < 10 * HOUR && age > DAY)
    );
  });
  const { state, port } = fakeService(times);
  const gaps = findGaps(Float64Array.from(times), []);
  expect(gaps.length).toBeGreaterThan(38);
  state.gaps = gaps.map((gap) => ({ ...gap, cause: "camera-fault" }));
  const loader = new Loader(port);
  let frames = await loader.load(null);
  while (frames?.partial) frames = await loader.older();
  state.calls.length = 0;
  const isKnown = ({ cause }: Gap) => cause === "camera-fault";
  const [oldest, newest] = [gaps.at(-30)?.start ?? 0, gaps.at(-1)?.end ?? 0];
  const explained = await loader.explain(oldest, newest);
  // The newest ones are read first, and the number of reads is limited.
  expect(explained?.gaps.slice(-25).every(isKnown)).toBe(true);
  expect(state.calls.length).toBeLessThanOrEqual(8);
  for (let more = explained; more !== null; ) more = await loader.explain(times[0] ?? 0, LAST);
  expect((await loader.refresh())?.gaps.every(isKnown)).toBe(true);
  state.calls.length = 0;
  expect(await loader.explain(times[0] ?? 0, LAST)).toBeNull();
  expect(state.calls).toEqual([]);
});

test("a gap whose cause the service does not know is asked for once", async () => {
  const times = [...every(10 * MINUTE, 20, LAST - DAY), ...every(10 * MINUTE, 20)];
  const { state, port } = fakeService(times);
  const loader = new Loader(port);
  await loader.load(null);
  expect((await loader.explain(LAST - 2 * DAY, LAST))?.gaps.map(({ cause }) => cause)).toEqual(["unknown"]);
  state.calls.length = 0;
  expect(await loader.explain(LAST - 2 * DAY, LAST)).toBeNull();
  expect(state.calls).toEqual([]);
});

test("a read of causes that failed is tried again", async () => {
  const times = [...every(10 * MINUTE, 20, LAST - DAY), ...every(10 * MINUTE, 20)];
  const { state, port } = fakeService(times);
  const timeline = port.timeline.bind(port);
  const loader = new Loader(port);
  await loader.load(null);
  port.timeline = () => Promise.reject(new TypeError("Failed to fetch"));
  await expect(loader.explain(LAST - 2 * DAY, LAST)).rejects.toThrow("Failed to fetch");
  port.timeline = timeline;
  state.gaps = findGaps(Float64Array.from(times), []).map((gap) => ({ ...gap, cause: "offline" }));
  expect((await loader.explain(LAST - 2 * DAY, LAST))?.gaps.map(({ cause }) => cause)).toEqual(["offline"]);
});

test("the times of a response are sums of its steps", () => {
  expect(Array.from(timesOf({ firstUtc: new Date(LAST).toISOString(), stepsMs: [1, 20], hasOlder: false }))).toEqual([
    LAST,
    LAST + 1,
    LAST + 21,
  ]);
  expect(timesOf({ firstUtc: null, stepsMs: [], hasOlder: false })).toHaveLength(0);
});
