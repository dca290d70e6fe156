import { and, asc, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import { auditStatement, idsInScope, pageAcross, type ResourcePath, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { newIdIn } from "../../platform/ids";
import { fewerThan, idKey, limitReached, organizationExists } from "../../workspace";
import { MAX_TEMPLATES } from "../limits";
import { reports, reportTemplates } from "../tables";
import { parseTemplate } from "../templating";
import {
  type NewTemplate,
  presentTemplate,
  requireTemplate,
  requireTemplateOwner,
  type TemplateRow,
  templateTenants,
} from "./template";

/** Refuses sources that do not parse. @throws DomainError template-invalid with line and column. */
function requireSources(given: Pick<NewTemplate, "htmlLayoutTemplate" | "cssStylesheetTemplate">): void {
  parseTemplate("htmlLayoutTemplate", given.htmlLayoutTemplate);
  parseTemplate("cssStylesheetTemplate", given.cssStylesheetTemplate);
}

const keyTaken = (): DomainError =>
  new DomainError(
    "already-exists",
    "A template with this key exists already. Choose another key or change that template.",
  );

/**
 * Creates a template of the caller (`organizationId` null) or of an organization. Owners and admins of the organization
 * may do that. @throws DomainError 401, 403, 404, 409 already-exists, 422 template-invalid
 */
export async function createTemplate(context: Context, organizationId: string | null, given: NewTemplate) {
  const { userId } = requireUser(context);
  const place: ResourcePath = { tenantId: organizationId ?? userId, organizationId };
  requireTemplateOwner(context, place);
  requireSources(given);
  const row: TemplateRow = {
    id: newIdIn(place.tenantId),
    tenantId: place.tenantId,
    organizationId,
    ...given,
    revision: 1,
    createdBy: userId,
    createdAt: context.now,
    updatedAt: context.now,
    deletedAt: null,
  };
  const change = beginChange(context, place.tenantId);
  if (organizationId !== null) change.guard(organizationExists(organizationId), notFound());
  const others = sql`SELECT 1 FROM ${reportTemplates} WHERE ${reportTemplates.tenantId} = ${row.tenantId}
    AND ${reportTemplates.deletedAt} IS NULL`;
  change
    .guard(fewerThan(MAX_TEMPLATES, others), limitReached("This workspace", MAX_TEMPLATES))
    .add(context.workspace.insert(reportTemplates).values(row));
  try {
    await change.commit();
  } catch (thrown) {
    if (isUniqueViolation(thrown, "report_templates.key")) throw keyTaken();
    throw thrown;
  }
  return presentTemplate(row);
}

/**
 * Replaces a template. Its reports are rendered with the new one from then on.
 * @throws DomainError 401, 403, 404, 409, 412, 422 template-invalid
 */
export async function updateTemplate(
  context: Context,
  templateId: string,
  given: NewTemplate,
  precondition: Precondition,
) {
  const row = await requireTemplate(context, templateId);
  checkPrecondition(precondition, row.revision);
  requireSources(given);
  const next = { ...row, ...given, revision: row.revision + 1, updatedAt: context.now };
  const { id, ...written } = next;
  const change = beginChange(context, row.tenantId)
    .add(
      context.workspace
        .update(reportTemplates)
        .set(written)
        .where(
          and(
            eq(reportTemplates.id, id),
            eq(reportTemplates.revision, row.revision),
            isNull(reportTemplates.deletedAt),
          ),
        ),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "report-template.updated",
        subjectType: "report-template",
        subjectId: id,
        details: { key: next.key, revision: next.revision },
      }),
    );
  try {
    await change.commit();
  } catch (thrown) {
    if (isUniqueViolation(thrown, "report_templates.key")) throw keyTaken();
    throw thrown;
  }
  return presentTemplate(next);
}

/**
 * Deletes a template: it can no longer be found, and its key is free. Its reports keep its current form. The row is
 * deleted with the last of them. @throws DomainError 401, 403, 404, 409, 412
 */
export async function deleteTemplate(context: Context, templateId: string, precondition: Precondition): Promise<void> {
  const row = await requireTemplate(context, templateId);
  checkPrecondition(precondition, row.revision);
  const { workspace, now } = context;
  const unused = sql`NOT EXISTS (SELECT 1 FROM ${reports} WHERE ${reports.templateId} = ${row.id})`;
  const present = sql`EXISTS (SELECT 1 FROM ${reportTemplates} WHERE ${reportTemplates.id} = ${row.id}
    AND ${reportTemplates.deletedAt} IS NULL)`;
  await beginChange(context, row.tenantId)
    .guard(present, notFound())
    .add(
      workspace
        .update(reportTemplates)
        .set({ deletedAt: now })
        .where(
          and(
            eq(reportTemplates.id, row.id),
            eq(reportTemplates.revision, row.revision),
            isNull(reportTemplates.deletedAt),
          ),
        ),
    )
    .guardChanged(staleRevision())
    .add(workspace.delete(reportTemplates).where(and(eq(reportTemplates.id, row.id), unused)))
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "report-template.deleted",
        subjectType: "report-template",
        subjectId: row.id,
        details: { key: row.key },
      }),
    )
    .commit();
}

/** Lists the templates that the caller may read, in order of ids. */
export async function listTemplates(context: Context, { limit, cursor }: PageQuery) {
  requireUser(context);
  const [after] = readCursor(cursor, idKey) ?? [null];
  const idsIn = (there: Context) =>
    idsInScope(
      { tenants: templateTenants(requireUser(there)), clusters: [], locations: [], documents: [] },
      {
        table: reportTemplates,
        id: reportTemplates.id,
        columns: { tenantId: reportTemplates.tenantId },
        where: isNull(reportTemplates.deletedAt),
      },
      { after, limit: limit + 1 },
    );
  const { htmlLayoutTemplate, cssStylesheetTemplate, contentTemplateJson, ...columns } =
    getTableColumns(reportTemplates);
  const rows = await pageAcross(context, limit + 1, (there) =>
    there.workspace
      .select(columns)
      .from(reportTemplates)
      .where(sql`${reportTemplates.id} IN (${idsIn(there)})`)
      .orderBy(asc(reportTemplates.id)),
  );
  return toPage(
    rows,
    limit,
    (row) => [row.id],
    (row) => {
      const {
        htmlLayoutTemplate: _,
        cssStylesheetTemplate: __,
        contentTemplateJson: ___,
        ...shown
      } = presentTemplate({
        ...row,
        htmlLayoutTemplate: "",
        cssStylesheetTemplate: "",
        contentTemplateJson: {},
      });
      return shown;
    },
  );
}
