import { DurableObject } from "cloudflare:workers";
import { and, asc, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { v5 } from "uuid";
import { type Context, ownDatabase } from "../context";
import { type AnyDatabase, FIRST_DATABASE, readBoth, rowsOf, runBatch } from "../db/database";
import { isUnmoved } from "../db/residence";
import type { Side } from "../db/sides";
import { inSet } from "../db/statements";
import { describeFailure, log, withOrigin } from "../log";
import { reach } from "../outages";
import type { Sweepers } from "../ports";
import { SECOND } from "../time";
import type { JobHandlers } from "./handlers";
import {
  isJobKind,
  JOB_KINDS,
  JOB_LANES,
  type JobKind,
  type JobKindSpec,
  type JobLane,
  type RecurringKind,
} from "./kinds";
import { admission, admittedJobs, type JobToSend, sendJobs, waitsForSlot } from "./queues";
import { jobLanes, jobs } from "./tables";

/** Jobs that are due within this time keep the sweeper at its short interval, milliseconds. */
const SOON_MS = 30 * SECOND;
/** Workspaces with waiting jobs that one sweep admits in each lane. */
const MAX_WORKSPACES_PER_SWEEP = 200;

/** In the text of a statement, not as parameters: the index of waiting jobs is for this condition only. */
const isQueued = sql`${jobs.status} = 'queued'`;
const isRunning = sql`${jobs.status} = 'running'`;
/** Every job. The indexes of queued jobs begin with the lane. */
const inLanes = inSet(jobs.lane, JOB_LANES);

interface SweepResult {
  resent: number;
  /** Whether jobs are running, or waiting and soon due. */
  pending: boolean;
}

/**
 * Sweeps the jobs of one database, the one of `context`. Sends lost jobs and jobs of dead workers again. The next worker continues such a job, or ends it as failed when its
 * tries are used up. Jobs of a moving workspace wait. Admits waiting jobs to slots that became free without the end of another job, and queues recurring work.
 */
export async function sweepJobs(
  context: Context,
  handlers: JobHandlers,
  looks: Looks = new Map(),
): Promise<SweepResult> {
  const database = ownDatabase(context);
  const now = Date.now();
  await sendRecurring({ ...context, now }, handlers, looks);
  const lost = await markLost(database, now);
  const sent = await sendJobs(context.queues, context.database, [
    ...lost.flatMap(({ id, kind }) => (isJobKind(kind) ? [{ id, kind, delayMs: 0 }] : [])),
    ...(await admitAll(database, now)),
  ]);
  const exists = (where: SQL | undefined) => sql`EXISTS (SELECT 1 FROM ${jobs} WHERE ${where})`;
  const [open] = await database.all<{ pending: number }>(sql`SELECT
    ${exists(and(isRunning, gt(jobs.leaseUntil, 0)))} OR ${exists(and(inLanes, isQueued, lte(jobs.sentAt, now + SOON_MS)))}
    OR ${exists(and(inLanes, isQueued, isNull(jobs.sentAt)))} AS "pending"`);
  return { resent: sent.length, pending: open?.pending === 1 };
}

/** Admits waiting jobs to all free slots, for example after an operator removed a job from its queue. */
async function admitAll(database: AnyDatabase, now: number): Promise<JobToSend[]> {
  const lines = await Promise.all(
    JOB_LANES.map((lane) =>
      database
        .selectDistinct({ lane: jobs.lane, tenantId: jobs.tenantId })
        .from(jobs)
        .where(and(eq(jobs.lane, lane), isQueued, isNull(jobs.sentAt), isUnmoved(jobs.tenantId)))
        .limit(MAX_WORKSPACES_PER_SWEEP),
    ),
  );
  const admissions = lines
    .flat()
    .flatMap(({ lane, tenantId }) => (waitsForSlot(tenantId, lane) ? [admission(tenantId, lane, now)] : []));
  return (await runBatch(database, admissions)).flatMap(admittedJobs);
}

/**
 * A lane that took no job for this time is stalled. A job is lost when later jobs have run this long before it.
 * Milliseconds.
 */
export const LOST_AFTER_MS = 30 * SECOND;
/** Doublings of LOST_AFTER_MS between two resends of a job: at most 4 minutes. */
const MAX_DOUBLINGS = 3;
/** Jobs of each lane that one sweep sends again. The next sweep sends the others. */
const SWEEP_BATCH = 200;
/** Kinds that this version knows. Jobs of other kinds wait for another version of the service. */
const known = inSet(jobs.kind, Object.keys(JOB_KINDS));

/** Whether a job can be sent again. The interval doubles with each resend. */
const isDue = (now: number): SQL =>
  sql`${jobs.sentAt} <= ${now} - ${LOST_AFTER_MS} * (1 << min(${jobs.resends}, ${MAX_DOUBLINGS}))`;

/**
 * The time up to which sent and still queued jobs of each lane are lost, milliseconds since the epoch: LOST_AFTER_MS before
 * the sending of the latest job that the lane took. A lane that works on nothing, and took no job that had waited, is stalled
 * or has no backlog: its jobs are lost after LOST_AFTER_MS.
 */
async function lostSentBefore(database: AnyDatabase, now: number): Promise<Map<JobLane, number>> {
  const [running, taken] = await database.batch([
    database
      // A recurring job in its first slice is in no queue, and `run_at` is the time of its message.
      .select({ lane: jobs.lane, sentAt: sql<number>`coalesce(${jobs.sentAt}, ${jobs.runAt})`.as("sent_at") })
      .from(jobs)
      .where(and(isRunning, gt(jobs.leaseUntil, now))),
    database
      .select({ lane: jobLanes.lane, sentAt: jobLanes.sentAt })
      .from(jobLanes)
      .where(and(inSet(jobLanes.lane, JOB_LANES), gt(jobLanes.takenAt, now - LOST_AFTER_MS))),
  ]);
  const before = new Map<JobLane, number>();
  // Jobs with `sent_at` 0, from dead letters or an operator, are always sent.
  for (const { lane, sentAt } of [...running, ...taken])
    before.set(lane, Math.max(before.get(lane) ?? 0, sentAt - LOST_AFTER_MS));
  return before;
}

/** Marks lost jobs as sent now and returns them. If several sweeps run at the same time, one of them gets each job. */
async function markLost(database: AnyDatabase, now: number): Promise<{ id: string; kind: string }[]> {
  const ids: string[] = [];
  const before = await lostSentBefore(database, now);
  for (const lane of JOB_LANES) {
    const lost = await database
      .select({ id: jobs.id })
      .from(jobs)
      .where(
        and(
          isQueued,
          lte(jobs.sentAt, Math.min(now - LOST_AFTER_MS, before.get(lane) ?? now)),
          eq(jobs.lane, lane),
          isDue(now),
          known,
          isUnmoved(jobs.tenantId),
        ),
      )
      .orderBy(asc(jobs.sentAt))
      .limit(SWEEP_BATCH);
    ids.push(...lost.map(({ id }) => id));
  }
  const dead = await database
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(isRunning, lte(jobs.leaseUntil, now), isDue(now), known, isUnmoved(jobs.tenantId)))
    .orderBy(asc(jobs.leaseUntil))
    .limit(SWEEP_BATCH);
  ids.push(...dead.map(({ id }) => id));
  if (ids.length === 0) return [];
  const open = or(isQueued, isRunning);
  return database
    .update(jobs)
    .set({ sentAt: now, resends: sql`${jobs.resends} + 1` })
    .where(and(inSet(jobs.id, ids), isDue(now), open, isUnmoved(jobs.tenantId)))
    .returning({ id: jobs.id, kind: jobs.kind });
}

