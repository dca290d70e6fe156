import { and, eq } from "drizzle-orm";
import type { Context } from "../context";
import { beginChange, type Change } from "../db/change";
import { DomainError } from "../errors";
import { MINUTE, SECOND } from "../time";
import { standsInLine } from "./admission";
import type { Claim } from "./claim";
import type { Outcome } from "./handlers";
import { isJobKind, JOB_KINDS } from "./kinds";
import { sendJobs } from "./queues";
import { type JobRow, jobs } from "./tables";

/** Thrown by a commit whose lease went to another worker; that worker finishes the job. */
export const leaseLost = (): DomainError => new DomainError("conflict", "Another worker has taken this job over.");

const SHORTEST_RETRY = 2 * SECOND;
const LONGEST_RETRY = 15 * MINUTE;

/** Exponential backoff with full jitter in its upper half, milliseconds; `attempts` from 1. */
export function retryDelay(attempts: number, random: () => number = Math.random): number {
  const ceiling = Math.min(LONGEST_RETRY, SHORTEST_RETRY * 2 ** (attempts - 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}

type End = Partial<
  Pick<JobRow, "status" | "state" | "progressDone" | "progressTotal" | "runAt" | "sentAt" | "attempts">
> &
  Partial<Pick<JobRow, "errorCode" | "errorDetail" | "finishedAt">>;

/**
 * Adds the job's new state to a change, which then holds only while the lease does; the next job of its workspace
 * takes its place in the queue.
 */
export function leaveJob(context: Context, change: Change, claim: Claim, end: End): Change {
  const { id, tenantId, lane } = claim.row;
  change
    .add(
      context.db
        .update(jobs)
        .set({ ...end, leaseToken: null, leaseUntil: null })
        .where(and(eq(jobs.id, id), eq(jobs.leaseToken, claim.leaseToken))),
    )
    .guardChanged(leaseLost());
  return standsInLine(tenantId, lane) ? change.admit(tenantId, lane) : change;
}

/** Commits how a slice ended, together with its change. @throws DomainError when the lease was lost. */
export async function finishSlice(context: Context, claim: Claim, outcome: Outcome): Promise<void> {
  const change = outcome.change ?? beginChange(context);
  const progress = outcome.progress && {
    progressDone: outcome.progress.done,
    progressTotal: outcome.progress.total,
  };
  if (outcome.kind === "done") {
    const end: End = { status: "succeeded", state: null, finishedAt: Date.now(), errorCode: null, errorDetail: null };
    await leaveJob(context, change, claim, { ...end, ...progress }).commit();
    return;
  }
  const delayMs = outcome.delayMs ?? 0;
  const runAt = Date.now() + delayMs;
  const clean = { attempts: 0, errorCode: null, errorDetail: null };
  const end: End = { status: "queued", state: outcome.state, ...clean, runAt, sentAt: runAt };
  await leaveJob(context, change, claim, { ...end, ...progress }).commit();
  await sendAgain(context, claim.row, delayMs);
}

/** Puts a slice that went wrong back in line, after a delay that grows with the tries. */
export async function retryLater(
  context: Context,
  claim: Claim,
  reason: { code: string; detail: string },
): Promise<void> {
  const delayMs = retryDelay(claim.row.attempts);
  const runAt = Date.now() + delayMs;
  const end: End = { status: "queued", runAt, sentAt: runAt, errorCode: reason.code, errorDetail: reason.detail };
  await leaveJob(context, beginChange(context), claim, end).commit();
  await sendAgain(context, claim.row, delayMs);
}

async function sendAgain(context: Context, row: JobRow, delayMs: number): Promise<void> {
  if (isJobKind(row.kind)) await sendJobs(context.queues, [{ id: row.id, kind: row.kind, delayMs }]);
}

/** Whether another try is left after this one. */
export const mayRetry = (row: JobRow): boolean => isJobKind(row.kind) && row.attempts < JOB_KINDS[row.kind].maxAttempts;

/** Whether the tries before this claim were all there are: each ended without an answer. */
export const isSpent = (row: JobRow): boolean => isJobKind(row.kind) && row.attempts > JOB_KINDS[row.kind].maxAttempts;
