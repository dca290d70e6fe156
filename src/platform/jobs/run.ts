import type { Context } from "../context";
import { beginChange } from "../db/change";
import { isOutage } from "../db/failures";
import { DomainError } from "../errors";
import { describeFailure, log } from "../log";
import { type Claim, claimJob } from "./claim";
import { finishSlice, isSpent, leaveJob, mayRetry, retryLater } from "./finish";
import { type Job, JobFailure, type JobHandler, type JobHandlers } from "./handlers";
import { isJobKind, JOB_KINDS, type JobKind } from "./kinds";
import { keepLease } from "./lease";

export type SliceResult = "succeeded" | "failed" | "again" | "retry" | "not-due" | "lease-lost";

/** The job as its handler sees it. @throws JobFailure when the row's payload is not one of this kind. */
function readClaim<K extends JobKind>({ row }: Claim, kind: K): Job<K> {
  const payload = JOB_KINDS[kind].payload.safeParse(row.payload);
  if (!payload.success) throw new JobFailure("unreadable-job", "This job was written in a form that is not known.");
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

/**
 * Runs one slice of a job if it is due and nobody else holds it. Never throws for what the job
 * does: its outcome is in its row. Throws when that outcome cannot be written; the sweeper then
 * finds the job when its lease has run out.
 */
export async function runJob(
  given: Context,
  handlers: JobHandlers,
  jobId: string,
  { isDelivered = false } = {},
): Promise<SliceResult> {
  const claim = await claimJob(given.db, jobId, Date.now(), isDelivered);
  if (claim === null || !isJobKind(claim.row.kind)) return "not-due";
  const { kind } = claim.row;
  // The work is traced back to the request that asked for it, and has a clock of its own.
  const context: Context = { ...given, now: Date.now(), requestId: claim.row.requestId };
  const stopRenewing = keepLease(context.db, claim, kind);
  try {
    const handler = handlers[kind] as JobHandler<JobKind>;
    return isSpent(claim.row)
      ? await fail(context, handler, claim, kind, {
          code: "worker-died",
          detail: "Every try stopped without an answer.",
        })
      : await runSlice(context, handler, claim, kind);
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.code === "conflict") return "lease-lost";
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
    return outcome.kind === "done" ? "succeeded" : "again";
  } catch (thrown) {
    if (thrown instanceof JobFailure) return fail(context, handler, claim, kind, thrown);
    const reason = reasonOf(thrown);
    log("warn", "job.slice-failed", { jobId, kind, requestId: context.requestId, ...describeFailure(thrown) });
    if (!mayRetry(claim.row))
      return fail(context, handler, claim, kind, {
        code: reason.code,
        detail: `${reason.detail} All tries are used up.`,
      });
    await retryLater(context, claim, reason);
    return "retry";
  }
}

/** Why a slice went wrong, as its job shows it. */
function reasonOf(thrown: unknown): { code: string; detail: string } {
  if (thrown instanceof DomainError) return thrown;
  if (isOutage(thrown)) return { code: "unavailable", detail: "The database did not answer." };
  return { code: "internal", detail: "It stopped unexpectedly." };
}

/** Claims after which a job ends as failed even though its handler's own part of that cannot be done. */
const HOOK_TRIES = 10;

/** Ends a claimed job as failed, with whatever its handler changes then. */
async function fail(
  context: Context,
  handler: JobHandler<JobKind>,
  claim: Claim,
  kind: JobKind,
  reason: { code: string; detail: string },
): Promise<SliceResult> {
  const { id: jobId, attempts } = claim.row;
  let change = beginChange(context);
  try {
    await handler.failed?.(context, readClaim(claim, kind), change, reason);
  } catch (thrown) {
    const unreadable = thrown instanceof JobFailure;
    if (!unreadable && attempts < JOB_KINDS[kind].maxAttempts + HOOK_TRIES) throw thrown;
    log("error", "job.failure-not-handled", { jobId, kind, ...describeFailure(thrown) });
    change = beginChange(context);
  }
  const end = { status: "failed" as const, finishedAt: Date.now(), errorCode: reason.code, errorDetail: reason.detail };
  await leaveJob(context, change, claim, end).commit();
  log("warn", "job.failed", { jobId, kind, code: reason.code, attempts });
  return "failed";
}
