import { sql } from "drizzle-orm";
import { type Place, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { queueAssetIndex } from "../indexing";
import { organizationExists } from "../living";
import { type ClusterRow, placeOfOrganization } from "../places";
import { fewerThan, MOST_CLUSTERS, noRoom } from "../room";
import { clusters } from "../tables";
import { presentCluster } from "./present";

export interface NewCluster {
  /** Null for the caller's personal workspace. */
  organizationId: string | null;
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** Makes a cluster in an organization or in the caller's personal workspace. @throws DomainError 401, 403, 404. */
export async function createCluster(context: Context, given: NewCluster) {
  const caller = requireUser(context);
  const { organizationId } = given;
  const place: Place =
    organizationId === null ? { tenantId: caller.userId, organizationId } : placeOfOrganization(organizationId);
  requireLevel(context, place, organizationId === null ? "ClusterView" : "OrganizationView", "ClusterView", WRITE);
  const row: ClusterRow = {
    id: newId(),
    tenantId: place.tenantId,
    organizationId,
    name: given.name,
    description: given.description ?? "",
    metadata: given.metadata ?? {},
    revision: 1,
    createdBy: caller.userId,
    createdAt: context.now,
    updatedAt: context.now,
    deletedAt: null,
  };
  const change = beginChange(context);
  if (organizationId !== null) change.guard(organizationExists(organizationId), notFound());
  const others = sql`SELECT 1 FROM ${clusters} WHERE ${clusters.tenantId} = ${row.tenantId}`;
  change
    .guard(fewerThan(MOST_CLUSTERS, others), noRoom("This workspace", MOST_CLUSTERS))
    .add(context.db.insert(clusters).values(row));
  queueAssetIndex(change, "cluster", row);
  await change.commit();
  return presentCluster(caller, row);
}
