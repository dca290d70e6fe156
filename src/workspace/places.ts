import { and, eq, isNull } from "drizzle-orm";
import { type Capability, type Level, type Place, requireLevel, requireUser } from "../access";
import type { Context } from "../platform/context";
import { notFound } from "../platform/errors";
import { clusters, locations } from "./tables";

export type ClusterRow = typeof clusters.$inferSelect;
export type LocationRow = typeof locations.$inferSelect;

export const placeOfOrganization = (organizationId: string): Place => ({ tenantId: organizationId, organizationId });

export const placeOfCluster = (row: Pick<ClusterRow, "id" | "tenantId" | "organizationId">): Place => ({
  tenantId: row.tenantId,
  organizationId: row.organizationId,
  clusterId: row.id,
});

export const placeOfLocation = (row: Pick<LocationRow, "id" | "tenantId" | "organizationId" | "clusterId">): Place => ({
  tenantId: row.tenantId,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  locationId: row.id,
});

/** A cluster the caller may use at this level. @throws DomainError 401, 403, 404 (absent or hidden, alike). */
export async function requireCluster(
  context: Context,
  clusterId: string,
  capability: Capability,
  level: Level,
): Promise<ClusterRow> {
  requireUser(context);
  const [row] = await context.db
    .select()
    .from(clusters)
    .where(and(eq(clusters.id, clusterId), isNull(clusters.deletedAt)));
  if (row === undefined) throw notFound();
  requireLevel(context, placeOfCluster(row), "ClusterView", capability, level);
  return row;
}

/** A living location, whoever asks, or null. */
export async function findLocation({ db }: Pick<Context, "db">, locationId: string): Promise<LocationRow | null> {
  const [row] = await db
    .select()
    .from(locations)
    .where(and(eq(locations.id, locationId), isNull(locations.deletedAt)));
  return row ?? null;
}

/** A location the caller may use at this level. @throws DomainError 401, 403, 404 (absent or hidden, alike). */
export async function requireLocation(
  context: Context,
  locationId: string,
  capability: Capability,
  level: Level,
): Promise<LocationRow> {
  requireUser(context);
  const row = await findLocation(context, locationId);
  if (row === null) throw notFound();
  requireLevel(context, placeOfLocation(row), "LocationView", capability, level);
  return row;
}
