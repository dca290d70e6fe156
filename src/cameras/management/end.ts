import { and, eq, isNull, sql } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { announceCamera, requireCamera } from "../find";
import { rememberSettings } from "../health";
import { endAccess } from "../pairing";
import { cameras } from "../tables";
import { isRetired, readCamera } from "./cameras";

/**
 * Ends a camera's access, or all of it for good, with one change: credential and code count no more from its
 * commit on, and it is paused. Repeats change nothing. A race with other changes does not hinder it, unless
 * the caller named a revision.
 */
async function end(context: Context, cameraId: string, precondition: Precondition, what: "revoked" | "retired") {
  const { camera, location } = await requireCamera(context, cameraId, WRITE);
  checkPrecondition(precondition, camera.revision);
  const { db, now } = context;
  if (camera.retiredAt !== null) {
    if (what === "revoked") throw isRetired();
    return readCamera(context, camera.id);
  }
  if (what === "revoked" && camera.revokedAt !== null && camera.isPaused) {
    const shown = await readCamera(context, camera.id);
    if (shown.state.pairing === "none") return shown;
  }
  const already = new DomainError("conflict", "It has ended meanwhile.");
  const named = precondition.baseRevision !== undefined || precondition.ifMatch !== undefined;
  const next = {
    isPaused: true,
    revokedAt: sql`coalesce(${cameras.revokedAt}, ${now})`,
    ...(what === "retired" ? { retiredAt: now } : {}),
    revision: sql`${cameras.revision} + 1`,
    updatedAt: now,
  };
  const live = and(
    eq(cameras.id, camera.id),
    isNull(cameras.retiredAt),
    named ? eq(cameras.revision, camera.revision) : undefined,
  );
  const change = beginChange(context)
    .add(db.update(cameras).set(next).where(live))
    .guardChanged(named ? staleRevision() : already);
  endAccess(context, change, camera.id);
  rememberSettings(context, change, camera, { ...camera, isPaused: true });
  change.add(
    auditStatement(context, {
      organizationId: camera.organizationId,
      action: `camera.${what}`,
      subjectType: "camera",
      subjectId: camera.id,
      details: { locationId: location.id },
    }),
  );
  announceCamera(change, { ...camera, revision: camera.revision + 1 }, location.id);
  await change.commit().catch((thrown: unknown) => {
    if (thrown !== already) throw thrown;
    if (what === "revoked") throw isRetired();
  });
  return readCamera(context, camera.id);
}

/** Revokes a camera's access and pauses it; a new code pairs it again. @throws DomainError 401, 403, 404, 409, 412, 422. */
export const revokeCamera = (context: Context, cameraId: string, precondition: Precondition) =>
  end(context, cameraId, precondition, "revoked");

/** Retires a camera for good; what it took stays until its retention ends. @throws DomainError 401, 403, 404, 409, 412. */
export const retireCamera = (context: Context, cameraId: string, precondition: Precondition) =>
  end(context, cameraId, precondition, "retired");
