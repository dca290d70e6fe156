import { z } from "@hono/zod-openapi";
import { and, asc, eq, getTableColumns, gt, isNull, type SQL, sql } from "drizzle-orm";
import {
  holds,
  idsInScope,
  type Level,
  pageAcross,
  READ,
  requireLevel,
  requireUser,
  scopeOf,
  type UserCaller,
  WRITE,
} from "../../access";
import { people } from "../../access/tables";
import { documentPath } from "../../documents";
import { documentExists, documents } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { type DomainError, notFound } from "../../platform/errors";
import { freeJson } from "../../platform/http/fields";
import { orNull } from "../../platform/http/router";
import { idSchema, newIdIn } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import {
  editableFields,
  fewerThan,
  idKey,
  limitReached,
  locationPath,
  locationUnchanged,
  organizationIdSchema,
  requireLocation,
  type SpatialQuery,
  tenantFilter,
  within,
} from "../../workspace";
import { locations } from "../../workspace/tables";
import { DRAFT_LIMITS, MAX_REPORTS } from "../limits";
import { type Content, reportNotDeleted, reports, reportTemplates } from "../tables";
import { chooseTemplate, noTemplate, type TemplateChoice, templateExists } from "../templates";

export const contentSchema = freeJson(DRAFT_LIMITS);

const latestPdfSchema = z
  .object({ documentId: idSchema, version: z.int(), jobId: idSchema, generatedAtUtc: utcSchema })
  .openapi("ReportPdf");

export const listedReportSchema = z
  .object({
    id: idSchema,
    organizationId: organizationIdSchema,
    clusterId: idSchema,
    locationId: idSchema,
    templateId: idSchema,
    templateKey: z.string(),
    templateName: z.string(),
    locationName: z.string().nullable().openapi({ description: "Null if you may not see the location itself." }),
    title: z.string(),
    latestPdf: orNull(latestPdfSchema).openapi({
      description: "The latest PDF, if it is still in the library and you may read it.",
    }),
    createdBy: idSchema.nullable(),
    createdByName: z.string().nullable().openapi({ description: "Null if the person deleted their account." }),
    ...editableFields,
  })
  .openapi("ReportSummary");

export const reportSchema = listedReportSchema
  .extend({ contentJson: z.record(z.string(), z.unknown()) })
  .openapi("Report");

function latestPdf(caller: UserCaller, { report, pdfDocument }: ListedReport): z.infer<typeof latestPdfSchema> | null {
  const { pdfVersion: version, pdfJobId: jobId, pdfGeneratedAt: at } = report;
  if (pdfDocument === null || version === null || jobId === null || at === null) return null;
  if (!holds(caller, "Documents", documentPath(pdfDocument))) return null;
  return { documentId: pdfDocument.id, version, jobId, generatedAtUtc: toUtc(at) };
}

/** Presents a report in a list, without its draft. */
const presentListedReport = (caller: UserCaller, found: ListedReport): z.infer<typeof listedReportSchema> => {
  const { report, templateKey, templateName, locationName, createdByName } = found;
  return {
    id: report.id,
    organizationId: report.organizationId,
    clusterId: report.clusterId,
    locationId: report.locationId,
    templateId: report.templateId,
    templateKey,
    templateName,
    locationName: holds(caller, "LocationView", placeOfReport(report)) ? locationName : null,
    title: report.title,
    latestPdf: latestPdf(caller, found),
    createdBy: report.createdBy,
    createdByName,
    revision: report.revision,
    createdAtUtc: toUtc(report.createdAt),
    updatedAtUtc: toUtc(report.updatedAt),
  };
};

export const presentReport = (caller: UserCaller, found: FoundReport): z.infer<typeof reportSchema> => ({
  ...presentListedReport(caller, found),
  contentJson: found.report.contentJson,
});

export type ReportRow = typeof reports.$inferSelect;

const { contentJson: _, ...listed } = getTableColumns(reports);

/** Columns of joined tables that a report is presented with. */
const beside = {
  templateKey: reportTemplates.key,
  templateName: reportTemplates.displayName,
  locationName: locations.name,
  createdByName: people.displayName,
  pdfDocument: documents,
};

/**
 * Selects reports of existing locations without their drafts, which have up to a megabyte each. The caller restricts
 * them to visible ones with `where`.
 */
const selectListedReports = (workspace: WorkspaceDatabase, where: SQL | undefined) =>
  workspace
    .select({ report: listed, ...beside })
    .from(reports)
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .innerJoin(reportTemplates, eq(reportTemplates.id, reports.templateId))
    .leftJoin(people, and(eq(people.id, reports.createdBy), isNull(people.deletedAt)))
    .leftJoin(documents, and(eq(documents.id, reports.pdfDocumentId), documentExists()))
    .where(and(where, reportNotDeleted()));

/** Selects reports with their drafts. */
const selectReports = (workspace: WorkspaceDatabase, where: SQL | undefined) =>
  workspace
    .select({ report: getTableColumns(reports), ...beside })
    .from(reports)
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .innerJoin(reportTemplates, eq(reportTemplates.id, reports.templateId))
    .leftJoin(people, and(eq(people.id, reports.createdBy), isNull(people.deletedAt)))
    .leftJoin(documents, and(eq(documents.id, reports.pdfDocumentId), documentExists()))
    .where(and(where, reportNotDeleted()));

