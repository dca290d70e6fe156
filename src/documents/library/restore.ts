import { and, eq, gt, isNotNull, sql } from "drizzle-orm";
import { auditStatement, READ, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { requireRoom } from "../../uploads";
import {
  findInTrash,
  locationExists,
  notInTrash,
  parentDeleted,
  removeFromTrash,
  requireExistingParent,
} from "../../workspace";
import { queueExtraction } from "../extraction/job";
import { type DocumentRow, type FoundDocument, placeOfDocument, requireDocument } from "../find";
import { fullName } from "../names";
import { documents, documentVersions } from "../tables";
import { queueDocumentIndex } from "./indexing";

/** Pictures whose derivatives one restoration has made: those that the deletion came before. */
const MOST_PICTURES = 100;

/** Queues what jobs left undone because the document was deleted: its text and its index, and forms of its pictures. */
async function queueUnfinished({ db }: Context, change: Change, row: DocumentRow): Promise<void> {
  const { id: documentId, tenantId, latestVersion, textStatus } = row;
  if (textStatus === "pending") queueExtraction(change, { documentId, version: latestVersion }, { tenantId });
  else change.job("index-document", { documentId }, { tenantId, dedupeKey: `index-document:${documentId}` });
  const waiting = await db
    .select({ version: documentVersions.version })
    .from(documentVersions)
    .where(and(eq(documentVersions.documentId, documentId), eq(documentVersions.derivativeStatus, "pending")))
    .limit(MOST_PICTURES);
  for (const { version } of waiting) change.job("derive-images", { documentId, version }, { tenantId });
}

/**
 * Restores a document under its path and name.
 * @throws DomainError 401, 403, 404, 409 (its location is deleted, its name is taken, or it is not deleted), 507.
 */
export async function restoreDocument(context: Context, documentId: string): Promise<FoundDocument> {
  requireUser(context);
  const { db, now } = context;
  const complete = and(eq(documents.id, documentId), gt(documents.latestVersion, 0));
  const [row] = await db.select().from(documents).where(complete);
  if (row === undefined) throw notFound();
  requireLevel(context, placeOfDocument(row), "Documents", "Documents", WRITE);
  const { tenantId, organizationId, locationId } = row;
  await requireExistingParent(context, row);
  if (row.deletedAt === null) throw notInTrash();
  if (!(await findInTrash(context, row.id))) throw notFound();
  const change = beginChange(context);
  removeFromTrash(context, change, row.id);
  change
    .guard(locationExists(locationId), parentDeleted())
    .add(
      db
        .update(documents)
        .set({ deletedAt: null, revision: sql`${documents.revision} + 1`, updatedAt: now })
        .where(and(eq(documents.id, row.id), isNotNull(documents.deletedAt))),
    )
    .add(
      auditStatement(context, {
        organizationId,
        action: "document.restored",
        subjectType: "document",
        subjectId: row.id,
        details: { name: fullName(row), locationId },
      }),
    );
  requireRoom(context, change, row, 0);
  const event = { type: "state-updated", subject: "document", subjectId: row.id } as const;
  change.announce({ ...event, locationId, action: "created", revision: row.revision + 1 }, tenantId);
  await queueUnfinished(context, change, row);
  queueDocumentIndex(change, row);
  try {
    await change.commit();
  } catch (thrown) {
    if (!isUniqueViolation(thrown)) throw thrown;
    throw new DomainError(
      "already-exists",
      "Another document has its path and name now, or is being uploaded under it. Rename or delete that, then restore this one.",
    );
  }
  return requireDocument(context, documentId, READ);
}
