import { and, asc, eq, gt, lte, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database";
import { inSet } from "../db/sets";
import { SECOND } from "../time";
import { JOB_KINDS } from "./kinds";
import { JOB_LANES, type JobLane } from "./lanes";
import { jobs } from "./tables";

/** A lane that took no job for this long stands still; a job that others overtook by this long is lost. */
export const LOST_AFTER = 30 * SECOND;
/** Doublings of that time between one resend of a job and the next: 4 minutes at most. */
const MAX_DOUBLINGS = 3;
/** Jobs a sweep sends again of each sort; the next sweep takes what is left. */
const SWEEP_BATCH = 200;
/** Jobs that a lane took last, which say how far its queue has come. */
const LAST_TAKEN = 50;

/** Kinds that a newer or older version of the service knows wait for it and are in nobody's way. */
const known = inSet(jobs.kind, Object.keys(JOB_KINDS));

/** Whether it is time to look at a job again: the longer, the more often it was sent without being taken. */
const isDue = (now: number): SQL =>
  sql`${jobs.sentAt} <= ${now} - ${LOST_AFTER} * (1 << min(${jobs.resends}, ${MAX_DOUBLINGS}))`;

/**
 * Up to when a lane's queued jobs were sent that it must have lost, milliseconds since the epoch: all it was told of a
 * while ago where it stands still, else what was sent well before jobs that it has taken.
 */
async function lostUpTo(db: Database, lane: JobLane, now: number): Promise<number> {
  const [running] = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.status, "running"), gt(jobs.leaseUntil, now), eq(jobs.lane, lane)))
    .limit(1);
  const taken = await db
    .select({ status: jobs.status, sentAt: jobs.sentAt })
    .from(jobs)
    .where(and(eq(jobs.lane, lane), gt(jobs.claimedAt, now - LOST_AFTER)))
    .orderBy(sql`${jobs.claimedAt} DESC`)
    .limit(LAST_TAKEN);
  if (running === undefined && taken.length === 0) return now - LOST_AFTER;
  // One that is queued once more was sent once more: that delivery is still to come.
  const reached = taken.filter(({ status }) => status !== "queued").map(({ sentAt }) => sentAt ?? 0);
  // What was marked as never sent, by the dead letters or by hand, is sent in any case.
  return Math.max(0, Math.max(0, ...reached) - LOST_AFTER);
}

/** Marks lost jobs as sent now and returns them; of several sweeps one gets each. */
export async function takeLost(db: Database, now: number): Promise<{ id: string; kind: string }[]> {
  const ids: string[] = [];
  for (const lane of JOB_LANES) {
    const lost = await db
      .select({ id: jobs.id })
      .from(jobs)
      .where(
        and(
          eq(jobs.status, "queued"),
          lte(jobs.sentAt, Math.min(now - LOST_AFTER, await lostUpTo(db, lane, now))),
          eq(jobs.lane, lane),
          isDue(now),
          known,
        ),
      )
      .orderBy(asc(jobs.sentAt))
      .limit(SWEEP_BATCH);
    ids.push(...lost.map(({ id }) => id));
  }
  const dead = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.status, "running"), lte(jobs.leaseUntil, now), isDue(now), known))
    .orderBy(asc(jobs.leaseUntil))
    .limit(SWEEP_BATCH);
  ids.push(...dead.map(({ id }) => id));
  if (ids.length === 0) return [];
  const open = or(eq(jobs.status, "queued"), eq(jobs.status, "running"));
  return db
    .update(jobs)
    .set({ sentAt: now, resends: sql`${jobs.resends} + 1` })
    .where(and(inSet(jobs.id, ids), isDue(now), open))
    .returning({ id: jobs.id, kind: jobs.kind });
}
