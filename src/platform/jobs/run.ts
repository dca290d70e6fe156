import { and, eq, lte, or, sql } from "drizzle-orm";
import { type Context, ownDatabase } from "../context";
import { randomHex } from "../crypto/bytes";
import { type AnyChange, beginChange, beginDirectoryChange } from "../db/change";
import type { AnyDatabase } from "../db/database";
import { isMoving, isUnmoved, NO_WORKSPACE, residenceOf, type Workspaces } from "../db/residence";
import { inSet } from "../db/statements";
import { DomainError } from "../errors";
import { currentOrigin, describeFailure, log, withOrigin } from "../log";
import { isOutage } from "../outages";
import { IsolateBusy } from "../pace";
import { MINUTE, SECOND } from "../time";
import { type Job, JobFailure, type JobHandler, type JobHandlers, type Outcome, workspaceOf } from "./handlers";
import { isJobKind, JOB_KINDS, type JobKind, type RecurringKind } from "./kinds";
import { sendJobs, waitsForSlot } from "./queues";
import { type JobRow, jobLanes, jobs } from "./tables";

type SliceResult = "succeeded" | "failed" | "continued" | "retry" | "put-off" | "not-due" | "lease-lost";

/** The job for its handler. @throws JobFailure if the payload of the row does not fit its kind. */
function readClaim<K extends JobKind>({ row }: Claim, kind: K): Job<K> {
  const payload = JOB_KINDS[kind].payload.safeParse(row.payload);
  if (!payload.success) throw new JobFailure("unreadable-job", "The payload of this job has an unknown form.");
  return {
    id: row.id,
    kind,
    tenantId: row.tenantId,
    payload: payload.data as Job<K>["payload"],
    state: row.state,
    attempts: row.attempts,
    progress: { done: row.progressDone, total: row.progressTotal },
    requestedBy: row.requestedBy,
  };
}

/** How a job came to its worker. */
export interface Delivery {
  /** The queue delivered it, which shows the progress of its lane. */
  isDelivered?: boolean;
  /** The kind of a recurring job, which has no row before its first claim. */
  recurring?: RecurringKind;
  /** When the message of the job was sent, milliseconds since the epoch. */
  sentAt?: number;
  /** The trace id of the request that queued it, for the log. */
  trace?: string;
}

/**
 * Runs one slice of a job if it is due, no other worker has it and no move holds its workspace. The outcome of the job is in its
 * row.
 * @throws if the outcome cannot be stored; the sweeper then finds the job when its lease has expired
 */
export async function runJob(
  given: Context,
  handlers: JobHandlers,
  jobId: string,
  { isDelivered = false, recurring, sentAt, trace }: Delivery = {},
): Promise<SliceResult> {
  const begun = recurring === undefined ? null : await beginRecurring(given, jobId, recurring, sentAt);
  const claim = begun ?? (await claimJob(ownDatabase(given), jobId, Date.now(), isDelivered));
  if (claim === null || !isJobKind(claim.row.kind)) return "not-due";
  const { kind } = claim.row;
  const { requestId, tenantId: workspace } = claim.row;
  return withOrigin({ requestId, workspace, caller: "job", ...(trace && { trace }) }, () =>
    runClaimed(given, handlers, claim, kind),
  );
}

async function runClaimed(given: Context, handlers: JobHandlers, claim: Claim, kind: JobKind): Promise<SliceResult> {
  // The job has the id of the request that queued it, and its own clock.
  const context: Context = { ...given, now: Date.now(), requestId: claim.row.requestId };
  const stopRenewing = keepLease(ownDatabase(context), claim, kind);
  try {
    const handler = handlers[kind] as JobHandler<JobKind>;
    return isSpent(claim.row)
      ? await fail(context, handler, claim, kind, {
          code: "worker-died",
          detail: "Every try crashed without a result.",
        })
      : await runSlice(context, handler, claim, kind);
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.code === "conflict") return "lease-lost";
    if (isMoving(thrown)) return putOff(context, claim, MOVE_DELAY_MS);
    if (thrown instanceof IsolateBusy) return putOff(context, claim, BUSY_DELAY_MS);
    throw thrown;
  } finally {
    stopRenewing();
  }
}

