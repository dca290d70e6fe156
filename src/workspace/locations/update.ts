import { and, eq, isNull } from "drizzle-orm";
import { auditStatement, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { queueAssetIndex, queueSharedIndex } from "../indexing";
import { clusterLives } from "../living";
import { type LocationRow, requireCluster, requireLocation } from "../places";
import { MOST_LOCATIONS, noRoom } from "../room";
import { locations } from "../tables";
import { requirePair } from "./coordinates";
import type { NewLocation } from "./create";
import { presentLocation } from "./present";
import { hasRoom } from "./room";

/** The cluster a location is to move to: of the same tenant, and one where the caller may write locations. */
async function requireTarget(context: Context, row: LocationRow, clusterId: string): Promise<void> {
  const target = await requireCluster(context, clusterId, "LocationView", WRITE);
  if (target.tenantId !== row.tenantId)
    throw new DomainError("rule-violated", "A location moves only between clusters of the same workspace.");
}

/**
 * Changes a location's own fields, or moves it to another cluster, where all it holds follows it.
 * @throws DomainError 401, 403, 404, 409, 412, 422.
 */
export async function updateLocation(
  context: Context,
  locationId: string,
  given: Partial<NewLocation>,
  precondition: Precondition,
) {
  const row = await requireLocation(context, locationId, "LocationView", WRITE);
  checkPrecondition(precondition, row.revision);
  const next: LocationRow = {
    ...row,
    clusterId: given.clusterId ?? row.clusterId,
    name: given.name ?? row.name,
    description: given.description ?? row.description,
    address: given.address === undefined ? row.address : given.address,
    latitude: given.latitude === undefined ? row.latitude : given.latitude,
    longitude: given.longitude === undefined ? row.longitude : given.longitude,
    metadata: given.metadata ?? row.metadata,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  requirePair(next);
  const moves = next.clusterId !== row.clusterId;
  if (moves) await requireTarget(context, row, next.clusterId);
  const change = beginChange(context);
  if (moves)
    change
      .guard(clusterLives(next.clusterId), notFound())
      .guard(hasRoom(next.clusterId), noRoom("That cluster", MOST_LOCATIONS))
      .add(
        auditStatement(context, {
          organizationId: row.organizationId,
          action: "location.moved",
          subjectType: "location",
          subjectId: row.id,
          details: { fromClusterId: row.clusterId, toClusterId: next.clusterId },
        }),
      );
  const unchanged = and(eq(locations.id, row.id), eq(locations.revision, row.revision), isNull(locations.deletedAt));
  change.add(context.db.update(locations).set(next).where(unchanged)).guardChanged(staleRevision());
  const { tenantId } = row;
  change.announce(
    {
      type: "state-updated",
      locationId,
      subject: "location",
      subjectId: locationId,
      action: "updated",
      revision: next.revision,
    },
    tenantId,
  );
  if (moves) change.announce({ type: "location-access-changed", locationIds: [locationId] }, tenantId);
  queueAssetIndex(change, "location", row);
  if (moves) queueSharedIndex(change, "location", row, true);
  await change.commit();
  return presentLocation(requireUser(context), next);
}
