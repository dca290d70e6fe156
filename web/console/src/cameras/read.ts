import { dataOf, eachItem, type Location, type LocationCamera } from "../../../../client/src/index.ts";
import { api } from "../platform/session.ts";

/** All cameras that are or were at a location. */
export const readCamerasAt = (locationId: string): Promise<LocationCamera[]> =>
  Array.fromAsync(
    eachItem((cursor) =>
      dataOf(
        api.GET("/v1/spatial/locations/{locationId}/cameras", {
          params: { path: { locationId }, query: { limit: 100, cursor } },
        }),
      ),
    ),
  );

/** The locations of an organization where the person may have cameras. */
export async function readCameraPlaces(organizationId: string): Promise<Location[]> {
  const all = await Array.fromAsync(
    eachItem((cursor) =>
      dataOf(api.GET("/v1/spatial/locations", { params: { query: { organizationId, limit: 100, cursor } } })),
    ),
  );
  return all.filter(({ capabilities }) => capabilities.LocationCameras === "Write");
}
