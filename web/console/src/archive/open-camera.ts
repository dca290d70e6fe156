import { type Camera, dataOf, type Location } from "../../../../client/src/index.ts";
import { areaAt } from "../../../../src/platform/paths.ts";
import { knownPlaces, readCamerasAt } from "../cameras/index.ts";
import { address } from "../platform/router.ts";
import { api, session } from "../platform/session.ts";

/* Which archive a page shows, and what it reads for that. */

export interface Opened {
  /** The name and the clock of the archive: as they were when the camera left the location, if it did. */
  camera: Pick<Camera, "id" | "name" | "timeZone">;
  /** The camera at its present location; null in the archive of a location that it left. */
  present: Camera | null;
  location: Location;
}

const readLocation = (locationId: string): Promise<Location> =>
  dataOf(api.GET("/v1/spatial/locations/{locationId}", { params: { path: { locationId } } }));

/** The camera, and the location whose archive is shown: the camera's own, or one that it was at before. */
async function readCamera(cameraId: string, formerId: string | null): Promise<Opened | null> {
  if (formerId !== null) {
    const [location, cameras] = await Promise.all([readLocation(formerId), readCamerasAt(formerId)]);
    const listed = cameras.find(({ id }) => id === cameraId);
    if (listed === undefined) return null;
    return { camera: listed, present: listed.isHistorical ? null : listed, location };
  }
  const expectedId = knownPlaces.get(cameraId);
  const [camera, expected] = await Promise.all([
    dataOf(api.GET("/v1/cameras/{cameraId}", { params: { path: { cameraId } } })),
    expectedId === undefined ? null : readLocation(expectedId).catch(() => null),
  ]);
  const location = expected?.id === camera.locationId ? expected : await readLocation(camera.locationId);
  return { camera, present: camera, location };
}

/**
 * The camera of the first address. It is read while the organizations are, because the archive waits for it and not for them.
 */
let first: { key: string; read: Promise<Opened | null> } | null = null;
export const keyOf = (cameraId: string, formerId: string | null) => `${cameraId} ${formerId}`;
function readFirst(): void {
  const { pathname, searchParams } = address.peek();
  const at = areaAt(pathname);
  const cameraId = at?.area === "cameras" ? at.path[0] : undefined;
  if (cameraId === undefined || session.peek() === null) return;
  const formerId = searchParams.get("location");
  first = { key: keyOf(cameraId, formerId), read: readCamera(cameraId, formerId) };
  // The page that takes it shows its failure.
  first.read.catch(() => undefined);
}
readFirst();

/** What was read ahead, once; else it is read now. */
export function openCamera(cameraId: string, formerId: string | null): Promise<Opened | null> {
  const ahead = first?.key === keyOf(cameraId, formerId) ? first.read : null;
  first = null;
  return ahead ?? readCamera(cameraId, formerId);
}
