import { z } from "@hono/zod-openapi";
import { and, eq, isNull, type SQL } from "drizzle-orm";
import { type Scope, scopeOf, type UserCaller } from "../access";
import { pageQuery } from "../platform/db/cursor";
import { idSchema } from "../platform/ids";
import type { clusters, locations } from "./tables";

/** Query fields that lists of clusters and locations share. */
export const spatialQuery = pageQuery.extend({
  includeShared: z
    .enum(["true", "false"])
    .default("true")
    .transform((text) => text === "true")
    .openapi({ type: "boolean", description: "Whether what you reach through grants only is listed too." }),
  organizationId: z
    .union([idSchema, z.literal("personal")])
    .optional()
    .openapi({ description: "Only of this organization, or of personal workspaces." }),
});
export type SpatialQuery = z.infer<typeof spatialQuery>;

/** What a list of living clusters or locations reads: the scope, and the filter that is left for the rows. */
export function spatialScope(
  caller: UserCaller,
  of: "cluster" | "location",
  table: typeof clusters | typeof locations,
  query: Pick<SpatialQuery, "includeShared" | "organizationId">,
): { scope: Scope; where: SQL } {
  const { includeShared, organizationId } = query;
  const whole = scopeOf(caller.facts, of === "cluster" ? "ClusterView" : "LocationView", of, { includeShared });
  const tenant = organizationId === "personal" ? caller.userId : organizationId;
  const scope: Scope =
    tenant === undefined ? whole : { ...whole, tenants: whole.tenants.filter((id) => id === tenant) };
  const within =
    organizationId === "personal"
      ? isNull(table.organizationId)
      : organizationId && eq(table.organizationId, organizationId);
  return { scope, where: and(isNull(table.deletedAt), within || undefined) as SQL };
}
