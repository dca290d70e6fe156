import { and, eq } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { queueAssetIndex } from "../indexing";
import { annotations } from "../tables";
import { requireAnnotation } from "./require";

/** Deletes an annotation. @throws DomainError 401, 403, 404, 409, 412. */
export async function deleteAnnotation(
  context: Context,
  annotationId: string,
  precondition: Precondition,
): Promise<void> {
  const row = await requireAnnotation(context, annotationId, WRITE);
  checkPrecondition(precondition, row.revision);
  const change = beginChange(context)
    .add(context.db.delete(annotations).where(and(eq(annotations.id, row.id), eq(annotations.revision, row.revision))))
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "annotation.deleted",
        subjectType: "annotation",
        subjectId: row.id,
        details: { locationId: row.locationId, title: row.title },
      }),
    );
  change.announce(
    {
      type: "state-updated",
      locationId: row.locationId,
      subject: "annotation",
      subjectId: row.id,
      action: "deleted",
      revision: null,
    },
    row.tenantId,
  );
  queueAssetIndex(change, "annotation", row);
  await change.commit();
}
