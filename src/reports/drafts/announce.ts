import type { Change } from "../../platform/db/change";
import type { ReportRow } from "./find";

/** Tells those who look at the location that a report came, changed or went. */
export function announceReport(
  change: Change,
  row: Pick<ReportRow, "id" | "tenantId" | "locationId">,
  action: "created" | "updated" | "deleted",
  revision: number | null,
): void {
  const { id, locationId, tenantId } = row;
  change.announce({ type: "state-updated", locationId, subject: "report", subjectId: id, action, revision }, tenantId);
}
