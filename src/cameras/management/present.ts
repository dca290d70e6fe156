import { z } from "@hono/zod-openapi";
import { orNull } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import type { CameraRow } from "../find";
import { SILENCES } from "../health/tables";
import { PAIRINGS } from "../pairing";
import type { DeviceReport } from "../tables";
import { settingsFields, settingsOf } from "./settings";
import type { CameraState } from "./state";

export const STATUSES = ["active", "paused", "revoked", "retired"] as const;
export type CameraStatus = (typeof STATUSES)[number];

const deviceSchema = z
  .object({
    appliedRevision: z.int(),
    lastCaptureAtUtc: utcSchema.nullable(),
    queueCount: z.int().openapi({ description: "Images that wait on the device." }),
    queueBytes: z.int(),
    freeBytes: z.int(),
    oldestPendingAtUtc: utcSchema.nullable(),
    errorCode: z.string().nullable(),
  })
  .openapi("CameraDevice", { description: "What the device said last." });

const silenceSchema = z
  .object({
    cause: z.enum(SILENCES).openapi({
      description: "`offline`: nothing is heard of the device. `camera-fault`: it is heard, and sends no images.",
    }),
    sinceUtc: utcSchema,
  })
  .openapi("CameraOutage");

export const cameraSchema = z
  .object({
    id: idSchema,
    organizationId: idSchema,
    locationId: idSchema,
    ...settingsFields,
    timeZone: z.string(),
    status: z.enum(STATUSES),
    pairing: z.enum(PAIRINGS),
    assignmentGeneration: z.int(),
    configurationPending: z
      .boolean()
      .openapi({ description: "A device is paired and has not yet said that it applied this revision." }),
    silence: orNull(silenceSchema),
    lastSeenAtUtc: utcSchema.nullable(),
    lastCaptureAtUtc: utcSchema.nullable(),
    device: orNull(deviceSchema),
    identicalFrames: z
      .int()
      .openapi({ description: "Newest images in a row with the very same bytes: a camera that sends them is frozen." }),
    revision: z.int(),
    createdAtUtc: utcSchema,
    updatedAtUtc: utcSchema,
  })
  .openapi("Camera");

/** What people read first: for good before for now. */
export function statusOf(row: Pick<CameraRow, "retiredAt" | "revokedAt" | "isPaused">): CameraStatus {
  if (row.retiredAt !== null) return "retired";
  if (row.revokedAt !== null) return "revoked";
  return row.isPaused ? "paused" : "active";
}

const presentDevice = (report: DeviceReport): z.infer<typeof deviceSchema> => ({
  appliedRevision: report.appliedRevision,
  lastCaptureAtUtc: toUtcOrNull(report.lastCaptureAt),
  queueCount: report.queueCount,
  queueBytes: report.queueBytes,
  freeBytes: report.freeBytes,
  oldestPendingAtUtc: toUtcOrNull(report.oldestPendingAt),
  errorCode: report.errorCode,
});

/** A camera that stands at `locationId`, on the wire. */
export const presentCamera = (
  row: CameraRow,
  locationId: string,
  { pairing, silence, silentSince }: CameraState,
): z.infer<typeof cameraSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  locationId,
  ...settingsOf(row),
  status: statusOf(row),
  pairing,
  assignmentGeneration: row.assignmentGeneration,
  configurationPending: pairing === "paired" && row.device?.appliedRevision !== row.revision,
  silence: silence === null || silentSince === null ? null : { cause: silence, sinceUtc: toUtc(silentSince) },
  lastSeenAtUtc: toUtcOrNull(row.lastSeenAt),
  lastCaptureAtUtc: toUtcOrNull(row.lastCaptureAt),
  device: row.device && presentDevice(row.device),
  identicalFrames: row.identicalFrames,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

/** What of a camera changes between two revisions: a reader's validator changes with it. */
export const progressOf = (row: CameraRow, { pairing, silence }: CameraState): string =>
  [row.lastSeenAt ?? 0, row.watermark, pairing, silence ?? "ok"].join("-");
