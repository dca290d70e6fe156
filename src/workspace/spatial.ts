import { z } from "@hono/zod-openapi";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  type Capability,
  type GrantTarget,
  type Level,
  type ResourcePath,
  requireLevel,
  requireUser,
  type Scope,
  scopeOf,
  type UserCaller,
} from "../access";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import { pageQuery } from "../platform/db/cursor";
import { notFound } from "../platform/errors";
import { idSchema } from "../platform/ids";
import { clusters, locations } from "./tables";

/** The workspace that a list is limited to. */
export const tenantQuery = z
  .union([idSchema, z.literal("personal")])
  .optional()
  .openapi({ description: "Lists only resources of this organization, or of personal workspaces." });
type TenantQuery = z.infer<typeof tenantQuery>;

/** Query fields that lists of clusters and locations share. */
export const spatialQuery = pageQuery.extend({
  includeShared: z
    .enum(["true", "false"])
    .default("true")
    .transform((text) => text === "true")
    .openapi({
      type: "boolean",
      description: "Whether the list contains resources that only a grant gives you access to.",
    }),
  organizationId: tenantQuery,
});
export type SpatialQuery = z.infer<typeof spatialQuery>;

/** Limits the tenants of a scope to the workspace of the query. */
export function within(scope: Scope, { userId }: UserCaller, organizationId: TenantQuery): Scope {
  const tenant = organizationId === "personal" ? userId : organizationId;
  return tenant === undefined ? scope : { ...scope, tenants: scope.tenants.filter((id) => id === tenant) };
}

/** Condition: the row is in the workspace of the query. It limits rows that a grant gives access to. */
export const tenantFilter = (table: { organizationId: SQLiteColumn }, organizationId: TenantQuery): SQL | undefined =>
  organizationId === undefined
    ? undefined
    : organizationId === "personal"
      ? isNull(table.organizationId)
      : eq(table.organizationId, organizationId);

/** The scope of a list of clusters or locations, and a condition: the row is not deleted and is in the workspace of the query. */
export function spatialScope(
  caller: UserCaller,
  of: "cluster" | "location",
  table: typeof clusters | typeof locations,
  query: Pick<SpatialQuery, "includeShared" | "organizationId">,
): { scope: Scope; where: SQL } {
  const { includeShared, organizationId } = query;
  const whole = scopeOf(caller.facts, of === "cluster" ? "ClusterView" : "LocationView", of, { includeShared });
  const where = and(isNull(table.deletedAt), tenantFilter(table, organizationId)) as SQL;
  return { scope: within(whole, caller, organizationId), where };
}

export type ClusterRow = typeof clusters.$inferSelect;
export type LocationRow = typeof locations.$inferSelect;

export const organizationPath = (organizationId: string): ResourcePath => ({
  tenantId: organizationId,
  organizationId,
});

export const clusterPath = (row: Pick<ClusterRow, "id" | "tenantId" | "organizationId">): ResourcePath => ({
  tenantId: row.tenantId,
  organizationId: row.organizationId,
  clusterId: row.id,
});

export const locationPath = (
  row: Pick<LocationRow, "id" | "tenantId" | "organizationId" | "clusterId">,
): ResourcePath => ({
  tenantId: row.tenantId,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  locationId: row.id,
});

/** Reads a cluster that the caller may use at this level. @throws DomainError 401, 403, 404 (absent or hidden). */
export async function requireCluster(
  context: Context,
  clusterId: string,
  capability: Capability,
  level: Level,
): Promise<ClusterRow> {
  requireUser(context);
  const [row] = await context.workspace
    .select()
    .from(clusters)
    .where(and(eq(clusters.id, clusterId), isNull(clusters.deletedAt)));
  if (row === undefined) throw notFound();
  requireLevel(context, clusterPath(row), "ClusterView", capability, level);
  return row;
}

/** Reads a location that is not deleted, without an access check. Null if there is none. */
export async function findLocation(
  { workspace }: Pick<Context, "workspace">,
  locationId: string,
): Promise<LocationRow | null> {
  const [row] = await workspace
    .select()
    .from(locations)
    .where(and(eq(locations.id, locationId), isNull(locations.deletedAt)));
  return row ?? null;
}

/** Reads a location that the caller may use at this level. @throws DomainError 401, 403, 404 (absent or hidden). */
export async function requireLocation(
  context: Context,
  locationId: string,
  capability: Capability,
  level: Level,
): Promise<LocationRow> {
  requireUser(context);
  const row = await findLocation(context, locationId);
  if (row === null) throw notFound();
  requireLevel(context, locationPath(row), "LocationView", capability, level);
  return row;
}

/*
 * A deletion marks the cluster or the location, and all locations of a deleted cluster, in one batch. The contents of
 * a location are visible only while the location is not deleted. A change that adds to a location uses these guards.
 */

/** Guard: the organization exists and is not deleted. */
export const organizationExists = (id: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${organizations} WHERE ${organizations.id} = ${id} AND ${organizations.deletedAt} IS NULL)`;

/** Guard: the cluster exists and is not deleted. */
export const clusterExists = (id: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${clusters} WHERE ${clusters.id} = ${id} AND ${clusters.deletedAt} IS NULL)`;

/** Guard: the location exists, and neither it nor its cluster is deleted. */
export const locationExists = (id: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${id} AND ${locations.deletedAt} IS NULL)`;

/** Guard: the location exists and is still in the same cluster. Rows that are added to it have both ids. */
export const locationUnchanged = ({ id, clusterId }: { id: string; clusterId: string }): SQL =>
  sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${id} AND ${locations.clusterId} = ${clusterId} AND ${locations.deletedAt} IS NULL)`;

/** Queues a job that indexes a cluster, location or annotation again. It commits with the change. */
export function queueAssetIndex(
  change: Change,
  type: "cluster" | "location" | "annotation",
  { id, tenantId }: { id: string; tenantId: string },
): void {
  change.job("index-asset", { type, id }, { tenantId, dedupeKey: `index-asset:${id}` });
}

/**
 * Queues a job that updates which guests find a resource and its contents in a search. It follows a new grant, or a
 * move (`moved`).
 */
export function queueSharedIndex(
  change: Change,
  target: GrantTarget,
  { id, tenantId }: { id: string; tenantId: string },
  moved = false,
): void {
  const payload = moved ? { target, id, moved } : { target, id };
  change.job("index-shared", payload, { tenantId, dedupeKey: `index-shared:${moved}:${id}` });
}
