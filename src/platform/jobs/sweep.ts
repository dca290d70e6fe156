import { DurableObject } from "cloudflare:workers";
import { and, asc, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { v5 } from "uuid";
import type { Context } from "../context";
import { beginChange } from "../db/change";
import { type Database, runBatch } from "../db/database";
import { inSet } from "../db/statements";
import { describeFailure, log } from "../log";
import { SECOND } from "../time";
import { isJobKind, JOB_KINDS, JOB_LANES, type JobKind, type JobKindSpec, type JobLane } from "./kinds";
import { admission, admittedBy, type JobToSend, sendJobs, standsInLine } from "./queues";
import { jobs } from "./tables";

/** Jobs that are due within this time keep the sweeper awake. */
const SOON = 30 * SECOND;
/** Workspaces with jobs in line that a sweep looks at in each lane. */
const MOST_LINES = 200;

interface SweepResult {
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
async function takeLost(db: Database, now: number): Promise<{ id: string; kind: string }[]> {
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

const NAMESPACE = "6f2f3b1e-6f0b-4a35-9f0e-0c7f6a1d2b94";

/** The id of a recurring job in the period that holds `now`: the same for everybody who asks. */
export const recurringId = (kind: string, everyMs: number, now: number): string =>
  v5(`${kind} ${everyMs} ${Math.floor(now / everyMs)}`, NAMESPACE);

/** Queues the recurring jobs whose period has begun; any number of callers queue one a period. */
export async function queueRecurring(context: Context, now: number): Promise<void> {
  const due = (Object.keys(JOB_KINDS) as JobKind[]).flatMap((kind) => {
    const { everyMs }: JobKindSpec = JOB_KINDS[kind];
    return everyMs === undefined ? [] : [{ kind, id: recurringId(kind, everyMs, now) }];
  });
  const there = await context.db
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      inSet(
        jobs.id,
        due.map(({ id }) => id),
      ),
    );
  const known = new Set(there.map(({ id }) => id));
  const change = beginChange(context);
  // Every recurring kind has an empty payload, as this one has.
  for (const { kind, id } of due)
    if (!known.has(id)) change.job(kind as "expire-requests", {}, { id, dedupeKey: kind });
  await change.commit();
}

/** Time between sweeps while jobs are waiting, and while none are. */
const BUSY_INTERVAL = 5 * SECOND;
const IDLE_INTERVAL = 30 * SECOND;

/**
 * One object whose alarm sweeps the jobs table, so that lost messages and dead workers are found
 * within seconds, also where no cron fires. It holds no truth: losing it loses nothing.
 */
export abstract class SweeperObject<Env> extends DurableObject<Env> {
  /** One sweep; given by the Worker, which knows the handlers. */
  protected abstract sweep(): Promise<SweepResult>;

  /** Makes sure that an alarm is set. */
  async wake(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  override async alarm(): Promise<void> {
    let next = BUSY_INTERVAL;
    try {
      next = (await this.sweep()).pending ? BUSY_INTERVAL : IDLE_INTERVAL;
    } catch (thrown) {
      log("error", "jobs.sweep-failed", { ...describeFailure(thrown) });
    }
    await this.ctx.storage.setAlarm(Date.now() + next);
  }
}