async function runSlice(
  context: Context,
  handler: JobHandler<JobKind>,
  claim: Claim,
  kind: JobKind,
): Promise<SliceResult> {
  const jobId = claim.row.id;
  try {
    const outcome = await handler.run(context, readClaim(claim, kind));
    await finishSlice(context, claim, outcome);
    log("info", "job.slice", { jobId, kind, outcome: outcome.kind, ms: Date.now() - context.now });
    return outcome.kind === "complete" ? "succeeded" : "continued";
  } catch (thrown) {
    if (isMoving(thrown) || thrown instanceof IsolateBusy) throw thrown;
    if (thrown instanceof JobFailure) return fail(context, handler, claim, kind, thrown);
    const reason = reasonOf(thrown);
    log("warn", "job.slice-failed", { jobId, kind, ...describeFailure(thrown) });
    if (!mayRetry(claim.row))
      return fail(context, handler, claim, kind, {
        code: reason.code,
        detail: `${reason.detail} All tries are used up.`,
      });
    await retryLater(context, claim, reason);
    return "retry";
  }
}

/** The reason why a slice failed, in the form that its job shows. */
function reasonOf(thrown: unknown): { code: string; detail: string } {
  if (thrown instanceof DomainError) return thrown;
  if (isOutage(thrown)) return { code: "unavailable", detail: "A part of the service did not answer." };
  return { code: "internal", detail: "It stopped unexpectedly." };
}

/** Number of further claims after which a job ends as failed even if its handler cannot add its part to that change. */
const HOOK_TRIES = 10;

/** Ends a claimed job as failed, together with the change of its handler. */
async function fail(
  context: Context,
  handler: JobHandler<JobKind>,
  claim: Claim,
  kind: JobKind,
  reason: { code: string; detail: string },
): Promise<SliceResult> {
  const { id: jobId, attempts } = claim.row;
  let change = beginOwnChange(context, workspaceOf(claim.row));
  try {
    // What fails in a workspace is written there. No kind of the directory's jobs writes anything at its failure.
    if (change.side === "workspace") await handler.failed?.(context, readClaim(claim, kind), change, reason);
  } catch (thrown) {
    const unreadable = thrown instanceof JobFailure;
    if (isMoving(thrown) || (!unreadable && attempts < JOB_KINDS[kind].maxAttempts + HOOK_TRIES)) throw thrown;
    log("error", "job.failure-not-handled", { jobId, kind, ...describeFailure(thrown) });
    change = beginOwnChange(context, workspaceOf(claim.row));
  }
  const [errorCode, errorDetail] = [reason.code, reason.detail];
  const end: End = { ...ENDED, status: "failed", isKept: true, finishedAt: Date.now(), errorCode, errorDetail };
  await leaveJob(context, change, claim, end).commit();
  log("warn", "job.failed", { jobId, kind, code: reason.code, attempts });
  return "failed";
}

/** Duration of a claim of each kind, milliseconds. It is JSON, so that claiming is one statement. */
const LEASE_MS_BY_KIND = JSON.stringify(
  Object.fromEntries(Object.entries(JOB_KINDS).map(([kind, { leaseMs }]) => [kind, leaseMs])),
);

interface Claim {
  row: JobRow;
  leaseToken: string;
}

/**
 * Writes the row of a recurring job, claimed for its first slice. Exactly one of any number of callers gets it. A job that is
 * written first when it runs costs three rows instead of six.
 * @returns null if the row exists: an earlier delivery began it
 */
async function beginRecurring(
  context: Context,
  id: string,
  kind: RecurringKind,
  sentAt = Date.now(),
): Promise<Claim | null> {
  const [leaseToken, now] = [randomHex(16), Date.now()];
  const { lane, leaseMs } = JOB_KINDS[kind];
  const lease = { status: "running" as const, attempts: 1, leaseToken, leaseUntil: now + leaseMs, startedAt: now };
  const { requestId } = context;
  const [row] = await ownDatabase(context)
    .insert(jobs)
    .values({ id, kind, lane, payload: {}, requestId, runAt: sentAt, createdAt: now, ...lease })
    .onConflictDoNothing()
    .returning();
  return row === undefined ? null : { row, leaseToken };
}

/** A job that waited this long shows the progress of its lane, milliseconds. */
const LONG_WAIT_MS = 10 * SECOND;

/**
 * Claims a job for one slice: it must be due, or the lease of its last worker must have expired. Exactly one of any
 * number of callers gets it. Counts the try. `isDelivered`: the queue delivered it, which shows the progress of its
 * lane.
 */
