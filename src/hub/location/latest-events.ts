import { currentOrigin, describeFailure, type LogOrigin, log, withOrigin } from "../../platform/log";
import type { LocationEvent } from "../../platform/ports";

/**
 * Sends the last event of each key: the first event at once, and events that arrive meanwhile together after an
 * interval.
 */
export class LatestEvents {
  readonly #waiting = new Map<string, { event: LocationEvent; origin: LogOrigin | undefined }>();
  #isSending = false;

  constructor(
    private readonly send: (events: readonly LocationEvent[]) => Promise<void>,
    private readonly intervalMs: number,
  ) {}

  offer(key: string, event: LocationEvent): void {
    this.#waiting.set(key, { event, origin: currentOrigin() });
    if (!this.#isSending) void this.#sendWaiting();
  }

  async #sendWaiting(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.size > 0) {
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      await withOrigin(waiting[0]?.origin, () => this.#send(waiting.map(({ event }) => event)));
      await scheduler.wait(this.intervalMs);
    }
    this.#isSending = false;
  }

  async #send(events: readonly LocationEvent[]): Promise<void> {
    try {
      await this.send(events);
    } catch (thrown) {
      log("warn", "hub.events-dropped", { events: events.length, ...describeFailure(thrown) });
    }
  }
}
