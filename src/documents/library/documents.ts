import { and, eq, gt, sql } from "drizzle-orm";
import { READ, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import {
  findInTrash,
  isAsRead,
  type LocationRow,
  notInTrash,
  requireExistingParent,
  requireLocation,
  requirePurgeable,
} from "../../workspace";
import { type DocumentRow, documentPath, type FoundDocument, requireDocument, requireShortName } from "../document";
import { documents } from "../tables";
import { addDeletions, addMoves, addRestorations, addTrashEntry, documentNameTaken } from "./changes";

interface NewPlace {
  path?: string | undefined;
  fileName?: string | undefined;
  locationId?: string | undefined;
}

/**
 * Reads the location that documents move to: it has the same workspace, and the caller may write documents there.
 * @throws DomainError 401, 403, 404, 422.
 */
export async function requireTarget(context: Context, tenantId: string, locationId: string): Promise<LocationRow> {
  const target = await requireLocation(context, locationId, "Documents", WRITE);
  if (target.tenantId !== tenantId)
    throw new DomainError("rule-violated", "Documents and folders move only between locations of the same workspace.");
  return target;
}

/**
 * Renames or moves a document. Its id, versions and grants stay, and its objects keep their keys.
 * @throws DomainError 401, 403, 404, 409 (stale, or the name is taken), 412, 422.
 */
export async function moveDocument(
  context: Context,
  documentId: string,
  given: NewPlace,
  precondition: Precondition,
): Promise<FoundDocument> {
  const found = await requireDocument(context, documentId, WRITE);
  const row = found.document;
  checkPrecondition(precondition, row.revision);
  const locationId = given.locationId ?? row.locationId;
  const { clusterId } = locationId === row.locationId ? row : await requireTarget(context, row.tenantId, locationId);
  const next = { path: given.path ?? row.path, fileName: given.fileName ?? row.fileName, locationId, clusterId };
  requireShortName(next);
  const change = beginChange(context, row.tenantId);
  addMoves(context, change, [{ row, next }]);
  try {
    await change.commit();
  } catch (thrown) {
    if (!isUniqueViolation(thrown)) throw thrown;
    throw documentNameTaken();
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
  const { id, tenantId, deletedAt } = row;
  const change = beginChange(context, tenantId).guard(
    sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${id} AND ${documents.deletedAt} IS ${deletedAt})`,
    notFound(),
  );
  if (deletedAt === null) addDeletions(context, change, [row], isPurged);
  else {
    change
      .add(context.workspace.update(documents).set({ deletedAt }).where(isAsRead(documents, row)))
      .guardChanged(staleRevision());
    addTrashEntry(context, change, row, isPurged);
  }
  await change.commit();
}

/**
 * Restores a document under its path and name.
 * @throws DomainError 401, 403, 404, 409 (its location is deleted, its name is taken, or it is not deleted), 507.
 */
export async function restoreDocument(context: Context, documentId: string): Promise<FoundDocument> {
  requireUser(context);
  const { workspace } = context;
  const complete = and(eq(documents.id, documentId), gt(documents.latestVersion, 0));
  const [row] = await workspace.select().from(documents).where(complete);
  if (row === undefined) throw notFound();
  requireLevel(context, documentPath(row), "Documents", "Documents", WRITE);
  await requireExistingParent(context, row);
  if (row.deletedAt === null) throw notInTrash();
  if (!(await findInTrash(context, row.id))) throw notFound();
  const change = beginChange(context, row.tenantId);
  await addRestorations(context, change, [row]);
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
