import { asc, sql } from "drizzle-orm";
import { idsInScope, type KeysetPage, requireUser, type UserCaller } from "../../access";
import type { Context } from "../../platform/context";
import { readCursor, toPage } from "../../platform/db/cursor";
import type { Database } from "../../platform/db/database";
import { idKey } from "../fields";
import { type SpatialQuery, spatialScope } from "../spatial";
import { clusters } from "../tables";
import { presentCluster } from "./present";

/** The statement behind the list of clusters. */
export function selectClusters(
  db: Database,
  caller: UserCaller,
  query: Pick<SpatialQuery, "includeShared" | "organizationId">,
  page: KeysetPage,
) {
  const { scope, where } = spatialScope(caller, "cluster", clusters, query);
  const columns = { tenantId: clusters.tenantId, clusterId: clusters.id };
  const ids = idsInScope(scope, { table: clusters, id: clusters.id, columns, where }, page);
  return db.select().from(clusters).where(sql`${clusters.id} IN (${ids})`).orderBy(asc(clusters.id));
}

/** The clusters the caller may see, in order of id. */
export async function listClusters(context: Context, query: SpatialQuery) {
  const caller = requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const rows = await selectClusters(context.db, caller, query, { after, limit: query.limit + 1 });
  return toPage(
    rows,
    query.limit,
    (row) => [row.id],
    (row) => presentCluster(caller, row),
  );
}
