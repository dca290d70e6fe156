import { z } from "@hono/zod-openapi";
import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { idSchema } from "../platform/ids";
import { DAY, toUtc, utcSchema } from "../platform/time";
import { CLOCK_QUALITIES, cameraCaptures, cameras } from "./tables";

export type CaptureRow = typeof cameraCaptures.$inferSelect;

/** What decides which images of a camera have expired. */
export interface Retention {
  retentionDays: number;
  /** Images taken until then, milliseconds since the epoch, expired before retention grew, and stay so. */
  expiredUntil: number;
}

/** The moment after which a camera's images are retained, milliseconds since the epoch: older ones have expired. It only moves forward. */
export const retainedAfter = ({ retentionDays, expiredUntil }: Retention, now: number): number =>
  Math.max(expiredUntil, now - retentionDays * DAY);

/** The same for the camera of a statement. */
export const retainedAfterOfCamera = (now: number): SQL<number> =>
  sql<number>`max(${cameras.expiredUntil}, ${now} - ${cameras.retentionDays} * ${DAY})`;

/**
 * The one predicate of what an archive shows: published, not deleted, inside retention, taken at the
 * location that was asked for. History, seek, timeline, previews, downloads, exports and shares go through it.
 * `since` leaves out what was taken before: of two lower bounds an index serves one, and the other is walked to.
 */
export const visibleCaptures = (
  camera: Retention & { id: string },
  locationId: string,
  now: number,
  since?: number | SQL,
): SQL | undefined =>
  and(
    eq(cameraCaptures.cameraId, camera.id),
    eq(cameraCaptures.locationId, locationId),
    isNull(cameraCaptures.deletedAt),
    gt(cameraCaptures.capturedAt, laterOf(retainedAfter(camera, now), since)),
  );

function laterOf(retained: number, since: number | SQL | undefined): number | SQL {
  if (since === undefined) return retained;
  return typeof since === "number" ? Math.max(retained, since - 1) : sql`max(${retained}, ${since} - 1)`;
}

/** The same for a statement that joins captures with their cameras; the location is for its `where` to say. */
export const visibleOfJoinedCamera = (now: number): SQL | undefined =>
  and(
    eq(cameraCaptures.cameraId, cameras.id),
    isNull(cameraCaptures.deletedAt),
    gt(cameraCaptures.capturedAt, retainedAfterOfCamera(now)),
  );

export const CAPTURE_FORMS = ["original", "thumbnail", "preview"] as const;
export type CaptureForm = (typeof CAPTURE_FORMS)[number];

/** What the objects of an operation are named by. */
export type OperationKey = Pick<typeof cameraCaptures.$inferSelect, "organizationId" | "cameraId" | "operationId">;

const folder = ({ organizationId, cameraId, operationId }: OperationKey): string =>
  `captures/${organizationId}/${cameraId}/${operationId}`;

/**
 * Where a form of a published image lies. The key is the upload operation's own, so that what an
 * abandoned attempt left behind can be removed without touching what another one published.
 */
export const captureKey = (of: OperationKey, form: CaptureForm): string => `${folder(of)}/${form}.jpg`;

/** Where what came is kept when it was refused: it may be anything. */
export const rejectedKey = (of: OperationKey): string => `${folder(of)}/rejected`;

/** Subquery of every form's key of the images that `where` selects. */
export const captureKeysOf = (where: SQL): SQL =>
  sql`SELECT 'captures/' || ${cameraCaptures.organizationId} || '/' || ${cameraCaptures.cameraId} || '/' ||
    ${cameraCaptures.operationId} || '/' || form.value || '.jpg'
    FROM ${cameraCaptures} CROSS JOIN json_each(${JSON.stringify(CAPTURE_FORMS)}) AS form WHERE ${where}`;

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
