import { and, asc, eq, gt, sql } from "drizzle-orm";
import { idsInScope, inScope, type KeysetPage, requireUser, type UserCaller } from "../../access";
import type { Context } from "../../platform/context";
import { readCursor, toPage } from "../../platform/db/cursor";
import type { Database } from "../../platform/db/database";
import { idKey } from "../fields";
import { type SpatialQuery, spatialScope } from "../spatial";
import { locations } from "../tables";
import { presentLocation } from "./present";

export type LocationQuery = SpatialQuery & { clusterId?: string | undefined };

/** The statement behind the list of locations: through the one cluster asked for, or through the scope. */
export function selectLocations(
  db: Database,
  caller: UserCaller,
  query: Pick<LocationQuery, "includeShared" | "organizationId" | "clusterId">,
  page: KeysetPage,
) {
  const { scope, where } = spatialScope(caller, "location", locations, query);
  const columns = { tenantId: locations.tenantId, clusterId: locations.clusterId, locationId: locations.id };
  const { clusterId } = query;
  const condition =
    clusterId === undefined
      ? sql`${locations.id} IN (${idsInScope(scope, { table: locations, id: locations.id, columns, where }, page)})`
      : and(eq(locations.clusterId, clusterId), gt(locations.id, page.after ?? ""), where, inScope(scope, columns));
  return db.select().from(locations).where(condition).orderBy(asc(locations.id)).limit(page.limit);
}

/** The locations the caller may see, in order of id. */
export async function listLocations(context: Context, query: LocationQuery) {
  const caller = requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const rows = await selectLocations(context.db, caller, query, { after, limit: query.limit + 1 });
  return toPage(
    rows,
    query.limit,
    (row) => [row.id],
    (row) => presentLocation(caller, row),
  );
}
