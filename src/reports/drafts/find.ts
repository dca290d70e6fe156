import { and, eq, getTableColumns, isNull, type SQL } from "drizzle-orm";
import { type Level, requireLevel, requireUser } from "../../access";
import { documents } from "../../documents/tables";
import type { Context } from "../../platform/context";
import type { Database } from "../../platform/db/database";
import { notFound } from "../../platform/errors";
import { placeOfLocation } from "../../workspace";
import { locations } from "../../workspace/tables";
import { reports, reportTemplates } from "../tables";

export type ReportRow = typeof reports.$inferSelect;

const { contentJson: _, ...listed } = getTableColumns(reports);

/** What a report's row alone does not say. */
const beside = { templateKey: reportTemplates.key, pdfDocument: documents };

/**
 * Selects reports of living locations without their drafts, which have up to a megabyte each; who may see
 * them is for `where` to say.
 */
export const selectListedReports = (db: Database, where: SQL | undefined) =>
  db
    .select({ report: listed, ...beside })
    .from(reports)
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .innerJoin(reportTemplates, eq(reportTemplates.id, reports.templateId))
    .leftJoin(documents, and(eq(documents.id, reports.pdfDocumentId), isNull(documents.deletedAt)))
    .where(where);

/** The same with their drafts. */
const selectReports = (db: Database, where: SQL | undefined) =>
  db
    .select({ report: getTableColumns(reports), ...beside })
    .from(reports)
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .innerJoin(reportTemplates, eq(reportTemplates.id, reports.templateId))
    .leftJoin(documents, and(eq(documents.id, reports.pdfDocumentId), isNull(documents.deletedAt)))
    .where(where);

export type ListedReport = Awaited<ReturnType<typeof selectListedReports>>[number];
export type FoundReport = Awaited<ReturnType<typeof selectReports>>[number];

export const placeOfReport = (row: Pick<ReportRow, "tenantId" | "organizationId" | "clusterId" | "locationId">) =>
  placeOfLocation({ ...row, id: row.locationId });

/**
 * A report the caller may use at this level of Reports; without Read of that it is absent, also to those
 * who see its location. @throws DomainError 401, 403, 404.
 */
export async function requireReport(context: Context, reportId: string, level: Level): Promise<FoundReport> {
  requireUser(context);
  const [found] = await selectReports(context.db, eq(reports.id, reportId));
  if (found === undefined) throw notFound();
  requireLevel(context, placeOfReport(found.report), "Reports", "Reports", level);
  return found;
}
