import { and, eq, isNull, sql } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { limitReached, locationExists, requireLocation } from "../../workspace";
import { announceCamera, requireCamera } from "../find";
import { recordSettings } from "../health";
import { cancelOperations, hasPendingOperations } from "../ingestion";
import { MAX_CAMERAS_PER_LOCATION } from "../limits";
import { endAccess } from "../pairing";
import { archiveSettingsOf } from "../settings";
import { cameraAssignments, cameras } from "../tables";
import { cameraRetired, canAddCamera, readCamera } from "./cameras";

/**
 * Revokes or retires a camera: one change ends its credential and its pairing code, and pauses it. A repeat changes
 * nothing. Concurrent changes do not stop it, unless the caller named a revision.
 */
async function end(context: Context, cameraId: string, precondition: Precondition, outcome: "revoked" | "retired") {
  const { camera, location } = await requireCamera(context, cameraId, WRITE);
  checkPrecondition(precondition, camera.revision);
  const { workspace, now } = context;
  if (camera.retiredAt !== null) {
    if (outcome === "revoked") throw cameraRetired();
    return readCamera(context, camera.id);
  }
  if (outcome === "revoked" && camera.revokedAt !== null && camera.isPaused) {
    const shown = await readCamera(context, camera.id);
    if (shown.state.pairing === "none") return shown;
  }
  const already = new DomainError("conflict", "Another request retired the camera in the meantime.");
  const named = precondition.baseRevision !== undefined || precondition.ifMatch !== undefined;
  const next = {
    isPaused: true,
    revokedAt: sql`coalesce(${cameras.revokedAt}, ${now})`,
    ...(outcome === "retired" ? { retiredAt: now } : {}),
    revision: sql`${cameras.revision} + 1`,
    updatedAt: now,
  };
  const unchanged = and(
    eq(cameras.id, camera.id),
    isNull(cameras.retiredAt),
    named ? eq(cameras.revision, camera.revision) : undefined,
  );
  const change = beginChange(context, camera.tenantId)
    .add(workspace.update(cameras).set(next).where(unchanged))
    .guardChanged(named ? staleRevision() : already);
  endAccess(context, change, camera.id);
  recordSettings(context, change, camera, { ...camera, isPaused: true });
  change.add(
    auditStatement(context, {
      organizationId: camera.organizationId,
      action: `camera.${outcome}`,
      subjectType: "camera",
      subjectId: camera.id,
      details: { locationId: location.id },
    }),
  );
  announceCamera(change, { ...camera, revision: camera.revision + 1 }, location.id);
  await change.commit().catch((thrown: unknown) => {
    if (thrown !== already) throw thrown;
    if (outcome === "revoked") throw cameraRetired();
  });
  return readCamera(context, camera.id);
}

/** Ends the access of a camera's device and pauses the camera. A new code pairs it again. @throws DomainError 401, 403, 404, 409, 412, 422. */
export const revokeCamera = (context: Context, cameraId: string, precondition: Precondition) =>
  end(context, cameraId, precondition, "revoked");

/** Retires a camera permanently. Its images stay until their retention ends. @throws DomainError 401, 403, 404, 409, 412. */
export const retireCamera = (context: Context, cameraId: string, precondition: Precondition) =>
  end(context, cameraId, precondition, "retired");

export interface Move {
  locationId: string;
  /** Cancels unfinished uploads. Without it, unfinished uploads prevent the move. */
  cancelPending: boolean;
}

const pending = () =>
  new DomainError(
    "conflict",
    "The camera has unfinished uploads. Pause it and wait until its queue is empty, or send cancelPending true.",
  );

/**
 * Moves a camera to another location of its organization, with a new assignment. Its images stay at the old location. Its
 * credential and pairing code end, so it must be paired again. @throws DomainError 401, 403, 404, 409, 412, 422.
 */
export async function relinkCamera(context: Context, cameraId: string, move: Move, precondition: Precondition) {
  const { camera, location } = await requireCamera(context, cameraId, WRITE);
  const target = await requireLocation(context, move.locationId, "LocationCameras", WRITE);
  checkPrecondition(precondition, camera.revision);
  if (camera.retiredAt !== null) throw cameraRetired();
  if (target.organizationId !== camera.organizationId)
    throw new DomainError(
      "rule-violated",
      "A camera moves only within its organization. Create another camera in the other organization.",
    );
  if (target.id === location.id)
    throw new DomainError("rule-violated", "The camera is at this location already. Name another location.");

  const { workspace, now } = context;
  const next = {
    locationId: target.id,
    assignmentGeneration: camera.assignmentGeneration + 1,
    revision: camera.revision + 1,
    updatedAt: now,
    device: null,
  };
  const unchanged = and(eq(cameras.id, camera.id), eq(cameras.revision, camera.revision), isNull(cameras.retiredAt));
  const currentAssignment = and(
    eq(cameraAssignments.cameraId, camera.id),
    eq(cameraAssignments.generation, camera.assignmentGeneration),
  );
  const change = beginChange(context, camera.tenantId)
    .guard(locationExists(location.id), notFound())
    .guard(locationExists(target.id), notFound())
    .guard(canAddCamera(target.id), limitReached("That location", MAX_CAMERAS_PER_LOCATION));
  if (move.cancelPending) cancelOperations(context, change, camera);
  else change.guard(sql`NOT ${hasPendingOperations(context, camera)}`, pending());
  change
    .add(workspace.update(cameras).set(next).where(unchanged))
    .guardChanged(staleRevision())
    .add(
      workspace
        .update(cameraAssignments)
        .set({ endedAt: now, ...archiveSettingsOf(camera) })
        .where(currentAssignment),
      workspace.insert(cameraAssignments).values({
        cameraId: camera.id,
        generation: next.assignmentGeneration,
        locationId: target.id,
        startedAt: now,
      }),
    );
  endAccess(context, change, camera.id);
  change.add(
    auditStatement(context, {
      organizationId: camera.organizationId,
      action: "camera.relinked",
      subjectType: "camera",
      subjectId: camera.id,
      details: { fromLocationId: location.id, toLocationId: target.id, cancelPending: move.cancelPending },
    }),
  );
  const moved = { ...camera, ...next };
  announceCamera(change, moved, location.id);
  announceCamera(change, moved, target.id, "created");
  await change.commit();
  return readCamera(context, camera.id);
}
