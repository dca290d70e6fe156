import { z } from "@hono/zod-openapi";
import { eq, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { instantOrNullSchema, toUtc, utcSchema } from "../../platform/time";
import { announceCamera } from "../announce";
import { credentialRevoked, isLiveCredential, requireDevice } from "../pairing";
import { cameras, type DeviceReport } from "../tables";

const count = z.int().min(0);

export const heartbeatSchema = z
  .strictObject({
    appliedRevision: count.openapi({ description: "Revision of the configuration that the device works by." }),
    lastCaptureAtUtc: instantOrNullSchema,
    queueCount: count.openapi({ description: "Images that wait on the device." }),
    queueBytes: count,
    freeBytes: count,
    oldestPendingAtUtc: instantOrNullSchema,
    errorCode: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/, "must be a machine-readable code of at most 64 characters")
      .nullish()
      .openapi({ example: "camera-open-failed" }),
  })
  .openapi("CameraHeartbeat");

export const acknowledgedSchema = z
  .object({
    revision: z.int().openapi({ description: "Fetch the configuration where this is not the one in use." }),
    serverTimeUtc: utcSchema,
  })
  .openapi("CameraHeartbeatAnswer");

/** Whether people who look at the camera would want to know at once. */
const isNews = (before: DeviceReport | null, now: DeviceReport): boolean =>
  before === null || before.errorCode !== now.errorCode || before.appliedRevision !== now.appliedRevision;

/** Notes what a device says of itself, while the camera is its own. @throws DomainError 401. */
export async function takeHeartbeat(
  context: Context,
  given: z.infer<typeof heartbeatSchema>,
): Promise<z.infer<typeof acknowledgedSchema>> {
  const { cameraId, credentialId } = requireDevice(context);
  const { db, now } = context;
  const device: DeviceReport = {
    appliedRevision: given.appliedRevision,
    lastCaptureAt: given.lastCaptureAtUtc,
    queueCount: given.queueCount,
    queueBytes: given.queueBytes,
    freeBytes: given.freeBytes,
    oldestPendingAt: given.oldestPendingAtUtc,
    errorCode: given.errorCode ?? null,
  };
  const [camera] = await db.select().from(cameras).where(eq(cameras.id, cameraId));
  if (camera === undefined) throw notFound();
  const change = beginChange(context)
    .guard(isLiveCredential(credentialId), credentialRevoked())
    .add(
      db
        .update(cameras)
        .set({ device, lastSeenAt: sql`max(coalesce(${cameras.lastSeenAt}, 0), ${now})` })
        .where(eq(cameras.id, cameraId)),
    );
  if (camera.locationId !== null && isNews(camera.device, device)) announceCamera(change, camera, camera.locationId);
  await change.commit();
  return { revision: camera.revision, serverTimeUtc: toUtc(now) };
}
