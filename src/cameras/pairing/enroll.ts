import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { auditStatement, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { DAY, toUtc } from "../../platform/time";
import { locationExists } from "../../workspace";
import { announceCamera } from "../announce";
import { requireCamera } from "../find";
import { cameras } from "../tables";
import { endEnrollment } from "./access";
import { CODE_LIFETIME, hashPairingCode, newPairingCode } from "./code";
import { limitEnrollment } from "./limits";
import { cameraEnrollments } from "./tables";

/** How long a code that has ended is remembered, so that its refusal says so. */
const ENDED_CODES_KEPT = DAY;

const retired = () =>
  new DomainError("rule-violated", "This camera is retired, which is for good. Create another camera for the device.");

/**
 * Makes the one code that a device may pair with this camera by; an older one ends. What is paired already
 * goes on until the code is used. @throws DomainError 401, 403, 404, 422, 429.
 */
export async function requestEnrollment(
  context: Context,
  cameraId: string,
): Promise<{ pairingCode: string; expiresAtUtc: string }> {
  const { camera, location } = await requireCamera(context, cameraId, WRITE);
  if (camera.retiredAt !== null) throw retired();
  await limitEnrollment(context, camera.id);
  const { db, now, settings } = context;
  const pairingCode = newPairingCode();
  const expiresAt = now + CODE_LIFETIME;
  const forgotten = and(
    eq(cameraEnrollments.cameraId, camera.id),
    lt(cameraEnrollments.createdAt, now - CODE_LIFETIME - ENDED_CODES_KEPT),
  );
  const stands = and(eq(cameras.id, camera.id), eq(cameras.locationId, location.id), isNull(cameras.retiredAt));
  const change = beginChange(context)
    .guard(locationExists(location.id), notFound())
    .guard(sql`EXISTS (SELECT 1 FROM ${cameras} WHERE ${stands})`, notFound())
    .add(endEnrollment(context, camera.id), db.delete(cameraEnrollments).where(forgotten))
    .add(
      db.insert(cameraEnrollments).values({
        id: newId(),
        cameraId: camera.id,
        codeHash: await hashPairingCode(settings, pairingCode),
        createdBy: requireUser(context).userId,
        createdAt: now,
        expiresAt,
      }),
    )
    .add(
      auditStatement(context, {
        organizationId: camera.organizationId,
        action: "camera.enrollment-created",
        subjectType: "camera",
        subjectId: camera.id,
        details: { expiresAtUtc: toUtc(expiresAt) },
      }),
    );
  announceCamera(change, camera, location.id);
  await change.commit();
  return { pairingCode, expiresAtUtc: toUtc(expiresAt) };
}
