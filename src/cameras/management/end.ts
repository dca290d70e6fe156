import { and, eq, isNull, sql } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { announceCamera, requireCamera } from "../find";
import { recordSettings } from "../health";
import { endAccess } from "../pairing";
import { cameras } from "../tables";
import { cameraRetired, readCamera } from "./cameras";

/**
 * Revokes or retires a camera: one change ends its credential and its pairing code, and pauses it. A repeat changes
 * nothing. Concurrent changes do not stop it, unless the caller named a revision.
 */
async function end(context: Context, cameraId: string, precondition: Precondition, outcome: "revoked" | "retired") {
  const { camera, location } = await requireCamera(context, cameraId, WRITE);
  checkPrecondition(precondition, camera.revision);
  const { db, now } = context;
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
  const change = beginChange(context)
    .add(db.update(cameras).set(next).where(unchanged))
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
