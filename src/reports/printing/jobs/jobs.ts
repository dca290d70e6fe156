import { z } from "@hono/zod-openapi";
import { and, desc, eq, getTableColumns, isNull, or, sql } from "drizzle-orm";
import { holds, READ, requireLevel, requireUser, WRITE } from "../../../access";
import { documentPath } from "../../../documents";
import { documentExists, documents } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import { beginChange } from "../../../platform/db/change";
import { DomainError, notFound } from "../../../platform/errors";
import { orNull } from "../../../platform/http/router";
import { idSchema, newIdIn } from "../../../platform/ids";
import { sayTo } from "../../../platform/languages/reader";
import { PRINT_WARNINGS } from "../../../platform/ports";
import { toUtc, toUtcOrNull, utcSchema } from "../../../platform/time";
import { chargeJobs, fewerThan, locationExists } from "../../../workspace";
import { locations } from "../../../workspace/tables";
import { placeOfReport, reportExists, requireReport } from "../../drafts";
import { MAX_INPUT_BYTES, MAX_WAITING_PDFS } from "../../limits";
import { prepareReport, type ReportInput, readerOf, reportInputSchema } from "../../rendering";
import { isOpenJob, REPORT_JOB_STATUSES, reportJobs, reportNotDeleted, reports } from "../../tables";

const { contentJson: _, ...report } = getTableColumns(reports);
const { snapshot: __, ...job } = getTableColumns(reportJobs);

/** Finds a job with its report, and with its document while that is in the library. Not its snapshot, which is large. */
export async function findReportJob({ workspace }: Pick<Context, "workspace">, jobId: string) {
  const [found] = await workspace
    .select({ job, report, document: documents })
    .from(reportJobs)
    .innerJoin(reports, and(eq(reports.id, reportJobs.reportId), reportNotDeleted()))
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .leftJoin(documents, and(eq(documents.id, reportJobs.documentId), documentExists()))
    .where(eq(reportJobs.id, jobId));
  return found ?? null;
}

/** The inputs that a job prints; null when it has ended. */
export async function snapshotOf(
  { workspace }: Pick<Context, "workspace">,
  jobId: string,
): Promise<ReportInput | null> {
  const [row] = await workspace
    .select({ snapshot: reportJobs.snapshot })
    .from(reportJobs)
    .where(eq(reportJobs.id, jobId));
  return row === undefined || row.snapshot === null ? null : reportInputSchema.parse(row.snapshot);
}

export type FoundReportJob = NonNullable<Awaited<ReturnType<typeof findReportJob>>>;

/** Finds a job of a report that the caller may read. @throws DomainError 401, 404 (absent and hidden alike). */
export async function requireReportJob(context: Context, jobId: string): Promise<FoundReportJob> {
  requireUser(context);
  const found = await findReportJob(context, jobId);
  if (found === null) throw notFound();
  requireLevel(context, placeOfReport(found.report), "Reports", "Reports", READ);
  return found;
}

/** The steps of a job, in order; its progress counts the completed ones. */
export const STEPS = ["waiting", "rendering", "printing", "storing"] as const;
type Step = (typeof STEPS)[number];

/** Records that the job has reached a step. */
export async function enterStep(
  context: Context,
  { id, tenantId }: Pick<FoundReportJob["job"], "id" | "tenantId">,
  step: Step,
): Promise<void> {
  await beginChange(context, tenantId)
    .add(
      context.workspace
        .update(reportJobs)
        .set({ status: "running", progressDone: STEPS.indexOf(step) })
        .where(and(eq(reportJobs.id, id), isOpenJob)),
    )
    .commit();
}

const missingImagesSchema = z.array(
  z.object({
    image: z.string().openapi({ description: "The path of the picture, or the value in the draft." }),
    code: z.string(),
    detail: z.string(),
  }),
);

