import { MINUTE, toUtc } from "../../src/platform/time";

/** The time of the tests of a file, milliseconds since the epoch. */
export const now: number = Date.now();

/** A time as a parameter of an address. */
export const utc = (ms: number): string => encodeURIComponent(toUtc(ms));

/** Frames at equal intervals until now, oldest first. */
export const every = (interval: number, count: number, until: number = now - MINUTE): { capturedAt: number }[] =>
  Array.from({ length: count }, (_, i) => ({ capturedAt: until - (count - 1 - i) * interval }));
