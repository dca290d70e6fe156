import { z } from "@hono/zod-openapi";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { auditStatement, READ, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { inSet } from "../../platform/db/statements";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema, newIdIn } from "../../platform/ids";
import { sayTo } from "../../platform/languages/reader";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { type LocationRow, locationUnchanged, notInTrash, requireLocation } from "../../workspace";
import { trash } from "../../workspace/tables";
import { type DocumentRow, requireShortName } from "../document";
import { addDeletions, addMoves, addRestorations, documentNameTaken, nameKey, readNamed } from "../library";
import { MAX_FULL_NAME_BYTES, MAX_IMMEDIATE_FOLDER_DOCUMENTS } from "../limits";
import {
  documentNotDeleted,
  documents,
  FOLDER_CHANGE_STATUSES,
  FOLDER_CHANGE_TYPES,
  folderChanges,
  folders,
} from "../tables";
import { folderExists, folderPathSchema, folderTaken, inTree, treeKey } from "./folders";

export type FolderChangeRow = typeof folderChanges.$inferSelect;

export const folderChangeBody = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("move"), path: folderPathSchema, newPath: folderPathSchema }),
    z.strictObject({ type: z.literal("delete"), path: folderPathSchema }),
    z.strictObject({
      type: z.literal("restore"),
      changeId: idSchema.openapi({ description: "The deletion that is taken back." }),
    }),
  ])
  .openapi("FolderChangeCreate");
type GivenChange = z.infer<typeof folderChangeBody>;

export const folderChangeSchema = z
  .object({
    id: idSchema,
    type: z.enum(FOLDER_CHANGE_TYPES),
    path: z.string().openapi({ description: "The path of the folder at the beginning." }),
    newPath: z.string().nullable().openapi({ description: "The new path of a folder that moves." }),
    status: z.enum(FOLDER_CHANGE_STATUSES).openapi({
      description:
        "A folder with many documents is changed by a job: `running`. `stopped`: `reason` tells why the rest stays.",
    }),
    total: z.int().openapi({ description: "The documents of the folder and below it at the beginning." }),
    done: z.int().openapi({ description: "The documents that are changed." }),
    refused: z.int().openapi({ description: "The documents that stay as they are." }),
    reason: z
      .string()
      .nullable()
      .openapi({ description: "Why the first of these documents stays, or why the change has stopped." }),
    createdAtUtc: utcSchema,
    finishedAtUtc: utcSchema.nullable(),
  })
  .openapi("FolderChange");

const presentChange = (context: Context, row: FolderChangeRow): z.infer<typeof folderChangeSchema> => ({
  id: row.id,
  type: row.type,
  path: row.path,
  newPath: row.newPath,
  status: row.status,
  total: row.total,
  done: row.done,
  refused: row.refused,
  reason: sayTo(context, row.reason),
  createdAtUtc: toUtc(row.createdAt),
  finishedAtUtc: toUtcOrNull(row.finishedAt),
});

/** Reads a change of folders without an access check. */
export async function findChange(
  { workspace }: Pick<Context, "workspace">,
  id: string,
): Promise<FolderChangeRow | null> {
  const [row] = await workspace.select().from(folderChanges).where(eq(folderChanges.id, id));
  return row ?? null;
}

/** Reads a change of folders of a location. @throws DomainError 401, 403, 404. */
export async function readFolderChange(context: Context, locationId: string, id: string) {
  await requireLocation(context, locationId, "Documents", READ);
  const row = await findChange(context, id);
  if (row === null || row.locationId !== locationId) throw notFound();
  return presentChange(context, row);
}

/** What a change does, before its documents are counted. */
type Plan = Pick<FolderChangeRow, "type" | "locationId" | "path" | "newPath" | "deletedAt">;

/** The last document of a slice: the key of its folder, and its id. */
export const sliceEnd = z.tuple([z.string(), z.string()]);
type SliceEnd = z.infer<typeof sliceEnd>;

/** Condition: a document that the change is about. */
function isConcerned({ type, locationId, path, deletedAt }: Plan): SQL | undefined {
  const here = and(eq(documents.locationId, locationId), inTree("documents", path));
  // An upload that is under way moves with its folder. It stays when the folder is deleted.
  if (type === "move") return and(here, documentNotDeleted());
  if (type === "delete") return and(here, documentNotDeleted(), sql`${documents.latestVersion} > 0`);
  const inTrash = sql`EXISTS (SELECT 1 FROM ${trash} WHERE ${trash.resourceId} = ${documents.id})`;
  return and(here, eq(documents.deletedAt, deletedAt ?? 0), inTrash);
}

