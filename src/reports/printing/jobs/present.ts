import { z } from "@hono/zod-openapi";
import { holds, type UserCaller } from "../../../access";
import { placeOfDocument } from "../../../documents";
import { orNull } from "../../../platform/http/router";
import { idSchema } from "../../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../../platform/time";
import { REPORT_JOB_STATUSES } from "../../tables";
import type { FoundReportJob } from "./find";
import { STEPS } from "./steps";

const missingImagesSchema = z.array(
  z.object({
    image: z.string().openapi({ description: "The path, or what the draft says in its place." }),
    code: z.string(),
    detail: z.string(),
  }),
);

const warningsSchema = z.array(
  z.object({
    code: z.string(),
    at: z.string().openapi({ description: "The first words of what it is about." }),
    detail: z.string(),
  }),
);

export const reportJobSchema = z
  .object({
    id: idSchema,
    reportId: idSchema,
    status: z.enum(REPORT_JOB_STATUSES),
    progress: z.object({
      done: z.int(),
      total: z.int(),
      step: z.enum([...STEPS, "done"]).openapi({ description: "What it does now." }),
    }),
    error: z.object({ code: z.string(), detail: z.string() }).nullable(),
    missingImages: missingImagesSchema.openapi({ description: "Pictures that the PDF shows a placeholder for." }),
    warnings: warningsSchema.openapi({
      description: "What the paper did not take as it is: `table-very-small`, `too-wide`.",
    }),
    documentId: idSchema.nullable().openapi({
      description: "The PDF, as a document of the location; null until it is there, and where you may not read it.",
    }),
    version: z.int().nullable().openapi({ description: "The version of that document." }),
    downloadUrl: orNull(z.string()).openapi({ description: "Where the PDF is got, below the service's address." }),
    createdAtUtc: utcSchema,
    startedAtUtc: utcSchema.nullable(),
    finishedAtUtc: utcSchema.nullable(),
  })
  .openapi("ReportJob");

export const statusPath = (jobId: string): string => `/v1/reports/jobs/${jobId}`;

/** A job as its caller may see it. */
export function presentReportJob(
  caller: UserCaller,
  { job, document }: FoundReportJob,
): z.infer<typeof reportJobSchema> {
  const readable = document !== null && holds(caller, "Documents", placeOfDocument(document));
  const pdf = readable && job.documentVersion !== null ? { id: document.id, version: job.documentVersion } : null;
  const { errorCode: code, errorDetail: detail } = job;
  return {
    id: job.id,
    reportId: job.reportId,
    status: job.status,
    progress: { done: job.progressDone, total: STEPS.length, step: STEPS[job.progressDone] ?? "done" },
    error: code === null || detail === null ? null : { code, detail },
    missingImages: missingImagesSchema.parse(job.missingImages ?? []),
    warnings: warningsSchema.parse(job.warnings ?? []),
    documentId: pdf?.id ?? null,
    version: pdf?.version ?? null,
    downloadUrl: pdf === null ? null : `/v1/documents/${pdf.id}/download?version=${pdf.version}`,
    createdAtUtc: toUtc(job.createdAt),
    startedAtUtc: toUtcOrNull(job.startedAt),
    finishedAtUtc: toUtcOrNull(job.finishedAt),
  };
}
