import { z } from "@hono/zod-openapi";
import type { Context } from "../platform/context";
import type { WorkspaceEvent } from "../platform/events";
import { complete, continueLater, type JobHandler } from "../platform/jobs/handlers";
import { describeFailure, log } from "../platform/log";
import { SECOND } from "../platform/time";

/** A part of the service that receives events: live connections, report rooms, the inbox. */
export interface Subscriber {
  /** Unique. The state of the job contains it. */
  readonly name: string;
  /**
   * Receives one page of an event's delivery. It must be idempotent, because a page may be delivered twice.
   *
   * @param eventId the same for every delivery of this event.
   * @param after the cursor that the previous page returned; null for the first page.
   * @returns the cursor of the next page, or null after the last page.
   */
  deliver(context: Context, event: WorkspaceEvent, eventId: string, after: string | null): Promise<string | null>;
}

/** A delivery that is not finished: its subscriber and the cursor of its next page. */
const deliverySchema = z.strictObject({ subscriber: z.string(), after: z.string().nullable() });
type Delivery = z.infer<typeof deliverySchema>;

/** State between slices: the unfinished deliveries. */
const stateSchema = z.array(deliverySchema).nullable();

/** Delay of the next try when some subscribers fail and others have received the event. */
const RETRY_DELAY_MS = 2 * SECOND;

/**
 * Delivers each event to the subscribers, one after another. A subscriber with many pages takes one slice for each.
 * A subscriber that fails does not stop the others: when they have received the event, the job goes on with the failed
 * ones alone. It ends as failed when these fail in every try.
 */
export const announce = (subscribers: readonly Subscriber[]): JobHandler<"announce"> => ({
  async run(context, job) {
    const byName = new Map(subscribers.map((subscriber) => [subscriber.name, subscriber]));
    const all = subscribers.map(({ name }): Delivery => ({ subscriber: name, after: null }));
    const state = stateSchema.parse(job.state);
    // When a subscriber no longer exists, delivery starts again: a repeat is harmless, a gap is not.
    const pending = state?.every(({ subscriber }) => byName.has(subscriber)) ? state : all;
    // A try that hung or died changed no state, so the next try begins with another subscriber.
    const skipped = (job.attempts - 1) % pending.length;
    const deliveries = [...pending.slice(skipped), ...pending.slice(0, skipped)];
    const failed: Delivery[] = [];
    let failure: unknown;
    for (const [position, delivery] of deliveries.entries()) {
      const rest = [...deliveries.slice(position), ...failed];
      const isFirstSkipped = position === deliveries.length - skipped;
      if (isFirstSkipped && rest.length < pending.length) return continueLater(rest);
      try {
        const { subscriber, after } = delivery;
        const next = (await byName.get(subscriber)?.deliver(context, job.payload.event, job.id, after)) ?? null;
        if (next !== null) return continueLater([{ subscriber, after: next }, ...rest.slice(1)]);
      } catch (thrown) {
        failure ??= thrown;
        failed.push(delivery);
        const { subscriber } = delivery;
        log("warn", "event.delivery-failed", { jobId: job.id, subscriber, ...describeFailure(thrown) });
      }
    }
    if (failed.length === 0) return complete();
    if (failed.length < pending.length) return continueLater(failed, { delayMs: RETRY_DELAY_MS });
    // Nothing was delivered: the job counts the try.
    throw failure;
  },
});
