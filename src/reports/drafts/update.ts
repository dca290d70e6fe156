import { and, eq } from "drizzle-orm";
import { requireUser, WRITE } from "../../access";
import type { Context } from "../../context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { locationLives } from "../../workspace";
import { type Content, reports } from "../tables";
import { announceReport } from "./announce";
import { requireReport } from "./find";
import { presentReport } from "./present";

export interface ReportReplacement {
  contentJson: Content;
  title?: string | undefined;
}

/** Replaces a report's draft. @throws DomainError 401, 403, 404, 409, 412. */
export async function updateReport(
  context: Context,
  reportId: string,
  given: ReportReplacement,
  precondition: Precondition,
) {
  const found = await requireReport(context, reportId, WRITE);
  const isShared = found.report.roomOpenedAt !== null;
  // What people are editing is a revision too: it is written before this one is judged by it.
  const settled = isShared ? await context.rooms.flush(reportId) : null;
  const row = { ...found.report, revision: settled ?? found.report.revision };
  checkPrecondition(precondition, row.revision);
  const written = {
    contentJson: given.contentJson,
    title: given.title ?? row.title,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  const change = beginChange(context)
    .guard(locationLives(row.locationId), notFound())
    .add(
      context.db
        .update(reports)
        .set(written)
        .where(and(eq(reports.id, row.id), eq(reports.revision, row.revision))),
    )
    .guardChanged(staleRevision());
  announceReport(change, row, "updated", written.revision);
  await change.commit();
  if (isShared) await context.rooms.merge(reportId);
  return presentReport(requireUser(context), { ...found, report: { ...row, ...written } });
}
