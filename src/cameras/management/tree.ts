import { and, eq, isNull, notExists, type SQL, sql } from "drizzle-orm";
import { auditStatement } from "../../access";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import type { Tree, TreePart } from "../../workspace";
import { locations } from "../../workspace/tables";
import { endAccess } from "../pairing";
import { removeCaptures } from "../retention";
import { cameraAssignments, cameraCaptures, cameras } from "../tables";
import { finishReceipts, type Receipt, receiptOf, writeReceipts } from "./receipts";

/** Cameras one slice retires: each takes a handful of statements. */
const CAMERAS_PER_SLICE = 25;

/** The deleted locations of a tree; null for a tree that has none. */
function goneLocations({ type, id }: Tree): SQL | null {
  if (type === "document") return null;
  const within = type === "location" ? eq(locations.id, id) : eq(locations.clusterId, id);
  return sql`SELECT ${locations.id} FROM ${locations} WHERE ${within} AND ${locations.deletedAt} IS NOT NULL`;
}

/** Retires the cameras that stand there. Their credentials are refused since the location was deleted. */
async function retireCameras(context: Context, gone: SQL, change: Change): Promise<number> {
  const { db, now } = context;
  const rows = await db
    .select({ camera: cameras, location: locations })
    .from(cameras)
    .innerJoin(locations, eq(locations.id, cameras.locationId))
    .where(sql`${cameras.locationId} IN (${gone})`)
    .limit(CAMERAS_PER_SLICE);
  const ids = rows.map(({ camera }) => camera.id);
  if (ids.length === 0) return 0;
  change.add(
    db
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
    db
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

/** Takes images that were taken there, of whichever camera; their objects are given up. */
async function takeCaptures(context: Context, gone: SQL, change: Change, limit: number): Promise<number> {
  const { db, now } = context;
  const rows = await db
    .select({ capture: cameraCaptures, camera: cameras, location: locations })
    .from(cameraCaptures)
    .innerJoin(cameras, eq(cameras.id, cameraCaptures.cameraId))
    .innerJoin(locations, eq(locations.id, cameraCaptures.locationId))
    .where(sql`${cameraCaptures.locationId} IN (${gone})`)
    .limit(limit);
  if (rows.length === 0) return 0;
  const receipts = new Map<string, Receipt>();
  for (const { capture, camera, location } of rows) {
    const key = `${location.id} ${camera.id}`;
    const receipt = receipts.get(key) ?? receiptOf(camera, location, now);
    receipt.capturesRemoved += 1;
    receipt.bytesRemoved += capture.sizeBytes;
    receipts.set(key, receipt);
  }
  const ids = rows.map(({ capture }) => capture.id);
  removeCaptures(context, change, inSet(cameraCaptures.id, ids));
  writeReceipts(context, change, [...receipts.values()]);
  return rows.length;
}

/** Takes the places themselves out of cameras' histories, and cameras that have none left. */
async function takeAssignments(context: Context, gone: SQL, change: Change, limit: number): Promise<number> {
  const { db, now } = context;
  const rows = await db
    .select({ assignment: cameraAssignments, camera: cameras, location: locations })
    .from(cameraAssignments)
    .innerJoin(cameras, eq(cameras.id, cameraAssignments.cameraId))
    .innerJoin(locations, eq(locations.id, cameraAssignments.locationId))
    .where(sql`${cameraAssignments.locationId} IN (${gone})`)
    .limit(Math.min(limit, 4 * CAMERAS_PER_SLICE));
  if (rows.length === 0) return 0;
  writeReceipts(
    context,
    change,
    rows.map(({ camera, location }) => receiptOf(camera, location, now)),
  );
  const pairs = JSON.stringify(rows.map(({ assignment }) => [assignment.cameraId, assignment.generation]));
  const one = { one: sql`1` };
  const elsewhere = db.select(one).from(cameraAssignments).where(eq(cameraAssignments.cameraId, cameras.id));
  const images = db.select(one).from(cameraCaptures).where(eq(cameraCaptures.cameraId, cameras.id));
  const ids = [...new Set(rows.map(({ camera }) => camera.id))];
  change.add(
    db.delete(cameraAssignments).where(sql`(${cameraAssignments.cameraId}, ${cameraAssignments.generation}) IN
      (SELECT value ->> 0, value ->> 1 FROM json_each(${pairs}))`),
    db
      .delete(cameras)
      .where(and(inSet(cameras.id, ids), isNull(cameras.locationId), notExists(elsewhere), notExists(images))),
  );
  return rows.length;
}

/**
 * What deleted locations hold of cameras: those that stand there are retired, images taken there go with their
 * objects, and a receipt stays. A camera that moved on lives on, and so does its history elsewhere.
 */
export const cameraPart: TreePart = {
  name: "cameras",
  async take(context, tree, change, limit) {
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
