const SHORTEST_MS = 1_000;
export const LONGEST_BACKOFF_MS = 5 * 60_000;

/** How long to wait after so many tries in a row that failed: anything up to a bound that doubles ("full jitter"). */
export const fullJitter = (failures: number, random = Math.random): number =>
  random() * Math.min(LONGEST_BACKOFF_MS, SHORTEST_MS * 2 ** Math.min(failures - 1, 20));

/** Waits in which others may wake those who wait, as when the service answers again. */
export class Waiting {
  readonly #waiters = new Set<() => void>();

  wake(): void {
    for (const waiter of this.#waiters) waiter();
  }

  /** Waits so long, or until news. @throws when it is stopped. */
  rest(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((done, fail) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        this.#waiters.delete(end);
      };
      const end = () => {
        leave();
        done();
      };
      const stop = () => {
        leave();
        fail(signal.reason);
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", stop, { once: true });
      this.#waiters.add(end);
      if (signal.aborted) stop();
    });
  }
}
