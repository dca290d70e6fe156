import { type CredentialRef, credentialKey, levelAt, loadAccessAtLocation, READ } from "../../access";
import type { Context } from "../../context";
import { placeOfLocation } from "../../workspace";
import { type CameraRow, findCameraAt, requireCameraAt } from "../find";

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

/** The same archive for work that is done in somebody's name; null where they may not read it now. */
export async function archiveFor(
  context: Pick<Context, "db">,
  asker: CredentialRef,
  cameraId: string,
  locationId: string,
): Promise<Archive | null> {
  if (!(await mayReadImages(context, asker, locationId))) return null;
  const camera = await findCameraAt(context, cameraId, locationId);
  return camera && { camera, locationId };
}
