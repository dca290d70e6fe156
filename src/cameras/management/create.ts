import { eq, type SQL, sql } from "drizzle-orm";
import { auditStatement, requireUser, WRITE } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { fewerThan, limitReached, locationExists, requireLocation } from "../../workspace";
import { announceCamera } from "../announce";
import { rememberSettings } from "../health";
import { cameraAssignments, cameras } from "../tables";
import { type CameraSettings, DEFAULTS, requirePicture, retentionTooLong } from "./settings";
import { readCamera } from "./state";

/** Cameras that may stand at a location, retired ones included. */
export const MOST_CAMERAS = 500;

export type NewCamera = Pick<CameraSettings, "name"> & { [K in keyof CameraSettings]?: CameraSettings[K] | undefined };

/** Longest retention of an organization's cameras, days. @throws DomainError 404. */
export async function longestRetention({ db }: Pick<Context, "db">, organizationId: string): Promise<number> {
  const [row] = await db
    .select({ days: organizations.maxRetentionDays })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  if (row === undefined) throw notFound();
  return row.days;
}

/** Holds while a location may take one more camera. */
export const hasRoom = (locationId: string): SQL =>
  fewerThan(MOST_CAMERAS, sql`SELECT 1 FROM ${cameras} WHERE ${cameras.locationId} = ${locationId}`);

/** Makes a camera at a location where the caller may write cameras. @throws DomainError 401, 403, 404, 422. */
export async function createCamera(context: Context, locationId: string, given: NewCamera) {
  const location = await requireLocation(context, locationId, "LocationCameras", WRITE);
  // Nobody holds LocationCameras in a personal workspace.
  if (location.organizationId === null) throw notFound();
  const { db, now } = context;
  const { organizationId } = location;
  const most = await longestRetention(context, organizationId);
  const settings: CameraSettings = {
    name: given.name,
    description: given.description ?? "",
    isPaused: given.isPaused ?? false,
    captureIntervalMinutes: given.captureIntervalMinutes ?? DEFAULTS.captureIntervalMinutes,
    retentionDays: given.retentionDays ?? Math.min(DEFAULTS.retentionDays, most),
    captureWidth: given.captureWidth ?? DEFAULTS.captureWidth,
    captureHeight: given.captureHeight ?? DEFAULTS.captureHeight,
    jpegQuality: given.jpegQuality ?? DEFAULTS.jpegQuality,
    timeZone: given.timeZone ?? DEFAULTS.timeZone,
    captureWindow: given.captureWindow ?? null,
  };
  requirePicture(settings);
  if (settings.retentionDays > most) throw retentionTooLong(most);
  const id = newId();
  const row = { id, tenantId: location.tenantId, organizationId, locationId, revision: 1 };
  const change = beginChange(context)
    .guard(locationExists(locationId), notFound())
    .guard(hasRoom(locationId), limitReached("This location", MOST_CAMERAS))
    .add(
      db
        .insert(cameras)
        .values({ ...row, ...settings, createdBy: requireUser(context).userId, createdAt: now, updatedAt: now }),
      db.insert(cameraAssignments).values({ cameraId: id, generation: 1, locationId, startedAt: now }),
    );
  rememberSettings(context, change, null, { ...settings, id });
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