/** Reads the documents of a slice, in the order of their folders. */
const readSlice = ({ workspace }: Context, plan: Plan, after: SliceEnd | null, limit: number) =>
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
const placeAfter = (row: DocumentRow, { path, newPath }: Plan) => ({
  locationId: row.locationId,
  path: newPath === null ? row.path : newPath + row.path.slice(path.length),
  fileName: row.fileName,
});

/** Adds the changes of some documents. A document whose new name is taken or too long stays as it is. */
async function addRows(
  context: Context,
  change: Change,
  plan: Plan,
  { clusterId }: Pick<LocationRow, "clusterId">,
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
    const published = allowed.filter(({ latestVersion }) => latestVersion > 0);
    addMoves(
      context,
      change,
      published.map((row) => ({ row, next: { ...placeAfter(row, plan), clusterId } })),
    );
    const uploading = allowed.filter(({ latestVersion }) => latestVersion === 0).map(({ id }) => id);
    if (uploading.length > 0)
      change.add(
        context.workspace
          .update(documents)
          .set({ path: movedPath(plan) })
          .where(and(inSet(documents.id, uploading), documentNotDeleted(), inTree("documents", plan.path))),
      );
  }
  return { done: allowed.length, refused: rows.length - allowed.length, reason };
}

/** SQL: the path of a row of the tree after the move. */
const movedPath = ({ path, newPath }: Plan): SQL => sql`${newPath} || substr(path, length(${path}) + 1)`;

/** Adds the next slice of a change that runs. */
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
const isFree = (row: string): SQL => sql`NOT EXISTS (SELECT 1 FROM ${folders} AS made
  WHERE made.location_id = ${sql.raw(row)}.location_id AND made.deleted_at IS NULL AND ${treeKey("made")} = ${treeKey(row)})`;

/** Adds what happens to the folders that people made. It is one statement: their number is limited. */
function addFolders({ workspace }: Context, change: Change, plan: Plan): void {
  const { type, locationId, path, deletedAt } = plan;
  const here = and(eq(folders.locationId, locationId), inTree("folders", path));
  const live = sql`folders.deleted_at IS NULL`;
  if (type === "move")
    change.add(
      workspace
        .update(folders)
        .set({ path: movedPath(plan) })
        .where(and(here, live)),
    );
  else if (type === "delete") change.add(workspace.update(folders).set({ deletedAt }).where(and(here, live)));
  else {
    change.add(
      workspace
        .update(folders)
        .set({ deletedAt: null })
        .where(and(here, eq(folders.deletedAt, deletedAt ?? 0), isFree("folders"))),
    );
  }
}

/** Tells the readers of the location that its folders have changed. */
export const announceFolders = (change: Change, { id, tenantId, locationId }: FolderChangeRow): Change =>
  change.announce(
    { type: "state-updated", subject: "folder", subjectId: id, locationId, action: "updated", revision: null },
    tenantId,
  );

const runs = ({ locationId }: Plan): SQL =>
  sql`EXISTS (SELECT 1 FROM ${folderChanges} WHERE ${folderChanges.locationId} = ${locationId} AND ${folderChanges.status} = 'running')`;

/** It is no 404: who asks sees the location with all its folders, and a repeat finds that its folder has moved. */
const noFolder = (): DomainError =>
  new DomainError("conflict", "The location has no folder with this path. Read its folders again.");

/** The plan of a change that the caller asks for. @throws DomainError 404, 409, 422. */
async function planOf(context: Context, locationId: string, given: GivenChange): Promise<Plan> {
  if (given.type === "restore") {
    const deletion = await findChange(context, given.changeId);
    if (deletion === null || deletion.locationId !== locationId || deletion.type !== "delete") throw notFound();
    const { path, deletedAt } = deletion;
    return { type: "restore", locationId, path, newPath: null, deletedAt };
  }
  const { type, path } = given;
  if (type === "delete") return { type, locationId, path, newPath: null, deletedAt: context.now };
  const { newPath } = given;
  if (`${newPath}/`.startsWith(`${path}/`))
    throw new DomainError(
      "rule-violated",
      "A folder cannot move to its own place or into itself. Choose another place.",
    );
  return { type, locationId, path, newPath, deletedAt: null };
}

