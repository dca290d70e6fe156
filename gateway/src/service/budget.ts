import { setTimeout as wait } from "node:timers/promises";

const MINUTE_MS = 60_000;
/** Number of requests that may be sent without a pause. */
const BURST = 3;

/** The request budget of a credential, shared by all its calls. Heartbeats go before images. */
export class Budget {
  #tokens = BURST;
  #filledAt: number;
  #closedUntil = 0;
  #postponedUntil = 0;
  #perMinute = 26;
  #begun: number[] = [];
  #urgent = 0;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.#filledAt = now();
  }

  limit(requestsPerMinute: number): void {
    // No period of a minute has more requests than the service allows.
    this.#perMinute = Math.max(1, requestsPerMinute - BURST - 1);
  }

  /** Sends nothing for this long, because the service asked for it. */
  close(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.now() + ms);
  }

  /**
   * Begins no uploads for this long. Uploads that have begun continue: they free the slots that new uploads wait for.
   */
  postpone(ms: number): void {
    this.#postponedUntil = Math.max(this.#postponedUntil, this.now() + ms);
  }
  /** Ends a postponement, because its cause is over. */
  resume(): void {
    this.#postponedUntil = 0;
  }
  get postponedMs(): number {
    return Math.max(0, this.#postponedUntil - this.now());
  }

  /** Milliseconds until a request may be sent. With 0, it counts as sent. */
  take(isUrgent: boolean): number {
    const now = this.now();
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#filledAt) * this.#perMinute) / MINUTE_MS);
    this.#filledAt = now;
    if (now < this.#closedUntil) return this.#closedUntil - now;
    const needed = isUrgent || this.#urgent === 0 ? 1 : 2;
    if (this.#tokens >= needed) {
      this.#tokens -= 1;
      return 0;
    }
    return ((needed - this.#tokens) * MINUTE_MS) / this.#perMinute;
  }

  /** Waits until a request may be sent. @throws when it is stopped. */
  async turn(isUrgent: boolean, signal: AbortSignal): Promise<void> {
    if (isUrgent) this.#urgent++;
    try {
      for (let ms = this.take(isUrgent); ms > 0; ms = this.take(isUrgent))
        await wait(Math.ceil(ms), undefined, { signal });
    } finally {
      if (isUrgent) this.#urgent--;
    }
  }

  /** Milliseconds until another upload may begin. With 0, it counts as begun. */
  begin(newUploadsPerMinute: number): number {
    const now = this.now();
    if (this.postponedMs > 0) return this.postponedMs;
    this.#begun = this.#begun.filter((at) => now - at < MINUTE_MS + 1_000);
    const oldest = this.#begun.at(-newUploadsPerMinute);
    if (this.#begun.length >= newUploadsPerMinute && oldest !== undefined) return oldest + MINUTE_MS + 1_000 - now;
    this.#begun.push(now);
    return 0;
  }
}
