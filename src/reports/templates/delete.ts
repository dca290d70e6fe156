import { and, eq, isNull, sql } from "drizzle-orm";
import { auditStatement } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { reports, reportTemplates } from "../tables";
import { requireTemplate } from "./find";

/**
 * Deletes a template: nobody finds it any more and its key is free. Reports that were made with it keep
 * it as it is now; the row leaves with the last of them. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteTemplate(context: Context, templateId: string, precondition: Precondition): Promise<void> {
  const row = await requireTemplate(context, templateId);
  checkPrecondition(precondition, row.revision);
  const { db, now } = context;
  const unused = sql`NOT EXISTS (SELECT 1 FROM ${reports} WHERE ${reports.templateId} = ${row.id})`;
  await beginChange(context)
    .add(
      db
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
    .add(db.delete(reportTemplates).where(and(eq(reportTemplates.id, row.id), unused)))
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
