import { and, eq } from "drizzle-orm";
import type { Context } from "../../context";
import { describeFailure, log } from "../log";
import type { JobHandlers } from "./handlers";
import { jobMessage } from "./queues";
import { runJob } from "./run";
import { jobs } from "./tables";

type Messages = Pick<MessageBatch<unknown>, "messages" | "queue">;

/** Seconds after which the queue tries a delivery again whose outcome could not be written. */
const RETRY_SECONDS = 10;

/** Hands each message's job id to `work`, one after the other; each message is settled on its own. */
async function settleEach(batch: Messages, work: (jobId: string) => Promise<unknown>): Promise<void> {
  for (const message of batch.messages) {
    const parsed = jobMessage.safeParse(message.body);
    if (!parsed.success) {
      log("error", "queue.unknown-message", { queue: batch.queue });
      message.ack();
      continue;
    }
    const { jobId } = parsed.data;
    try {
      await work(jobId);
      message.ack();
    } catch (thrown) {
      log("error", "queue.delivery-failed", { queue: batch.queue, jobId, ...describeFailure(thrown) });
      message.retry({ delaySeconds: RETRY_SECONDS });
    }
  }
}

/** Runs the jobs of one queue batch. */
export const consumeJobs = (context: Context, handlers: JobHandlers, batch: Messages): Promise<void> =>
  settleEach(batch, (jobId) => runJob(context, handlers, jobId));

/**
 * Dead letters: messages that could not be settled in several deliveries, since the database did not
 * answer or the worker died before it took the job. The message says nothing about the job itself: it
 * waits on, and the sweeper's next round sends it again.
 */
export const consumeDeadLetters = (context: Context, batch: Messages): Promise<void> =>
  settleEach(batch, async (jobId) => {
    log("warn", "queue.dead-letter", { jobId });
    await context.db
      .update(jobs)
      .set({ sentAt: 0 })
      .where(and(eq(jobs.id, jobId), eq(jobs.status, "queued")));
  });
