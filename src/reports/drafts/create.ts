import { sql } from "drizzle-orm";
import { requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { fewerThan, locationStands, noRoom, requireLocation } from "../../workspace";
import { MOST_REPORTS } from "../limits";
import { type Content, reports } from "../tables";
import { chooseTemplate, noTemplate, type TemplateChoice, templateStands } from "../templates/find";
import { announceReport } from "./announce";
import type { ReportRow } from "./find";
import { presentReport } from "./present";

export interface NewReport extends TemplateChoice {
  title?: string | undefined;
  contentJson?: Content | undefined;
}

/**
 * Begins a report for a location: a draft of its own, or a copy of the template's skeleton.
 * @throws DomainError 401, 403, 404, 422.
 */
export async function createReport(context: Context, locationId: string, given: NewReport) {
  const location = await requireLocation(context, locationId, "Reports", WRITE);
  const caller = requireUser(context);
  const template = await chooseTemplate(context, location, given);
  const row: ReportRow = {
    id: newId(),
    tenantId: location.tenantId,
    organizationId: location.organizationId,
    clusterId: location.clusterId,
    locationId,
    templateId: template.id,
    title: given.title ?? template.displayName,
    contentJson: given.contentJson ?? template.contentTemplateJson,
    revision: 1,
    pdfDocumentId: null,
    pdfVersion: null,
    pdfJobId: null,
    pdfGeneratedAt: null,
    roomOpenedAt: null,
    createdBy: caller.userId,
    createdAt: context.now,
    updatedAt: context.now,
  };
  const others = sql`SELECT 1 FROM ${reports} WHERE ${reports.locationId} = ${locationId}`;
  const change = beginChange(context)
    .guard(locationStands(location), notFound())
    .guard(templateStands(template.id), noTemplate())
    .guard(fewerThan(MOST_REPORTS, others), noRoom("This location", MOST_REPORTS))
    .add(context.db.insert(reports).values(row));
  announceReport(change, row, "created", 1);
  await change.commit();
  return presentReport(caller, { report: row, templateKey: template.key, pdfDocument: null });
}
