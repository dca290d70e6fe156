import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNull, lt, notExists, type SQL, sql } from "drizzle-orm";
import { auditStatement, requireOrganizationAdmin } from "../../access";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { inSet } from "../../platform/db/statements";
import { idSchema, newIdIn } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { type DeletedTree, type DeletionStep, hasLocations } from "../../workspace";
import { locations } from "../../workspace/tables";
import { placeColumns, removeCaptures } from "../capture-rows";
import { RETIREMENTS_PER_SLICE } from "../limits";
import { endAccess } from "../pairing";
import { cameraAssignments, cameraCleanups, cameraFrames, cameraPlaces, cameras } from "../tables";

type CleanupRow = typeof cameraCleanups.$inferSelect;

export const cleanupSchema = z
  .object({
    id: idSchema,
    organizationId: idSchema,
    locationId: idSchema,
    locationName: z.string(),
    cameraId: idSchema,
    cameraName: z.string(),
    isRetired: z.boolean().openapi({
      description:
        "True when the camera was at the location and was retired. False when only its earlier images there were removed.",
    }),
    requestedAtUtc: utcSchema,
    capturesRemoved: z.int(),
    bytesRemoved: z.int().openapi({ description: "Bytes of the original images." }),
    finishedAtUtc: utcSchema.nullable(),
  })
  .openapi("CameraCleanup");

const present = (row: CleanupRow): z.infer<typeof cleanupSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  locationId: row.locationId,
  locationName: row.locationName,
  cameraId: row.cameraId,
  cameraName: row.cameraName,
  isRetired: row.retired,
  requestedAtUtc: toUtc(row.requestedAt),
  capturesRemoved: row.capturesRemoved,
  bytesRemoved: row.bytesRemoved,
  finishedAtUtc: toUtcOrNull(row.finishedAt),
});

/** The receipts of deleted locations, newest first. Only for owners and admins. @throws DomainError 401, 403, 404. */
export async function listCleanups(context: Context, organizationId: string, { limit, cursor }: PageQuery) {
  requireOrganizationAdmin(context, organizationId);
  const [before] = readCursor(cursor, z.tuple([idSchema])) ?? [null];
  const rows = await context.workspace
    .select()
    .from(cameraCleanups)
    .where(
      and(
        eq(cameraCleanups.organizationId, organizationId),
        before === null ? undefined : lt(cameraCleanups.id, before),
      ),
    )
    .orderBy(desc(cameraCleanups.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], present);
}

/** The images of one camera at one location that a slice removed. */
interface Receipt {
  organizationId: string;
  locationId: string;
  locationName: string;
  cameraId: string;
  cameraName: string;
  requestedAt: number;
  retired: boolean;
  capturesRemoved: number;
  bytesRemoved: number;
}

/** Adds the removed images to the receipts of each camera at each location. */
function writeReceipts({ workspace }: Context, change: Change, receipts: readonly Receipt[]): void {
  for (const receipt of receipts)
    change.add(
      workspace
        .insert(cameraCleanups)
        .values({ id: newIdIn(receipt.organizationId), ...receipt })
        .onConflictDoUpdate({
          target: [cameraCleanups.locationId, cameraCleanups.cameraId],
          set: {
            capturesRemoved: sql`${cameraCleanups.capturesRemoved} + excluded.captures_removed`,
            bytesRemoved: sql`${cameraCleanups.bytesRemoved} + excluded.bytes_removed`,
          },
        }),
    );
}

/** A receipt without removed images. */
const receiptOf = (
  camera: { id: string; name: string; organizationId: string },
  location: { id: string; name: string; deletedAt: number | null },
  now: number,
): Receipt => ({
  organizationId: camera.organizationId,
  locationId: location.id,
  locationName: location.name,
  cameraId: camera.id,
  cameraName: camera.name,
  requestedAt: location.deletedAt ?? now,
  retired: false,
  capturesRemoved: 0,
  bytesRemoved: 0,
});

/** Marks the receipts as finished when everything is removed. */
async function finishReceipts({ workspace, now }: Context, gone: SQL, change: Change, limit: number): Promise<number> {
  const open = await workspace
    .select({ id: cameraCleanups.id })
    .from(cameraCleanups)
    .where(and(sql`${cameraCleanups.locationId} IN (${gone})`, isNull(cameraCleanups.finishedAt)))
    .limit(limit);
  const ids = open.map(({ id }) => id);
  if (ids.length > 0)
    change.add(workspace.update(cameraCleanups).set({ finishedAt: now }).where(inSet(cameraCleanups.id, ids)));
  return ids.length;
}

/** The deleted locations of a tree; null for a tree that has none. */
function goneLocations({ type, id }: DeletedTree): SQL | null {
  if (!hasLocations({ type })) return null;
  const within = type === "location" ? eq(locations.id, id) : eq(locations.clusterId, id);
  return sql`SELECT ${locations.id} FROM ${locations} WHERE ${within} AND ${locations.deletedAt} IS NOT NULL`;
}

