import { z } from "@hono/zod-openapi";
import { and, eq, getTableColumns, gt, lte, type SQL, sql } from "drizzle-orm";
import { idSchema } from "../platform/ids";
import { DAY, toUtc, utcSchema } from "../platform/time";
import { CLOCK_QUALITIES, cameraCaptures, cameraPlaces, cameras } from "./tables";

export type PublishedCapture = typeof cameraCaptures.$inferSelect;

const { id, cameraId, locationId, capturedAt, receivedAt, sizeBytes, checksumSha256, width, height, clockQuality } =
  getTableColumns(cameraCaptures);
/** The columns of an image on the wire. SQLite compiles a statement without the text of the operation in half of the time. */
export const presentedColumns = {
  id,
  cameraId,
  locationId,
  capturedAt,
  receivedAt,
  sizeBytes,
  checksumSha256,
  width,
  height,
  clockQuality,
};
export type PresentedCapture = Pick<PublishedCapture, keyof typeof presentedColumns>;

/** The values that decide which images of a camera have expired. */
export interface Retention {
  retentionDays: number;
  /** Milliseconds since the epoch. Images taken until then expired before the retention was extended, and stay expired. */
  expiredUntil: number;
}

/** The time after which a camera's images are retained, milliseconds since the epoch. Older images have expired. It only grows. */
export const retainedAfter = ({ retentionDays, expiredUntil }: Retention, now: number): number =>
  Math.max(expiredUntil, now - retentionDays * DAY);

/** The same for the camera of a statement. */
export const retainedAfterOfCamera = (now: number): SQL<number> =>
  sql<number>`max(${cameras.expiredUntil}, ${now} - ${cameras.retentionDays} * ${DAY})`;

/**
 * SQL that selects the visible images of an archive: published, not deleted (both by the view), inside retention, and taken
 * at this location.
 * History, seek, timeline, previews, downloads, exports and shares all use it. `since` excludes earlier images. It is merged
 * with the retention because an index can use only one lower bound.
 */
export const visibleCaptures = (
  camera: Retention & { id: string; shownUntil?: number | null },
  locationId: string,
  now: number,
  since?: number | SQL,
): SQL | undefined =>
  and(
    sql`${cameraCaptures.place} = (SELECT ${cameraPlaces.place} FROM ${cameraPlaces}
      WHERE ${cameraPlaces.cameraId} = ${camera.id} AND ${cameraPlaces.locationId} = ${locationId})`,
    gt(cameraCaptures.capturedAt, laterOf(retainedAfter(camera, now), since)),
    camera.shownUntil == null ? undefined : lte(cameraCaptures.capturedAt, camera.shownUntil),
  );

function laterOf(retained: number, since: number | SQL | undefined): number | SQL {
  if (since === undefined) return retained;
  return typeof since === "number" ? Math.max(retained, since - 1) : sql`max(${retained}, ${since} - 1)`;
}

/** The same for a statement that joins captures with their cameras. Its `where` must name the location. */
export const visibleOfJoinedCamera = (now: number): SQL | undefined =>
  and(eq(cameraCaptures.cameraId, cameras.id), gt(cameraCaptures.capturedAt, retainedAfterOfCamera(now)));

/** The objects of an image. The thumbnail contains the preview. */
export const CAPTURE_FORMS = ["original", "thumbnail"] as const;
export type CaptureForm = (typeof CAPTURE_FORMS)[number];

/** The ids in the object keys of an operation. */
export type OperationKey = Pick<PublishedCapture, "organizationId" | "cameraId" | "operationId">;

/** The keys of the images of an organization begin with it. */
export const capturesPrefix = (organizationId: string): string => `captures/${organizationId}/`;

const folder = ({ organizationId, cameraId, operationId }: OperationKey): string =>
  `${capturesPrefix(organizationId)}${cameraId}/${operationId}`;

/**
 * Object key of a form of an image. Each upload operation has its own key, so objects of an abandoned operation can be
 * deleted without touching objects that another operation published.
 */
export const captureKey = (of: OperationKey, form: CaptureForm): string => `${folder(of)}/${form}.jpg`;

/** Object key of rejected bytes. They may be of any kind. */
export const rejectedKey = (of: OperationKey): string => `${folder(of)}/rejected`;

/** Prefix of the keys to which devices send bytes. */
export const STAGING_PREFIX = "staging/captures/";

/** Key to which the device sends the bytes. */
export const stagingKey = ({ operationId }: Pick<OperationKey, "operationId">): string =>
  `${STAGING_PREFIX}${operationId}`;

const publicFields = {
  id: idSchema,
  cameraId: idSchema,
  capturedAtUtc: utcSchema,
  width: z.int().openapi({ description: "Pixels of the upright picture." }),
  height: z.int(),
  clockQuality: z.enum(CLOCK_QUALITIES),
  contentType: z.literal("image/jpeg"),
};
const originalFields = {
  locationId: idSchema,
  receivedAtUtc: utcSchema,
  sizeBytes: z.int(),
  checksumSha256: z.string(),
};

export const captureSchema = z.object({ ...publicFields, ...originalFields }).openapi("Capture");

export const sharedCaptureSchema = z
  .object({ ...publicFields, ...z.object(originalFields).partial().shape })
  .openapi("SharedCapture", {
    description:
      "The location, the time of arrival, the size and the checksum describe the original. A link that hides metadata serves other bytes, and leaves them out.",
  });

/** A published image on the wire. */
export const presentCapture = (row: PresentedCapture): z.infer<typeof captureSchema> => ({
  ...presentPublic(row),
  locationId: row.locationId,
  receivedAtUtc: toUtc(row.receivedAt),
  sizeBytes: row.sizeBytes,
  checksumSha256: row.checksumSha256,
});

const presentPublic = (row: PresentedCapture) => ({
  id: row.id,
  cameraId: row.cameraId,
  capturedAtUtc: toUtc(row.capturedAt),
  width: row.width,
  height: row.height,
  clockQuality: row.clockQuality,
  contentType: "image/jpeg" as const,
});

/** A published image for a share link. Facts of the original are left out unless the link serves the original. */
export const presentSharedCapture = (
  row: PresentedCapture,
  { hidesMetadata }: { hidesMetadata: boolean },
): z.infer<typeof sharedCaptureSchema> => (hidesMetadata ? presentPublic(row) : presentCapture(row));
