import { z } from "@hono/zod-openapi";
import { idSchema } from "../platform/ids";
import { toUtc, utcSchema } from "../platform/time";
import type { CaptureRow } from "./find";
import { CLOCK_QUALITIES } from "./tables";

export const captureSchema = z
  .object({
    id: idSchema,
    cameraId: idSchema,
    locationId: idSchema,
    capturedAtUtc: utcSchema,
    receivedAtUtc: utcSchema,
    sizeBytes: z.int(),
    checksumSha256: z.string(),
    width: z.int().openapi({ description: "Pixels of the upright picture." }),
    height: z.int(),
    clockQuality: z.enum(CLOCK_QUALITIES),
    contentType: z.literal("image/jpeg"),
  })
  .openapi("Capture");

/** A published image on the wire. */
export const presentCapture = (row: CaptureRow): z.infer<typeof captureSchema> => ({
  id: row.id,
  cameraId: row.cameraId,
  locationId: row.locationId,
  capturedAtUtc: toUtc(row.capturedAt),
  receivedAtUtc: toUtc(row.receivedAt),
  sizeBytes: row.sizeBytes,
  checksumSha256: row.checksumSha256,
  width: row.width,
  height: row.height,
  clockQuality: row.clockQuality,
  contentType: "image/jpeg",
});
