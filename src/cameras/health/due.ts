import { and, asc, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/sets";
import { MINUTE } from "../../platform/time";
import { locations } from "../../workspace/tables";
import type { CameraRow } from "../find";
import { cameraCredentials } from "../pairing/tables";
import { cameras } from "../tables";
import type { Facts } from "./assess";
import { cameraHealth } from "./tables";

export type HealthRow = typeof cameraHealth.$inferSelect;

/** A camera that is due, with what decides about it. */
export interface DueCamera {
  camera: CameraRow;
  health: HealthRow;
  /** Where it stands, while that lives. */
  locationId: string | null;
  facts: Facts;
}

const isLive: SQL = sql`EXISTS (SELECT 1 FROM ${cameraCredentials} WHERE ${cameraCredentials.cameraId} = ${cameras.id}
  AND ${cameraCredentials.revokedAt} IS NULL)`;

/** The next cameras to look at, longest due first: what is read follows those, whatever other cameras there are. */
export async function dueCameras({ db }: Context, now: number, limit: number): Promise<DueCamera[]> {
  const rows = await db
    .select({
      camera: cameras,
      health: cameraHealth,
      locationId: locations.id,
      mayUseCameras: organizations.cameras,
      isPaired: sql<number>`${isLive}`,
    })
    .from(cameraHealth)
    .innerJoin(cameras, eq(cameras.id, cameraHealth.cameraId))
    .innerJoin(organizations, eq(organizations.id, cameras.organizationId))
    .leftJoin(locations, and(eq(locations.id, cameras.locationId), isNull(locations.deletedAt)))
    .where(lte(cameraHealth.checkAt, now))
    .orderBy(asc(cameraHealth.checkAt))
    .limit(limit);
  return rows.map(({ camera, health, locationId, mayUseCameras, isPaired }) => {
    const isOff = camera.isPaused || camera.revokedAt !== null || camera.retiredAt !== null;
    return {
      camera,
      health,
      locationId,
      facts: {
        schedule: camera,
        intervalMs: camera.captureIntervalMinutes * MINUTE,
        isWatched: !isOff && isPaired === 1 && mayUseCameras && locationId !== null,
        lastSeenAt: camera.lastSeenAt,
        lastAcceptedAt: health.lastAcceptedAt,
      },
    };
  });
}

/** A camera of a location that people are, or soon will be, told of. */
export interface Neighbour {
  id: string;
  locationId: string;
  intervalMinutes: number;
  health: HealthRow;
}

/** Those of these locations whose silence people know of, or that came back and are still to be told of. */
export async function toldNeighbours({ db }: Context, locationIds: readonly string[]): Promise<Neighbour[]> {
  if (locationIds.length === 0) return [];
  const rows = await db
    .select({
      id: cameras.id,
      locationId: cameras.locationId,
      intervalMinutes: cameras.captureIntervalMinutes,
      health: cameraHealth,
    })
    .from(cameras)
    .innerJoin(cameraHealth, eq(cameraHealth.cameraId, cameras.id))
    .where(and(inSet(cameras.locationId, locationIds), or(gt(cameraHealth.toldAt, 0), gt(cameraHealth.backAt, 0))));
  return rows.flatMap(({ locationId, ...row }) => (locationId === null ? [] : [{ ...row, locationId }]));
}
