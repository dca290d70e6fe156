import type { Frames } from "./frames.ts";

/** Frames that are read ahead in the direction of the movement. One more follows behind for each three of them. */
const AHEAD = 24;
/** A request for fewer previews than this waits until more are missing, or one of the nearest is. */
const MIN_MISSING = 12;
const NEAREST = 4;

/** The movement of a person through the archive. */
interface Course {
  direction: number;
  /** Frames between two pictures: more than one while the finger moves over a long part. */
  stride: number;
}

/** A frame, and the frames that the finger or the next steps may pass; the most probable frames first. */
export function timesAround(frames: Frames, time: number, { direction, stride }: Course): number[] {
  const from = Math.round(frames.nearest(time) / stride);
  const at = (steps: number) => frames.at((from + steps * direction) * stride);
  const times = [time];
  for (let n = 1; n <= AHEAD; n++) times.push(at(n), ...(n % 3 === 0 ? [at(-n / 3)] : []));
  return [...new Set(times)];
}

/** Whether the previews that are missing are worth a request. */
export function isWorthReading([, ...around]: readonly number[], has: (time: number) => boolean): boolean {
  const isMissing = (time: number) => !has(time);
  return around.slice(0, NEAREST).some(isMissing) || around.filter(isMissing).length > MIN_MISSING;
}
