import { z } from "@hono/zod-openapi";
import { holds, type UserCaller } from "../../access";
import { placeOfDocument } from "../../documents";
import { freeJson } from "../../platform/http/free-json";
import { orNull } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { editableFields, organizationIdSchema } from "../../workspace";
import { DRAFT_LIMITS } from "../limits";
import type { FoundReport, ListedReport } from "./find";

export const contentSchema = freeJson(DRAFT_LIMITS);

const latestPdfSchema = z
  .object({ documentId: idSchema, version: z.int(), jobId: idSchema, generatedAtUtc: utcSchema })
  .openapi("ReportPdf");

export const listedReportSchema = z
  .object({
    id: idSchema,
    organizationId: organizationIdSchema,
    clusterId: idSchema,
    locationId: idSchema,
    templateId: idSchema,
    templateKey: z.string(),
    title: z.string(),
    latestPdf: orNull(latestPdfSchema).openapi({
      description: "The PDF that was made last, where it is still in the library and you may read it.",
    }),
    createdBy: idSchema.nullable(),
    ...editableFields,
  })
  .openapi("ReportSummary");

export const reportSchema = listedReportSchema
  .extend({ contentJson: z.record(z.string(), z.unknown()) })
  .openapi("Report");

function latestPdf(caller: UserCaller, { report, pdfDocument }: ListedReport): z.infer<typeof latestPdfSchema> | null {
  const { pdfVersion: version, pdfJobId: jobId, pdfGeneratedAt: at } = report;
  if (pdfDocument === null || version === null || jobId === null || at === null) return null;
  if (!holds(caller, "Documents", placeOfDocument(pdfDocument))) return null;
  return { documentId: pdfDocument.id, version, jobId, generatedAtUtc: toUtc(at) };
}

/** A report in a list: without its draft. */
export const presentListedReport = (caller: UserCaller, found: ListedReport): z.infer<typeof listedReportSchema> => {
  const { report, templateKey } = found;
  return {
    id: report.id,
    organizationId: report.organizationId,
    clusterId: report.clusterId,
    locationId: report.locationId,
    templateId: report.templateId,
    templateKey,
    title: report.title,
    latestPdf: latestPdf(caller, found),
    createdBy: report.createdBy,
    revision: report.revision,
    createdAtUtc: toUtc(report.createdAt),
    updatedAtUtc: toUtc(report.updatedAt),
  };
};

export const presentReport = (caller: UserCaller, found: FoundReport): z.infer<typeof reportSchema> => ({
  ...presentListedReport(caller, found),
  contentJson: found.report.contentJson,
});
