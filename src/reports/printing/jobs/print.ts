import { and, eq, exists, isNull, lt, or, sql } from "drizzle-orm";
import { levelAt, userRef, WRITE } from "../../../access";
import { addGeneratedVersion, type DocumentRow } from "../../../documents";
import { documentNotDeleted, documents } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import { beginChange, type Change } from "../../../platform/db/change";
import { DomainError } from "../../../platform/errors";
import {
  complete,
  continueLater,
  type Job,
  JobFailure,
  type JobHandler,
  type Outcome,
} from "../../../platform/jobs/handlers";
import { BrowsersBusy, PrintFailure, type PrintWarning } from "../../../platform/ports";
import { HOUR, SECOND, toUtc } from "../../../platform/time";
import { findLocation, loadAccessAtLocation } from "../../../workspace";
import { announceReport, placeOfReport, type ReportRow } from "../../drafts";
import { digestOf, type MissingImage, renderInput, withoutLostFrames } from "../../rendering";
import { type Content, isOpenJob, reportJobs, reports } from "../../tables";
import { enterStep, type FoundReportJob, findReportJob, STEPS, snapshotOf } from "./jobs";

/** A job fails when it found no free browser for this long. */
const MAX_WAIT_MS = HOUR;
/** Pause while an older job of the same report runs: versions are made in the order of their requests. */
const QUEUE_DELAY_MS = SECOND;

/** Whether an older job of the report has not ended. */
async function isBehindAnother({ workspace }: Context, { job }: FoundReportJob): Promise<boolean> {
  const older = await workspace
    .select({ id: reportJobs.id })
    .from(reportJobs)
    .where(and(eq(reportJobs.reportId, job.reportId), lt(reportJobs.id, job.id), isOpenJob))
    .limit(1);
  return older.length > 0;
}

/** Checks that the user who requested the PDF still has the access to do so. @throws JobFailure access-lost. */
async function requireStillAllowed(context: Context, { job, report }: FoundReportJob): Promise<void> {
  const ref = userRef(job.requestedBy);
  const { held } = await loadAccessAtLocation(context, [ref], report.locationId, [], context.now);
  const theirs = held[0]?.facts;
  const place = placeOfReport(report);
  const may = (capability: "Reports" | "Documents") =>
    theirs !== undefined && levelAt(theirs, capability, place) >= WRITE;
  if (!may("Reports") || !may("Documents"))
    throw new JobFailure(
      "access-lost",
      "The user who requested the PDF may no longer write reports and documents here.",
    );
}

/** Turns a final error of the printer or the renderer into a job failure; returns other errors unchanged. */
function endOf(thrown: unknown): unknown {
  if (thrown instanceof PrintFailure) return new JobFailure(thrown.code, thrown.detail);
  // A retry does not help: a user has to correct the template or the draft, or to free storage.
  if (thrown instanceof DomainError && ["template-invalid", "rule-violated", "storage-full"].includes(thrown.code))
    return new JobFailure(thrown.code, thrown.detail);
  return thrown;
}

/** Facts about a page: its missing pictures, the warnings of its template and the digest of its input. */
interface Left {
  missingImages: MissingImage[];
  ofTemplate: PrintWarning[];
  inputDigest: string;
}

/** Adds the finished PDF to the change. It becomes the report's latest PDF, unless a newer one exists. */
function finish(
  context: Context,
  change: Change,
  found: FoundReportJob,
  made: { documentId: string; version: number; warnings: PrintWarning[] } & Left,
) {
  const { workspace } = context;
  const { job, report } = found;
  const { documentId, version, missingImages, inputDigest } = made;
  const warnings = [...made.ofTemplate, ...made.warnings];
  const isRunning = exists(
    workspace
      .select({ one: sql`1` })
      .from(reportJobs)
      .where(and(eq(reportJobs.id, job.id), isOpenJob)),
  );
  change.guard(
    isRunning,
    new DomainError("unavailable", "The report was deleted, or its job cancelled, in the meantime."),
  );
  change.add(
    workspace
      .update(reports)
      .set({ pdfDocumentId: documentId, pdfVersion: version, pdfJobId: job.id, pdfGeneratedAt: context.now })
      .where(and(eq(reports.id, report.id), or(isNull(reports.pdfJobId), lt(reports.pdfJobId, job.id)))),
    workspace
      .update(reportJobs)
      .set({
        status: "succeeded",
        progressDone: STEPS.length,
        snapshot: null,
        missingImages,
        warnings,
        inputDigest,
        documentId,
        documentVersion: version,
        finishedAt: context.now,
      })
      .where(eq(reportJobs.id, job.id)),
  );
  announceReport(change, report, "updated", report.revision);
  change.announce({ type: "report-printed", reportId: report.id, jobId: job.id }, report.tenantId);
}