/** Retires the cameras at the locations. Their credentials have been refused since the deletion. */
async function retireCameras(context: Context, gone: SQL, change: Change): Promise<number> {
  const { workspace, now } = context;
  const rows = await workspace
    .select({ camera: cameras, location: locations })
    .from(cameras)
    .innerJoin(locations, eq(locations.id, cameras.locationId))
    .where(sql`${cameras.locationId} IN (${gone})`)
    .limit(RETIREMENTS_PER_SLICE);
  const ids = rows.map(({ camera }) => camera.id);
  if (ids.length === 0) return 0;
  change.add(
    workspace
      .update(cameras)
      .set({
        locationId: null,
        isPaused: true,
        revokedAt: sql`coalesce(${cameras.revokedAt}, ${now})`,
        retiredAt: sql`coalesce(${cameras.retiredAt}, ${now})`,
        revision: sql`${cameras.revision} + 1`,
        updatedAt: now,
      })
      .where(inSet(cameras.id, ids)),
    workspace
      .update(cameraAssignments)
      .set({ endedAt: now })
      .where(and(inSet(cameraAssignments.cameraId, ids), isNull(cameraAssignments.endedAt))),
  );
  for (const { camera, location } of rows) {
    endAccess(context, change, camera.id);
    change.add(
      auditStatement(context, {
        organizationId: camera.organizationId,
        action: "camera.retired",
        subjectType: "camera",
        subjectId: camera.id,
        details: { locationId: location.id, reason: "location-deleted" },
      }),
    );
  }
  const receipts = rows.map(({ camera, location }) => ({ ...receiptOf(camera, location, now), retired: true }));
  writeReceipts(context, change, receipts);
  return ids.length;
}

/** Removes all captures of the locations with their objects: images, rejected ones, and unfinished operations. */
async function takeCaptures(context: Context, gone: SQL, change: Change, limit: number): Promise<number> {
  const { workspace, now } = context;
  const rows = await workspace
    .select({ capture: cameraFrames, place: placeColumns, camera: cameras, location: locations })
    .from(cameraFrames)
    .innerJoin(cameraPlaces, eq(cameraPlaces.place, cameraFrames.place))
    .innerJoin(cameras, eq(cameras.id, cameraPlaces.cameraId))
    .innerJoin(locations, eq(locations.id, cameraPlaces.locationId))
    .where(sql`${cameraPlaces.locationId} IN (${gone})`)
    .limit(limit);
  if (rows.length === 0) return 0;
  const receipts = new Map<string, Receipt>();
  for (const { capture, camera, location } of rows) {
    if (capture.status !== "completed") continue;
    const key = `${location.id} ${camera.id}`;
    const receipt = receipts.get(key) ?? receiptOf(camera, location, now);
    receipt.capturesRemoved += 1;
    receipt.bytesRemoved += capture.sizeBytes;
    receipts.set(key, receipt);
  }
  const ids = await removeCaptures(context, change, rows);
  change.add(
    workspace
      .update(cameras)
      .set({ watermark: sql`${cameras.watermark} + 1` })
      .where(inSet(cameras.id, ids)),
  );
  writeReceipts(context, change, [...receipts.values()]);
  return rows.length;
}

/** Removes the assignments to the locations, and cameras without any assignment and image left. */
async function takeAssignments(context: Context, gone: SQL, change: Change, limit: number): Promise<number> {
  const { workspace, now } = context;
  const rows = await workspace
    .select({ assignment: cameraAssignments, camera: cameras, location: locations })
    .from(cameraAssignments)
    .innerJoin(cameras, eq(cameras.id, cameraAssignments.cameraId))
    .innerJoin(locations, eq(locations.id, cameraAssignments.locationId))
    .where(sql`${cameraAssignments.locationId} IN (${gone})`)
    .limit(Math.min(limit, 4 * RETIREMENTS_PER_SLICE));
  if (rows.length === 0) return 0;
  writeReceipts(
    context,
    change,
    rows.map(({ camera, location }) => receiptOf(camera, location, now)),
  );
  const pairs = JSON.stringify(rows.map(({ assignment }) => [assignment.cameraId, assignment.generation]));
  const one = { one: sql`1` };
  const elsewhere = workspace.select(one).from(cameraAssignments).where(eq(cameraAssignments.cameraId, cameras.id));
  const places = workspace.select(one).from(cameraPlaces).where(eq(cameraPlaces.cameraId, cameras.id));
  const ids = [...new Set(rows.map(({ camera }) => camera.id))];
  change.add(
    workspace.delete(cameraAssignments).where(sql`(${cameraAssignments.cameraId}, ${cameraAssignments.generation}) IN
      (SELECT value ->> 0, value ->> 1 FROM json_each(${pairs}))`),
    workspace
      .delete(cameraPlaces)
      .where(and(inSet(cameraPlaces.cameraId, ids), sql`${cameraPlaces.locationId} IN (${gone})`)),
    workspace
      .delete(cameras)
      .where(and(inSet(cameras.id, ids), isNull(cameras.locationId), notExists(elsewhere), notExists(places))),
  );
  return rows.length;
}

/**
 * Removes the cameras' part of deleted locations: cameras there are retired, images that were taken there are removed with
 * their objects, and a receipt stays. A camera that moved to another location keeps its images there.
 */
export const cameraDeletion: DeletionStep = {
  name: "cameras",
  async deleteRows(context, tree, change, limit) {
    const gone = goneLocations(tree);
    if (gone === null) return 0;
    return (
      (await retireCameras(context, gone, change)) ||
      (await takeCaptures(context, gone, change, limit)) ||
      (await takeAssignments(context, gone, change, limit)) ||
      (await finishReceipts(context, gone, change, limit))
    );
  },
};
