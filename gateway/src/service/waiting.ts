const MIN_BACKOFF_MS = 1_000;
export const MAX_BACKOFF_MS = 5 * 60_000;

/** The wait after a number of consecutive failures: a random time up to a bound that doubles ("full jitter"). */
export const fullJitter = (failures: number, random = Math.random): number =>
  random() * Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.min(failures - 1, 20));

/** Waits that other code can end early, for example when the service answers again. */
export class Waiting {
  readonly #waiters = new Set<() => void>();

  wake(): void {
    for (const waiter of this.#waiters) waiter();
  }

  /** Waits this long, or until it is woken. @throws when it is stopped. */
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
