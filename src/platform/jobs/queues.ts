import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { FIRST_DATABASE } from "../db/database";
import { literal } from "../db/statements";
import { describeFailure, log } from "../log";
import { isJobKind, JOB_KINDS, JOB_LANES, type JobKind, type JobLane, SLOTS_PER_WORKSPACE } from "./kinds";

/**
 * A message of the queue: the id of the row, and the database that has it. Without a name it is the first database. A job
 * with `recurring` has no row before its first claim.
 */
export const jobMessage = z.strictObject({
  jobId: z.uuid(),
  database: z.string().default(FIRST_DATABASE),
  recurring: z.string().optional(),
  /** The trace id of the request that queued the job, for its log lines. A message of another sender has none. */
  trace: z
    .string()
    .regex(/^[\da-f]{32}$/)
    .optional()
    .catch(undefined),
});
type JobMessage = z.infer<typeof jobMessage>;

export type JobQueues = Readonly<Record<JobLane, Pick<Queue<JobMessage>, "sendBatch" | "metrics">>>;

/** Messages of one `sendBatch`. */
const MAX_BATCH_MESSAGES = 100;
/** Delay of a queue message. The sweeper sends jobs with a longer delay. */
const MAX_DELAY_SECONDS = 12 * 3_600;

export interface JobToSend {
  id: string;
  kind: JobKind;
  delayMs: number;
  /** The claim writes its row: the sweeper found work of a recurring kind. */
  isRecurring?: boolean;
  /** The trace id of the request that queued it. A job that was sent by the sweeper or waited for a slot has none. */
  trace?: string;
}

/**
 * Sends jobs to their queues. A failure is logged, and the sweeper sends the jobs later: the row of a job is its only
 * record. @param database the name of the database that has their rows. @returns the ids that were sent
 */
export async function sendJobs(queues: JobQueues, database: string, jobs: readonly JobToSend[]): Promise<string[]> {
  const sent: string[] = [];
  for (const lane of JOB_LANES) {
    const inLane = jobs.filter((job) => JOB_KINDS[job.kind].lane === lane);
    for (let at = 0; at < inLane.length; at += MAX_BATCH_MESSAGES) {
      const batch = inLane.slice(at, at + MAX_BATCH_MESSAGES);
      try {
        await queues[lane].sendBatch(
          batch.map((job) => ({
            body: {
              jobId: job.id,
              database,
              ...(job.isRecurring && { recurring: job.kind }),
              ...(job.trace && { trace: job.trace }),
            },
            delaySeconds: Math.min(Math.ceil(job.delayMs / 1_000), MAX_DELAY_SECONDS),
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

/** The number of jobs of a workspace that are in a lane's queue or running, without jobs of a later time. */
const inQueue = (tenantId: string, lane: JobLane, now: number): SQL =>
  sql`(SELECT count(*) FROM jobs WHERE lane = ${lane} AND tenant_id = ${tenantId} AND sent_at <= ${now})`;

/** The `sent_at` of a new job: `now` while its workspace has a free slot in the lane, else null: the job waits. */
export const sentAtOfNew = (tenantId: string, lane: JobLane, now: number): SQL =>
  sql`iif(${inQueue(tenantId, lane, now)} < ${literal(SLOTS_PER_WORKSPACE[lane])}, ${now}, NULL)`;

/** Whether a job can have to wait for a slot. Live jobs and jobs without a workspace never wait. */
export const waitsForSlot = (tenantId: string | null, lane: JobLane): tenantId is string =>
  tenantId !== null && Number.isFinite(SLOTS_PER_WORKSPACE[lane]);

/** Admits the oldest waiting jobs of a workspace, up to its free slots in the lane. */
export const admission = (tenantId: string, lane: JobLane, now: number): SQL =>
  sql`UPDATE jobs SET sent_at = ${now} WHERE id IN (
    SELECT id FROM jobs WHERE lane = ${lane} AND tenant_id = ${tenantId} AND status = 'queued' AND sent_at IS NULL
    ORDER BY run_at, id LIMIT max(0, ${literal(SLOTS_PER_WORKSPACE[lane])} - ${inQueue(tenantId, lane, now)})
  ) RETURNING id, kind`;

const admitted = z.array(z.object({ id: z.string(), kind: z.string() }));

/** The admitted jobs in the result of an admission, for their queue. */
export const admittedJobs = (result: D1Result | undefined): { id: string; kind: JobKind; delayMs: number }[] =>
  admitted.parse(result?.results ?? []).flatMap(({ id, kind }) => (isJobKind(kind) ? [{ id, kind, delayMs: 0 }] : []));