/** Counts the documents of a change, and finds whether it has anything to change, and the longest name of a document. */
async function measure({ workspace }: Context, plan: Plan) {
  const { type, locationId, path, deletedAt } = plan;
  const state = type === "restore" ? sql`f.deleted_at = ${deletedAt} AND ${isFree("f")}` : sql`f.deleted_at IS NULL`;
  const [found] = await workspace.all<{ total: number; longest: number | null; folders: number }>(sql`
    SELECT count(*) AS "total", max(length(CAST(path || '/' || file_name AS BLOB))) AS "longest",
      EXISTS (SELECT 1 FROM ${folders} AS f WHERE f.location_id = ${locationId} AND ${state} AND ${inTree("f", path)}) AS "folders"
    FROM ${documents} WHERE ${isConcerned(plan)}`);
  const { total = 0, longest = null, folders: made = 0 } = found ?? {};
  return { total, longest: longest ?? 0, isEmpty: total === 0 && made === 0 };
}

const ACTION_OF = { move: "folder.moved", delete: "folder.deleted", restore: "folder.restored" } as const;

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

/**
 * Moves or deletes a folder with everything below it, or restores what such a deletion has deleted. Up to
 * MAX_IMMEDIATE_FOLDER_DOCUMENTS documents are changed at once; a job changes more, while the caller may change them.
 * @throws DomainError 401, 403, 404, 409 (the target exists, another change runs, or nothing is in the trash), 422, 507.
 */
export async function changeFolder(context: Context, locationId: string, given: GivenChange) {
  const { userId } = requireUser(context);
  const location = await requireLocation(context, locationId, "Documents", WRITE);
  const plan = await planOf(context, locationId, given);
  const { type, path, newPath } = plan;
  const { total, longest, isEmpty } = await measure(context, plan);
  if (isEmpty) throw type === "restore" ? notInTrash() : noFolder();
  if (newPath !== null && longest + bytesOf(newPath) - bytesOf(path) > MAX_FULL_NAME_BYTES)
    throw new DomainError(
      "validation-failed",
      `A document of this folder would have a path and file name of more than ${MAX_FULL_NAME_BYTES} bytes. Choose a shorter path.`,
      { errors: [{ path: "newPath", message: "too long together with the names below it" }] },
    );
  const { workspace, now } = context;
  const { tenantId, organizationId } = location;
  const rows = await readSlice(context, plan, null, MAX_IMMEDIATE_FOLDER_DOCUMENTS + 1);
  const isImmediate = rows.length <= MAX_IMMEDIATE_FOLDER_DOCUMENTS;
  const change = beginChange(context, tenantId)
    .guard(locationUnchanged(location), notFound())
    .guard(
      sql`NOT ${runs(plan)}`,
      new DomainError("conflict", "Another change of the folders of this location runs. Wait until it has ended."),
    );
  if (isImmediate && type !== "restore")
    // Nothing came or went since it was read: so of two moves that cross, one is made.
    change.guard(
      sql`(SELECT count(*) FROM ${documents} WHERE ${isConcerned(plan)}) = ${rows.length}`,
      new DomainError("conflict", "The documents of the folder were changed in the meantime. Try again."),
    );
  if (newPath !== null)
    change
      .guard(sql`NOT ${folderExists(locationId, newPath)}`, folderTaken())
      .guard(folderExists(locationId, path), noFolder());
  addFolders(context, change, plan);
  const counts = isImmediate
    ? await addRows(context, change, plan, location, rows)
    : { done: 0, refused: 0, reason: null };
  const row: FolderChangeRow = {
    ...{ id: newIdIn(tenantId), tenantId, ...plan, ...counts, createdBy: userId, createdAt: now },
    ...{ total: isImmediate ? rows.length : total, status: isImmediate ? "done" : "running" },
    finishedAt: isImmediate ? now : null,
  };
  change.add(
    workspace.insert(folderChanges).values(row),
    auditStatement(context, {
      organizationId,
      action: ACTION_OF[type],
      subjectType: "location",
      subjectId: locationId,
      details: { path, ...(newPath !== null && { newPath }), documents: row.total },
    }),
  );
  announceFolders(change, row);
  if (!isImmediate)
    change.job("change-folder", { changeId: row.id }, { tenantId, requestedBy: userId, progressTotal: total });
  try {
    await change.commit();
  } catch (thrown) {
    throw isUniqueViolation(thrown) ? documentNameTaken() : thrown;
  }
  return presentChange(context, row);
}
