import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { auditStatement } from "../../access";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { DomainError, notFound } from "../../platform/errors";
import { staleRevision } from "../../platform/http/revision";
import { cancelUploads, moveUploads, requireFreeStorage } from "../../uploads";
import { finishDeletion, locationExists, locationUnchanged, parentDeleted, removeFromTrash } from "../../workspace";
import { type DocumentRow, fullName, queueDocumentIndex, queueRecognition } from "../document";
import { queueExtraction } from "../extraction";
import { MAX_RESTORED_PICTURES } from "../limits";
import { sortNameOf } from "../sorting/sorting";
import { documents, documentTags, documentVersions } from "../tables";

/*
 * The parts of a change that moves, deletes, restores or tags documents of one workspace. One document and many take the
 * same statements: the rows are in one parameter. The caller checks the access before.
 */

type Place = Pick<DocumentRow, "locationId" | "path" | "fileName">;

/** The place and name of a document as one text. */
export const nameKey = (place: Place): string => JSON.stringify([place.locationId, fullName(place)]);

/** The ids of the documents and uploads that have these places and names, by `nameKey`. */
export async function readNamed(
  { workspace }: Pick<Context, "workspace">,
  places: readonly Place[],
): Promise<Map<string, string>> {
  const names = JSON.stringify(places.map(({ locationId, path, fileName }) => [locationId, path, fileName]));
  const at = (n: number): SQL => sql.raw(`j.value ->> ${n}`);
  const rows = await workspace.all<Place & { id: string }>(sql`
    SELECT d.id AS "id", d.location_id AS "locationId", d.path AS "path", d.file_name AS "fileName"
    FROM json_each(${names}) j CROSS JOIN ${documents} AS d
    ON d.location_id = ${at(0)} AND d.path = ${at(1)} AND d.file_name = ${at(2)} AND d.deleted_at IS NULL`);
  return new Map(rows.map((row) => [nameKey(row), row.id]));
}

export const documentNameTaken = (): DomainError =>
  new DomainError("already-exists", "A document with this path and name exists. Choose another name.");

/** A document and its new place and name. */
export interface DocumentMove {
  row: DocumentRow;
  next: Pick<DocumentRow, "path" | "fileName" | "locationId" | "clusterId">;
}

/** Requires that the statement before has changed all of these documents: none was changed since it was read. */
const guardAll = (change: Change, count: number): Change =>
  count === 1 ? change.guardChanged(staleRevision()) : change.guard(sql`changes() = ${count}`, staleRevision());

const event = (row: DocumentRow) => ({ type: "state-updated", subject: "document", subjectId: row.id }) as const;

/** Announces a move as a deletion to listeners of the old location, and as a creation to listeners of the new one. */
function announceMove(change: Change, { row, next: { locationId } }: DocumentMove): void {
  const stays = locationId === row.locationId;
  const revision = row.revision + 1;
  if (!stays) change.announce({ ...event(row), locationId: row.locationId, action: "deleted", revision }, row.tenantId);
  change.announce({ ...event(row), locationId, action: stays ? "updated" : "created", revision }, row.tenantId);
}

/** The documents as they were read, and are not deleted: `j` has an id and a revision. */
const asRead = sql.raw(
  "documents.id = j.value ->> 0 AND documents.revision = j.value ->> 1 AND documents.deleted_at IS NULL",
);

