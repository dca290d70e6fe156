import { and, eq, isNull, lte, or } from "drizzle-orm";
import type { Context } from "../context";
import { type Database, runBatch } from "../db/database";
import { SECOND } from "../time";
import { admission, admittedBy, standsInLine } from "./admission";
import { isJobKind } from "./kinds";
import { JOB_LANES } from "./lanes";
import { takeLost } from "./lost";
import { type JobToSend, sendJobs } from "./queues";
import { queueRecurring } from "./recurring";
import { jobs } from "./tables";

/** Jobs that are due within this time keep the sweeper awake. */
const SOON = 30 * SECOND;
/** Workspaces with jobs in line that a sweep looks at in each lane. */
const MOST_LINES = 200;

export interface SweepResult {
  resent: number;
  /** Whether jobs are running, or waiting and soon due. */
  pending: boolean;
}

/**
 * Sends again what the queue lost and what a dead worker left: whoever takes it goes on with it, or ends it as failed
 * when its tries are spent. Lets jobs out of the line whose place became free without another job's end.
 */
export async function sweepJobs(context: Context): Promise<SweepResult> {
  const { db, queues } = context;
  const now = Date.now();
  await queueRecurring(context, now);
  const lost = await takeLost(db, now);
  const sent = await sendJobs(queues, [
    ...lost.flatMap(({ id, kind }) => (isJobKind(kind) ? [{ id, kind, delayMs: 0 }] : [])),
    ...(await admitAll(db, now)),
  ]);
  const isSoon = or(lte(jobs.sentAt, now + SOON), isNull(jobs.sentAt));
  const [open] = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(or(eq(jobs.status, "running"), and(eq(jobs.status, "queued"), isSoon)))
    .limit(1);
  return { resent: sent.length, pending: open !== undefined };
}

/** Fills the places that are free, as after a job was taken out of its queue by hand. */
async function admitAll(db: Database, now: number): Promise<JobToSend[]> {
  const lines = await Promise.all(
    JOB_LANES.map((lane) =>
      db
        .selectDistinct({ lane: jobs.lane, tenantId: jobs.tenantId })
        .from(jobs)
        .where(and(eq(jobs.lane, lane), eq(jobs.status, "queued"), isNull(jobs.sentAt)))
        .limit(MOST_LINES),
    ),
  );
  const admissions = lines
    .flat()
    .flatMap(({ lane, tenantId }) => (standsInLine(tenantId, lane) ? [admission(tenantId, lane, now)] : []));
  return (await runBatch(db, admissions)).flatMap(admittedBy);
}
