import { sql } from "drizzle-orm";
import { type CredentialRef, credentialKey, levelAt, READ } from "../../access";
import type { Context } from "../../platform/context";
import { loadAccessAtLocation, placeOfLocation } from "../../workspace";
import { type CameraRow, requireCameraAt } from "../find";
import { cameraCaptures, cameras } from "../tables";
import { visibleOfJoinedCamera } from "../visibility";

/** What a camera took at one location, for somebody who was checked. */
export interface Archive {
  camera: CameraRow;
  locationId: string;
}

/**
 * The archive of a camera at a location, for a caller with Read of LocationCameras there.
 * @throws DomainError 401, 403, 404.
 */
export async function requireArchive(context: Context, cameraId: string, locationId: string): Promise<Archive> {
  const { camera } = await requireCameraAt(context, cameraId, locationId, READ);
  return { camera, locationId };
}

/** Whether a credential may read images of a location's cameras as things stand now. */
export async function mayReadImages(
  { db }: Pick<Context, "db">,
  asker: CredentialRef,
  locationId: string,
): Promise<boolean> {
  const { location, facts } = await loadAccessAtLocation(db, [asker], locationId, [], Date.now());
  const held = facts.get(credentialKey(asker));
  return location !== null && held !== undefined && levelAt(held, "LocationCameras", placeOfLocation(location)) >= READ;
}

/** Which of these images are visible at this moment. */
export async function stillVisible({ db }: Pick<Context, "db">, captureIds: readonly string[]): Promise<Set<string>> {
  const found = await db
    .select({ id: cameraCaptures.id })
    .from(sql`json_each(${JSON.stringify(captureIds)}) AS wanted`)
    .crossJoin(cameraCaptures)
    .innerJoin(cameras, visibleOfJoinedCamera(Date.now()))
    .where(sql`${cameraCaptures.id} = wanted.value`);
  return new Set(found.map(({ id }) => id));
}
