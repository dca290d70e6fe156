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
import { partialsOf } from "../partials";
import { reportTemplates } from "../tables";
import { findRevision, keepRevision, trimHistory } from "./history";
import {
  type NewTemplate,
  presentTemplate,
  requireTemplate,
  requireTemplateOwner,
  type TemplateRow,
  templateTenants,
} from "./template";

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
  const partials = partialsOf(given);
  const row: TemplateRow = {
    id: newIdIn(place.tenantId),
    tenantId: place.tenantId,
    organizationId,
    ...given,
    partials,
    revision: 1,
    createdBy: userId,
    updatedBy: null,
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

/** The fields that a revision of a template has. */
type RevisionFields = Pick<
  TemplateRow,
  | "key"
  | "displayName"
  | "htmlLayoutTemplate"
  | "cssStylesheetTemplate"
  | "cssMediaType"
  | "contentTemplateJson"
  | "bodyFieldPath"
  | "attachesData"
>;

/**
 * Writes the next revision of a template, and keeps the present one in its history.
 * @throws DomainError 409 (changed meanwhile, or the key is taken), 422 template-invalid with line and column
 */
export async function writeRevision(
  context: Context,
  row: TemplateRow,
  given: RevisionFields,
  details: Record<string, unknown> = {},
): Promise<TemplateRow> {
  const { userId } = requireUser(context);
  const next = {
    ...row,
    ...given,
    partials: partialsOf(given),
    revision: row.revision + 1,
    updatedBy: userId,
    updatedAt: context.now,
  };
  const { id, ...written } = next;
  const change = beginChange(context, row.tenantId);
  keepRevision(change, row);
  change
    .add(context.workspace.update(reportTemplates).set(written).where(isAsRead(reportTemplates, row)))
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "report-template.updated",
        subjectType: "report-template",
        subjectId: id,
        details: { key: next.key, revision: next.revision, ...details },
      }),
    );
  trimHistory(change, id);
  try {
    await change.commit();
  } catch (thrown) {
    if (isUniqueViolation(thrown, "report_templates.key")) throw keyTaken();
    throw thrown;
  }
  return next;
}

/**
 * Checks the revision on which a write of a template is based. Without one, it must not replace the work of another person.
 * @throws DomainError 409 stale-revision, 412
 */
export function checkBase(context: Context, row: TemplateRow, precondition: Precondition): void {
  checkPrecondition(precondition, row.revision);
  const namesNone = precondition.baseRevision === undefined && precondition.ifMatch === undefined;
  if (namesNone && row.updatedBy !== null && row.updatedBy !== requireUser(context).userId)
    throw new DomainError(
      "stale-revision",
      "Another person changed this template. Read it again, and send the revision that you started from as baseRevision or If-Match.",
      { currentRevision: row.revision },
    );
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
  checkBase(context, row, precondition);
  return presentTemplate(await writeRevision(context, row, given));
}

/**
 * Writes an earlier revision as the next one. The template keeps its key, because clients load it by that. The present
 * revision changes nothing. @throws DomainError 401, 403, 404, 409, 412
 */
export async function restoreRevision(
  context: Context,
  templateId: string,
  revision: number,
  precondition: Precondition,
) {
  const row = await requireTemplate(context, templateId);
  checkBase(context, row, precondition);
  if (revision === row.revision) return presentTemplate(row);
  const { row: earlier } = await findRevision(context, templateId, revision);
  const { displayName, htmlLayoutTemplate, cssStylesheetTemplate, cssMediaType } = earlier;
  const { contentTemplateJson, bodyFieldPath, attachesData } = earlier;
  const given = {
    key: row.key,
    displayName,
    htmlLayoutTemplate,
    cssStylesheetTemplate,
    cssMediaType,
    contentTemplateJson,
    bodyFieldPath,
    attachesData,
  };
  return presentTemplate(await writeRevision(context, row, given, { restoredRevision: revision }));
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
