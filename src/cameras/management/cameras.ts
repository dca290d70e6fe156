import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNull, max, type SQL, sql } from "drizzle-orm";
import { auditStatement, holds, READ, requireUser, WRITE } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { orNull } from "../../platform/http/router";
import { idSchema, newIdIn } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { fewerThan, limitReached, locationExists, locationPath, requireLocation } from "../../workspace";
import { locations } from "../../workspace/tables";
import { retainedAfter, retainedAfterOfCamera } from "../captures";
import { announceCamera, type CameraRow, requireCamera } from "../find";
import { recordSettings } from "../health";
import { MAX_CAMERAS_PER_LOCATION } from "../limits";
import { PAIRINGS, type Pairing, pairingColumn } from "../pairing";
import {
  archiveFields,
  archiveSettingsOf,
  differencesOf,
  type NewSettings,
  newSettings,
  requirePicture,
  requireRetention,
  type SettingChanges,
  settingFields,
  settingsOf,
  withArchiveSettings,
  withChanges,
} from "../settings";
import {
  cameraAssignments,
  cameraCaptures,
  cameraHealth,
  cameras,
  type DeviceReport,
  SILENCES,
  type Silence,
} from "../tables";
import { requireWriteWhereImagesExpire } from "./former-locations";

const STATUSES = ["active", "paused", "revoked", "retired"] as const;
type CameraStatus = (typeof STATUSES)[number];

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
  .openapi("CameraDevice", { description: "The last heartbeat of the device." });

const silenceSchema = z
  .object({
    cause: z.enum(SILENCES).openapi({
      description: "`offline`: the device sends nothing. `camera-fault`: the device sends heartbeats and no images.",
    }),
    sinceUtc: utcSchema,
  })
  .openapi("CameraOutage");

export const cameraSchema = z
  .object({
    id: idSchema,
    organizationId: idSchema,
    locationId: idSchema,
    ...settingFields,
    status: z.enum(STATUSES),
    pairing: z.enum(PAIRINGS),
    assignmentGeneration: z.int(),
    configurationPending: z
      .boolean()
      .openapi({ description: "A device is paired and has not reported this revision as applied." }),
    silence: orNull(silenceSchema),
    lastSeenAtUtc: utcSchema.nullable().openapi({
      description:
        "Time of the stored heartbeat. The last heartbeat can be up to 8 minutes newer while it reports nothing new.",
    }),
    lastCaptureAtUtc: utcSchema.nullable(),
    device: orNull(deviceSchema),
    identicalFrames: z.int().openapi({
      description:
        "Number of newest images with identical bytes, including the newest; 0 without an image. A camera with 3 or more is frozen.",
    }),
    revision: z.int(),
    createdAtUtc: utcSchema,
    updatedAtUtc: utcSchema,
  })
  .openapi("Camera");

const currentCameraSchema = cameraSchema.extend({ isHistorical: z.literal(false) }).openapi("CurrentCamera");

const historicalCameraSchema = z
  .object({
    isHistorical: z.literal(true),
    id: idSchema,
    organizationId: idSchema,
    locationId: idSchema,
    ...archiveFields,
    leftAtUtc: utcSchema,
    lastCaptureAtUtc: utcSchema
      .nullable()
      .openapi({ description: "Capture time of its newest image at this location." }),
    currentLocationId: idSchema.nullable().openapi({
      description: "Location of the camera now. Null when you may not see cameras there.",
    }),
  })
  .openapi("HistoricalCamera", {
    description: "A camera that was at this location before, with the settings that it had when it left.",
  });

export const listedCameraSchema = z.union([currentCameraSchema, historicalCameraSchema]).openapi("LocationCamera");

/** The state of a camera that other tables hold. */
interface CameraState {
  pairing: Pairing;
  silence: Silence | null;
  silentSince: number | null;
}

/** Everything that an answer shows of a camera. */
export interface CameraView {
  camera: CameraRow;
  locationId: string;
  state: CameraState;
}

