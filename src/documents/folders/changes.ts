import { z } from "@hono/zod-openapi";
import { eq, type SQL, sql } from "drizzle-orm";
import { auditStatement, holds, READ, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { inSet } from "../../platform/db/statements";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema, newIdIn } from "../../platform/ids";
import { sayTo } from "../../platform/languages/reader";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { findLocation, locationPath, locationUnchanged, notInTrash, requireLocation } from "../../workspace";
import { locations } from "../../workspace/tables";
import { documentNameTaken, requireTarget } from "../library";
import { MAX_FULL_NAME_BYTES, MAX_IMMEDIATE_FOLDER_DOCUMENTS } from "../limits";
import {
  documents,
  FOLDER_CHANGE_STATUSES,
  FOLDER_CHANGE_TYPES,
  type FolderPlace,
  folderChanges,
  folders,
} from "../tables";
import { folderExists, folderPathSchema, folderTaken, inTree } from "./folders";
import { addFolders, addRows, type FolderChangeRow, isConcerned, isFree, type Plan, readSlice } from "./slices";

export const folderChangeBody = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("move"),
      path: folderPathSchema,
      newPath: folderPathSchema,
      newLocationId: idSchema.optional().openapi({
        description:
          "Another location of the workspace, to which the folder moves. You need Write of its documents, too.",
      }),
    }),
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
    newPath: z.string().nullable().openapi({
      description: "The new path of a folder that moves. Null if it moves to a location that you may not see.",
    }),
    newLocationId: z.string().nullable().openapi({
      description:
        "The location to which a folder moves. Null if it stays in its location, or if you may not see the other one.",
    }),
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

/** @param newPlace the new place of the folder, if the caller may see it */
const presentChange = (
  context: Context,
  row: FolderChangeRow,
  newPlace = row.newPlace,
): z.infer<typeof folderChangeSchema> => ({
  id: row.id,
  type: row.type,
  path: row.path,
  newPath: newPlace?.path ?? null,
  newLocationId: newPlace?.locationId ?? null,
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
  return presentChange(context, row, await visiblePlace(context, row));
}

/** The new place of a folder, unless it is in a location that the caller may not see. */
async function visiblePlace(context: Context, { newPlace }: FolderChangeRow): Promise<FolderPlace | null> {
  if (newPlace === null || newPlace.locationId === null) return newPlace;
  const target = await findLocation(context, newPlace.locationId);
  return target !== null && holds(requireUser(context), "LocationView", locationPath(target)) ? newPlace : null;
}

/** The locations of a change: where the folder is, and where it moves. */
export const locationsOf = ({ locationId, newPlace }: Plan): [string, ...string[]] => [
  locationId,
  ...(newPlace?.locationId == null ? [] : [newPlace.locationId]),
];

/** Tells the readers of the locations that their folders have changed. */
export function announceFolders(change: Change, row: FolderChangeRow): Change {
  for (const locationId of locationsOf(row))
    change.announce(
      { type: "state-updated", subject: "folder", subjectId: row.id, locationId, action: "updated", revision: null },
      row.tenantId,
    );
  return change;
}

/** Condition: a change runs in one of the locations, or moves a folder to one of them. */
function runs(tenantId: string, plan: Plan): SQL {
  const ids = locationsOf(plan);
  const places = ids.map((id) => `/${id}/`);
  return sql`EXISTS (SELECT 1 FROM ${locations} AS l
    CROSS JOIN ${folderChanges} AS c ON c.location_id = l.id AND c.status = 'running'
    WHERE l.tenant_id = ${tenantId}
      AND (${inSet(sql.raw("l.id"), ids)} OR ${inSet(sql.raw("substr(c.new_path, 1, 38)"), places)}))`;
}

/** It is no 404: who asks sees the location with all its folders, and a repeat finds that its folder has moved. */
const noFolder = (): DomainError =>
  new DomainError("conflict", "The location has no folder with this path. Read its folders again.");

/** The plan of a change that the caller asks for. @throws DomainError 404, 409, 422. */
async function planOf(context: Context, locationId: string, given: GivenChange): Promise<Plan> {
  if (given.type === "restore") {
    const deletion = await findChange(context, given.changeId);
    if (deletion === null || deletion.locationId !== locationId || deletion.type !== "delete") throw notFound();
    const { path, deletedAt } = deletion;
    return { type: "restore", locationId, path, newPlace: null, deletedAt };
  }
  const { type, path } = given;
  if (type === "delete") return { type, locationId, path, newPlace: null, deletedAt: context.now };
  const { newPath, newLocationId = locationId } = given;
  if (newLocationId !== locationId)
    return { type, locationId, path, newPlace: { locationId: newLocationId, path: newPath }, deletedAt: null };
  if (`${newPath}/`.startsWith(`${path}/`))
    throw new DomainError(
      "rule-violated",
      "A folder cannot move to its own place or into itself. Choose another place.",
    );
  return { type, locationId, path, newPlace: { locationId: null, path: newPath }, deletedAt: null };
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

/** The new place of a folder in the audit trail. */
const detailsOf = (place: FolderPlace | null) =>
  place !== null && {
    newPath: place.path,
    ...(place.locationId !== null && { newLocationId: place.locationId }),
  };

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

/**
 * Moves a folder, also to another location of the workspace, or deletes it, with everything below it, or restores what such a deletion has deleted. Up to
 * MAX_IMMEDIATE_FOLDER_DOCUMENTS documents are changed at once; a job changes more, while the caller may change them.
 * @throws DomainError 401, 403, 404, 409 (the target exists, another change runs, or nothing is in the trash), 422, 507.
 */
export async function changeFolder(context: Context, locationId: string, given: GivenChange) {
  const { userId } = requireUser(context);
  const location = await requireLocation(context, locationId, "Documents", WRITE);
  const plan = await planOf(context, locationId, given);
  const { type, path, newPlace } = plan;
  const target =
    newPlace?.locationId == null ? location : await requireTarget(context, location.tenantId, newPlace.locationId);
  const { total, longest, isEmpty } = await measure(context, plan);
  if (isEmpty) throw type === "restore" ? notInTrash() : noFolder();
  if (newPlace !== null && longest + bytesOf(newPlace.path) - bytesOf(path) > MAX_FULL_NAME_BYTES)
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
      sql`NOT ${runs(tenantId, plan)}`,
      new DomainError("conflict", "Another change of the folders of this location runs. Wait until it has ended."),
    );
  if (target.id !== location.id) change.guard(locationUnchanged(target), notFound());
  if (isImmediate && type !== "restore")
    // Nothing came or went since it was read: so of two moves that cross, one is made.
    change.guard(
      sql`(SELECT count(*) FROM ${documents} WHERE ${isConcerned(plan)}) = ${rows.length}`,
      new DomainError("conflict", "The documents of the folder were changed in the meantime. Try again."),
    );
  if (newPlace !== null)
    change
      .guard(sql`NOT ${folderExists(target.id, newPlace.path)}`, folderTaken())
      .guard(folderExists(locationId, path), noFolder());
  addFolders(context, change, plan);
  const counts = isImmediate
    ? await addRows(context, change, plan, target, rows)
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
      details: { path, ...detailsOf(newPlace), documents: row.total },
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