const NAMESPACE = "6f2f3b1e-6f0b-4a35-9f0e-0c7f6a1d2b94";

/** The id of a recurring job in the period of `now`. It is the same for every caller, so of several messages one is claimed. */
export const recurringId = (kind: string, everyMs: number, now: number): string =>
  v5(`${kind} ${everyMs} ${Math.floor(now / everyMs)}`, NAMESPACE);

/** For each recurring kind: the period in which the sweeper last looked for work of the kind and sent it. If this is lost, the sweeper looks once more. */
export type Looks = Map<RecurringKind, number>;

const periods = (Object.keys(JOB_KINDS) as JobKind[]).flatMap((kind) => {
  const { everyMs }: JobKindSpec = JOB_KINDS[kind];
  return everyMs === undefined ? [] : [{ kind: kind as RecurringKind, everyMs }];
});

/**
 * Looks for work of the recurring kinds whose period has begun, with one statement for each side, and sends their jobs. It
 * writes nothing: the worker that claims a job writes its row. The work itself is the record: if a message is lost, the look
 * of the next period finds it.
 */
export async function sendRecurring(context: Context, handlers: JobHandlers, looks: Looks = new Map()): Promise<void> {
  const { now } = context;
  const has: Record<Side, boolean> = {
    directory: context.database === context.directoryName,
    workspace: context.databases.names.includes(context.database),
  };
  const sideOf = (kind: RecurringKind): Side => {
    const side = handlers[kind].side ?? "workspace";
    return side !== "each" ? side : has.directory ? "directory" : "workspace";
  };
  const due = periods.filter(({ kind, everyMs }) => has[sideOf(kind)] && looks.get(kind) !== Math.floor(now / everyMs));
  if (due.length === 0) return;
  const looksAt = (side: Side): SQL[] => {
    const columns = due
      .filter(({ kind }) => sideOf(kind) === side)
      .map(({ kind }) => sql`(${handlers[kind].hasWork(context)}) AS ${sql.identifier(kind)}`);
    return columns.length === 0 ? [] : [sql`SELECT ${sql.join(columns, sql`, `)}`];
  };
  const { directory, workspace } = await readBoth(context, {
    directory: looksAt("directory"),
    workspace: looksAt("workspace"),
  });
  const rows = [...directory, ...workspace].flatMap((result) => rowsOf<Partial<Record<JobKind, number>>>(result));
  const found: Partial<Record<JobKind, number>> = Object.assign({}, ...rows);
  const looked = due.map(({ kind, everyMs }) => ({
    id: recurringId(kind, everyMs, now),
    kind,
    delayMs: 0,
    isRecurring: true,
    period: Math.floor(now / everyMs),
  }));
  const sent = new Set(
    await sendJobs(
      context.queues,
      context.database,
      looked.filter(({ kind }) => found[kind] === 1),
    ),
  );
  for (const { id, kind, period } of looked) if (found[kind] !== 1 || sent.has(id)) looks.set(kind, period);
}

