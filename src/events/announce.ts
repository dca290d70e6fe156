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

/** State between slices: the current subscriber and its cursor. The subscribers before it have received the event. */
const stateSchema = z.strictObject({ subscriber: z.string(), after: z.string().nullable() }).nullable();

/** Delay of the next try when a subscriber fails after others have received the event. */
const RETRY_DELAY_MS = 2 * SECOND;

/**
 * Delivers each event to the subscribers, one after another. A subscriber with many pages takes one slice for each.
 * When a subscriber fails, the job continues with that subscriber: the ones before it do not receive the event again.
 */
export const announce = (subscribers: readonly Subscriber[]): JobHandler<"announce"> => ({
  async run(context, job) {
    const { event } = job.payload;
    const state = stateSchema.parse(job.state);
    // When the subscriber no longer exists, delivery starts again: a repeat is harmless, a gap is not.
    const first = Math.max(
      0,
      subscribers.findIndex(({ name }) => name === state?.subscriber),
    );
    for (const [position, subscriber] of subscribers.slice(first).entries()) {
      const { name } = subscriber;
      try {
        const after = name === state?.subscriber ? state.after : null;
        const next = await subscriber.deliver(context, event, job.id, after);
        if (next !== null) return continueLater({ subscriber: name, after: next });
      } catch (thrown) {
        // The first subscriber of a slice fails the slice, which counts the tries.
        if (position === 0) throw thrown;
        log("warn", "event.delivery-failed", { jobId: job.id, subscriber: name, ...describeFailure(thrown) });
        return continueLater({ subscriber: name, after: null }, { delayMs: RETRY_DELAY_MS });
      }
    }
    return complete();
  },
});
