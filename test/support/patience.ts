import { onTestFinished, vi } from "vitest";

/** How long tests wait for what must come, ms: so long that a busy machine gets there, and less than a test may take. */
export const PATIENCE = 45_000;

/** The same where a service or a browser is run by the test. */
export const LONG_PATIENCE = 150_000;

/** Waits until the assertion holds: for what jobs, alarms and sockets bring about. */
export const eventually = (assertion: () => void | Promise<void>, timeout = PATIENCE): Promise<void> =>
  vi.waitFor(assertion, { timeout, interval: 25 });

/** Stops the clock for the rest of a test that is about a moment or a minute; timers go on. Answers the time it stands at. */
export function stopClock(now = Date.now()): number {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  return now;
}

/** Tries with ever longer lives of a thing, until a busy machine gets there before it ends. */
export async function beforeItEnds<T>(attempt: (endsAt: number) => Promise<T | null>): Promise<T> {
  for (let life = 1_000; ; life *= 2) {
    const got = await attempt(Date.now() + life);
    if (got !== null) return got;
  }
}
