import type { CaptureTimes, SharedCameraTimeline } from "../../client/src/index.ts";

export type GapCause = SharedCameraTimeline["gaps"][number]["cause"];

/** A time without pictures; milliseconds since the epoch. */
export interface Gap {
  start: number;
  end: number;
  cause: GapCause;
  /** The gap lasts until now: its end is the time of the last look. */
  isOpen?: true;
}

/** The index of the first value that is not less than `value` in sorted values. */
export function lowerBound(sorted: Float64Array, value: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Share of the steps between frames that are shorter than the usual one. */
const USUAL_STEP = 0.25;
/** Number of steps that are compared to find the usual one. */
const MAX_STEPS_SAMPLED = 256;

/** The capture times of an archive and its gaps, in order. It is never empty, and never changes. */
export class Frames {
  readonly first: number;
  readonly last: number;
  /** The end of the archive: its last frame, or the end of the gap after it. */
  readonly end: number;
  /** The usual step between two frames, milliseconds. */
  readonly cadence: number;

  constructor(
    readonly times: Float64Array,
    readonly gaps: readonly Gap[],
    /** Whether older times are still being read. */
    readonly partial: boolean,
  ) {
    this.first = times[0] ?? 0;
    this.last = times.at(-1) ?? 0;
    this.end = Math.max(this.last, gaps.at(-1)?.end ?? 0);
    this.cadence = cadenceOf(times, 0, times.length);
  }

  /** The usual step between the frames of a part of the archive. */
  cadenceBetween(from: number, to: number): number {
    const [begin, end] = [this.lower(from), this.lower(to)];
    return end - begin < 2 ? this.cadence : cadenceOf(this.times, begin, end);
  }

  get count(): number {
    return this.times.length;
  }

  /** The time of a frame. For an index outside the archive, the time of the first or last frame. */
  at(index: number): number {
    return this.times[Math.min(Math.max(index, 0), this.count - 1)] ?? 0;
  }

  /** The index of the first frame at or after a moment. */
  lower(ms: number): number {
    return lowerBound(this.times, ms);
  }

  /** The index of the frame nearest to a moment. If two are equally near, the earlier one. */
  nearest(ms: number): number {
    const after = this.lower(ms);
    if (after === 0) return 0;
    if (after === this.count) return after - 1;
    return ms - this.at(after - 1) <= this.at(after) - ms ? after - 1 : after;
  }

  gapAt(ms: number): Gap | null {
    return this.gaps.find(({ start, end }) => ms > start && ms < end) ?? null;
  }
}

/** Uses a frequent short step between frames, so that a rare long one does not count. */
function cadenceOf(times: Float64Array, begin: number, end: number): number {
  const every = Math.max(1, Math.floor((end - begin) / MAX_STEPS_SAMPLED));
  const steps: number[] = [];
  for (let i = begin + 1; i < end; i += every) steps.push((times[i] ?? 0) - (times[i - 1] ?? 0));
  steps.sort((a, b) => a - b);
  return Math.max(1_000, steps[Math.floor(steps.length * USUAL_STEP)] ?? 20 * 60_000);
}

/**
 * Minimum length of a gap, and minimum number of usual steps that it lasts, on both sides. The service has the same
 * rule.
 */
const MIN_GAP = 15 * 60_000;
const MIN_GAP_CADENCES = 5;
/** Frames on each side from which the usual step is computed. */
const NEIGHBOURS = 6;

/** The median step between some frames; null with fewer than two. */
function medianStep(times: Float64Array): number | null {
  const steps = Array.from(times.subarray(1), (time, i) => time - (times[i] ?? time)).sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? null;
}

/** All gaps between capture times. The service lists the longest ones, with their causes in `known`. */
export function findGaps(times: Float64Array, known: readonly Gap[]): Gap[] {
  const causes = new Map(known.map(({ start, cause }) => [start, cause]));
  const gaps: Gap[] = [];
  for (let i = 1; i < times.length; i++) {
    const [start, end] = [times[i - 1] ?? 0, times[i] ?? 0];
    if (end - start < MIN_GAP) continue;
    const cause = causes.get(start);
    const before = medianStep(times.subarray(Math.max(0, i - NEIGHBOURS), i));
    const after = medianStep(times.subarray(i, i + NEIGHBOURS));
    const isGap = before !== null && after !== null && end - start >= MIN_GAP_CADENCES * Math.max(before, after);
    if (isGap || cause !== undefined) gaps.push({ start, end, cause: cause ?? "unknown" });
  }
  return gaps;
}

/** The times of a response, in order. */
export function timesOf({ firstUtc, stepsMs }: CaptureTimes): Float64Array {
  if (firstUtc === null) return new Float64Array();
  const times = new Float64Array(stepsMs.length + 1);
  times[0] = Date.parse(firstUtc);
  for (const [i, step] of stepsMs.entries()) times[i + 1] = (times[i] ?? 0) + step;
  return times;
}

export const gapsOf = ({ gaps }: SharedCameraTimeline): Gap[] =>
  gaps.map(({ startUtc, endUtc, cause }) => ({ start: Date.parse(startUtc), end: Date.parse(endUtc), cause }));

/** The gap after the last frame, as the service knows it; none if a frame arrived since then. */
export function openGapOf({ openGap }: SharedCameraTimeline, last: number): Gap[] {
  if (openGap === null) return [];
  const [start, end] = [Date.parse(openGap.startUtc), Date.parse(openGap.endUtc)];
  return last > start ? [] : [{ start, end, cause: openGap.cause, isOpen: true }];
}

/** Older times, then newer ones. */
export function joined(...parts: Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
