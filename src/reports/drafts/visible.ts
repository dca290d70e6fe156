import { and, asc, isNull, type SQL, sql } from "drizzle-orm";
import { idsInScope, requireUser, scopeOf } from "../../access";
import type { Context } from "../../platform/context";
import { readCursor, toPage } from "../../platform/db/cursor";
import { idKey, type SpatialQuery, tenantFilter, within } from "../../workspace";
import { locations } from "../../workspace/tables";
import { reports } from "../tables";
import { presentListedReport, selectListedReports } from "./reports";

/** Lists the reports of all locations where the caller may read reports, by id, without their drafts. @throws DomainError 401. */
export async function listVisibleReports(context: Context, query: SpatialQuery) {
  const caller = requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const { includeShared, organizationId, limit } = query;
  const scope = within(scopeOf(caller.facts, "Reports", "content", { includeShared }), caller, organizationId);
  const where = and(
    tenantFilter(reports, organizationId),
    sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${reports.locationId} AND ${isNull(locations.deletedAt)})`,
  );
  const columns = { tenantId: reports.tenantId, clusterId: reports.clusterId, locationId: reports.locationId };
  const table = { table: reports, id: reports.id, columns, where: where as SQL };
  const ids = idsInScope(scope, table, { after, limit: limit + 1 });
  const rows = await selectListedReports(context.db, sql`${reports.id} IN (${ids})`).orderBy(asc(reports.id));
  return toPage(
    rows,
    limit,
    ({ report }) => [report.id],
    (row) => presentListedReport(caller, row),
  );
}
