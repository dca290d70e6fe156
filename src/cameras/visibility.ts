import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { DAY } from "../platform/time";
import { cameraCaptures, cameras } from "./tables";

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
