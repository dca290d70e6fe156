import { and, eq } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { endRoomsOf } from "../room/rooms";
import { reports } from "../tables";
import { announceReport } from "./announce";
import { requireReport } from "./find";

/** Deletes a report and its jobs; the PDFs that were made of it stay documents. @throws DomainError 401, 403, 404, 409, 412. */
export async function deleteReport(context: Context, reportId: string, precondition: Precondition): Promise<void> {
  const { report: row } = await requireReport(context, reportId, WRITE);
  checkPrecondition(precondition, row.revision);
  const change = beginChange(context)
    .add(context.db.delete(reports).where(and(eq(reports.id, row.id), eq(reports.revision, row.revision))))
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "report.deleted",
        subjectType: "report",
        subjectId: row.id,
        details: { locationId: row.locationId, title: row.title },
      }),
    );
  await endRoomsOf(context, change, [row.id]);
  announceReport(change, row, "deleted", null);
  await change.commit();
}
