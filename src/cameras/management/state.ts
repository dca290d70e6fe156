import { eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import type { CameraRow } from "../find";
import { cameraHealth, type Silence } from "../health/tables";
import { type Pairing, pairingColumn } from "../pairing";
import { cameras } from "../tables";

/** What of a camera's state other tables hold. */
export interface CameraState {
  pairing: Pairing;
  silence: Silence | null;
  silentSince: number | null;
}

/** The columns of a camera's state, for a statement that selects from `cameras` joined with `camera_health`. */
export const stateColumns = (now: number) => ({
  pairing: pairingColumn(now),
  silence: cameraHealth.silence,
  silentSince: cameraHealth.silentSince,
});

/** A camera with all that is shown of it. */
export interface ShownCamera {
  camera: CameraRow;
  locationId: string;
  state: CameraState;
}

/** A camera as it stands now; one whose location is gone is absent. @throws DomainError 404. */
export async function readCamera({ db, now }: Pick<Context, "db" | "now">, cameraId: string): Promise<ShownCamera> {
  const [found] = await db
    .select({ camera: cameras, state: stateColumns(now) })
    .from(cameras)
    .innerJoin(cameraHealth, eq(cameraHealth.cameraId, cameras.id))
    .where(eq(cameras.id, cameraId));
  const locationId = found?.camera.locationId;
  if (found === undefined || locationId == null) throw notFound();
  return { ...found, locationId };
}