export async function claimJob(
  database: AnyDatabase,
  jobId: string,
  now: number,
  isDelivered = false,
): Promise<Claim | null> {
  const leaseToken = randomHex(16);
  const claimed = database
    .update(jobs)
    .set({
      status: "running",
      attempts: sql`${jobs.attempts} + 1`,
      leaseToken,
      resends: 0,
      // This job reads its inputs now, so a new job with the same key can be queued.
      dedupeKey: null,
      leaseUntil: sql`${now} + (SELECT value FROM json_each(${LEASE_MS_BY_KIND}) WHERE key = ${jobs.kind})`,
      startedAt: sql`coalesce(${jobs.startedAt}, ${now})`,
    })
    .where(
      and(
        eq(jobs.id, jobId),
        inSet(jobs.kind, Object.keys(JOB_KINDS)),
        isUnmoved(jobs.tenantId),
        or(
          and(eq(jobs.status, "queued"), lte(jobs.runAt, now)),
          and(eq(jobs.status, "running"), lte(jobs.leaseUntil, now)),
        ),
      ),
    )
    .returning();
  const [row] = isDelivered
    ? (await database.batch([claimed, recordProgress(database, jobId, leaseToken, now)]))[0]
    : await claimed;
  return row === undefined ? null : { row, leaseToken };
}

/** Records the progress of the lane of a claimed job. Only a job that waited long writes a row. */
const recordProgress = (database: AnyDatabase, jobId: string, leaseToken: string, now: number) =>
  database
    .insert(jobLanes)
    .select(
      sql`SELECT lane, ${now}, sent_at FROM jobs WHERE id = ${jobId} AND lease_token = ${leaseToken} AND sent_at <= ${now - LONG_WAIT_MS}`,
    )
    .onConflictDoUpdate({
      target: jobLanes.lane,
      set: { takenAt: sql`excluded.taken_at`, sentAt: sql`max(${jobLanes.sentAt}, excluded.sent_at)` },
    });

/** Duration of a slice. A longer one counts as stuck and loses its lease. */
const MAX_SLICE_MS = 10 * MINUTE;

/**
 * Renews the lease of a claim while its slice runs. So leases can be short: a dead worker is found soon, and a slow
 * worker keeps its job.
 * @returns a function that stops the renewal
 */
