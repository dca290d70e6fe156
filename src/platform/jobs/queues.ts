import { z } from "@hono/zod-openapi";
import { describeFailure, log } from "../log";
import { JOB_KINDS, type JobKind } from "./kinds";
import { JOB_LANES, type JobLane } from "./lanes";

/** What the queue carries: the row's id alone. */
export const jobMessage = z.strictObject({ jobId: z.uuid() });
export type JobMessage = z.infer<typeof jobMessage>;

export type JobQueues = Readonly<Record<JobLane, Pick<Queue<JobMessage>, "sendBatch" | "metrics">>>;

/** Messages a `sendBatch` takes. */
const LARGEST_BATCH = 100;
/** Longest delay a queue takes; the sweeper covers what is later than that. */
const LONGEST_DELAY_SECONDS = 12 * 3_600;

export interface JobToSend {
  id: string;
  kind: JobKind;
  delayMs: number;
}

/**
 * Tells the queues which jobs wait. A failure is logged and left to the sweeper: the row is the
 * truth, so nothing is lost by it. Returns the ids that were sent.
 */
export async function sendJobs(queues: JobQueues, jobs: readonly JobToSend[]): Promise<string[]> {
  const sent: string[] = [];
  for (const lane of JOB_LANES) {
    const inLane = jobs.filter((job) => JOB_KINDS[job.kind].lane === lane);
    for (let at = 0; at < inLane.length; at += LARGEST_BATCH) {
      const batch = inLane.slice(at, at + LARGEST_BATCH);
      try {
        await queues[lane].sendBatch(
          batch.map((job) => ({
            body: { jobId: job.id },
            delaySeconds: Math.min(Math.ceil(job.delayMs / 1_000), LONGEST_DELAY_SECONDS),
          })),
        );
        sent.push(...batch.map((job) => job.id));
      } catch (thrown) {
        log("warn", "jobs.send-failed", { lane, count: batch.length, ...describeFailure(thrown) });
      }
    }
  }
  return sent;
}
