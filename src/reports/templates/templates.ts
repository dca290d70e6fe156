import { asc, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import { auditStatement, idsInScope, pageAcross, type ResourcePath, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { newIdIn } from "../../platform/ids";
import { fewerThan, idKey, isAsRead, limitReached, organizationExists } from "../../workspace";
import { MAX_TEMPLATES } from "../limits";
import { reportTemplates } from "../tables";
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

/** Guard: the workspace has capacity for one more template. Templates in the trash do not count. */
export const hasCapacity = (tenantId: string): [SQL, DomainError] => [
  fewerThan(
    MAX_TEMPLATES,
    sql`SELECT 1 FROM ${reportTemplates} WHERE ${reportTemplates.tenantId} = ${tenantId} AND ${reportTemplates.deletedAt} IS NULL`,
  ),
  limitReached("This workspace", MAX_TEMPLATES),
];

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
  change.guard(...hasCapacity(place.tenantId)).add(context.workspace.insert(reportTemplates).values(row));
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
    .add(context.workspace.update(reportTemplates).set(written).where(isAsRead(reportTemplates, row)))
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
