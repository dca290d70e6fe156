import { sql } from "drizzle-orm";
import type { AnyChange } from "../db/change";
import { inSet } from "../db/statements";
import { DomainError } from "../errors";
import { isJobKind, JOB_KINDS, type JobPayload } from "./kinds";

/** A failed job whose work is queued again. */
export interface FailedJob {
  id: string;
  kind: string;
  tenantId: string | null;
  /** The stored payload: JSON. */
  payload: string;
}

/** The refusal of a rerun when one of the jobs is not there any more. */
const notFailed = (): DomainError =>
  new DomainError("conflict", "Somebody else has started one of these jobs again. Read the list again.");

/**
 * Queues the work of failed jobs as new jobs, which take their places. A job is left alone if its payload has an unknown
 * form. @returns the ids of the old and the new jobs. @throws DomainError conflict, at commit, if one is not there any more.
 */
export function replaceFailed(
  change: AnyChange,
  jobs: readonly FailedJob[],
  requestedBy: string,
): { jobId: string; newJobId: string }[] {
  const replaced = jobs.flatMap(({ id, kind, tenantId, payload }) => {
    if (!isJobKind(kind)) return [];
    const read = JOB_KINDS[kind].payload.safeParse(JSON.parse(payload));
    if (!read.success) return [];
    const newJobId = change.job(kind, read.data as JobPayload<typeof kind>, { tenantId, requestedBy });
    return [{ jobId: id, newJobId }];
  });
  const ids = replaced.map(({ jobId }) => jobId);
  change
    .add(sql`DELETE FROM jobs WHERE status = 'failed' AND ${inSet(sql`id`, ids)}`)
    .guard(sql`changes() = ${ids.length}`, notFailed());
  return replaced;
}
