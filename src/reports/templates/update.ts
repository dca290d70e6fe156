import { and, eq, isNull } from "drizzle-orm";
import { auditStatement } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { reportTemplates } from "../tables";
import { keyTaken, requireSources } from "./create";
import { type NewTemplate, presentTemplate } from "./fields";
import { requireTemplate } from "./find";

/**
 * Replaces a template; reports made with it are rendered by the new one from then on.
 * @throws DomainError 401, 403, 404, 409, 412, 422 template-invalid.
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
  const change = beginChange(context)
    .add(
      context.db
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