export type ListedReport = Awaited<ReturnType<typeof selectListedReports>>[number];
export type FoundReport = Awaited<ReturnType<typeof selectReports>>[number];

export const placeOfReport = (row: Pick<ReportRow, "tenantId" | "organizationId" | "clusterId" | "locationId">) =>
  locationPath({ ...row, id: row.locationId });

/**
 * Finds a report for a caller with this level of Reports. Without Read of Reports it is absent, even for callers
 * who see its location. @throws DomainError 401, 403, 404.
 */
export async function requireReport(context: Context, reportId: string, level: Level): Promise<FoundReport> {
  requireUser(context);
  const [found] = await selectReports(context.workspace, eq(reports.id, reportId));
  if (found === undefined) throw notFound();
  requireLevel(context, placeOfReport(found.report), "Reports", "Reports", level);
  return found;
}

/** Announces to viewers of the location that a report was created, updated or deleted. */
export function announceReport(
  change: Change,
  row: Pick<ReportRow, "id" | "tenantId" | "locationId">,
  action: "created" | "updated" | "deleted",
  revision: number,
): void {
  const { id, locationId, tenantId } = row;
  change.announce({ type: "state-updated", locationId, subject: "report", subjectId: id, action, revision }, tenantId);
}

/** The condition that a report is not deleted. */
export const reportExists = (id: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${reports} WHERE ${reports.id} = ${id} AND ${reportNotDeleted()})`;

/** Guard: the location has capacity for one more report. Reports in the trash do not count. */
export const hasCapacity = (locationId: string): [SQL, DomainError] => [
  fewerThan(
    MAX_REPORTS,
    sql`SELECT 1 FROM ${reports} WHERE ${reports.locationId} = ${locationId} AND ${reportNotDeleted()}`,
  ),
  limitReached("This location", MAX_REPORTS),
];

interface NewReport extends TemplateChoice {
  title?: string | undefined;
  contentJson?: Content | undefined;
}

/**
 * Creates a report for a location, with the given draft or a copy of the template's skeleton.
 * @throws DomainError 401, 403, 404, 422.
 */
export async function createReport(context: Context, locationId: string, given: NewReport) {
  const location = await requireLocation(context, locationId, "Reports", WRITE);
  const caller = requireUser(context);
  const template = await chooseTemplate(context, location, given);
  const row: ReportRow = {
    id: newIdIn(location.tenantId),
    tenantId: location.tenantId,
    organizationId: location.organizationId,
    clusterId: location.clusterId,
    locationId,
    templateId: template.id,
    title: given.title ?? template.displayName,
    contentJson: given.contentJson ?? template.contentTemplateJson,
    revision: 1,
    pdfDocumentId: null,
    pdfVersion: null,
    pdfJobId: null,
    pdfGeneratedAt: null,
    roomOpenedAt: null,
    createdBy: caller.userId,
    createdAt: context.now,
    updatedAt: context.now,
    deletedAt: null,
  };
  const change = beginChange(context, row.tenantId)
    .guard(locationUnchanged(location), notFound())
    .guard(templateExists(template.id), noTemplate())
    .guard(...hasCapacity(locationId))
    .add(context.workspace.insert(reports).values(row));
  announceReport(change, row, "created", 1);
  await change.commit();
  return presentReport(caller, await requireReport(context, row.id, READ));
}

/** Lists a location's reports by id, without their drafts. @throws DomainError 401, 403, 404. */
export async function listReports(context: Context, locationId: string, { limit, cursor }: PageQuery) {
  await requireLocation(context, locationId, "Reports", READ);
  const caller = requireUser(context);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await selectListedReports(
    context.workspace,
    and(eq(reports.locationId, locationId), gt(reports.id, after)),
  )
    .orderBy(asc(reports.id))
    .limit(limit + 1);
  return toPage(
    rows,
    limit,
    ({ report }) => [report.id],
    (row) => presentListedReport(caller, row),
  );
}

/** Lists the reports of all locations where the caller may read reports, by id, without their drafts. @throws DomainError 401. */
export async function listVisibleReports(context: Context, query: SpatialQuery) {
  const caller = requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const { includeShared, organizationId, limit } = query;
  const scope = within(scopeOf(caller.facts, "Reports", "content", { includeShared }), caller, organizationId);
  const where = and(
    tenantFilter(reports, organizationId),
    reportNotDeleted(),
    sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${reports.locationId} AND ${isNull(locations.deletedAt)})`,
  );
  const columns = { tenantId: reports.tenantId, clusterId: reports.clusterId, locationId: reports.locationId };
  const table = { table: reports, id: reports.id, columns, where: where as SQL };
  const ids = idsInScope(scope, table, { after, limit: limit + 1 });
  const rows = await pageAcross(context, limit + 1, async ({ workspace }) => {
    const found = await selectListedReports(workspace, sql`${reports.id} IN (${ids})`).orderBy(asc(reports.id));
    return found.map((row) => ({ id: row.report.id, row }));
  });
  return toPage(
    rows,
    limit,
    ({ id }) => [id],
    ({ row }) => presentListedReport(caller, row),
  );
}
