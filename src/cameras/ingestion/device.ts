import { z } from "@hono/zod-openapi";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import type { AppEnv, Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { InstanceLimiter } from "../../platform/http/rate-limit";
import { idSchema } from "../../platform/ids";
import { instantOrNullSchema, MINUTE, SECOND, toUtc, utcSchema } from "../../platform/time";
import { locations } from "../../workspace/tables";
import { announceCamera, type CameraRow } from "../find";
import {
  ADMISSIONS_PER_MINUTE,
  CAPTURE_URL_LIFETIME_MS,
  CLOCK_TOLERANCE_MS,
  DEVICE_REQUESTS_PER_MINUTE,
  HEARTBEAT_RESOLUTION_MS,
  MAX_CAPTURE_BYTES,
  MAX_PICTURE_PIXELS,
  MAX_REMEMBERED_INSTANCES,
  MAX_UNFINISHED_OPERATIONS,
  OPERATION_LIFETIME_MS,
  SHARED_IDENTITY_MEMORY_MS,
} from "../limits";
import { credentialRevoked, forDevices, isLiveCredential, requireDevice } from "../pairing";
import { deviceFields, deviceSettingsOf } from "../settings";
import { cameraAssignments, cameraHealth, cameras, type DeviceReport } from "../tables";

/** Error code of a camera whose credential two devices use. */
const IDENTITY_SHARED = "identity-shared";

type Instances = Pick<DeviceReport, "instances" | "sharedAt">;

/**
 * The instances of a device after a heartbeat. Each start of a device has another id, so an id that comes back after another
 * one is from a second device with a copy of the credential.
 */
export function afterHeartbeat(before: Instances | null, instanceId: string | undefined, now: number): Instances {
  const known = (before?.instances ?? []).filter(({ at }) => at > now - SHARED_IDENTITY_MEMORY_MS);
  const sharedAt = isRecent(before?.sharedAt, now) ? before?.sharedAt : undefined;
  if (instanceId === undefined) return { instances: known, ...(sharedAt !== undefined && { sharedAt }) };
  const isBack = known.findIndex(({ id }) => id === instanceId) > 0;
  const others = known.filter(({ id }) => id !== instanceId);
  const instances = [{ id: instanceId, at: now }, ...others].slice(0, MAX_REMEMBERED_INSTANCES);
  const shared = isBack ? now : sharedAt;
  return { instances, ...(shared !== undefined && { sharedAt: shared }) };
}

const isRecent = (at: number | undefined, now: number): boolean =>
  at !== undefined && at > now - SHARED_IDENTITY_MEMORY_MS;

/** Whether a heartbeat comes from another instance than the heartbeat before. */
const isOtherInstance = (before: Instances | null, { instances }: Instances): boolean =>
  before?.instances?.[0]?.id !== instances?.[0]?.id;

type HealthRow = typeof cameraHealth.$inferSelect;

const DEVICE_LIMITS = {
  maxSizeBytes: MAX_CAPTURE_BYTES,
  maxPixels: MAX_PICTURE_PIXELS,
  maxPendingUploads: MAX_UNFINISHED_OPERATIONS,
  newUploadsPerMinute: ADMISSIONS_PER_MINUTE,
  requestsPerMinute: DEVICE_REQUESTS_PER_MINUTE,
  uploadUrlSeconds: CAPTURE_URL_LIFETIME_MS / SECOND,
  operationSeconds: OPERATION_LIFETIME_MS / SECOND,
  maxFutureSeconds: CLOCK_TOLERANCE_MS / SECOND,
};

const count = z.int();
const limitsSchema = z.object({
  maxSizeBytes: count,
  maxPixels: count,
  maxPendingUploads: count,
  newUploadsPerMinute: count,
  requestsPerMinute: count,
  uploadUrlSeconds: count,
  operationSeconds: count,
  maxFutureSeconds: count,
});

export const configurationSchema = z
  .object({
    cameraId: idSchema,
    assignmentGeneration: z.int(),
    assignmentStartedAtUtc: utcSchema.openapi({
      description:
        "When the camera's current assignment to its location began. Images from before it are refused, except under the first assignment.",
    }),
    revision: z
      .int()
      .openapi({ description: "Revision of the configuration. Send it as `appliedRevision` of the next heartbeat." }),
    ...deviceFields,
    locationLatitude: z.number().nullable().openapi({
      description: "Degrees. Coordinates change without a new revision: read them with every request.",
    }),
    locationLongitude: z.number().nullable(),
    serverTimeUtc: utcSchema,
    limits: limitsSchema,
  })
  .openapi("CameraConfiguration");
type Configuration = z.infer<typeof configurationSchema>;

/** Characters of the validator beyond the revision. */
const VALIDATOR_LENGTH = 16;

/**
 * The configuration of the calling device, and a validator of all of it except the server time.
 * @throws DomainError 401, 404 when the camera no longer has a location.
 */
export async function readConfiguration(
  context: Context,
): Promise<{ configuration: Configuration; validator: string }> {
  const { cameraId } = requireDevice(context);
  const [found] = await context.workspace
    .select({
      camera: cameras,
      latitude: locations.latitude,
      longitude: locations.longitude,
      assignedAt: cameraAssignments.startedAt,
    })
    .from(cameras)
    .innerJoin(locations, and(eq(locations.id, cameras.locationId), isNull(locations.deletedAt)))
    .innerJoin(
      cameraAssignments,
      and(eq(cameraAssignments.cameraId, cameras.id), eq(cameraAssignments.generation, cameras.assignmentGeneration)),
    )
    .where(eq(cameras.id, cameraId));
  if (found === undefined) throw notFound();
  const { camera, latitude, longitude, assignedAt } = found;
  const settings = {
    cameraId,
    assignmentGeneration: camera.assignmentGeneration,
    assignmentStartedAtUtc: toUtc(assignedAt),
    revision: camera.revision,
    ...deviceSettingsOf(camera),
    locationLatitude: latitude,
    locationLongitude: longitude,
    limits: DEVICE_LIMITS,
  };
  const validator = (await sha256Hex(JSON.stringify(settings))).slice(0, VALIDATOR_LENGTH);
  return { configuration: { ...settings, serverTimeUtc: toUtc(context.now) }, validator };
}

const counter = z.int().min(0);

export const heartbeatSchema = z
  .strictObject({
    appliedRevision: counter.openapi({
      description: "Revision of the configuration that the device uses. 0: none yet.",
    }),
    lastCaptureAtUtc: instantOrNullSchema,
    queueCount: counter.openapi({ description: "Number of images that wait on the device." }),
    queueBytes: counter,
    freeBytes: counter,
    oldestPendingAtUtc: instantOrNullSchema,
    errorCode: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/, "must be a machine-readable code of at most 64 characters")
      .nullish()
      .openapi({ example: "camera-open-failed" }),
    instanceId: z
      .string()
      .regex(/^[A-Za-z0-9._:-]{1,64}$/, "must be at most 64 letters, digits and . _ : -")
      .optional()
      .openapi({
        description:
          "A new id that the device makes at each start. With it, the service finds two devices that use one credential.",
      }),
  })
  .openapi("CameraHeartbeat");

