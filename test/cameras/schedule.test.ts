import { describe, expect, test } from "vitest";
import { afterOpen, isOpen, nextOpening, openPeriods, type Schedule } from "../../src/cameras/schedule";
import { DAY, HOUR, MINUTE } from "../../src/platform/time";
import fc from "../support/properties";

/*
 * A window is open while local clocks show a time inside it. This reference checks each minute separately with the
 * clock of `Intl`. It is slow and knows nothing of offsets.
 */

const ZONES = [
  "UTC",
  "Europe/Oslo",
  "America/New_York",
  "America/St_Johns",
  "America/Sao_Paulo",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Asia/Gaza",
  "Australia/Lord_Howe",
  "Antarctica/Troll",
  "Pacific/Apia",
];
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const clocks = new Map<string, Intl.DateTimeFormat>();
function clockAt(timeZone: string, at: number): { weekday: number; minutes: number } {
  const format =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("en-GB", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  clocks.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const weekday = WEEKDAYS.indexOf(parts.weekday ?? "") + 1;
  return { weekday, minutes: Number(parts.hour) * 60 + Number(parts.minute) };
}

const minutesOf = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** Whether the minute that begins at `at` is inside the window, by the local clock. */
function isInside({ captureWindow, timeZone }: Schedule, at: number): boolean {
  if (captureWindow === null) return true;
  const { weekday, minutes } = clockAt(timeZone, at);
  const days = captureWindow.daysOfWeek ?? [1, 2, 3, 4, 5, 6, 7];
  const [start, end] = [minutesOf(captureWindow.start), minutesOf(captureWindow.end)];
  if (start < end) return days.includes(weekday) && minutes >= start && minutes < end;
  const yesterday = weekday === 1 ? 7 : weekday - 1;
  return (days.includes(weekday) && minutes >= start) || (days.includes(yesterday) && minutes < end);
}

/** Clock changes in these zones, and a zone that skipped a day. */
const CHANGES = [
  "2026-03-29T01:00:00Z",
  "2026-10-25T01:00:00Z",
  "2026-03-08T07:00:00Z",
  "2026-11-01T06:00:00Z",
  "2026-04-04T15:00:00Z",
  "2026-02-15T02:00:00Z",
  "2018-11-04T03:00:00Z",
  "2019-02-17T02:00:00Z",
  "2011-12-30T10:00:00Z",
].map((text) => Date.parse(text));

const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 1, 15, 30, 59))
  .map(([h, m]) => `${String(h).padStart(2, "0")}:${String(m).padStart(2, "0")}`);
const captureWindow = fc
  .record({
    start: clock,
    end: clock,
    daysOfWeek: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), { nil: undefined }),
  })
  .filter(({ start, end }) => start !== end)
  .map(({ daysOfWeek, ...times }) => (daysOfWeek === undefined ? times : { ...times, daysOfWeek }));
const schedule: fc.Arbitrary<Schedule> = fc.record({
  captureWindow: fc.option(captureWindow, { nil: null, freq: 20 }),
  timeZone: fc.constantFrom(...ZONES),
});
const beginning = fc
  .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -2 * 1440, max: 600 }))
  .map(([change, minutes]) => change + minutes * MINUTE);

describe("capture windows across clock changes", () => {
  test("are open exactly in the minutes whose local time is inside", () => {
    fc.assert(
      fc.property(schedule, beginning, fc.integer({ min: 1, max: 50 * 60 }), (given, from, minutes) => {
        const to = from + minutes * MINUTE;
        const periods = [...openPeriods(given, from, to)];
        for (const [i, period] of periods.entries()) {
          expect(period.from).toBeGreaterThanOrEqual(i === 0 ? from : (periods[i - 1]?.to ?? 0) + 1);
          expect(period.to).toBeGreaterThan(period.from);
          expect(period.to).toBeLessThanOrEqual(to);
        }
        const expected: number[] = [];
        for (let at = from; at < to; at += MINUTE) if (isInside(given, at)) expected.push(at);
        const found = periods.flatMap((period) => {
          const inside: number[] = [];
          for (let at = period.from; at < period.to; at += MINUTE) inside.push(at);
          return inside;
        });
        expect(found).toEqual(expected);
        expect(isOpen(given, from)).toBe(expected[0] === from);
        expect(nextOpening(given, from, to - from)).toBe(expected[0] ?? null);
      }),
      { numRuns: 120 },
    );
  });

  test("count time only while they are open", () => {
    fc.assert(
      fc.property(schedule, beginning, fc.integer({ min: 1, max: 600 }), (given, from, minutes) => {
        const horizon = 3 * DAY;
        let [at, left] = [from, minutes];
        for (; left > 0 && at < from + horizon; at += MINUTE) if (isInside(given, at)) left -= 1;
        const expected = left > 0 ? from + horizon : at;
        expect(afterOpen(given, from, minutes * MINUTE, horizon)).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  test("handle the missing hour in spring and the repeated hour in autumn", () => {
    const night = { captureWindow: { start: "02:00", end: "03:00" }, timeZone: "Europe/Oslo" };
    const openIn = (day: string) =>
      [...openPeriods(night, Date.parse(`${day}T00:00:00Z`), Date.parse(`${day}T00:00:00Z`) + 12 * HOUR)].reduce(
        (sum, { from, to }) => sum + to - from,
        0,
      );
    expect(openIn("2026-03-28")).toBe(HOUR);
    expect(openIn("2026-03-29")).toBe(0);
    expect(openIn("2026-10-25")).toBe(2 * HOUR);
  });
});
