import { and, eq, exists, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { cancelUploads, releaseObjects } from "../../uploads";
import { type DeletedTree, type DeletionStep, hasLocations } from "../../workspace";
import { locations } from "../../workspace/tables";
import { pageKeys } from "../derivatives/derivatives";
import { documents, documentVersions, recognizedPages, textSections } from "../tables";

/** Number of sections that a slice deletes. They are rows of some kilobytes without dependent rows. */
const SECTIONS_PER_SLICE = 500;

const values = (all: readonly string[]): SQL => sql`SELECT value FROM json_each(${JSON.stringify(all)})`;

/** Condition: a deleted document of the tree, or a document of its deleted locations. */
function within({ workspace }: Context, { type, id }: DeletedTree): SQL | undefined {
  if (type === "document") return and(eq(documents.id, id), isNotNull(documents.deletedAt));
  const gone = exists(
    workspace
      .select({ one: sql`1` })
      .from(locations)
      .where(and(eq(locations.id, documents.locationId), isNotNull(locations.deletedAt))),
  );
  return and(type === "location" ? eq(documents.locationId, id) : eq(documents.clusterId, id), gone);
}

async function deleteTexts(context: Context, ofTree: SQL, change: Change): Promise<number> {
  const { workspace } = context;
  const rows = await workspace
    .select({ id: textSections.id })
    .from(textSections)
    .where(sql`${textSections.documentId} IN (${ofTree})`)
    .limit(SECTIONS_PER_SLICE);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) change.add(workspace.delete(textSections).where(inSet(textSections.id, ids)));
  return ids.length;
}

async function deleteRecognizedPages(context: Context, ofTree: SQL, change: Change, limit: number): Promise<number> {
  const { workspace } = context;
  const rows = await workspace
    .select()
    .from(recognizedPages)
    .where(sql`${recognizedPages.documentId} IN (${ofTree})`)
    .limit(limit);
  if (rows.length === 0) return 0;
  releaseObjects(context, change, values(rows.flatMap(({ objectKey }) => objectKey ?? [])));
  const keys = JSON.stringify(rows.map(({ documentId, version, page }) => [documentId, version, page]));
  change.add(
    workspace
      .delete(recognizedPages)
      .where(sql`(${recognizedPages.documentId}, ${recognizedPages.version}, ${recognizedPages.page}) IN
      (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${keys}))`),
  );
  return rows.length;
}

async function deleteVersions(context: Context, ofTree: SQL, change: Change, limit: number): Promise<number> {
  const { workspace } = context;
  const found = await workspace
    .select({ row: documentVersions, tenantId: documents.tenantId })
    .from(documentVersions)
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(sql`${documentVersions.documentId} IN (${ofTree})`)
    .limit(limit);
  if (found.length === 0) return 0;
  const rows = found.map(({ row }) => row);
  const keys = found.flatMap(({ row, tenantId }) => [
    ...[row.objectKey, row.smallKey, row.mediumKey].filter((key) => key !== null),
    ...pageKeys(tenantId, row),
  ]);
  releaseObjects(context, change, values(keys));
  const pairs = JSON.stringify(rows.map(({ documentId, version }) => [documentId, version]));
  change.add(
    workspace.delete(documentVersions).where(sql`(${documentVersions.documentId}, ${documentVersions.version}) IN
      (SELECT value ->> 0, value ->> 1 FROM json_each(${pairs}))`),
  );
  return rows.length;
}

/**
 * Removes the documents of a deleted tree, each after its passages and versions. It releases their objects and ends their
 * open uploads. If a job adds rows in the meantime, the next slice finds them.
 */
export const documentDeletion: DeletionStep = {
  name: "documents",
  async deleteRows(context, tree, change, limit) {
    if (tree.type !== "document" && !hasLocations(tree)) return 0;
    const { workspace } = context;
    const condition = within(context, tree);
    const ofTree = sql`SELECT ${documents.id} FROM ${documents} WHERE ${condition}`;
    const contained =
      (await deleteTexts(context, ofTree, change)) ||
      (await deleteRecognizedPages(context, ofTree, change, limit)) ||
      (await deleteVersions(context, ofTree, change, limit));
    if (contained > 0) return contained;
    const rows = await workspace.select({ id: documents.id }).from(documents).where(condition).limit(limit);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    cancelUploads(context, change, { targetIds: values(ids) });
    change.add(workspace.delete(documents).where(inSet(documents.id, ids)));
    return ids.length;
  },
};
