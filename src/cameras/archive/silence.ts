import { DAY, MINUTE } from "../../platform/time";
import { INTERVALS_UNTIL_SILENT } from "../limits";

/** Number of equal parts of the last day. */
export const DAY_PARTS = 48;
export const DAY_PART: number = DAY / DAY_PARTS;

/**
 * Length from which a camera's time without images is a gap on the strip of its last day, and in its archive while it
 * lasts: three intervals, and at least half an hour. Milliseconds.
 */
export const leastSilence = (captureIntervalMinutes: number): number =>
  Math.max(DAY_PART, INTERVALS_UNTIL_SILENT * captureIntervalMinutes * MINUTE);
