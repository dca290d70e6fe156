import { eq, isNull, type SQL, sql } from "drizzle-orm";
import { type AccessFacts, inScope, isOutOfScope, scopeOf } from "../access";
import { documents } from "../documents/tables";
import { clusters, locations } from "../workspace/tables";
import { notifications } from "./tables";
import type { OriginType } from "./types";

/** Each kind of origin, seen at the place where it is today, not where it was when it was told; null when none can be seen. */
const CONDITIONS: Readonly<Record<OriginType, (facts: AccessFacts) => SQL | null>> = {
  "spatial-document": (facts) => {
    const scope = scopeOf(facts, "Documents", "document");
    const place = {
      tenantId: documents.tenantId,
      clusterId: locations.clusterId,
      locationId: locations.id,
      documentId: documents.id,
    };
    if (isOutOfScope(scope, place)) return null;
    return sql`EXISTS (SELECT 1 FROM ${documents} JOIN ${locations} ON ${locations.id} = ${documents.locationId}
      WHERE ${documents.id} = ${notifications.documentId} AND ${documents.deletedAt} IS NULL AND ${documents.latestVersion} > 0
        AND ${locations.deletedAt} IS NULL AND ${inScope(scope, place)})`;
  },
  location: (facts) => atLocation(facts, "LocationView", "location"),
  cluster: (facts) => {
    const scope = scopeOf(facts, "ClusterView", "cluster");
    const place = { tenantId: clusters.tenantId, clusterId: clusters.id };
    if (isOutOfScope(scope, place)) return null;
    return sql`EXISTS (SELECT 1 FROM ${clusters} WHERE ${clusters.id} = ${notifications.clusterId} AND ${clusters.deletedAt} IS NULL
      AND ${inScope(scope, place)})`;
  },
  annotation: (facts) => atLocation(facts, "LocationBundles", "content"),
  report: (facts) => atLocation(facts, "Reports", "content"),
  camera: (facts) => atLocation(facts, "LocationCameras", "content"),
  organization: (facts) => {
    const scope = scopeOf(facts, "OrganizationView", "content", { includeShared: false });
    const place = { tenantId: notifications.organizationId };
    return isOutOfScope(scope, place) ? null : inScope(scope, place);
  },
};

function atLocation(
  facts: AccessFacts,
  capability: "LocationView" | "LocationBundles" | "Reports" | "LocationCameras",
  of: "location" | "content",
): SQL | null {
  const scope = scopeOf(facts, capability, of);
  const place = { tenantId: locations.tenantId, clusterId: locations.clusterId, locationId: locations.id };
  if (isOutOfScope(scope, place)) return null;
  return sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${notifications.locationId} AND ${locations.deletedAt} IS NULL
    AND ${inScope(scope, place)})`;
}

/**
 * The inbox's one predicate: what this credential may see of its user's notifications now. List,
 * count, marking as read and live delivery all ask it. Null when it can see none, whatever there is.
 */
export function visibleTo(facts: AccessFacts): SQL | null {
  const origins = Object.entries(CONDITIONS).flatMap(([origin, conditionFor]) => {
    const condition = conditionFor(facts);
    return condition === null ? [] : [sql`(${notifications.originType} = ${origin} AND ${condition})`];
  });
  // What has no origin is about the personal workspace, which a token for organizations leaves out.
  if (facts.limits.organizationIds === null) origins.push(isNull(notifications.originType));
  if (origins.length === 0) return null;
  return sql`(${eq(notifications.userId, facts.userId)} AND (${sql.join(origins, sql` OR `)}))`;
}
