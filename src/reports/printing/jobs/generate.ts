import { and, desc, eq, isNull, or, sql } from "drizzle-orm";
import { requireLevel, requireUser, WRITE } from "../../../access";
import { documents } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import { beginChange } from "../../../platform/db/change";
import { DomainError, notFound } from "../../../platform/errors";
import { newId } from "../../../platform/ids";
import { chargeJob, fewerThan, locationLives } from "../../../workspace";
import { placeOfReport, requireReport } from "../../drafts/find";
import { askerOf } from "../../rendering/images/resolve";
import { prepareReport } from "../../rendering/prepare";
import { reportJobs, reports } from "../../tables";
import { isOpen } from "./steps";

/** Largest input that a job keeps, bytes of JSON: a row of the database has two million. */
const LARGEST_INPUT = 1_900_000;

/** PDFs that may wait at once in an organization or a personal workspace. */
const MOST_WAITING = 200;

/** The job that has made, or is making, a PDF of exactly this; null when there is none. */
async function sameJob({ db }: Context, reportId: string, inputDigest: string): Promise<string | null> {
  const stands = sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${reports.pdfDocumentId}
    AND ${isNull(documents.deletedAt)} AND ${reports.pdfJobId} = ${reportJobs.id})`;
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
    .guard(locationLives(report.locationId), notFound())
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
