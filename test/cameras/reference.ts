import type { Gap } from "../../src/cameras/archive/timeline";

/*
 * The answers about an archive, computed in the simplest way: over a list of all frames and without an index. It
 * follows the documentation, not the code.
 */

export interface Taken {
  id: string;
  capturedAt: number;
}

/** Frames in the order of an archive: by time, then id. */
export const inOrder = (frames: readonly Taken[]): Taken[] =>
  [...frames].sort((a, b) => a.capturedAt - b.capturedAt || (a.id < b.id ? -1 : 1));

/** The nearest of ordered frames; if two are equally near, the first. */
export function nearest(ordered: readonly Taken[], at: number): Taken | null {
  let best: Taken | null = null;
  for (const frame of ordered)
    if (best === null || Math.abs(frame.capturedAt - at) < Math.abs(best.capturedAt - at)) best = frame;
  return best;
}

/** The neighbour of a position in the order. */
export function step(ordered: readonly Taken[], direction: "older" | "newer", at: number, id: string): Taken | null {
  const isOlder = (f: Taken) => f.capturedAt < at || (f.capturedAt === at && f.id < id);
  const isNewer = (f: Taken) => f.capturedAt > at || (f.capturedAt === at && f.id > id);
  return (direction === "older" ? ordered.findLast(isOlder) : ordered.find(isNewer)) ?? null;
}

const median = (values: readonly number[]): number | null =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;

/** Differences of neighbours. */
const steps = (times: readonly number[]): number[] => times.slice(1).map((t, i) => t - (times[i] ?? 0));

/**
 * Gaps: silences that cross one of 512 borders and last at least 15 minutes and five times the usual interval around
 * them.
 */
export function gaps(ordered: readonly Taken[]): Gap[] {
  const times = [...new Set(ordered.map((f) => f.capturedAt))];
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  const borders = Array.from({ length: 511 }, (_, i) => first + Math.floor(((last - first) * (i + 1)) / 512));
  const found: Gap[] = [];
  for (let i = 1; i < times.length; i++) {
    const [start, end] = [times[i - 1] ?? 0, times[i] ?? 0];
    if (!borders.some((border) => start < border && border <= end)) continue;
    const before = median(steps(times.slice(Math.max(0, i - 6), i)));
    const after = median(steps(times.slice(i, i + 6)));
    if (before === null || after === null) continue;
    if (end - start >= Math.max(15 * 60_000, 5 * before, 5 * after)) found.push({ start, end });
  }
  const largest = found.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start).slice(0, 128);
  return largest.sort((a, b) => a.start - b.start);
}

/** Evenly chosen frames of the given ones, which are all frames of a range. */
export function spread(ordered: readonly Taken[], count: number): Taken[] {
  if (ordered.length <= count) return [...ordered];
  const [first, last] = [ordered[0]?.capturedAt ?? 0, ordered.at(-1)?.capturedAt ?? 0];
  const chosen = new Set<Taken>();
  for (let i = 0; i < count; i++) {
    const at = count === 1 ? Math.floor((first + last) / 2) : Math.round(first + ((last - first) * i) / (count - 1));
    const found = nearest(ordered, at);
    if (found !== null) chosen.add(found);
  }
  for (;;) {
    const sorted = inOrder([...chosen]);
    const spans = sorted
      .slice(1)
      .map((b, i) => ({ a: sorted[i]?.capturedAt ?? 0, b: b.capturedAt }))
      .sort((x, y) => y.b - y.a - (x.b - x.a) || x.a - y.a);
    const found = spans.flatMap(({ a, b }) => {
      const inside = ordered.filter((f) => f.capturedAt > a && f.capturedAt < b);
      return nearest(inside, Math.floor((a + b) / 2)) ?? [];
    });
    if (chosen.size >= count || found.length === 0) return sorted;
    for (const frame of found) if (chosen.size < count) chosen.add(frame);
  }
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The local time of a zone, as `2026-03-29 07:30`. */
function clock(timeZone: string, at: number): string {
  const known = clocks.get(timeZone);
  const format = known ?? new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  clocks.set(timeZone, format);
  return format.format(at);
}

/** Clocks change at quarters of an hour, and the requested times are quarters too. */
const QUARTER = 15 * 60_000;

/**
 * The first moment at which the clock shows the time on that day. A time that is skipped moves forward by the length
 * of the jump.
 */
function firstShown(timeZone: string, day: string, time: string): number {
  const wanted = `${day} ${time}`;
  let at = Date.parse(`${day}T00:00:00Z`) - 15 * 3_600_000;
  while (clock(timeZone, at) < wanted) at += QUARTER;
  const skippedFrom = Date.parse(`${clock(timeZone, at - QUARTER).replace(" ", "T")}Z`) + QUARTER;
  return at + (clock(timeZone, at) === wanted ? 0 : Date.parse(`${day}T${time}Z`) - skippedFrom);
}

/** For each day, the frame nearest to a time on the clock, of the frames of that day. */
export const strip = (ordered: readonly Taken[], timeZone: string, days: readonly string[], time: string) =>
  days.map((day) =>
    nearest(
      ordered.filter((f) => clock(timeZone, f.capturedAt).startsWith(day)),
      firstShown(timeZone, day, time),
    ),
  );
