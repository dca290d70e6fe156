import { and, eq } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { locationUnchanged, requireLocation } from "../../workspace";
import { type DocumentRow, type FoundDocument, requireDocument } from "../find";
import { documentNotDeleted, documents } from "../tables";
import { requireShortName } from "../uploads/start";
import { queueDocumentIndex } from "./indexing";

export interface DocumentMove {
  path?: string | undefined;
  fileName?: string | undefined;
  locationId?: string | undefined;
}

/** The place of a document in another location: of the same workspace, where the caller may write too. */
async function placeIn(context: Context, row: DocumentRow, locationId: string) {
  const target = await requireLocation(context, locationId, "Documents", WRITE);
  if (target.tenantId !== row.tenantId)
    throw new DomainError("rule-violated", "A document moves only between locations of the same workspace.");
  return { locationId: target.id, clusterId: target.clusterId };
}

/** Those who look at the place it leaves see it go, those at the place it comes to see it come. */
function announceMove(change: Change, row: DocumentRow, next: Pick<DocumentRow, "locationId" | "revision">): void {
  const event = { type: "state-updated", subject: "document", subjectId: row.id } as const;
  const { locationId, revision } = next;
  const stays = locationId === row.locationId;
  if (!stays)
    change.announce({ ...event, locationId: row.locationId, action: "deleted", revision: null }, row.tenantId);
  change.announce({ ...event, locationId, action: stays ? "updated" : "created", revision }, row.tenantId);
}

/**
 * Renames a document or moves it; its id, versions and grants stay, and its bytes stay where they are.
 * @throws DomainError 401, 403, 404, 409 (stale, or the name is taken), 412, 422.
 */
export async function moveDocument(
  context: Context,
  documentId: string,
  given: DocumentMove,
  precondition: Precondition,
): Promise<FoundDocument> {
  const found = await requireDocument(context, documentId, WRITE);
  const row = found.document;
  checkPrecondition(precondition, row.revision);
  const target = given.locationId ?? row.locationId;
  const moves = target !== row.locationId;
  const { locationId, clusterId } = moves ? await placeIn(context, row, target) : row;
  const next = {
    path: given.path ?? row.path,
    fileName: given.fileName ?? row.fileName,
    locationId,
    clusterId,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  requireShortName(next);
  const change = beginChange(context)
    .guard(locationUnchanged({ id: locationId, clusterId }), notFound())
    .add(
      context.db
        .update(documents)
        .set(next)
        .where(and(eq(documents.id, row.id), eq(documents.revision, row.revision), documentNotDeleted())),
    )
    .guardChanged(staleRevision());
  if (moves)
    change.add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "document.moved",
        subjectType: "document",
        subjectId: row.id,
        details: { fromLocationId: row.locationId, toLocationId: locationId },
      }),
    );
  announceMove(change, row, next);
  queueDocumentIndex(change, row);
  try {
    await change.commit();
  } catch (thrown) {
    if (!isUniqueViolation(thrown)) throw thrown;
    throw new DomainError("already-exists", "There is a document of this path and name. Choose another name.");
  }
  return requireDocument(context, documentId, WRITE);
}
