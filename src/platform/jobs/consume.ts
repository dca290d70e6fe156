import { and, eq } from "drizzle-orm";
import { type Context, contextIn, ownDatabase } from "../context";
import { queriesOf } from "../db/database";
import { isUnmoved } from "../db/residence";
import { describeFailure, log } from "../log";
import type { JobHandlers } from "./handlers";
import { isRecurringKind } from "./kinds";
import { jobMessage } from "./queues";
import { type Delivery, runJob } from "./run";
import { jobs } from "./tables";

type Messages = Pick<MessageBatch<unknown>, "messages" | "queue">;

/** Delay before the queue delivers a message again whose outcome could not be stored. */
const RETRY_DELAY_SECONDS = 10;

/**
 * Calls `work` with the job id and the delivery of a message, in the database that the message names, and acknowledges or
 * retries the message. An unknown database is an error: the job may be in a database that another version names.
 */
async function settle(
  context: Context,
  queue: string,
  message: Message,
  work: (there: Context, jobId: string, delivery: Delivery) => Promise<unknown>,
): Promise<void> {
  const parsed = jobMessage.safeParse(message.body);
  if (!parsed.success) {
    log("error", "queue.unknown-message", { queue });
    message.ack();
    return;
  }
  const { jobId, database, recurring = "", trace } = parsed.data;
  const there = contextIn(context, database);
  if (there === null) {
    log("error", "queue.unknown-database", { queue, jobId, database });
    message.retry({ delaySeconds: RETRY_DELAY_SECONDS });
    return;
  }
  try {
    const sentAt = message.timestamp.getTime();
    await work(there, jobId, { ...(isRecurringKind(recurring) && { recurring, sentAt }), ...(trace && { trace }) });
    message.ack();
  } catch (thrown) {
    log("error", "queue.delivery-failed", { queue, jobId, ...describeFailure(thrown) });
    message.retry({ delaySeconds: RETRY_DELAY_SECONDS });
  }
}

/** Queries of a batch after which no other job begins: a slice may need some hundred, and D1 takes 1,000 of an invocation. */
const MAX_QUERIES_BEFORE_JOB = 500;

/**
 * Runs the jobs of one queue batch: one after another, because they share the memory, or in parallel with `sideBySide`. If the first
 * ones needed many queries, the queue delivers the rest again in another invocation.
 */
export async function consumeJobs(
  context: Context,
  handlers: JobHandlers,
  { messages, queue }: Messages,
  { sideBySide = false } = {},
): Promise<void> {
  const run = (message: Message) =>
    settle(context, queue, message, (there, jobId, delivery) =>
      runJob(there, handlers, jobId, { ...delivery, isDelivered: true }),
    );
  if (sideBySide) await Promise.all(messages.map(run));
  else
    for (const message of messages)
      if (queriesOf(context.directory) <= MAX_QUERIES_BEFORE_JOB) await run(message);
      else message.retry();
}

/**
 * Consumes dead letters: messages that several deliveries could not settle, because the database did not
 * answer or the worker crashed before it claimed the job. The job still waits, and the next sweep sends it again.
 */
export async function consumeDeadLetters(context: Context, { messages, queue }: Messages): Promise<void> {
  for (const message of messages)
    await settle(context, queue, message, async (there, jobId) => {
      log("warn", "queue.dead-letter", { jobId });
      await ownDatabase(there)
        .update(jobs)
        .set({ sentAt: 0 })
        .where(and(eq(jobs.id, jobId), eq(jobs.status, "queued"), isUnmoved(jobs.tenantId)));
    });
}
