import { and, eq, getTableColumns, isNull } from "drizzle-orm";
import { READ, requireLevel, requireUser } from "../../../access";
import { documents } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import { notFound } from "../../../platform/errors";
import { locations } from "../../../workspace/tables";
import { placeOfReport } from "../../drafts/find";
import { reportJobs, reports } from "../../tables";

export type ReportJobRow = typeof reportJobs.$inferSelect;

const { contentJson: _, ...report } = getTableColumns(reports);

/** A job with its report, and the document it made while that is in the library. */
export async function findReportJob({ db }: Pick<Context, "db">, jobId: string) {
  const [found] = await db
    .select({ job: getTableColumns(reportJobs), report, document: documents })
    .from(reportJobs)
    .innerJoin(reports, eq(reports.id, reportJobs.reportId))
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .leftJoin(documents, and(eq(documents.id, reportJobs.documentId), isNull(documents.deletedAt)))
    .where(eq(reportJobs.id, jobId));
  return found ?? null;
}

export type FoundReportJob = NonNullable<Awaited<ReturnType<typeof findReportJob>>>;

/** A job of a report that the caller may read. @throws DomainError 401, 404 (absent or hidden, alike). */
export async function requireReportJob(context: Context, jobId: string): Promise<FoundReportJob> {
  requireUser(context);
  const found = await findReportJob(context, jobId);
  if (found === null) throw notFound();
  requireLevel(context, placeOfReport(found.report), "Reports", "Reports", READ);
  return found;
}
