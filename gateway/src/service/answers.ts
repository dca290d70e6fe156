import * as z from "zod";

const uuid = z.uuid();
const instant = z.iso.datetime();
const count = z.int().min(0);
const limit = z.int().min(1);

export const redeemedSchema = z.object({ cameraId: uuid, credentialId: uuid, assignmentGeneration: limit });

export const configurationSchema = z.object({
  cameraId: uuid,
  assignmentGeneration: limit,
  /** When the assignment began. Older services do not say it. */
  assignmentStartedAtUtc: instant.nullish(),
  revision: count,
  isPaused: z.boolean(),
  captureIntervalMinutes: limit,
  retentionDays: limit,
  captureWidth: limit,
  captureHeight: limit,
  jpegQuality: limit,
  timeZone: z.string(),
  captureWindow: z
    .object({ start: z.string(), end: z.string(), daysOfWeek: z.array(z.int().min(1).max(7)).optional() })
    .nullable(),
  locationLatitude: z.number().nullable(),
  locationLongitude: z.number().nullable(),
  serverTimeUtc: instant,
  limits: z.object({
    maxSizeBytes: limit,
    maxPixels: limit,
    maxPendingUploads: limit,
    newUploadsPerMinute: limit,
    requestsPerMinute: limit,
  }),
});
export type Configuration = z.infer<typeof configurationSchema>;

export const acknowledgedSchema = z.object({
  revision: count,
  serverTimeUtc: instant,
  /** Whether another device reports with the same credential. Older services do not say it. */
  isIdentityShared: z.boolean().default(false),
});

export const operationSchema = z.object({
  operationId: uuid,
  captureId: uuid,
  status: z.enum(["pending-transfer", "verification-pending", "completed", "rejected", "expired", "cancelled"]),
  uploadUrl: z.url().nullable(),
  requiredHeaders: z.record(z.string(), z.string()),
  receipt: z
    .object({ captureId: uuid, sizeBytes: count, checksumSha256: z.string(), completedAtUtc: instant })
    .nullable(),
  rejection: z.object({ code: z.string(), detail: z.string() }).nullable(),
});
export type Operation = z.infer<typeof operationSchema>;

/** A problem of the service. Answers of proxies on the way do not match. */
export const problemSchema = z
  .object({ type: z.string(), status: z.int(), detail: z.string(), code: z.string() })
  .refine(({ type, code }) => type === `urn:problem:${code}`);
