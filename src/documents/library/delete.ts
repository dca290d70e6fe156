import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { auditStatement, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { cancelUploads } from "../../uploads";
import { findInTrash, purge, putInTrash, requireOwner } from "../../workspace";
import { type DocumentRow, placeOfDocument, requireDocument } from "../find";
import { fullName } from "../names";
import { documents } from "../tables";
import { queueDocumentIndex } from "./indexing";

/**
 * A document that its owner may purge: one that lives, also where its location is deleted, or is in the trash.
 * @throws DomainError 401, 403, 404.
 */
async function requirePurgeable(context: Context, documentId: string): Promise<DocumentRow> {
  requireUser(context);
  const complete = and(eq(documents.id, documentId), gt(documents.latestVersion, 0));
  const [row] = await context.db.select().from(documents).where(complete);
  if (row === undefined) throw notFound();
  requireLevel(context, placeOfDocument(row), "Documents", "Documents", WRITE);
  if (row.deletedAt !== null && !(await findInTrash(context, row.id))) throw notFound();
  requireOwner(context, row);
  return row;
}

/**
 * Deletes a document: hidden from this change on, not counted, its open uploads ended. It stays in the trash for the
 * recovery window, unless it is purged. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteDocument(
  context: Context,
  documentId: string,
  precondition: Precondition,
  isPurged: boolean,
): Promise<void> {
  const row = isPurged
    ? await requirePurgeable(context, documentId)
    : (await requireDocument(context, documentId, WRITE)).document;
  checkPrecondition(precondition, row.revision);
  const { id, tenantId, organizationId, clusterId, locationId, deletedAt } = row;
  const name = fullName(row);
  const asRead = deletedAt === null ? isNull(documents.deletedAt) : eq(documents.deletedAt, deletedAt);
  const change = beginChange(context)
    .add(
      context.db
        .update(documents)
        .set({ deletedAt: deletedAt ?? context.now })
        .where(and(eq(documents.id, id), eq(documents.revision, row.revision), asRead)),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId,
        action: isPurged ? "document.purged" : "document.deleted",
        subjectType: "document",
        subjectId: id,
        details: { name, locationId },
      }),
    );
  if (deletedAt === null) {
    cancelUploads(context, change, sql`SELECT ${id}`);
    const event = { type: "state-updated", subject: "document", subjectId: id } as const;
    change.announce({ ...event, locationId, action: "deleted", revision: null }, tenantId);
    queueDocumentIndex(change, row);
  }
  if (isPurged) purge(context, change, "document", row);
  else
    putInTrash(context, change, {
      kind: "document",
      id,
      tenantId,
      organizationId,
      clusterId,
      locationId,
      documentId: id,
      name,
    });
  await change.commit();
}
