import { and, eq } from "drizzle-orm";
import type { Context } from "../context";
import { describeFailure, log } from "../log";
import type { JobHandlers } from "./handlers";
import { jobMessage } from "./queues";
import { runJob } from "./run";
import { jobs } from "./tables";

type Messages = Pick<MessageBatch<unknown>, "messages" | "queue">;

/** Seconds after which the queue tries a delivery again whose outcome could not be written. */
const RETRY_SECONDS = 10;

/** Hands a message's job id to `work`, and settles the message. */
async function settle(queue: string, message: Message, work: (jobId: string) => Promise<unknown>): Promise<void> {
  const parsed = jobMessage.safeParse(message.body);
  if (!parsed.success) {
    log("error", "queue.unknown-message", { queue });
    message.ack();
    return;
  }
  const { jobId } = parsed.data;
  try {
    await work(jobId);
    message.ack();
  } catch (thrown) {
    log("error", "queue.delivery-failed", { queue, jobId, ...describeFailure(thrown) });
    message.retry({ delaySeconds: RETRY_SECONDS });
  }
}

/** Runs the jobs of one queue batch: one after the other, since they share one memory, or side by side. */
export async function consumeJobs(
  context: Context,
  handlers: JobHandlers,
  { messages, queue }: Messages,
  { sideBySide = false } = {},
): Promise<void> {
  const run = (message: Message) =>
    settle(queue, message, (jobId) => runJob(context, handlers, jobId, { isDelivered: true }));
  if (sideBySide) await Promise.all(messages.map(run));
  else for (const message of messages) await run(message);
}

/**
 * Dead letters: messages that could not be settled in several deliveries, since the database did not
 * answer or the worker died before it took the job. The message says nothing about the job itself: it
 * waits on, and the sweeper's next round sends it again.
 */
export async function consumeDeadLetters(context: Context, { messages, queue }: Messages): Promise<void> {
  for (const message of messages)
    await settle(queue, message, async (jobId) => {
      log("warn", "queue.dead-letter", { jobId });
      await context.db
        .update(jobs)
        .set({ sentAt: 0 })
        .where(and(eq(jobs.id, jobId), eq(jobs.status, "queued")));
    });
}