/** Time between sweeps while jobs are pending, and otherwise. */
const BUSY_INTERVAL_MS = 5 * SECOND;
export const IDLE_INTERVAL_MS = 30 * SECOND;

/**
 * The object whose alarm sweeps the jobs of one database. So lost messages and dead workers are found within seconds, even
 * without a cron trigger, and one database does not delay another. It stores only the name of its database.
 */
export abstract class SweeperObject<Env> extends DurableObject<Env> {
  protected readonly looks: Looks = new Map();

  /** Runs one sweep of a database. The Worker implements it, because it knows the handlers. */
  protected abstract sweep(database: string): Promise<SweepResult>;

  #sweptAt: number | null = null;

  /** See `Sweepers`. */
  lastSweepAt(): number | null {
    return this.#sweptAt;
  }

  /** Makes sure that an alarm is set. */
  async wake(database: string = FIRST_DATABASE): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) !== null) return;
    if (database !== FIRST_DATABASE) await this.ctx.storage.put(DATABASE_KEY, database);
    await this.ctx.storage.setAlarm(Date.now());
  }

  override alarm(): Promise<void> {
    return withOrigin(undefined, () => this.#round());
  }

  async #round(): Promise<void> {
    let next = BUSY_INTERVAL_MS;
    try {
      const database = (await this.ctx.storage.get<string>(DATABASE_KEY)) ?? FIRST_DATABASE;
      next = (await this.sweep(database)).pending ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS;
      this.#sweptAt = Date.now();
    } catch (thrown) {
      log("error", "jobs.sweep-failed", { ...describeFailure(thrown) });
    }
    await this.ctx.storage.setAlarm(Date.now() + next);
  }
}

const DATABASE_KEY = "database";

/** The name of the sweeper of a database. */
export const sweeperOf = (database: string): string =>
  database === FIRST_DATABASE ? "sweeper" : `sweeper:${database}`;

/** The sweepers through their Durable Objects. */
export const openSweepers = ({ JOB_SWEEPER }: Pick<Cloudflare.Env, "JOB_SWEEPER">): Sweepers => ({
  lastSweepAt: (database) =>
    reach("durable object", async () => JOB_SWEEPER.getByName(sweeperOf(database)).lastSweepAt()),
});
