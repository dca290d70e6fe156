import { z } from "@hono/zod-openapi";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { DomainError, notFound } from "../../platform/errors";
import { moveUploads } from "../../uploads";
import { fewerThan, type LocationRow, limitReached, locationUnchanged } from "../../workspace";
import { trash } from "../../workspace/tables";
import { type DocumentRow, requireShortName } from "../document";
import { addDeletions, addMoves, addRestorations, documentNameTaken, nameKey, readNamed } from "../library";
import { MAX_FOLDERS } from "../limits";
import { documentNotDeleted, documents, type folderChanges, folders } from "../tables";
import { inTree, treeKey } from "./folders";

/* The statements of a change of a folder: its documents, in slices, and the folders that people made. */

export type FolderChangeRow = typeof folderChanges.$inferSelect;

/** What a change does, before its documents are counted. */
export type Plan = Pick<FolderChangeRow, "type" | "locationId" | "path" | "newPlace" | "deletedAt">;

/** The last document of a slice: the key of its folder, and its id. */
export const sliceEnd = z.tuple([z.string(), z.string()]);
type SliceEnd = z.infer<typeof sliceEnd>;

/** Condition: a document that the change is about. */
export function isConcerned({ type, locationId, path, deletedAt }: Plan): SQL | undefined {
  const here = and(eq(documents.locationId, locationId), inTree("documents", path));
  // An upload that is under way moves with its folder. It stays when the folder is deleted.
  if (type === "move") return and(here, documentNotDeleted());
  if (type === "delete") return and(here, documentNotDeleted(), sql`${documents.latestVersion} > 0`);
  const inTrash = sql`EXISTS (SELECT 1 FROM ${trash} WHERE ${trash.resourceId} = ${documents.id})`;
  return and(here, eq(documents.deletedAt, deletedAt ?? 0), inTrash);
}

/** Reads the documents of a slice, in the order of their folders. */
export const readSlice = ({ workspace }: Context, plan: Plan, after: SliceEnd | null, limit: number) =>
  workspace
    .select()
    .from(documents)
    .where(
      and(
        isConcerned(plan),
        after === null ? undefined : sql`(${treeKey("documents")}, documents.id) > (${after[0]}, ${after[1]})`,
      ),
    )
    .orderBy(treeKey("documents"), documents.id)
    .limit(limit);

/** What a slice has done. */
export interface Slice {
  done: number;
  refused: number;
  reason: string | null;
  /** Null if it was the last one. */
  end: SliceEnd | null;
}

/** The place of a document after the change. */
const placeAfter = (row: DocumentRow, { path, newPlace }: Plan) => ({
  locationId: newPlace?.locationId ?? row.locationId,
  path: newPlace === null ? row.path : newPlace.path + row.path.slice(path.length),
  fileName: row.fileName,
});

/**
 * Adds the changes of some documents. A document whose new name is taken or too long stays as it is.
 * @param location the location in which the documents are afterwards
 */
export async function addRows(
  context: Context,
  change: Change,
  plan: Plan,
  location: LocationRow,
  rows: readonly DocumentRow[],
): Promise<Omit<Slice, "end">> {
  if (plan.type === "delete") {
    // Everything that one change deletes has one deletion time, by which it is restored.
    addDeletions({ ...context, now: plan.deletedAt ?? context.now }, change, rows);
    return { done: rows.length, refused: 0, reason: null };
  }
  const named = await readNamed(
    context,
    rows.map((row) => placeAfter(row, plan)),
  );
  const allowed: DocumentRow[] = [];
  let reason: string | null = null;
  for (const row of rows) {
    const place = placeAfter(row, plan);
    try {
      requireShortName(place);
      if ((named.get(nameKey(place)) ?? row.id) !== row.id) throw documentNameTaken();
      allowed.push(row);
    } catch (thrown) {
      if (!(thrown instanceof DomainError)) throw thrown;
      reason ??= thrown.detail;
    }
  }
  if (plan.type === "restore") await addRestorations(context, change, allowed);
  else {
    const { clusterId } = location;
    change.guard(locationUnchanged(location), notFound());
    const published = allowed.filter(({ latestVersion }) => latestVersion > 0);
    addMoves(
      context,
      change,
      published.map((row) => ({ row, next: { ...placeAfter(row, plan), clusterId } })),
    );
    const uploading = allowed.filter(({ latestVersion }) => latestVersion === 0).map(({ id }) => id);
    if (uploading.length > 0) {
      change.add(
        context.workspace
          .update(documents)
          .set({ path: movedPath(plan), locationId: location.id, clusterId })
          .where(and(inSet(documents.id, uploading), documentNotDeleted(), inTree("documents", plan.path))),
      );
      if (plan.newPlace?.locationId != null) moveUploads(context, change, uploading, location.id);
    }
  }
  return { done: allowed.length, refused: rows.length - allowed.length, reason };
}

/** SQL: the path of a row of the tree after the move. */
const movedPath = ({ path, newPlace }: Plan): SQL => sql`${newPlace?.path} || substr(path, length(${path}) + 1)`;

/** Adds the next slice of a change that runs. @param location the location in which the documents are afterwards */
export async function addSlice(
  context: Context,
  change: Change,
  row: FolderChangeRow,
  location: LocationRow,
  after: SliceEnd | null,
  limit: number,
): Promise<Slice> {
  const rows = await readSlice(context, row, after, limit);
  const last = rows.at(-1);
  return {
    ...(await addRows(context, change, row, location, rows)),
    end: rows.length < limit || last === undefined ? null : [`${last.path}/`, last.id],
  };
}

/** Condition: nobody has made the deleted folder of a row again. */
export const isFree = (row: string): SQL => sql`NOT EXISTS (SELECT 1 FROM ${folders} AS made
  WHERE made.location_id = ${sql.raw(row)}.location_id AND made.deleted_at IS NULL AND ${treeKey("made")} = ${treeKey(row)})`;

/** Adds what happens to the folders that people made. It is one statement: their number is limited. */
export function addFolders({ workspace }: Context, change: Change, plan: Plan): void {
  const { type, locationId, path, deletedAt } = plan;
  const here = and(eq(folders.locationId, locationId), inTree("folders", path));
  const live = sql`folders.deleted_at IS NULL`;
  if (type === "move") {
    const target = plan.newPlace?.locationId ?? locationId;
    change.add(
      workspace
        .update(folders)
        .set({ path: movedPath(plan), locationId: target })
        .where(and(here, live)),
    );
    // Now the folders that have come count, too.
    const there = sql`SELECT 1 FROM ${folders} AS f WHERE f.location_id = ${target} AND f.deleted_at IS NULL`;
    if (target !== locationId)
      change.guard(fewerThan(MAX_FOLDERS + 1, there), limitReached("The other location", MAX_FOLDERS));
  } else if (type === "delete") change.add(workspace.update(folders).set({ deletedAt }).where(and(here, live)));
  else {
    change.add(
      workspace
        .update(folders)
        .set({ deletedAt: null })
        .where(and(here, eq(folders.deletedAt, deletedAt ?? 0), isFree("folders"))),
    );
  }
}
