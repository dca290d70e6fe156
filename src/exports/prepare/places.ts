import { and, asc, eq, isNull } from "drizzle-orm";
import { readCameraPlaces } from "../../cameras";
import type { Context } from "../../platform/context";
import { clusters, locations } from "../../workspace/tables";
import type { WorkspaceExportRow } from "../tables";
import { foldersOf } from "./names";

/** The folders of an export: of each location, as `cluster/location`, and of each chosen camera at a location. */
export interface Places {
  locations: { id: string; folder: string }[];
  cameras: { cameraId: string; locationId: string; folder: string }[];
}

/** Gives each location and camera its folder. Locations in the trash have none, and so no files. */
export async function choosePlaces(
  context: Context,
  { tenantId, hasImages, cameraIds }: WorkspaceExportRow,
): Promise<Places> {
  const { workspace } = context;
  const ofClusters = await workspace
    .select({ id: clusters.id, name: clusters.name })
    .from(clusters)
    .where(and(eq(clusters.tenantId, tenantId), isNull(clusters.deletedAt)))
    .orderBy(asc(clusters.id));
  const ofLocations = await workspace
    .select({ id: locations.id, name: locations.name, clusterId: locations.clusterId })
    .from(locations)
    .where(and(eq(locations.tenantId, tenantId), isNull(locations.deletedAt)))
    .orderBy(asc(locations.id));
  const clusterFolders = foldersOf(ofClusters);
  const folders = new Map<string, string>();
  for (const [clusterId, inCluster] of Map.groupBy(ofLocations, (location) => location.clusterId)) {
    const outer = clusterFolders.get(clusterId);
    if (outer !== undefined) for (const [id, own] of foldersOf(inCluster)) folders.set(id, `${outer}/${own}`);
  }
  const cameras: Places["cameras"] = [];
  const found = hasImages ? await readCameraPlaces(context, tenantId, cameraIds) : [];
  for (const [locationId, here] of Map.groupBy(found, (camera) => camera.locationId)) {
    const outer = folders.get(locationId);
    if (outer === undefined) continue;
    for (const [cameraId, own] of foldersOf(here.map((camera) => ({ id: camera.cameraId, name: camera.name }))))
      cameras.push({ cameraId, locationId, folder: `${outer}/${own}` });
  }
  return { locations: [...folders].map(([id, folder]) => ({ id, folder })), cameras };
}
