import { MAX_PAUSE_MS, MAX_RETRY_AFTER_MS, MIN_PAUSE_MS, RETRY_DELAYS_MS } from "../limits";

/** A pause differs by up to this part of itself, so that deliveries that failed together do not come together again. */
const JITTER = 0.1;

/**
 * The pause before the next try of a delivery, milliseconds; null after the last one.
 * @param tries failed tries, from 1
 * @param retryAfterMs the pause that the answer asks for; null without one
 */
export function retryDelayAfter(
  tries: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null {
  const planned = RETRY_DELAYS_MS[tries - 1];
  if (planned === undefined) return null;
  return Math.max(planned * (1 + JITTER * random()), Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

/** The pause of an address after this number of failures without a success, milliseconds. */
export const pauseAfter = (failures: number): number =>
  Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
