import { and, desc, eq, isNull } from "drizzle-orm";
import { type Level, requireLevel, requireUser } from "../access";
import type { Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import type { WorkspaceDatabase } from "../platform/db/database";
import { notFound } from "../platform/errors";
import { describeFailure, log } from "../platform/log";
import type { LocationEvent } from "../platform/ports";
import { toUtc } from "../platform/time";
import { type LocationRow, locationPath, requireLocation } from "../workspace";
import { locations } from "../workspace/tables";
import type { PublishedCapture } from "./captures";
import { visibleOfJoinedCamera } from "./captures";
import { withArchiveSettings } from "./settings";
import { cameraAssignments, cameraCaptures, cameras } from "./tables";

export type CameraRow = typeof cameras.$inferSelect;

/** A camera and its location. */
export interface FoundCamera {
  camera: CameraRow;
  location: LocationRow;
}

/**
 * A camera and its current location. Requires this level of LocationCameras there.
 * @throws DomainError 401, 403, 404 (the camera or its location does not exist, or is hidden).
 */
export async function requireCamera(context: Context, cameraId: string, level: Level): Promise<FoundCamera> {
  requireUser(context);
  const [found] = await context.workspace
    .select({ camera: cameras, location: locations })
    .from(cameras)
    .innerJoin(locations, and(eq(locations.id, cameras.locationId), isNull(locations.deletedAt)))
    .where(eq(cameras.id, cameraId));
  if (found === undefined) throw notFound();
  requireLevel(context, locationPath(found.location), "LocationCameras", "LocationCameras", level);
  return found;
}

/** A camera that is or was at a location, with its settings there, or null. Access is not checked. */
export async function findCameraAt(
  { workspace }: { workspace: WorkspaceDatabase },
  cameraId: string,
  locationId: string,
): Promise<CameraRow | null> {
  const [found] = await workspace
    .select({ camera: cameras, assignment: cameraAssignments })
    .from(cameraAssignments)
    .innerJoin(cameras, eq(cameras.id, cameraAssignments.cameraId))
    .where(and(eq(cameraAssignments.cameraId, cameraId), eq(cameraAssignments.locationId, locationId)))
    .orderBy(desc(cameraAssignments.generation))
    .limit(1);
  return found === undefined ? null : withArchiveSettings(found.camera, found.assignment);
}

/**
 * A camera and a location that it is or was at. Requires this level of LocationCameras at that location.
 * @throws DomainError 401, 403, 404.
 */
export async function requireCameraAt(
  context: Context,
  cameraId: string,
  locationId: string,
  level: Level,
): Promise<FoundCamera> {
  const location = await requireLocation(context, locationId, "LocationCameras", level);
  const camera = await findCameraAt(context, cameraId, locationId);
  if (camera === null) throw notFound();
  return { camera, location };
}

/**
 * A visible image. Requires this level of LocationCameras at the location where it was taken.
 * @throws DomainError 401, 403, 404 (the image does not exist, is hidden or deleted, or has expired).
 */
export async function requireCapture(
  context: Context,
  captureId: string,
  level: Level,
): Promise<FoundCamera & { capture: PublishedCapture }> {
  requireUser(context);
  const [found] = await context.workspace
    .select({ capture: cameraCaptures, camera: cameras, location: locations })
    .from(cameraCaptures)
    .innerJoin(cameras, eq(cameras.id, cameraCaptures.cameraId))
    .innerJoin(locations, and(eq(locations.id, cameraCaptures.locationId), isNull(locations.deletedAt)))
    .where(and(eq(cameraCaptures.id, captureId), visibleOfJoinedCamera(context.now)));
  if (found === undefined) throw notFound();
  requireLevel(context, locationPath(found.location), "LocationCameras", "LocationCameras", level);
  return found;
}

/** Announces a change of a camera to live views of a location. */
export function announceCamera(
  change: Change,
  { id, tenantId, revision }: Pick<CameraRow, "id" | "tenantId" | "revision">,
  locationId: string,
  action: "created" | "updated" | "deleted" = "updated",
): void {
  change.announce({ type: "state-updated", locationId, subject: "camera", subjectId: id, action, revision }, tenantId);
}

/**
 * Tells live views of a location that an image of a camera is published. This is a hint without a row: images are frequent,
 * and views read the archive again from time to time.
 */
export function tellPublished(
  { live, background }: Pick<Context, "live" | "background">,
  locationId: string,
  { cameraId, capturedAt }: Pick<PublishedCapture, "cameraId" | "capturedAt">,
): void {
  const event: LocationEvent = {
    target: "CapturePublished",
    payload: { cameraId, capturedAtUtc: toUtc(capturedAt) },
    requires: "LocationCameras",
    documentId: null,
    subject: { type: "camera", id: cameraId },
    key: cameraId,
  };
  background(
    live.publish(locationId, [event]).catch((thrown: unknown) => {
      log("warn", "event.delivery-failed", { subscriber: "live-connections", ...describeFailure(thrown) });
    }),
  );
}
