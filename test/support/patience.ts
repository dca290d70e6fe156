import { onTestFinished, vi } from "vitest";

/** Maximum time that tests wait for a result, ms: enough for a busy machine, and less than the timeout of a test. */
export const PATIENCE = 45_000;

/** The same for tests that run a service or a browser. */
export const LONG_PATIENCE = 240_000;

/** Waits until the assertion holds, for effects of jobs, alarms and sockets. */
export const eventually = (assertion: () => void | Promise<void>, timeout = PATIENCE): Promise<void> =>
  vi.waitFor(assertion, { timeout, interval: 25 });

/** Stops the clock for the rest of a test about a moment or a minute. Timers continue. @returns the time, milliseconds. */
export function stopClock(now = Date.now()): number {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  return now;
}

/** Repeats a test with longer and longer lifetimes, until a busy machine succeeds before the end of the lifetime. */
export async function beforeItEnds<T>(attempt: (endsAt: number) => Promise<T | null>): Promise<T> {
  for (let life = 1_000; ; life *= 2) {
    const got = await attempt(Date.now() + life);
    if (got !== null) return got;
  }
}
