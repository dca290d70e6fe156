import { z } from "@hono/zod-openapi";
import { and, eq, isNull, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Scope, scopeOf, type UserCaller } from "../access";
import { pageQuery } from "../platform/db/cursor";
import { idSchema } from "../platform/ids";
import type { clusters, locations } from "./tables";

/** Which workspace a list is narrowed to. */
export const tenantQuery = z
  .union([idSchema, z.literal("personal")])
  .optional()
  .openapi({ description: "Only of this organization, or of personal workspaces." });
type TenantQuery = z.infer<typeof tenantQuery>;

/** Query fields that lists of clusters and locations share. */
export const spatialQuery = pageQuery.extend({
  includeShared: z
    .enum(["true", "false"])
    .default("true")
    .transform((text) => text === "true")
    .openapi({ type: "boolean", description: "Whether what you reach through grants only is listed too." }),
  organizationId: tenantQuery,
});
export type SpatialQuery = z.infer<typeof spatialQuery>;

/** A scope without the workspaces that were not asked for. */
export function within(scope: Scope, { userId }: UserCaller, organizationId: TenantQuery): Scope {
  const tenant = organizationId === "personal" ? userId : organizationId;
  return tenant === undefined ? scope : { ...scope, tenants: scope.tenants.filter((id) => id === tenant) };
}

/** The same for rows that single grants reach. */
export const tenantFilter = (table: { organizationId: SQLiteColumn }, organizationId: TenantQuery): SQL | undefined =>
  organizationId === undefined
    ? undefined
    : organizationId === "personal"
      ? isNull(table.organizationId)
      : eq(table.organizationId, organizationId);

/** What a list of living clusters or locations reads: the scope, and the filter that is left for the rows. */
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
