import { isJobKind, JOB_KINDS, type JobKind, type JobLane } from "../../platform/jobs/kinds";
import { waitsForSlot } from "../../platform/jobs/queues";

/**
 * Kinds whose failure the feature stores for the person who waits for the result. The person or the feature starts the
 * work again, so a rerun of the job would find nothing to do.
 */
const ENDED_BY_FAILURE = new Set<JobKind>([
  "verify-upload",
  "recognize-document",
  "derive-images",
  "print-report",
  "prepare-export",
  "prepare-workspace-export",
  "delete-tree",
]);

export const canRerun = (kind: string): kind is JobKind => isJobKind(kind) && !ENDED_BY_FAILURE.has(kind);

/**
 * How the operator's command queues a failed job again: its lane, and whether it waits in line for a slot of its workspace. Null if
 * jobs of its kind cannot run again, or its payload has an unknown form. @param payload JSON
 */
export function rerunOf(
  kind: string,
  tenantId: string | null,
  payload: string,
): { lane: JobLane; waits: boolean } | null {
  if (!canRerun(kind)) return null;
  const { lane, payload: schema } = JOB_KINDS[kind];
  return schema.safeParse(JSON.parse(payload)).success ? { lane, waits: waitsForSlot(tenantId, lane) } : null;
}
