import { and, eq, isNotNull, sql } from "drizzle-orm";
import { auditStatement, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import {
  type DeletionStep,
  findInTrash,
  finishDeletion,
  isAsRead,
  notInTrash,
  organizationExists,
  removeFromTrash,
  requireOwnerOf,
} from "../../workspace";
import { trashEntries } from "../../workspace/tables";
import { reports, reportTemplates } from "../tables";
import { requireTemplate, requireVisibleTemplate, type TemplateRow } from "./template";
import { hasCapacity } from "./templates";

/** Reads a template, deleted or not, that the caller may change. @throws DomainError 401, 403, 404. */
async function findTemplate(context: Context, templateId: string): Promise<TemplateRow> {
  requireUser(context);
  const [row] = await context.workspace.select().from(reportTemplates).where(eq(reportTemplates.id, templateId));
  return requireVisibleTemplate(context, row);
}

/** Reads a template that its owner may purge. It may be in the trash. @throws DomainError 401, 403, 404. */
async function findPurgeable(context: Context, templateId: string): Promise<TemplateRow> {
  const row = await findTemplate(context, templateId);
  await requireOwnerOf(context, row);
  return row;
}

/**
 * Deletes a template: it can no longer be found, and its key is free. Its reports keep its current form. It stays in the
 * trash for the recovery window, unless it is purged. Its row is deleted after that with the last of its reports.
 * @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteTemplate(
  context: Context,
  templateId: string,
  precondition: Precondition,
  isPurged: boolean,
): Promise<void> {
  const row = await (isPurged ? findPurgeable(context, templateId) : requireTemplate(context, templateId));
  checkPrecondition(precondition, row.revision);
  const { id, tenantId, organizationId, key, displayName, deletedAt } = row;
  const asFound = sql`EXISTS (SELECT 1 FROM ${reportTemplates} WHERE ${reportTemplates.id} = ${id}
    AND ${reportTemplates.deletedAt} IS ${deletedAt})`;
  const change = beginChange(context, tenantId)
    .guard(asFound, notFound())
    .add(
      context.workspace
        .update(reportTemplates)
        .set({ deletedAt: deletedAt ?? context.now })
        .where(isAsRead(reportTemplates, row)),
    )
    .guardChanged(staleRevision());
  const entry = {
    kind: "report-template" as const,
    id,
    tenantId,
    organizationId,
    clusterId: null,
    locationId: null,
    name: displayName,
  };
  finishDeletion(context, change, isPurged, entry, { key });
  await change.commit();
}

/**
 * Restores a template under its key.
 * @throws DomainError 401, 403, 404, 409 (its key is taken, or it is not in the trash), 422 (too many templates).
 */
export async function restoreTemplate(context: Context, templateId: string): Promise<TemplateRow> {
  const row = await findTemplate(context, templateId);
  if (row.deletedAt === null) throw notInTrash();
  if (!(await findInTrash(context, row.id))) throw notFound();
  const { id, tenantId, organizationId, key } = row;
  const change = beginChange(context, tenantId);
  removeFromTrash(context, change, "report-template", id);
  if (organizationId !== null) change.guard(organizationExists(organizationId), notFound());
  change
    .guard(...hasCapacity(tenantId))
    .add(
      context.workspace
        .update(reportTemplates)
        .set({ deletedAt: null })
        .where(and(eq(reportTemplates.id, id), isNotNull(reportTemplates.deletedAt))),
    )
    .add(
      auditStatement(context, {
        organizationId,
        action: "report-template.restored",
        subjectType: "report-template",
        subjectId: id,
        details: { key },
      }),
    );
  try {
    await change.commit();
  } catch (thrown) {
    if (!isUniqueViolation(thrown, "report_templates.key")) throw thrown;
    throw new DomainError(
      "already-exists",
      "Another template has this key now. Change its key or delete it, then restore this template.",
    );
  }
  return { ...row, deletedAt: null };
}

/** Removes a template from the database when no report uses it. Else its last report removes it. */
export const templateDeletion: DeletionStep = {
  name: "report-templates",
  async deleteRows({ workspace }, { type, id }, change) {
    if (type !== "report-template") return 0;
    const unused = sql`NOT EXISTS (SELECT 1 FROM ${reports} WHERE ${reports.templateId} = ${id})
      AND NOT EXISTS (SELECT 1 FROM ${trashEntries} WHERE ${trashEntries.resourceId} = ${id})`;
    const condition = and(eq(reportTemplates.id, id), isNotNull(reportTemplates.deletedAt), unused);
    const rows = await workspace.select({ id: reportTemplates.id }).from(reportTemplates).where(condition);
    if (rows.length > 0) change.add(workspace.delete(reportTemplates).where(condition));
    return rows.length;
  },
};