export const acknowledgedSchema = z
  .object({
    revision: z
      .int()
      .openapi({ description: "The current revision. Fetch the configuration when the device uses another revision." }),
    serverTimeUtc: utcSchema,
    isIdentityShared: z.boolean().openapi({
      description: "Another device reported with the same credential in the last minutes, as its `instanceId` shows.",
    }),
  })
  .openapi("CameraHeartbeatResponse");

/** Whether live views of the camera show a difference between two heartbeats. */
const isVisibleChange = (before: DeviceReport | null, now: DeviceReport): boolean =>
  before === null || before.errorCode !== now.errorCode || before.appliedRevision !== now.appliedRevision;

/**
 * Whether the next check of the camera needs a newer heartbeat: its images are late, and it is silent unless the device was
 * heard in the last interval before the check.
 */
function isAwaited(
  { captureIntervalMinutes, lastSeenAt, lastAcceptedAt }: CameraRow,
  health: HealthRow | null,
  now: number,
): boolean {
  if (health === null || health.checkAt === null) return false;
  const intervalMs = captureIntervalMinutes * MINUTE;
  const lastInterval = health.checkAt - intervalMs;
  const isLate = Math.max(lastAcceptedAt ?? 0, health.watchedSince ?? 0) <= now - 2 * intervalMs;
  return isLate && now >= lastInterval && (lastSeenAt ?? 0) < lastInterval;
}

