import { and, eq } from "drizzle-orm";
import { requireLevel, WRITE } from "../../../access";
import type { Context } from "../../../platform/context";
import { beginChange } from "../../../platform/db/change";
import { DomainError } from "../../../platform/errors";
import { placeOfReport } from "../../drafts/find";
import { reportJobs } from "../../tables";
import { type FoundReportJob, requireReportJob } from "./find";

/**
 * Cancels a job that is still queued; one that was cancelled before stays so.
 * @throws DomainError 401, 403, 404; conflict once it is being printed or has ended.
 */
export async function cancelReportJob(context: Context, jobId: string): Promise<FoundReportJob> {
  const found = await requireReportJob(context, jobId);
  requireLevel(context, placeOfReport(found.report), "Reports", "Reports", WRITE);
  if (found.job.status === "cancelled") return found;
  const cancelled = { status: "cancelled" as const, snapshot: null, finishedAt: context.now };
  await beginChange(context)
    .add(
      context.db
        .update(reportJobs)
        .set(cancelled)
        .where(and(eq(reportJobs.id, jobId), eq(reportJobs.status, "queued"))),
    )
    .guardChanged(new DomainError("conflict", "The PDF is being printed or is done: only a queued job is cancelled."))
    .commit();
  return { ...found, job: { ...found.job, ...cancelled } };
}
