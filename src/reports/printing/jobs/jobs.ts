import { z } from "@hono/zod-openapi";
import { and, desc, eq, getTableColumns, inArray, isNull, or, sql } from "drizzle-orm";
import { holds, READ, requireLevel, requireUser, type UserCaller, WRITE } from "../../../access";
import { placeOfDocument } from "../../../documents";
import { documentExists, documents } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import { beginChange } from "../../../platform/db/change";
import { DomainError, notFound } from "../../../platform/errors";
import { orNull } from "../../../platform/http/router";
import { idSchema, newId } from "../../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../../platform/time";
import { chargeJob, fewerThan, locationExists } from "../../../workspace";
import { locations } from "../../../workspace/tables";
import { placeOfReport, requireReport } from "../../drafts/reports";
import { askerOf } from "../../rendering/images/resolve";
import { prepareReport } from "../../rendering/render";
import { REPORT_JOB_STATUSES, reportJobs, reports } from "../../tables";

const { contentJson: _, ...report } = getTableColumns(reports);

/** A job with its report, and the document it made while that is in the library. */
export async function findReportJob({ db }: Pick<Context, "db">, jobId: string) {
  const [found] = await db
    .select({ job: getTableColumns(reportJobs), report, document: documents })
    .from(reportJobs)
    .innerJoin(reports, eq(reports.id, reportJobs.reportId))
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .leftJoin(documents, and(eq(documents.id, reportJobs.documentId), documentExists()))
    .where(eq(reportJobs.id, jobId));
  return found ?? null;
}

export type FoundReportJob = NonNullable<Awaited<ReturnType<typeof findReportJob>>>;

/** A job of a report that the caller may read. @throws DomainError 401, 404 (absent or hidden, alike). */
export async function requireReportJob(context: Context, jobId: string): Promise<FoundReportJob> {
  requireUser(context);
  const found = await findReportJob(context, jobId);
  if (found === null) throw notFound();
  requireLevel(context, placeOfReport(found.report), "Reports", "Reports", READ);
  return found;
}

/** What a job goes through, in order; its progress counts those that are behind it. */
export const STEPS = ["waiting", "rendering", "printing", "storing"] as const;
type Step = (typeof STEPS)[number];

/** A job that has not ended. */
export const isOpen = inArray(reportJobs.status, ["queued", "running"]);

/** Shows that the job has come to a step. */
export async function enterStep({ db }: Context, jobId: string, step: Step): Promise<void> {
  await db
    .update(reportJobs)
    .set({ status: "running", progressDone: STEPS.indexOf(step) })
    .where(and(eq(reportJobs.id, jobId), isOpen));
}

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

/** Largest input that a job keeps, bytes of JSON: a row of the database has two million. */
const LARGEST_INPUT = 1_900_000;

/** PDFs that may wait at once in an organization or a personal workspace. */
const MOST_WAITING = 200;

/** The job that has made, or is making, a PDF of exactly this; null when there is none. */
async function sameJob({ db }: Context, reportId: string, inputDigest: string): Promise<string | null> {
  const stands = sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${reports.pdfDocumentId}
    AND ${documentExists()} AND ${reports.pdfJobId} = ${reportJobs.id})`;
  const [row] = await db
    .select({ id: reportJobs.id })
    .from(reportJobs)
    .innerJoin(reports, eq(reports.id, reportJobs.reportId))
    .where(
      and(
        eq(reportJobs.reportId, reportId),
        eq(reportJobs.inputDigest, inputDigest),
        or(isOpen, and(eq(reportJobs.status, "succeeded"), stands)),
      ),
    )
    .orderBy(desc(reportJobs.id))
    .limit(1);
  return row?.id ?? null;
}

/**
 * Asks for a PDF of the report as it stands now, pictures and branding included. It takes Write of Reports, and of
 * Documents, since the location gets a document of it. An unchanged report gets the job that is there.
 * @returns the job's id. @throws DomainError 401, 403, 404, content-too-large, template-invalid, rule-violated.
 */
export async function generatePdf(context: Context, reportId: string): Promise<string> {
  const found = await requireReport(context, reportId, WRITE);
  requireLevel(context, placeOfReport(found.report), "Reports", "Documents", WRITE);
  // What is being typed belongs to it as well.
  const settled = found.report.roomOpenedAt === null ? null : await context.rooms.flush(reportId);
  const { report } = settled === null ? found : await requireReport(context, reportId, WRITE);
  const caller = requireUser(context);
  const { userId } = caller;
  const { input: snapshot, digest: inputDigest } = await prepareReport(context, report, askerOf(caller));
  const there = await sameJob(context, reportId, inputDigest);
  if (there !== null) return there;

  if (new TextEncoder().encode(JSON.stringify(snapshot)).length > LARGEST_INPUT)
    throw new DomainError("content-too-large", "Draft and template are too large together. Split the report.");
  const { tenantId, organizationId } = report;
  const jobId = newId();
  const row = { id: jobId, reportId, tenantId, inputDigest, snapshot, requestedBy: userId, createdAt: context.now };
  const waiting = sql`SELECT 1 FROM ${reportJobs} WHERE ${reportJobs.tenantId} = ${tenantId} AND ${isOpen}`;
  const tooMany = `${MOST_WAITING} PDFs are waiting to be made already. Ask again when some are done.`;
  const raced = new DomainError("conflict", "The same PDF was asked for at the same time.");
  const change = beginChange(context)
    .guard(locationExists(report.locationId), notFound())
    .guard(fewerThan(MOST_WAITING, waiting), new DomainError("rule-violated", tooMany))
    .add(
      context.db
        .insert(reportJobs)
        .values({ ...row, status: "queued" })
        .onConflictDoNothing(),
    )
    .guardChanged(raced);
  if (organizationId !== null) chargeJob(context, change, organizationId);
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
 * Cancels a job that is still queued; one that was cancelled before stays so.
 * @throws DomainError 401, 403, 404; conflict once it is being printed or has ended.
 */
export async function cancelReportJob(context: Context, jobId: string): Promise<FoundReportJob> {
  const found = await requireReportJob(context, jobId);
  requireLevel(context, placeOfReport(found.report), "Reports", "Reports", WRITE);
  if (found.job.status === "cancelled") return found;
  const cancelled = { status: "cancelled" as const, snapshot: null, finishedAt: context.now };
  await beginChange(context)
    .add(
      context.db
        .update(reportJobs)
        .set(cancelled)
        .where(and(eq(reportJobs.id, jobId), eq(reportJobs.status, "queued"))),
    )
    .guardChanged(new DomainError("conflict", "The PDF is being printed or is done: only a queued job is cancelled."))
    .commit();
  return { ...found, job: { ...found.job, ...cancelled } };
}
