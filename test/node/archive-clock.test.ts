import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Clock, DAY, MINUTE } from "../../web/archive/clock.ts";

/* The local clock of the ruler, over ten years in every zone that the platform knows. */

const HOUR = DAY / 24;
const [BEGIN, END] = [Date.UTC(2020, 0, 1), Date.UTC(2030, 0, 1)];
/** Zones change their clocks at most twice in this time, so probes at this distance find every change. */
const PROBE = 8 * DAY;
const STEPS = [HOUR / 12, HOUR / 4, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 28 * DAY, 91 * DAY];

interface Change {
  at: number;
  before: number;
  after: number;
}

interface Known {
  clock: Clock;
  changes: Change[];
}

/** The times at which a clock is set forward or back, found by many probes. */
function changesOf(clock: Clock): Change[] {
  const changes: Change[] = [];
  let before = clock.offset(BEGIN);
  for (let at = BEGIN; at < END; at += PROBE) {
    const after = clock.offset(at + PROBE);
    if (after === before) continue;
    let [low, high] = [at, at + PROBE];
    while (high - low > 1_000) {
      const middle = Math.floor((low + high) / 2_000) * 1_000;
      if (clock.offset(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high, before, after });
    before = after;
  }
  return changes;
}

/**
 * The first whole step after a moment, by a clock with known changes: its spans of constant offset, one after
 * another.
 */
function expected({ clock, changes }: Known, from: number, step: number): number {
  let offset = changes.findLast((change) => change.at <= from)?.after ?? changes[0]?.before ?? clock.offset(BEGIN);
  let passed = Math.floor((from + offset) / step);
  for (const { at, after } of [...changes.filter((change) => change.at > from), { at: Infinity, after: 0 }]) {
    const whole = (passed + 1) * step - offset;
    if (whole < at) return whole;
    const local = at + after;
    // The clock jumps to the step or over it. Then the step is the moment of the jump.
    if (local % step === 0 || Math.floor(local / step) > passed) return at;
    [offset, passed] = [after, Math.floor(local / step)];
  }
  throw new Error("no step");
}

const zones = Intl.supportedValuesOf("timeZone");
const clocks = zones.map((zone) => new Clock(zone));
const known: Known[] = clocks.map((clock) => ({ clock, changes: changesOf(clock) }));

test("the platform has time zones of every kind", () => {
  expect(zones.length).toBeGreaterThan(400);
  expect(known.filter(({ changes }) => changes.length === 0).length).toBeGreaterThan(100);
  expect(known.filter(({ changes }) => changes.length >= 20).length).toBeGreaterThan(100);
});

test("September is Sep where months have three letters, and is whole elsewhere", () => {
  const clock = new Clock("UTC");
  const at = Date.UTC(2026, 8, 5);
  expect([clock.say(at, "month"), clock.say(at, "date")]).toEqual(["Sep", "Sat, 5 Sep 2026"]);
  expect(clock.say(at, "monthYear")).toBe("September 2026");
});

describe("the next whole step of the local clock", () => {
  const check = (zone: Known, from: number, step: number) => {
    const { clock } = zone;
    const next = clock.next(from, step);
    expect([clock.timeZone, from, step, next]).toEqual([clock.timeZone, from, step, expected(zone, from, step)]);
    expect(next).toBeGreaterThan(from);
  };

  test("is correct around every clock change", () => {
    for (const zone of known)
      for (const { at } of zone.changes)
        for (const step of [HOUR / 4, HOUR, DAY])
          for (const before of [1, 30 * 60_000, HOUR, HOUR + 1]) check(zone, at - before, step);
  });

  test("is correct at any moment", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...known),
        fc.integer({ min: BEGIN, max: END - 400 * DAY }),
        fc.constantFrom(...STEPS),
        check,
      ),
      { numRuns: 3_000, seed: 12 },
    );
  });

  test("passes a spring night in Berlin hour by hour", () => {
    const clock = new Clock("Europe/Berlin");
    const marks: string[] = [];
    for (let at = Date.UTC(2026, 2, 28, 22, 30); marks.length < 5; ) {
      at = clock.next(at, HOUR);
      marks.push(`${clock.say(at, "shortDay")} ${clock.say(at, "time")}`);
    }
    expect(marks).toEqual(["29 Mar 00:00", "29 Mar 01:00", "29 Mar 03:00 UTC+2", "29 Mar 04:00", "29 Mar 05:00"]);
  });
});

test("a time of day within an hour of a change of the clock has its offset, and no other time has it", () => {
  const oslo = new Clock("Europe/Oslo");
  const back = Date.UTC(2026, 9, 25, 1);
  // The hour from 02:00 to 03:00 occurs twice.
  expect(oslo.say(back - 30 * MINUTE, "time")).toBe("02:30 UTC+2");
  expect(oslo.say(back + 30 * MINUTE, "time")).toBe("02:30 UTC+1");
  expect(oslo.say(back + 30 * MINUTE, "exact")).toBe("02:30:00 UTC+1");
  expect(oslo.say(back - 90 * MINUTE, "time")).toBe("01:30");
  expect(oslo.say(back + 90 * MINUTE, "time")).toBe("03:30");
  // The hour from 02:00 to 03:00 does not occur.
  const forward = Date.UTC(2026, 2, 29, 1);
  expect(oslo.say(forward - MINUTE, "time")).toBe("01:59 UTC+1");
  expect(oslo.say(forward, "time")).toBe("03:00 UTC+2");
  expect(oslo.say(forward + HOUR, "time")).toBe("04:00");
  // Half an hour, with an offset of half an hour.
  const lordHowe = new Clock("Australia/Lord_Howe");
  const change = Date.UTC(2026, 3, 4, 15);
  expect(lordHowe.say(change - 15 * MINUTE, "time")).toBe("01:45 UTC+11");
  expect(lordHowe.say(change + 15 * MINUTE, "time")).toBe("01:45 UTC+10:30");
});
