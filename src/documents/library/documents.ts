import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, gte, isNotNull, lt, or, type SQL, sql } from "drizzle-orm";
import { auditStatement, holds, READ, requireLevel, requireUser, scopeOf, type UserCaller, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { isUniqueViolation } from "../../platform/db/failures";
import { inSet } from "../../platform/db/statements";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { cancelUploads, moveUploads, requireFreeStorage } from "../../uploads";
import {
  findInTrash,
  findLocation,
  finishDeletion,
  isAsRead,
  type LocationRow,
  locationExists,
  locationPath,
  locationUnchanged,
  notInTrash,
  parentDeleted,
  removeFromTrash,
  requireExistingParent,
  requireLocation,
  requirePurgeable,
} from "../../workspace";
import {
  type DocumentRow,
  documentPath,
  type FoundDocument,
  fullName,
  presentDocument,
  queueDocumentIndex,
  queueRecognition,
  requireDocument,
  requireShortName,
  selectDocuments,
} from "../document";
import { queueExtraction } from "../extraction";
import { MAX_RESTORED_PICTURES } from "../limits";
import { documentNotDeleted, documents, documentVersions } from "../tables";

/** Sort key of documents: path and file name. It is unique within a location. */
const nameKey = z.tuple([z.string(), z.string()]);

/** Condition: the document is in a folder or below it. It is a range of the index, because "/" sorts just before "0". */
const within = (path: string): SQL | undefined =>
  path === ""
    ? undefined
    : or(eq(documents.path, path), and(gte(documents.path, `${path}/`), lt(documents.path, `${path}0`)));

/**
 * Condition: a document of the location that the caller may read. It is every document if the caller has the level at
 * the location, otherwise the documents with a grant. The cost depends on the page or the grants, not on the location's
 * size.
 */
function readable(caller: UserCaller, location: LocationRow): SQL | undefined {
  const here = eq(documents.locationId, location.id);
  if (holds(caller, "Documents", locationPath(location))) return here;
  // The unary plus makes the planner use the few granted ids instead of the location's index.
  return and(
    inSet(documents.id, scopeOf(caller.facts, "Documents", "document").documents),
    sql`+${documents.locationId} = ${location.id}`,
  );
}

/**
 * Lists the documents of a location that the caller may read, ordered by path and name, in the folder `path` and below.
 * @throws DomainError not-found if neither the location nor a document in it is visible.
 */
export async function listDocuments(context: Context, locationId: string, query: PageQuery & { path: string }) {
  const caller = requireUser(context);
  const location = await findLocation(context, locationId);
  if (location === null) throw notFound();
  const after = readCursor(query.cursor, nameKey);
  const where = readable(caller, location);
  const place = locationPath(location);
  const sees = holds(caller, "LocationView", place, READ) || holds(caller, "Documents", place, READ);
  if (!sees && (await selectDocuments(context.workspace, where).limit(1)).length === 0) throw notFound();
  const later =
    after === null
      ? undefined
      : or(gt(documents.path, after[0]), and(eq(documents.path, after[0]), gt(documents.fileName, after[1])));
  const rows = await selectDocuments(context.workspace, and(where, within(query.path), later))
    .orderBy(asc(documents.path), asc(documents.fileName))
    .limit(query.limit + 1);
  return toPage(
    rows,
    query.limit,
    ({ document }) => [document.path, document.fileName],
    (found) => presentDocument(caller, found),
  );
}

interface DocumentMove {
  path?: string | undefined;
  fileName?: string | undefined;
  locationId?: string | undefined;
}

/** Checks the location that a document moves to: it has the same workspace, and the caller may write documents there. */
async function targetLocation(context: Context, row: DocumentRow, locationId: string) {
  const target = await requireLocation(context, locationId, "Documents", WRITE);
  if (target.tenantId !== row.tenantId)
    throw new DomainError("rule-violated", "A document moves only between locations of the same workspace.");
  return { locationId: target.id, clusterId: target.clusterId };
}

/** Announces a move as a deletion to listeners of the old location, and as a creation to listeners of the new one. */
function announceMove(change: Change, row: DocumentRow, next: Pick<DocumentRow, "locationId" | "revision">): void {
  const event = { type: "state-updated", subject: "document", subjectId: row.id } as const;
  const { locationId, revision } = next;
  const stays = locationId === row.locationId;
  if (!stays)
    change.announce({ ...event, locationId: row.locationId, action: "deleted", revision: null }, row.tenantId);
  change.announce({ ...event, locationId, action: stays ? "updated" : "created", revision }, row.tenantId);
}

/**
 * Renames or moves a document. Its id, versions and grants stay, and its objects keep their keys.
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
  const { locationId, clusterId } = moves ? await targetLocation(context, row, target) : row;
  const next = {
    path: given.path ?? row.path,
    fileName: given.fileName ?? row.fileName,
    locationId,
    clusterId,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  requireShortName(next);
  const change = beginChange(context, row.tenantId)
    .guard(locationUnchanged({ id: locationId, clusterId }), notFound())
    .add(
      context.workspace
        .update(documents)
        .set(next)
        .where(and(eq(documents.id, row.id), eq(documents.revision, row.revision), documentNotDeleted())),
    )
    .guardChanged(staleRevision());
  if (moves) {
    moveUploads(context, change, row.id, locationId);
    change.add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "document.moved",
        subjectType: "document",
        subjectId: row.id,
        details: { fromLocationId: row.locationId, toLocationId: locationId },
      }),
    );
  }
  announceMove(change, row, next);
  queueDocumentIndex(change, row);
  try {
    await change.commit();
  } catch (thrown) {
    if (!isUniqueViolation(thrown)) throw thrown;
    throw new DomainError("already-exists", "A document with this path and name exists. Choose another name.");
  }
  return requireDocument(context, documentId, WRITE);
}

/**
 * Reads a document that its owner may purge. It may be in the trash, by itself or in a deleted location.
 * @throws DomainError 401, 403, 404.
 */
async function findPurgeable(context: Context, documentId: string): Promise<DocumentRow> {
  requireUser(context);
  const complete = and(eq(documents.id, documentId), gt(documents.latestVersion, 0));
  const [row] = await context.workspace.select().from(documents).where(complete);
  if (row === undefined) throw notFound();
  await requirePurgeable(context, row, documentPath(row), "Documents");
  return row;
}

/**
 * Deletes a document and ends its open uploads. From this change on, it is invisible and its bytes are not counted. It
 * stays in the trash for the recovery window, unless it is purged. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteDocument(
  context: Context,
  documentId: string,
  precondition: Precondition,
  isPurged: boolean,
): Promise<void> {
  const row = isPurged
    ? await findPurgeable(context, documentId)
    : (await requireDocument(context, documentId, WRITE)).document;
  checkPrecondition(precondition, row.revision);
  const { id, tenantId, organizationId, clusterId, locationId, deletedAt } = row;
  const name = fullName(row);
  const change = beginChange(context, tenantId)
    .guard(
      sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${id} AND ${documents.deletedAt} IS ${deletedAt})`,
      notFound(),
    )
    .add(
      context.workspace
        .update(documents)
        .set({ deletedAt: deletedAt ?? context.now })
        .where(isAsRead(documents, row)),
    )
    .guardChanged(staleRevision());
  if (deletedAt === null) {
    cancelUploads(context, change, { targetIds: sql`SELECT ${id}` });
    const event = { type: "state-updated", subject: "document", subjectId: id } as const;
    change.announce({ ...event, locationId, action: "deleted", revision: null }, tenantId);
    queueDocumentIndex(change, row);
  }
  finishDeletion(
    context,
    change,
    isPurged,
    {
      kind: "document",
      id,
      tenantId,
      organizationId,
      clusterId,
      locationId,
      documentId: id,
      name,
    },
    { name, locationId },
  );
  await change.commit();
}

/** Queues the jobs that ended because the document was deleted: extraction or indexing, and derivatives of its pictures. */
async function queueUnfinished({ workspace }: Context, change: Change, row: DocumentRow): Promise<void> {
  const { id: documentId, tenantId, latestVersion, textStatus } = row;
  if (textStatus === "pending") queueExtraction(change, { documentId, version: latestVersion }, { tenantId });
  if (textStatus === "recognizing") queueRecognition(change, { documentId, version: latestVersion }, tenantId);
  if (textStatus !== "pending")
    change.job("index-document", { documentId }, { tenantId, dedupeKey: `index-document:${documentId}` });
  const waiting = await workspace
    .select({ version: documentVersions.version })
    .from(documentVersions)
    .where(and(eq(documentVersions.documentId, documentId), eq(documentVersions.derivativeStatus, "pending")))
    .limit(MAX_RESTORED_PICTURES);
  for (const { version } of waiting) change.job("derive-images", { documentId, version }, { tenantId });
}

/**
 * Restores a document under its path and name.
 * @throws DomainError 401, 403, 404, 409 (its location is deleted, its name is taken, or it is not deleted), 507.
 */
export async function restoreDocument(context: Context, documentId: string): Promise<FoundDocument> {
  requireUser(context);
  const { workspace, now } = context;
  const complete = and(eq(documents.id, documentId), gt(documents.latestVersion, 0));
  const [row] = await workspace.select().from(documents).where(complete);
  if (row === undefined) throw notFound();
  requireLevel(context, documentPath(row), "Documents", "Documents", WRITE);
  const { tenantId, organizationId, locationId } = row;
  await requireExistingParent(context, row);
  if (row.deletedAt === null) throw notInTrash();
  if (!(await findInTrash(context, row.id))) throw notFound();
  const change = beginChange(context, tenantId);
  removeFromTrash(context, change, row.id);
  change
    .guard(locationExists(locationId), parentDeleted())
    .add(
      workspace
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
  requireFreeStorage(context, change, row, 0);
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
      "Another document or upload has this path and name now. Rename or delete it, then restore this document.",
    );
  }
  return requireDocument(context, documentId, READ);
}