/** Creates a camera at a location. Requires Write of LocationCameras there. @throws DomainError 401, 403, 404, 422. */
export async function createCamera(context: Context, locationId: string, given: NewSettings) {
  const location = await requireLocation(context, locationId, "LocationCameras", WRITE);
  // Nobody holds LocationCameras in a personal workspace.
  if (location.organizationId === null) throw notFound();
  const { workspace, now } = context;
  const { organizationId } = location;
  const maxRetentionDays = await readMaxRetention(context, organizationId);
  const settings = newSettings(given, maxRetentionDays);
  requirePicture(settings);
  requireRetention(settings, maxRetentionDays);
  const id = newIdIn(location.tenantId);
  const row = { id, tenantId: location.tenantId, organizationId, locationId, revision: 1 };
  const change = beginChange(context, location.tenantId)
    .guard(locationExists(locationId), notFound())
    .guard(canAddCamera(locationId), limitReached("This location", MAX_CAMERAS_PER_LOCATION))
    .add(
      workspace
        .insert(cameras)
        .values({ ...row, ...settings, createdBy: requireUser(context).userId, createdAt: now, updatedAt: now }),
      workspace.insert(cameraAssignments).values({ cameraId: id, generation: 1, locationId, startedAt: now }),
    );
  recordSettings(context, change, null, { ...settings, id });
  change.add(
    auditStatement(context, {
      organizationId,
      action: "camera.created",
      subjectType: "camera",
      subjectId: id,
      details: { locationId, ...settings },
    }),
  );
  announceCamera(change, row, locationId, "created");
  await change.commit();
  return readCamera(context, id);
}

/** The cameras that are or were at a location. @throws DomainError 401, 403, 404. */
export async function listCameras(context: Context, locationId: string, { limit, cursor }: PageQuery) {
  await requireLocation(context, locationId, "LocationCameras", READ);
  const caller = requireUser(context);
  const { workspace, now } = context;
  const [after] = readCursor(cursor, z.tuple([idSchema])) ?? [null];
  const rows = await selectCameras(workspace, locationId, after, limit + 1, now);
  const present = (row: (typeof rows)[number]): z.infer<typeof listedCameraSchema> => {
    const { camera, location, newestHere } = row;
    if (camera.locationId === locationId)
      return { ...presentCamera(camera, locationId, row.state), isHistorical: false };
    const isVisible = location !== null && holds(caller, "LocationCameras", locationPath(location));
    const isRetained = newestHere !== null && newestHere > retainedAfter(camera, now);
    return {
      isHistorical: true,
      id: camera.id,
      organizationId: camera.organizationId,
      locationId,
      ...archiveSettingsOf(withArchiveSettings(camera, row.assignment)),
      leftAtUtc: toUtc(row.assignment.endedAt ?? camera.retiredAt ?? camera.updatedAt),
      lastCaptureAtUtc: toUtcOrNull(isRetained ? newestHere : null),
      currentLocationId: isVisible ? location.id : null,
    };
  };
  return toPage(rows, limit, (row) => [row.camera.id], present);
}

/**
 * A camera with its current state. @throws DomainError 404 for a hidden or unknown camera, and for a camera without a
 * location.
 */
export async function readCamera(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  cameraId: string,
): Promise<CameraView> {
  const [found] = await workspace
    .select({ camera: cameras, state: stateColumns(now) })
    .from(cameras)
    .innerJoin(cameraHealth, eq(cameraHealth.cameraId, cameras.id))
    .where(eq(cameras.id, cameraId));
  const locationId = found?.camera.locationId;
  if (found === undefined || locationId == null) throw notFound();
  return { ...found, locationId };
}

/** Changes settings of a camera. Its device reads them with its next call. @throws DomainError 401, 403, 404, 409, 412, 422. */
export async function updateCamera(
  context: Context,
  cameraId: string,
  given: SettingChanges,
  precondition: Precondition,
  confirmRetentionReduction: boolean,
) {
  const { camera, location } = await requireCamera(context, cameraId, WRITE);
  checkPrecondition(precondition, camera.revision);
  if (camera.retiredAt !== null) throw cameraRetired();
  const before = settingsOf(camera);
  const after = withChanges(before, given);
  requirePicture(after);
  if (after.retentionDays > before.retentionDays)
    requireRetention(after, await readMaxRetention(context, camera.organizationId));
  if (after.retentionDays < before.retentionDays && !confirmRetentionReduction)
    throw unconfirmed(before.retentionDays, after.retentionDays);
  if (after.retentionDays < before.retentionDays) await requireWriteWhereImagesExpire(context, camera, after);
  // Images that have expired stay expired, even if the job has not deleted them yet.
  const extended =
    after.retentionDays > before.retentionDays ? { expiredUntil: retainedAfterOfCamera(context.now) } : {};
  const next = { ...camera, revision: camera.revision + 1 };
  const unchanged = and(eq(cameras.id, camera.id), eq(cameras.revision, camera.revision), isNull(cameras.retiredAt));
  const change = beginChange(context, camera.tenantId)
    .guard(locationExists(location.id), notFound())
    .add(
      context.workspace
        .update(cameras)
        .set({ ...after, ...extended, revision: next.revision, updatedAt: context.now })
        .where(unchanged),
    )
    .guardChanged(staleRevision());
  recordSettings(context, change, camera, { ...after, id: camera.id });
  change.add(
    auditStatement(context, {
      organizationId: camera.organizationId,
      action: "camera.updated",
      subjectType: "camera",
      subjectId: camera.id,
      details: differencesOf(before, after),
    }),
  );
  announceCamera(change, next, location.id);
  await change.commit();
  return readCamera(context, camera.id);
}

