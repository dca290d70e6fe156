import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { DAY } from "../platform/time";
import { cameraCaptures, cameras } from "./tables";

/** The moment after which a camera's images are retained, milliseconds since the epoch: older ones have expired. */
export const retainedAfter = ({ retentionDays }: { retentionDays: number }, now: number): number =>
  now - retentionDays * DAY;

/**
 * The one predicate of what an archive shows: published, not deleted, inside retention, taken at the
 * location that was asked for. History, seek, timeline, previews, downloads, exports and shares go through it.
 * `since` leaves out what was taken before: of two lower bounds an index serves one, and the other is walked to.
 */
export const visibleCaptures = (
  camera: { id: string; retentionDays: number },
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
    gt(cameraCaptures.capturedAt, sql`${now} - ${cameras.retentionDays} * ${DAY}`),
  );
