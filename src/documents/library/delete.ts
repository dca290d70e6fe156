import { and, eq, isNull, sql } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { cancelUploads, queueTreeDeletion } from "../../workspace";
import { requireDocument } from "../find";
import { fullName } from "../names";
import { documents } from "../tables";
import { queueDocumentIndex } from "./indexing";

/**
 * Deletes a document: hidden from this change on, its open uploads ended; a job takes away versions,
 * passages and bytes. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteDocument(context: Context, documentId: string, precondition: Precondition): Promise<void> {
  const { document: row } = await requireDocument(context, documentId, WRITE);
  checkPrecondition(precondition, row.revision);
  const change = beginChange(context)
    .add(
      context.db
        .update(documents)
        .set({ deletedAt: context.now })
        .where(and(eq(documents.id, row.id), eq(documents.revision, row.revision), isNull(documents.deletedAt))),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "document.deleted",
        subjectType: "document",
        subjectId: row.id,
        details: { name: fullName(row), locationId: row.locationId },
      }),
    );
  cancelUploads(context, change, sql`SELECT ${row.id}`);
  change.announce(
    {
      type: "state-updated",
      locationId: row.locationId,
      subject: "document",
      subjectId: row.id,
      action: "deleted",
      revision: null,
    },
    row.tenantId,
  );
  queueDocumentIndex(change, row);
  queueTreeDeletion(change, "document", row);
  await change.commit();
}