/**
 * Stores a device's heartbeat if it reports something that live views show, if the check of the camera needs it, or if the
 * stored one is HEARTBEAT_RESOLUTION_MS old. So a heartbeat a minute costs few rows, and the stored time is never too late.
 * @throws DomainError 401 without a valid credential; it may end during the request
 */
export async function recordHeartbeat(
  context: Context,
  given: z.infer<typeof heartbeatSchema>,
): Promise<z.infer<typeof acknowledgedSchema>> {
  const { cameraId, credentialId } = requireDevice(context);
  const { workspace, now } = context;
  const [found] = await workspace
    .select({ camera: cameras, health: cameraHealth })
    .from(cameras)
    .leftJoin(cameraHealth, eq(cameraHealth.cameraId, cameras.id))
    .where(eq(cameras.id, cameraId));
  if (found === undefined) throw notFound();
  const { camera, health } = found;
  const instances = afterHeartbeat(camera.device, given.instanceId, now);
  const isIdentityShared = instances.sharedAt !== undefined;
  const device: DeviceReport = {
    appliedRevision: given.appliedRevision,
    lastCaptureAt: given.lastCaptureAtUtc,
    queueCount: given.queueCount,
    queueBytes: given.queueBytes,
    freeBytes: given.freeBytes,
    oldestPendingAt: given.oldestPendingAtUtc,
    // The reports of two devices alternate, and only the service knows why.
    errorCode: isIdentityShared ? IDENTITY_SHARED : (given.errorCode ?? null),
    ...(given.instanceId !== undefined && instances),
  };
  const answer = { revision: camera.revision, serverTimeUtc: toUtc(now), isIdentityShared };
  const isNew = isVisibleChange(camera.device, device);
  const isOther = isOtherInstance(camera.device, instances);
  const isOld = (camera.lastSeenAt ?? 0) <= now - HEARTBEAT_RESOLUTION_MS;
  if (!isNew && !isOther && !isOld && !isAwaited(camera, health, now)) return answer;
  const change = beginChange(context, camera.tenantId)
    .guard(isLiveCredential(credentialId), credentialRevoked())
    .add(
      workspace
        .update(cameras)
        .set({ device, lastSeenAt: sql`max(coalesce(${cameras.lastSeenAt}, 0), ${now})` })
        .where(eq(cameras.id, cameraId)),
    );
  if (camera.locationId !== null && isNew) announceCamera(change, camera, camera.locationId);
  await change.commit();
  return answer;
}

const limiter = new InstanceLimiter("device", { limit: DEVICE_REQUESTS_PER_MINUTE, windowMs: MINUTE });

const limitRequests: MiddlewareHandler<AppEnv> = async (c, next) => {
  const context = c.get("context");
  limiter.consume(context, requireDevice(context).credentialId);
  await next();
};

type Handlers = [MiddlewareHandler<AppEnv>, MiddlewareHandler<AppEnv>];

/** Spread into a route that devices call: requires a device credential and limits its requests. */
export const forLimitedDevices = { ...forDevices, middleware: [forDevices.middleware, limitRequests] as Handlers };
