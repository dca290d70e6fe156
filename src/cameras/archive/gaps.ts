import { MINUTE } from "../../platform/time";

/** Equal parts of an archive's time; at every border between two the frames before and after it are looked at. */
export const TIME_BINS = 512;
/** Gaps that are told, the largest ones. */
export const MOST_GAPS = 128;
/** A silence is no gap below this, milliseconds, nor below so many times the usual time between two frames. */
export const SHORTEST_GAP = 15 * MINUTE;
const CADENCES_OF_A_GAP = 5;
/** Frames on each side of a silence that tell the usual time between two. */
export const NEIGHBOURS = 6;

/** A silence between two consecutive frames; milliseconds since the epoch. */
export interface Gap {
  start: number;
  end: number;
}

/** A silence with the capture times nearest to it, its own ends among them. */
export interface Silence extends Gap {
  before: readonly number[];
  after: readonly number[];
}

/**
 * The usual time between consecutive frames: the median, of which a single outage or burst among them
 * makes nothing else; the slower middle of an even number. Null when no two times are known.
 */
export function cadenceOf(times: readonly number[]): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  const steps = sorted.slice(1).map((time, i) => time - (sorted[i] ?? time));
  steps.sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? null;
}

/**
 * Whether a silence is a gap: longer than what is usual on both of its sides, by the slower of them where
 * the interval changed. With a single frame on a side nothing is known of that side, and it is none.
 */
export function isGap({ start, end, before, after }: Silence): boolean {
  const [older, newer] = [cadenceOf(before), cadenceOf(after)];
  if (older === null || newer === null) return false;
  return end - start >= Math.max(SHORTEST_GAP, CADENCES_OF_A_GAP * Math.max(older, newer));
}

/** The largest gaps among silences, in order of time; of equal ones the earlier go first. */
export function largestGaps(silences: readonly Silence[]): Gap[] {
  return silences
    .filter(isGap)
    .sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)
    .slice(0, MOST_GAPS)
    .sort((a, b) => a.start - b.start)
    .map(({ start, end }) => ({ start, end }));
}
