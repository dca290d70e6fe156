import { MINUTE, toUtc } from "../../src/platform/time";
import { stopClock } from "../support/patience";

/** The time of the tests about archives, milliseconds since the epoch. */
export const now: number = Date.now();

/** Stops the clock at `now`. Call it before each test: a worker can be minutes old when it comes to the file. */
export const standStill = (): number => stopClock(now);

/** A time as a parameter of an address. */
export const utc = (ms: number): string => encodeURIComponent(toUtc(ms));

/** Frames at equal intervals until now, oldest first. */
export const every = (interval: number, count: number, until: number = now - MINUTE): { capturedAt: number }[] =>
  Array.from({ length: count }, (_, i) => ({ capturedAt: until - (count - 1 - i) * interval }));