function keepLease(database: AnyDatabase, { row, leaseToken }: Claim, kind: JobKind): () => void {
  const { leaseMs } = JOB_KINDS[kind];
  const giveUpAt = Date.now() + MAX_SLICE_MS;
  let stopped = false;
  const renew = async (): Promise<void> => {
    const now = Date.now();
    if (stopped || now >= giveUpAt) return;
    try {
      await database
        .update(jobs)
        .set({ leaseUntil: now + leaseMs })
        .where(and(eq(jobs.id, row.id), eq(jobs.leaseToken, leaseToken), isUnmoved(jobs.tenantId)));
    } catch (thrown) {
      log("warn", "job.lease-not-renewed", { jobId: row.id, kind, ...describeFailure(thrown) });
    }
    if (!stopped) timer = setTimeout(() => void renew(), leaseMs / 3);
  };
  let timer = setTimeout(() => void renew(), leaseMs / 3);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** The error of a commit when another worker has the lease. That worker finishes the job. */
const leaseLost = (): DomainError => new DomainError("conflict", "Another worker has taken this job over.");

const MIN_RETRY_DELAY_MS = 2 * SECOND;
const MAX_RETRY_DELAY_MS = 15 * MINUTE;

/** Exponential backoff with full jitter in its upper half, milliseconds; `attempts` from 1. */
export function retryDelay(attempts: number, random: () => number = Math.random): number {
  const ceiling = Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** (attempts - 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}

type End = Partial<
  Pick<JobRow, "status" | "state" | "progressDone" | "progressTotal" | "runAt" | "sentAt" | "attempts">
> &
  Partial<Pick<JobRow, "errorCode" | "errorDetail" | "finishedAt" | "isKept">>;

/** A job that has ended is in no queue. */
const ENDED: End = { state: null, sentAt: null };

/**
 * Adds the job's new state to a change, or without one its deletion. The change can then commit only while the worker holds
 * the lease. The next waiting job of the workspace is admitted to the queue.
 */
function leaveJob(context: Context, change: AnyChange, claim: Claim, end: End | null): AnyChange {
  const { id, tenantId, lane } = claim.row;
  const mine = and(eq(jobs.id, id), eq(jobs.leaseToken, claim.leaseToken));
  const left = { ...end, leaseToken: null, leaseUntil: null };
  const own = ownDatabase(context);
  change
    .add(end === null ? own.delete(jobs).where(mine) : own.update(jobs).set(left).where(mine))
    .guardChanged(leaseLost());
  return waitsForSlot(tenantId, lane) ? change.admit(tenantId, lane) : change;
}

/** Begins a change in the database of a job: the change that ends it, or its slice. */
const beginOwnChange = (context: Context, workspaces: Workspaces): AnyChange =>
  context.databases.names.includes(context.database) ? beginChange(context, workspaces) : beginDirectoryChange(context);

/**
 * Commits the outcome of a slice together with its change. A change in another database commits first: the handler is
 * idempotent. @throws DomainError if the lease was lost.
 */
async function finishSlice(context: Context, claim: Claim, outcome: Outcome): Promise<void> {
  const isApart = outcome.change !== undefined && outcome.change.place !== context.database;
  if (isApart) await outcome.change?.commit();
  const change = (isApart ? undefined : outcome.change) ?? beginOwnChange(context, workspaceOf(claim.row));
  if (change.side === "workspace") change.concerns(workspaceOf(claim.row));
  const progress = outcome.progress && {
    progressDone: outcome.progress.done,
    progressTotal: outcome.progress.total,
  };
  if (outcome.kind === "complete") {
    const end: End = { ...ENDED, status: "succeeded", finishedAt: Date.now(), errorCode: null, errorDetail: null };
    await leaveJob(context, change, claim, claim.row.isKept ? { ...end, ...progress } : null).commit();
    return;
  }
  const delayMs = outcome.delayMs ?? 0;
  const runAt = Date.now() + delayMs;
  const clean = { attempts: 0, errorCode: null, errorDetail: null };
  const end: End = { status: "queued", state: outcome.state, ...clean, runAt, sentAt: runAt };
  await leaveJob(context, change, claim, { ...end, ...progress }).commit();
  await sendAgain(context, claim.row, delayMs);
}

/** Queues a failed slice again, after a delay that grows with the tries. */
async function retryLater(context: Context, claim: Claim, reason: { code: string; detail: string }): Promise<void> {
  const delayMs = retryDelay(claim.row.attempts);
  const runAt = Date.now() + delayMs;
  const end: End = { status: "queued", runAt, sentAt: runAt, errorCode: reason.code, errorDetail: reason.detail };
  await leaveJob(context, beginOwnChange(context, workspaceOf(claim.row)), claim, end).commit();
  await sendAgain(context, claim.row, delayMs);
}

/** Delay before the next try of a job of the whole service that met a workspace in its move, milliseconds. */
const MOVE_DELAY_MS = 5 * SECOND;
/** Delay before the next try of a job whose turn did not come in its isolate, milliseconds. */
const BUSY_DELAY_MS = SECOND;

/**
 * Puts a job off that a move or a busy isolate has refused; the try does not count. A job of the moving workspace keeps its row as it is, because
 * the row moves too: it runs when its lease has expired. A job of a deleted workspace has no work left, and its row is deleted.
 */
async function putOff(context: Context, claim: Claim, delayMs: number): Promise<SliceResult> {
  const { id: jobId, kind, tenantId, attempts } = claim.row;
  log("info", "job.put-off", { jobId, kind });
  const runAt = Date.now() + delayMs;
  const later: End = { status: "queued", runAt, sentAt: runAt, attempts: attempts - 1 };
  const isDeleted = tenantId !== null && (await residenceOf(context, tenantId)) === null;
  const change = beginOwnChange(context, isDeleted ? NO_WORKSPACE : workspaceOf(claim.row));
  try {
    await leaveJob(context, change, claim, isDeleted ? null : later).commit();
  } catch (thrown) {
    if (!isMoving(thrown)) throw thrown;
    return "put-off";
  }
  if (!isDeleted) await sendAgain(context, claim.row, delayMs);
  return "put-off";
}

async function sendAgain(context: Context, row: JobRow, delayMs: number): Promise<void> {
  if (!isJobKind(row.kind)) return;
  const { trace } = currentOrigin() ?? {};
  const again = { id: row.id, kind: row.kind, delayMs, ...(trace && { trace }) };
  await sendJobs(context.queues, context.database, [again]);
}

/** Whether another try is left after the current try. */
const mayRetry = (row: JobRow): boolean => isJobKind(row.kind) && row.attempts < JOB_KINDS[row.kind].maxAttempts;

/** Whether all tries were used up before this claim: each one crashed without a result. */
const isSpent = (row: JobRow): boolean => isJobKind(row.kind) && row.attempts > JOB_KINDS[row.kind].maxAttempts;