/** Adds moves and new names. Ids, versions and grants stay, and objects keep their keys. */
export function addMoves(context: Context, change: Change, moves: readonly DocumentMove[]): void {
  if (moves.length === 0) return;
  const targets = new Map(moves.map(({ next }) => [next.locationId, next]));
  for (const { locationId, clusterId } of targets.values())
    change.guard(locationUnchanged({ id: locationId, clusterId }), notFound());
  const values = moves.map(({ row, next: { path, fileName, locationId, clusterId } }) => [
    row.id,
    row.revision,
    path,
    fileName,
    sortNameOf(fileName),
    locationId,
    clusterId,
  ]);
  change.add(sql`UPDATE ${documents} SET path = j.value ->> 2, file_name = j.value ->> 3, sort_name = j.value ->> 4,
      location_id = j.value ->> 5, cluster_id = j.value ->> 6, revision = ${sql.raw("documents.revision")} + 1, updated_at = ${context.now}
    FROM json_each(${JSON.stringify(values)}) j WHERE ${asRead}`);
  guardAll(change, moves.length);
  for (const locationId of targets.keys()) {
    const moved = moves.filter(({ row, next }) => next.locationId === locationId && row.locationId !== locationId);
    const ids = moved.map(({ row }) => row.id);
    if (ids.length > 0) moveUploads(context, change, ids, locationId);
    for (const { row } of moved)
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
  for (const move of moves) {
    announceMove(change, move);
    queueDocumentIndex(change, move.row);
  }
}

/** Adds deletions of documents that are not deleted. Their open uploads end. They stay in the trash unless they are purged. */
export function addDeletions(context: Context, change: Change, rows: readonly DocumentRow[], isPurged = false): void {
  if (rows.length === 0) return;
  const ids = JSON.stringify(rows.map(({ id, revision }) => [id, revision]));
  change.add(sql`UPDATE ${documents} SET deleted_at = ${context.now} FROM json_each(${ids}) j WHERE ${asRead}`);
  guardAll(change, rows.length);
  cancelUploads(context, change, { targetIds: sql`SELECT value ->> 0 FROM json_each(${ids})` });
  for (const row of rows) {
    const { locationId, tenantId, revision } = row;
    change.announce({ ...event(row), locationId, action: "deleted", revision }, tenantId);
    queueDocumentIndex(change, row);
    addTrashEntry(context, change, row, isPurged);
  }
}

/** Adds the audit entry of a deletion, and puts the document into the trash or queues its removal. */
export function addTrashEntry(context: Context, change: Change, row: DocumentRow, isPurged: boolean): void {
  const { id, tenantId, organizationId, clusterId, locationId } = row;
  const name = fullName(row);
  finishDeletion(
    context,
    change,
    isPurged,
    { kind: "document", id, tenantId, organizationId, clusterId, locationId, documentId: id, name },
    { name, locationId },
  );
}

/** Queues the jobs that ended because the documents were deleted: extraction or indexing, and derivatives of pictures. */
async function queueUnfinished({ workspace }: Context, change: Change, rows: readonly DocumentRow[]): Promise<void> {
  for (const { id: documentId, tenantId, latestVersion: version, textStatus } of rows) {
    if (textStatus === "pending") queueExtraction(change, { documentId, version }, { tenantId });
    else change.job("index-document", { documentId }, { tenantId, dedupeKey: `index-document:${documentId}` });
    if (textStatus === "recognizing") queueRecognition(change, { documentId, version }, tenantId);
  }
  const tenants = new Map(rows.map(({ id, tenantId }) => [id, tenantId]));
  const waiting = await workspace
    .select({ documentId: documentVersions.documentId, version: documentVersions.version })
    .from(documentVersions)
    .where(
      and(inSet(documentVersions.documentId, [...tenants.keys()]), eq(documentVersions.derivativeStatus, "pending")),
    )
    .limit(MAX_RESTORED_PICTURES);
  for (const { documentId, version } of waiting)
    change.job("derive-images", { documentId, version }, { tenantId: tenants.get(documentId) ?? null });
}

/** Adds restorations of documents that are in the trash, under their paths and names. */
export async function addRestorations(context: Context, change: Change, rows: readonly DocumentRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  for (const { id } of rows) removeFromTrash(context, change, "document", id);
  for (const locationId of new Set(rows.map((row) => row.locationId)))
    change.guard(locationExists(locationId), parentDeleted());
  const ids = rows.map(({ id }) => id);
  change.add(
    context.workspace
      .update(documents)
      .set({ deletedAt: null, revision: sql`${documents.revision} + 1`, updatedAt: context.now })
      .where(and(inSet(documents.id, ids), isNotNull(documents.deletedAt))),
  );
  for (const row of rows) {
    const { id, organizationId, locationId, tenantId, revision } = row;
    const details = { name: fullName(row), locationId };
    change.add(
      auditStatement(context, {
        organizationId,
        action: "document.restored",
        subjectType: "document",
        subjectId: id,
        details,
      }),
    );
    change.announce({ ...event(row), locationId, action: "created", revision: revision + 1 }, tenantId);
    queueDocumentIndex(change, row);
  }
  requireFreeStorage(context, change, first, 0);
  await queueUnfinished(context, change, rows);
}

/** A document with the tags that it gets and loses. */
export interface Tagging {
  row: DocumentRow;
  add: readonly string[];
  remove: readonly string[];
}

/** Adds changes of tags. A tag that was deleted in the meantime is left out. */
export function addTaggings(context: Context, change: Change, taggings: readonly Tagging[]): void {
  if (taggings.length === 0) return;
  const rows = JSON.stringify(taggings.map(({ row }) => [row.id, row.revision]));
  change.add(sql`UPDATE ${documents} SET revision = ${sql.raw("documents.revision")} + 1, updated_at = ${context.now}
    FROM json_each(${rows}) j WHERE ${asRead}`);
  guardAll(change, taggings.length);
  const pairs = (of: (tagging: Tagging) => readonly string[]): SQL => {
    const all = taggings.flatMap((tagging) => of(tagging).map((tagId) => [tagging.row.id, tagId]));
    return sql`json_each(${JSON.stringify(all)})`;
  };
  change.add(
    sql`DELETE FROM ${documentTags} WHERE (document_id, tag_id) IN (SELECT value ->> 0, value ->> 1 FROM ${pairs(({ remove }) => remove)})`,
    sql`INSERT INTO ${documentTags} (document_id, tag_id) SELECT j.value ->> 0, t.id
      FROM ${pairs(({ add }) => add)} j JOIN tags t ON t.id = j.value ->> 1 WHERE true ON CONFLICT DO NOTHING`,
  );
  for (const { row } of taggings) {
    const { locationId, tenantId, revision } = row;
    change.announce({ ...event(row), locationId, action: "updated", revision: revision + 1 }, tenantId);
    queueDocumentIndex(change, row);
  }
}