const warningsSchema = z.array(
  z.object({
    code: z.string(),
    at: z.string().openapi({ description: "The first words of the element." }),
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
      step: z.enum([...STEPS, "done"]).openapi({ description: "The current step." }),
    }),
    error: z.object({ code: z.string(), detail: z.string() }).nullable(),
    missingImages: missingImagesSchema.openapi({
      description: "Pictures that are missing: the PDF shows a placeholder for each.",
    }),
    warnings: warningsSchema.openapi({
      description: `Elements that do not print well: ${PRINT_WARNINGS.map((code) => `\`${code}\``).join(", ")}.`,
    }),
    documentId: idSchema.nullable().openapi({
      description: "The document of the PDF; null until it exists, or if you may not read it.",
    }),
    version: z.int().nullable().openapi({ description: "The version of that document." }),
    downloadUrl: orNull(z.string()).openapi({ description: "The path to download the PDF from." }),
    createdAtUtc: utcSchema,
    startedAtUtc: utcSchema.nullable(),
    finishedAtUtc: utcSchema.nullable(),
  })
  .openapi("ReportJob");

export const statusPath = (jobId: string): string => `/v1/reports/jobs/${jobId}`;

/** Presents a job to a caller; its document only if the caller may read it. */
export function presentReportJob(context: Context, { job, document }: FoundReportJob): z.infer<typeof reportJobSchema> {
  const caller = requireUser(context);
  const said = <One extends { detail: string }>(all: One[]) =>
    all.map((one) => ({ ...one, detail: sayTo(context, one.detail) }));
  const readable = document !== null && holds(caller, "Documents", documentPath(document));
  const pdf = readable && job.documentVersion !== null ? { id: document.id, version: job.documentVersion } : null;
  const { errorCode: code, errorDetail: detail } = job;
  return {
    id: job.id,
    reportId: job.reportId,
    status: job.status,
    progress: { done: job.progressDone, total: STEPS.length, step: STEPS[job.progressDone] ?? "done" },
    error: code === null || detail === null ? null : { code, detail: sayTo(context, detail) },
    missingImages: said(missingImagesSchema.parse(job.missingImages ?? [])),
    warnings: said(warningsSchema.parse(job.warnings ?? [])),
    documentId: pdf?.id ?? null,
    version: pdf?.version ?? null,
    downloadUrl: pdf === null ? null : `/v1/documents/${pdf.id}/download?version=${pdf.version}`,
    createdAtUtc: toUtc(job.createdAt),
    startedAtUtc: toUtcOrNull(job.startedAt),
    finishedAtUtc: toUtcOrNull(job.finishedAt),
  };
}

/** The id of the job that has made, or is making, a PDF of the same input; null when there is none. */
async function sameJob({ workspace }: Context, reportId: string, inputDigest: string): Promise<string | null> {
  const isAvailable = sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${reports.pdfDocumentId}
    AND ${documentExists()} AND ${reports.pdfJobId} = ${reportJobs.id})`;
  const [row] = await workspace
    .select({ id: reportJobs.id })
    .from(reportJobs)
    .innerJoin(reports, eq(reports.id, reportJobs.reportId))
    .where(
      and(
        eq(reportJobs.reportId, reportId),
        eq(reportJobs.inputDigest, inputDigest),
        or(isOpenJob, and(eq(reportJobs.status, "succeeded"), isAvailable)),
      ),
    )
    .orderBy(desc(reportJobs.id))
    .limit(1);
  return row?.id ?? null;
}

/**
 * Requests a PDF of the current report, with its pictures and branding. It needs Write of Reports and of Documents,
 * because the PDF becomes a document of the location. An unchanged report gets its existing job.
 * @returns the job's id. @throws DomainError 401, 403, 404, content-too-large, template-invalid, rule-violated.
 */
export async function generatePdf(context: Context, reportId: string): Promise<string> {
  const found = await requireReport(context, reportId, WRITE);
  requireLevel(context, placeOfReport(found.report), "Reports", "Documents", WRITE);
  // Edits in the open room are part of the report.
  const settled = found.report.roomOpenedAt === null ? null : await context.rooms.flush(reportId);
  const { report } = settled === null ? found : await requireReport(context, reportId, WRITE);
  const caller = requireUser(context);
  const { userId } = caller;
  const { input: snapshot, digest: inputDigest } = await prepareReport(context, report, readerOf(caller));
  const there = await sameJob(context, reportId, inputDigest);
  if (there !== null) return there;

  if (new TextEncoder().encode(JSON.stringify(snapshot)).length > MAX_INPUT_BYTES)
    throw new DomainError("content-too-large", "The draft and the template together are too large. Split the report.");
  const { tenantId, organizationId } = report;
  const jobId = newIdIn(tenantId);
  const row = { id: jobId, reportId, tenantId, inputDigest, snapshot, requestedBy: userId, createdAt: context.now };
  const waiting = sql`SELECT 1 FROM ${reportJobs} WHERE ${reportJobs.tenantId} = ${tenantId} AND ${isOpenJob}`;
  const tooMany = `${MAX_WAITING_PDFS} PDFs are already waiting. Try again when some are done.`;
  const raced = new DomainError("conflict", "The same PDF was requested at the same time. Send the request again.");
  const change = beginChange(context, tenantId)
    .guard(locationExists(report.locationId), notFound())
    .guard(reportExists(reportId), notFound())
    .guard(fewerThan(MAX_WAITING_PDFS, waiting), new DomainError("rule-violated", tooMany))
    .add(
      context.workspace
        .insert(reportJobs)
        .values({ ...row, status: "queued" })
        .onConflictDoNothing(),
    )
    .guardChanged(raced);
  if (organizationId !== null) chargeJobs(context, change, organizationId);
  change.job("print-report", { reportId }, { id: jobId, tenantId, requestedBy: userId });
  try {
    await change.commit();
  } catch (thrown) {
    const winner = thrown === raced ? await sameJob(context, reportId, inputDigest) : null;
    if (winner === null) throw thrown;
    return winner;
  }
  return jobId;
}

/**
 * Cancels a queued job; does nothing when it was cancelled before.
 * @throws DomainError 401, 403, 404; conflict when it is being printed or has ended.
 */
export async function cancelReportJob(context: Context, jobId: string): Promise<FoundReportJob> {
  const found = await requireReportJob(context, jobId);
  requireLevel(context, placeOfReport(found.report), "Reports", "Reports", WRITE);
  if (found.job.status === "cancelled") return found;
  const cancelled = { status: "cancelled" as const, finishedAt: context.now };
  await beginChange(context, found.report.tenantId)
    .add(
      context.workspace
        .update(reportJobs)
        .set({ ...cancelled, snapshot: null })
        .where(and(eq(reportJobs.id, jobId), eq(reportJobs.status, "queued"))),
    )
    .guardChanged(
      new DomainError("conflict", "The PDF is being printed or is done: only a queued job can be cancelled."),
    )
    .commit();
  return { ...found, job: { ...found.job, ...cancelled } };
}
