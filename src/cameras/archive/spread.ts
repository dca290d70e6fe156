import type { Frame, Point } from "./nearest";

/** Finds the frame nearest to each of at most a thousand points. */
export type Find = (points: readonly Point[]) => Promise<readonly (Frame | null)[]>;

/** Rounds of filling up; each at least halves the longest span that may hold more frames. */
const MOST_ROUNDS = 40;

/** `count` moments from `first` to `last`, evenly; of one, the middle. Whole milliseconds. */
export function evenly(first: number, last: number, count: number): number[] {
  if (count === 1) return [Math.floor((first + last) / 2)];
  return Array.from({ length: count }, (_, i) => Math.round(first + ((last - first) * i) / (count - 1)));
}

/**
 * Chooses `count` frames of an archive that has more: those nearest to evenly spread moments, then, where
 * silence made several moments find the same frame, those in the middle of the longest spans between chosen ones.
 * Fewer only where fewer differ in time. In order of time.
 */
export async function spreadFrames(find: Find, first: Frame, last: Frame, count: number): Promise<Frame[]> {
  const chosen = new Map<number, Frame>();
  for (const frame of await find(evenly(first.capturedAt, last.capturedAt, count).map((at) => ({ at }))))
    if (frame !== null) chosen.set(frame.capturedAt, frame);
  /** Beginnings of spans that hold nothing more. */
  const empty = new Set<number>();
  for (let round = 0; round < MOST_ROUNDS && chosen.size < count; round++) {
    const spans = openSpans([...chosen.keys()], empty);
    if (spans.length === 0) break;
    const found = await find(spans.map(([a, b]) => ({ at: Math.floor((a + b) / 2), from: a + 1, to: b - 1 })));
    spans.forEach(([a], i) => {
      const frame = found[i] ?? null;
      if (frame === null) empty.add(a);
      else if (chosen.size < count) chosen.set(frame.capturedAt, frame);
    });
  }
  return [...chosen.values()].sort((a, b) => a.capturedAt - b.capturedAt);
}

/** Spans between neighbours that may hold frames, the longest first, then the earliest. */
function openSpans(times: number[], empty: ReadonlySet<number>): (readonly [number, number])[] {
  times.sort((a, b) => a - b);
  return times
    .slice(1)
    .map((b, i) => [times[i] ?? b, b] as const)
    .filter(([a, b]) => b - a > 1 && !empty.has(a))
    .sort(([a, b], [c, d]) => d - c - (b - a) || a - c);
}
