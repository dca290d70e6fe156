import { and, eq, isNull } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { staleRevision } from "../../platform/http/revision";
import { locations } from "../../workspace/tables";
import { announceReport } from "../drafts";
import { keepBase } from "../merging";
import { type Content, reportNotDeleted, reports, reportTemplates } from "../tables";
import { type JsonPath, readFieldPath } from "../templating";

/** The columns of a report that its room uses. */
export interface SettledReport {
  id: string;
  tenantId: string;
  locationId: string;
  contentJson: Content;
  revision: number;
  body: JsonPath | null;
}

/** The report's location and revision, without the draft; null when the report or its location was deleted. */
export async function standingOf({ workspace }: Pick<Context, "workspace">, reportId: string) {
  const [found] = await workspace
    .select({ locationId: reports.locationId, revision: reports.revision })
    .from(reports)
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .where(and(eq(reports.id, reportId), reportNotDeleted()));
  return found ?? null;
}

/** The report's current row; null when the report or its location was deleted. */
export async function readSettled(
  { workspace }: Pick<Context, "workspace">,
  reportId: string,
): Promise<SettledReport | null> {
  const [found] = await workspace
    .select({ report: reports, bodyFieldPath: reportTemplates.bodyFieldPath })
    .from(reports)
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .innerJoin(reportTemplates, eq(reportTemplates.id, reports.templateId))
    .where(and(eq(reports.id, reportId), reportNotDeleted()));
  if (found === undefined) return null;
  const { id, tenantId, locationId, contentJson, revision } = found.report;
  const body = found.bodyFieldPath === null ? null : readFieldPath(found.bodyFieldPath);
  return { id, tenantId, locationId, contentJson, revision, body };
}

/**
 * Writes a draft from its room as the report's next revision; returns false when the row has another revision by now,
 * or was deleted. With `announce`, viewers of the location are notified.
 */
export async function writeSettled(
  context: Context,
  report: SettledReport,
  contentJson: Content,
  announce: boolean,
): Promise<boolean> {
  const stale = staleRevision();
  const now = Date.now();
  const change = beginChange(context, report.tenantId)
    .add(
      context.workspace
        .update(reports)
        .set({ contentJson, revision: report.revision + 1, updatedAt: now })
        .where(and(eq(reports.id, report.id), eq(reports.revision, report.revision), reportNotDeleted())),
    )
    .guardChanged(stale);
  keepBase(context, change, report, contentJson, now);
  if (announce) announceReport(change, report, "updated", report.revision + 1);
  try {
    await change.commit();
    return true;
  } catch (thrown) {
    if (thrown === stale) return false;
    throw thrown;
  }
}
