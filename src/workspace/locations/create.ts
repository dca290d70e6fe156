import { requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { queueAssetIndex } from "../indexing";
import { clusterLives } from "../living";
import { type LocationRow, requireCluster } from "../places";
import { MOST_LOCATIONS, noRoom } from "../room";
import { locations } from "../tables";
import { requirePair } from "./coordinates";
import { presentLocation } from "./present";
import { hasRoom } from "./room";

export interface NewLocation {
  clusterId: string;
  name: string;
  description?: string | undefined;
  address?: string | null | undefined;
  latitude?: number | null | undefined;
  longitude?: number | null | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** Makes a location in a cluster where the caller may write locations. @throws DomainError 401, 403, 404, 422. */
export async function createLocation(context: Context, given: NewLocation) {
  const cluster = await requireCluster(context, given.clusterId, "LocationView", WRITE);
  const caller = requireUser(context);
  const row: LocationRow = {
    id: newId(),
    tenantId: cluster.tenantId,
    organizationId: cluster.organizationId,
    clusterId: cluster.id,
    name: given.name,
    description: given.description ?? "",
    address: given.address ?? null,
    latitude: given.latitude ?? null,
    longitude: given.longitude ?? null,
    metadata: given.metadata ?? {},
    revision: 1,
    createdBy: caller.userId,
    createdAt: context.now,
    updatedAt: context.now,
    deletedAt: null,
    deletedWith: null,
  };
  requirePair(row);
  const change = beginChange(context)
    .guard(clusterLives(cluster.id), notFound())
    .guard(hasRoom(cluster.id), noRoom("This cluster", MOST_LOCATIONS))
    .add(context.db.insert(locations).values(row));
  queueAssetIndex(change, "location", row);
  await change.commit();
  return presentLocation(caller, row);
}
