import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { literal } from "../db/statements";
import { describeFailure, log } from "../log";
import { isJobKind, JOB_KINDS, JOB_LANES, type JobKind, type JobLane, SLOTS } from "./kinds";

/** What the queue carries: the row's id alone. */
export const jobMessage = z.strictObject({ jobId: z.uuid() });
type JobMessage = z.infer<typeof jobMessage>;

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

/** Jobs of a workspace that are in a lane's queue, or out of it and running; not those of a later time. */
const inQueue = (tenantId: string, lane: JobLane, now: number): SQL =>
  sql`(SELECT count(*) FROM jobs WHERE lane = ${lane} AND tenant_id = ${tenantId} AND sent_at <= ${now}
    AND status IN ('queued', 'running') AND sent_at IS NOT NULL)`;

/** When the queue is told of a new job: at once while its workspace has room in the lane, else null: it stands in line. */
export const sentNow = (tenantId: string, lane: JobLane, now: number): SQL =>
  sql`iif(${inQueue(tenantId, lane, now)} < ${literal(SLOTS[lane])}, ${now}, NULL)`;

/** Whether a job of this workspace may have to stand in line: work of the service's own and live work never does. */
export const standsInLine = (tenantId: string | null, lane: JobLane): tenantId is string =>
  tenantId !== null && Number.isFinite(SLOTS[lane]);

/** Takes the oldest jobs of a workspace out of the line, as many as the lane has room for. */
export const admission = (tenantId: string, lane: JobLane, now: number): SQL =>
  sql`UPDATE jobs SET sent_at = ${now} WHERE id IN (
    SELECT id FROM jobs WHERE lane = ${lane} AND tenant_id = ${tenantId} AND status = 'queued' AND sent_at IS NULL
    ORDER BY run_at, id LIMIT max(0, ${literal(SLOTS[lane])} - ${inQueue(tenantId, lane, now)})
  ) RETURNING id, kind`;

const admitted = z.array(z.object({ id: z.string(), kind: z.string() }));

/** The jobs that an admission took out of the line, for their queue. */
export const admittedBy = (result: D1Result | undefined): { id: string; kind: JobKind; delayMs: number }[] =>
  admitted.parse(result?.results ?? []).flatMap(({ id, kind }) => (isJobKind(kind) ? [{ id, kind, delayMs: 0 }] : []));
