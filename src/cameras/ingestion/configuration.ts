import { z } from "@hono/zod-openapi";
import { and, eq, isNull } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/hash";
import { notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { SECOND, toUtc, utcSchema } from "../../platform/time";
import { locations } from "../../workspace/tables";
import { requireDevice } from "../pairing";
import { cameras } from "../tables";
import { captureWindowSchema } from "../window";
import {
  ADMISSIONS_A_MINUTE,
  CAPTURE_URL_LIFETIME,
  CLOCK_TOLERANCE,
  LARGEST_CAPTURE,
  LARGEST_CAPTURE_PIXELS,
  LARGEST_PENDING,
  OPERATION_LIFETIME,
  REQUESTS_A_MINUTE,
} from "./limits";

const LIMITS = {
  maxSizeBytes: LARGEST_CAPTURE,
  maxPixels: LARGEST_CAPTURE_PIXELS,
  maxPendingUploads: LARGEST_PENDING,
  newUploadsPerMinute: ADMISSIONS_A_MINUTE,
  requestsPerMinute: REQUESTS_A_MINUTE,
  uploadUrlSeconds: CAPTURE_URL_LIFETIME / SECOND,
  operationSeconds: OPERATION_LIFETIME / SECOND,
  maxFutureSeconds: CLOCK_TOLERANCE / SECOND,
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
    revision: z.int().openapi({ description: "Acknowledge it as `appliedRevision` of the next heartbeat." }),
    isPaused: z.boolean().openapi({ description: "Take no new images; what waits is uploaded all the same." }),
    captureIntervalMinutes: z.int(),
    retentionDays: z.int(),
    captureWidth: z.int(),
    captureHeight: z.int(),
    jpegQuality: z.int(),
    timeZone: z.string(),
    captureWindow: z.union([captureWindowSchema, z.null()]),
    locationLatitude: z.number().nullable().openapi({
      description: "Degrees. Coordinates change without a new revision: read them with every fetch.",
    }),
    locationLongitude: z.number().nullable(),
    serverTimeUtc: utcSchema,
    limits: limitsSchema,
  })
  .openapi("CameraConfiguration");
export type Configuration = z.infer<typeof configurationSchema>;

/** Characters of the validator beyond the revision. */
const VALIDATOR = 16;

/**
 * What a device is to do, and a validator over all of it but the time.
 * @throws DomainError 401, 404 when the camera stands nowhere any more.
 */
export async function readConfiguration(
  context: Context,
): Promise<{ configuration: Configuration; validator: string }> {
  const { cameraId } = requireDevice(context);
  const [found] = await context.db
    .select({ camera: cameras, latitude: locations.latitude, longitude: locations.longitude })
    .from(cameras)
    .innerJoin(locations, and(eq(locations.id, cameras.locationId), isNull(locations.deletedAt)))
    .where(eq(cameras.id, cameraId));
  if (found === undefined) throw notFound();
  const { camera, latitude, longitude } = found;
  const settings = {
    cameraId,
    assignmentGeneration: camera.assignmentGeneration,
    revision: camera.revision,
    isPaused: camera.isPaused,
    captureIntervalMinutes: camera.captureIntervalMinutes,
    retentionDays: camera.retentionDays,
    captureWidth: camera.captureWidth,
    captureHeight: camera.captureHeight,
    jpegQuality: camera.jpegQuality,
    timeZone: camera.timeZone,
    captureWindow: camera.captureWindow,
    locationLatitude: latitude,
    locationLongitude: longitude,
    limits: LIMITS,
  };
  const validator = (await sha256Hex(JSON.stringify(settings))).slice(0, VALIDATOR);
  return { configuration: { ...settings, serverTimeUtc: toUtc(context.now) }, validator };
}