async function print(context: Context, found: FoundReportJob): Promise<Outcome> {
  const { job, report } = found;
  const location = await findLocation(context, report.locationId);
  if (location === null) throw new JobFailure("location-gone", "The location was deleted in the meantime.");
  await requireStillAllowed(context, found);
  const snapshot = await snapshotOf(context, job.id);
  if (snapshot === null) return complete();
  // Only these facts are kept, because the page itself is large.
  const left: Left = { missingImages: [], ofTemplate: [], inputDigest: job.inputDigest };
  const { pdf, warnings } = await context.printer.print(async () => {
    await enterStep(context, job, "rendering");
    // The job may have waited for a browser: frames that the user lost access to meanwhile are not printed.
    const reader = userRef(job.requestedBy);
    const images = await withoutLostFrames(context, report.locationId, snapshot.images, reader);
    const input = { ...snapshot, images };
    if ((await digestOf(input)) !== (await digestOf(snapshot))) left.inputDigest = await digestOf(input);
    const {
      html,
      title,
      language,
      missingImages,
      warnings: ofTemplate,
      shown,
    } = await renderInput(context, input, "make");
    Object.assign(left, { missingImages, ofTemplate });
    await enterStep(context, job, "printing");
    const { updatedAt } = snapshot.report;
    const data = shown === null ? {} : { data: fileOf(title, updatedAt, shown) };
    return { html, title, language, madeAt: updatedAt, ...data };
  });
  await enterStep(context, job, "storing");
  const change = beginChange(context, report.tenantId);
  const made = await addGeneratedVersion(context, change, location, {
    ...(await pdfPlace(context, report)),
    contentType: "application/pdf",
    bytes: pdf,
    createdBy: job.requestedBy,
  });
  finish(context, change, found, { ...made, ...left, warnings });
  return complete(change);
}

/**
 * Prints a report as it was when the PDF was requested, and adds the PDF to the location's library. It may run any
 * number of times: only its last change has a visible effect. It ends without an error when the report was deleted.
 */
export const printReport: JobHandler<"print-report"> = {
  async run(context, job) {
    const found = await findReportJob(context, job.id);
    if (found === null) return missing(context, job);
    if (found.job.status !== "queued" && found.job.status !== "running") return complete();
    if (await isBehindAnother(context, found)) return continueLater(null, { delayMs: QUEUE_DELAY_MS });
    await beginChange(context, found.job.tenantId)
      .add(
        context.workspace
          .update(reportJobs)
          .set({ startedAt: sql`coalesce(${reportJobs.startedAt}, ${context.now})` })
          .where(eq(reportJobs.id, job.id)),
      )
      .commit();
    try {
      return await print(context, found);
    } catch (thrown) {
      if (!(thrown instanceof BrowsersBusy)) throw endOf(thrown);
      if (context.now - found.job.createdAt > MAX_WAIT_MS)
        throw new JobFailure("browser-unavailable", "No browser was free for printing. Try again later.");
      return continueLater(null, { delayMs: thrown.retryAfterMs });
    }
  },

  failed({ workspace, now }, job, change, { code, detail }) {
    change.add(
      workspace
        .update(reportJobs)
        .set({ status: "failed", errorCode: code, errorDetail: detail, snapshot: null, finishedAt: now })
        .where(and(eq(reportJobs.id, job.id), isOpenJob)),
    );
    change.announce({ type: "report-printed", reportId: job.payload.reportId, jobId: job.id }, job.tenantId);
  },
};

/** The report was deleted, or its location was deleted: only the latter is an error. A deletion of a report ends its open jobs. */
async function missing({ workspace }: Context, { id }: Job<"print-report">): Promise<Outcome> {
  const open = and(eq(reportJobs.id, id), isOpenJob);
  const [row] = await workspace.select({ id: reportJobs.id }).from(reportJobs).where(open);
  if (row === undefined) return complete();
  throw new JobFailure("location-gone", "The location was deleted in the meantime.");
}

/** The file with the data of a report in its PDF. It has no ids of the service. */
const fileOf = (title: string, updatedAt: number, fields: Content) => ({
  fileName: "report.json",
  description: title,
  json: `${JSON.stringify({ title, updatedAtUtc: toUtc(updatedAt), fields }, null, 2)}\n`,
});

/** Folder of the library for printed reports. */
const FOLDER = "reports";
/** Longest slug of a title in a file name, characters. */
const MAX_SLUG_CHARACTERS = 80;

/** A title as a file name: letters and digits stay, other characters become single hyphens. */
export function slugOf(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-");
  const slug = [...words]
    .slice(0, MAX_SLUG_CHARACTERS)
    .join("")
    .replace(/^-+|-+$/g, "");
  return (slug === "" ? "report" : slug).normalize("NFC");
}

/** The place of a report's next PDF: the document of its last PDF, or a free name. */
interface PdfPlace {
  document: DocumentRow | null;
  path: string;
  fileName: string;
}

/**
 * Finds the document that a report's PDFs are versions of, even after it was moved within its location. If another
 * document has the name, the report's id is appended, so that no other document is overwritten.
 */
async function pdfPlace(
  { workspace }: Context,
  report: Pick<ReportRow, "id" | "title" | "locationId" | "pdfDocumentId">,
): Promise<PdfPlace> {
  const path = FOLDER;
  const inLocation = and(eq(documents.locationId, report.locationId), documentNotDeleted());
  if (report.pdfDocumentId !== null) {
    const [document] = await workspace
      .select()
      .from(documents)
      .where(and(eq(documents.id, report.pdfDocumentId), inLocation));
    if (document !== undefined) return { document, path: document.path, fileName: document.fileName };
  }
  const plain = `${slugOf(report.title)}.pdf`;
  const [taken] = await workspace
    .select({ id: documents.id })
    .from(documents)
    .where(and(sql`${documents.path} = ${path}`, eq(documents.fileName, plain), inLocation));
  const fileName = taken === undefined ? plain : `${slugOf(report.title)}-${report.id.slice(-12)}.pdf`;
  return { document: null, path, fileName };
}
