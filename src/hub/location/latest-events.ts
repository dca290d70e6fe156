import { describeFailure, log } from "../../platform/log";
import type { LocationEvent } from "../../platform/ports";

/**
 * Sends the last event of each key: the first event at once, and events that arrive meanwhile together after an
 * interval.
 */
export class LatestEvents {
  readonly #waiting = new Map<string, LocationEvent>();
  #isSending = false;

  constructor(
    private readonly send: (events: readonly LocationEvent[]) => Promise<void>,
    private readonly intervalMs: number,
  ) {}

  offer(key: string, event: LocationEvent): void {
    this.#waiting.set(key, event);
    if (!this.#isSending) void this.#sendWaiting();
  }

  async #sendWaiting(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.size > 0) {
      const events = [...this.#waiting.values()];
      this.#waiting.clear();
      try {
        await this.send(events);
      } catch (thrown) {
        log("warn", "hub.events-dropped", { events: events.length, ...describeFailure(thrown) });
      }
      await scheduler.wait(this.intervalMs);
    }
    this.#isSending = false;
  }
}
