import { and, asc, eq, inArray, lte, or } from "drizzle-orm";
import type { Context } from "../../context";
import type { Database } from "../db/database";
import { inSet } from "../db/sets";
import { SECOND } from "../time";
import { isJobKind, JOB_KINDS } from "./kinds";
import { sendJobs } from "./queues";
import { queueRecurring } from "./recurring";
import { jobs } from "./tables";

/** A job that was sent and not taken for this long counts as lost by the queue. */
export const LOST_AFTER = 30 * SECOND;
/** Jobs a sweep sends again of each sort; the next sweep takes what is left. */
const SWEEP_BATCH = 200;
/** Jobs that are due within this time keep the sweeper awake. */
const SOON = 30 * SECOND;

export interface SweepResult {
  resent: number;
  /** Whether jobs are running, or waiting and soon due. */
  pending: boolean;
}

/**
 * Sends again what the queue lost and what a dead worker left: whoever takes it goes on with it, or
 * ends it as failed when its tries are spent.
 */
export async function sweepJobs(context: Context): Promise<SweepResult> {
  const { db, queues } = context;
  const now = Date.now();
  await queueRecurring(context, now);
  const lost = await takeLost(db, now);
  const sent = await sendJobs(
    queues,
    lost.flatMap(({ id, kind }) => (isJobKind(kind) ? [{ id, kind, delayMs: 0 }] : [])),
  );
  const [open] = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(or(eq(jobs.status, "running"), and(eq(jobs.status, "queued"), lte(jobs.sentAt, now + SOON))))
    .limit(1);
  return { resent: sent.length, pending: open !== undefined };
}

/** Marks lost jobs as sent now and returns them; of several sweeps one gets each. */
async function takeLost(db: Database, now: number): Promise<{ id: string; kind: string }[]> {
  // Kinds that a newer or older version of the service knows wait for it and are in nobody's way.
  const known = inSet(jobs.kind, Object.keys(JOB_KINDS));
  const notSentLately = lte(jobs.sentAt, now - LOST_AFTER);
  const waiting = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.status, "queued"), notSentLately, known))
    .orderBy(asc(jobs.sentAt))
    .limit(SWEEP_BATCH);
  const dead = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.status, "running"), lte(jobs.leaseUntil, now), notSentLately, known))
    .orderBy(asc(jobs.leaseUntil))
    .limit(SWEEP_BATCH);
  const ids = [...waiting, ...dead].map(({ id }) => id);
  if (ids.length === 0) return [];
  return db
    .update(jobs)
    .set({ sentAt: now })
    .where(and(inSet(jobs.id, ids), notSentLately, inArray(jobs.status, ["queued", "running"])))
    .returning({ id: jobs.id, kind: jobs.kind });
}