/** A camera at its location, on the wire. */
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
  // The row counts the images that repeat the image before.
  identicalFrames: row.lastCaptureAt === null ? 0 : row.identicalFrames + 1,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

/** A text that changes when the camera's state changes without a new revision. It is part of the ETag. */
export const stateTag = (row: CameraRow, { pairing, silence }: CameraState): string =>
  [row.lastSeenAt ?? 0, row.watermark, pairing, silence ?? "ok"].join("-");

/** SQL that is true while the location has fewer than the maximum of cameras. */
export const canAddCamera = (locationId: string): SQL =>
  fewerThan(MAX_CAMERAS_PER_LOCATION, sql`SELECT 1 FROM ${cameras} WHERE ${cameras.locationId} = ${locationId}`);

export const cameraRetired = (): DomainError =>
  new DomainError("rule-violated", "This camera is retired permanently. Create another camera.");

/** The status that a user sees. A permanent state comes before a temporary one. */
function statusOf(row: Pick<CameraRow, "retiredAt" | "revokedAt" | "isPaused">): CameraStatus {
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

/** The columns of a camera's state, for a statement that selects from `cameras` joined with `camera_health`. */
export const stateColumns = (now: number) => ({
  pairing: pairingColumn(now),
  silence: cameraHealth.silence,
  silentSince: cameraHealth.silentSince,
});

/** The maximum retention of an organization's images, days. @throws DomainError 404. */
async function readMaxRetention({ workspace }: Pick<Context, "workspace">, organizationId: string): Promise<number> {
  const [row] = await workspace
    .select({ days: organizations.maxRetentionDays })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  if (row === undefined) throw notFound();
  return row.days;
}

/** Selects the cameras of a location, in order of id. Cameras that were there before are included. */
function selectCameras(
  workspace: WorkspaceDatabase,
  locationId: string,
  after: string | null,
  limit: number,
  now: number,
) {
  // The last assignment of each camera to the location: SQLite takes bare columns from the row of the maximum.
  const latest = workspace
    .select({
      cameraId: cameraAssignments.cameraId,
      generation: max(cameraAssignments.generation).as("last_generation"),
      endedAt: cameraAssignments.endedAt,
      ...archiveSettingsOf(cameraAssignments),
    })
    .from(cameraAssignments)
    .where(and(eq(cameraAssignments.locationId, locationId), gt(cameraAssignments.cameraId, after ?? "")))
    .groupBy(cameraAssignments.cameraId)
    .orderBy(asc(cameraAssignments.cameraId))
    .limit(limit)
    .as("latest");
  const newestHere = sql<number | null>`(SELECT max(${cameraCaptures.capturedAt}) FROM ${cameraCaptures}
    WHERE ${cameraCaptures.cameraId} = ${cameras.id} AND ${cameraCaptures.locationId} = ${locationId})`;
  return workspace
    .select({
      camera: cameras,
      location: locations,
      state: stateColumns(now),
      assignment: { endedAt: latest.endedAt, ...archiveSettingsOf(latest) },
      newestHere: newestHere.as("newest_here"),
    })
    .from(latest)
    .innerJoin(cameras, eq(cameras.id, latest.cameraId))
    .innerJoin(cameraHealth, eq(cameraHealth.cameraId, cameras.id))
    .leftJoin(locations, and(eq(locations.id, cameras.locationId), isNull(locations.deletedAt)))
    .orderBy(asc(latest.cameraId));
}

const unconfirmed = (from: number, to: number) =>
  new DomainError(
    "retention-reduction-unconfirmed",
    `Images are kept for ${from} days now. Those older than ${to} days would expire at once. To confirm this, send confirmRetentionReduction true.`,
  );
