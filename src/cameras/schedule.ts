import { DAY, HOUR, MINUTE } from "../platform/duration";
import type { CaptureWindow } from "./window";

/**
 * The times at which a camera takes images: in its window, in its own time zone. Without a window, around the clock.
 */
export interface Schedule {
  captureWindow: CaptureWindow | null;
  /** IANA name. */
  timeZone: string;
}

/** A period of time, milliseconds since the epoch. Its end is excluded. */
export interface Period {
  from: number;
  to: number;
}

/** No time zone changes its offset twice within this time. */
const STEP = 6 * HOUR;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const parts = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const clock = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
  const made = new Intl.DateTimeFormat("en-US", { timeZone, era: "short", ...parts, ...clock });
  formats.set(timeZone, made);
  return made;
}

/** The offset of a time zone from UTC at an instant, milliseconds. Zones ahead of UTC have a positive one. */
function offsetAt(timeZone: string, at: number): number {
  const parts: Record<string, number> = {};
  const second = Math.floor(at / 1_000) * 1_000;
  for (const { type, value } of formatOf(timeZone).formatToParts(second)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: s = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, s) - second;
}

/** The instant of an offset change between two instants with different offsets: a binary search, exact to the second. */
function changeBetween(timeZone: string, from: number, to: number): number {
  const before = offsetAt(timeZone, from);
  let [low, high] = [Math.floor(from / 1_000), Math.ceil(to / 1_000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(timeZone, middle * 1_000) === before) low = middle;
    else high = middle;
  }
  return high * 1_000;
}

/** The periods of constant offset in [from, to), in order. */
function* constantOffsets(timeZone: string, from: number, to: number): Generator<Period & { offset: number }> {
  let [at, offset] = [from, offsetAt(timeZone, from)];
  for (let next = from; next < to; ) {
    const until = Math.min(next + STEP, to);
    const then = offsetAt(timeZone, until);
    if (then !== offset) {
      const change = changeBetween(timeZone, next, until);
      yield { from: at, to: Math.min(change, to), offset };
      [at, offset] = [change, then];
    }
    next = until;
  }
  if (at < to) yield { from: at, to, offset };
}

const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return hours * 60 + minutes;
};

/** The day of the week of a local day, counted in days since 1970-01-01: 1 is Monday. */
const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

/**
 * The periods of [from, to) in which images are due, in order and disjoint. A window is open while local clocks show a time
 * inside it: an hour that clocks skip is missing, and an hour that they repeat counts twice.
 */
export function* openPeriods({ captureWindow, timeZone }: Schedule, from: number, to: number): Generator<Period> {
  if (from >= to) return;
  if (captureWindow === null) {
    yield { from, to };
    return;
  }
  const start = minutesOf(captureWindow.start) * MINUTE;
  const end = minutesOf(captureWindow.end) * MINUTE;
  const length = end > start ? end - start : end + DAY - start;
  const days = captureWindow.daysOfWeek === undefined ? null : new Set(captureWindow.daysOfWeek);
  let pending: Period | null = null;
  for (const span of constantOffsets(timeZone, from, to)) {
    const [first, last] = [span.from + span.offset, span.to + span.offset];
    // The window of the day before may reach into this span.
    for (let day = Math.floor(first / DAY) - 1; day * DAY < last; day++) {
      if (days !== null && !days.has(weekdayOf(day))) continue;
      const opens = Math.max(day * DAY + start, first) - span.offset;
      const closes = Math.min(day * DAY + start + length, last) - span.offset;
      if (opens >= closes) continue;
      if (pending !== null && pending.to === opens) pending.to = closes;
      else {
        if (pending !== null) yield pending;
        pending = { from: opens, to: closes };
      }
    }
  }
  if (pending !== null) yield pending;
}

/** Whether images are due at an instant. */
export const isOpen = (schedule: Schedule, at: number): boolean => !openPeriods(schedule, at, at + 1).next().done;

/**
 * The next time at which images are due: `at` itself inside the window. Null when none is due within `horizon`
 * milliseconds.
 */
export function nextOpening(schedule: Schedule, at: number, horizon: number): number | null {
  const { value } = openPeriods(schedule, at, at + horizon).next();
  return value === undefined ? null : (value as Period).from;
}

/**
 * The instant at which `duration` milliseconds inside the window have passed since `from`, at most `from + horizon`. The
 * horizon bounds the computation for a window of few minutes a week.
 */
export function afterOpen(schedule: Schedule, from: number, duration: number, horizon: number): number {
  let left = duration;
  for (const period of openPeriods(schedule, from, from + horizon)) {
    if (period.to - period.from >= left) return period.from + left;
    left -= period.to - period.from;
  }
  return from + horizon;
}
