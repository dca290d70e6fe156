import { and, asc, eq, gt } from "drizzle-orm";
import { READ, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { idKey, requireLocation } from "../../workspace";
import { reports } from "../tables";
import { selectListedReports } from "./find";
import { presentListedReport } from "./present";

/** A location's reports, in order of id, without their drafts. @throws DomainError 401, 403, 404. */
export async function listReports(context: Context, locationId: string, { limit, cursor }: PageQuery) {
  await requireLocation(context, locationId, "Reports", READ);
  const caller = requireUser(context);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await selectListedReports(context.db, and(eq(reports.locationId, locationId), gt(reports.id, after)))
    .orderBy(asc(reports.id))
    .limit(limit + 1);
  return toPage(
    rows,
    limit,
    ({ report }) => [report.id],
    (row) => presentListedReport(caller, row),
  );
}
