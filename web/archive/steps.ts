import type { Archive } from "./archive.ts";
import type { Gap } from "./frames.ts";

/* Moves from the frame that is shown, or that will be shown, to another frame. */

/** By a number of frames. */
export function step(archive: Archive, by: number): void {
  const [frames, from] = [archive.frames.peek(), archive.pending.peek()];
  if (frames === null || from === null) return;
  archive.go(frames.at(frames.nearest(from) + by), { step: true });
}

/** The same time on another day. */
export function stepDay(archive: Archive, days: number): void {
  const [frames, from] = [archive.frames.peek(), archive.pending.peek()];
  if (frames === null || from === null) return;
  archive.go(frames.at(frames.nearest(archive.clock.peek().sameTime(from, days))), { step: true });
}

/** Moves to the frame at which the next gap or the previous gap begins. Nights outside capture hours are skipped. */
export function stepGap(archive: Archive, direction: number): void {
  const [frames, at] = [archive.frames.peek(), archive.pending.peek()];
  if (frames === null || at === null) return;
  const gaps = frames.gaps.filter(({ cause }) => cause !== "outside-window");
  const gap = direction > 0 ? gaps.find(({ start }) => start > at) : gaps.findLast(({ start }) => start < at);
  if (gap !== undefined) archive.go(frames.at(frames.nearest(gap.start)), { step: true });
}

export function toEnd(archive: Archive, end: "first" | "last"): void {
  const frames = archive.frames.peek();
  if (frames !== null) archive.go(frames[end], { push: true });
}

/** Shows a gap in the middle of the ruler, with the last frame before it. */
export function showGap(archive: Archive, { start, end }: Gap): void {
  const frames = archive.frames.peek();
  if (frames === null) return;
  const length = end - start;
  archive.changeView((view) => view.show(start - 1.5 * length, end + 1.5 * length));
  archive.go(frames.at(frames.nearest(start)), { push: true });
}
