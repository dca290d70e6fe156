import { requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { baseOf, checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { isAsRead, locationExists } from "../../workspace";
import { draftAt, keepBase, mergeThreeWays } from "../merging";
import { type Content, reports } from "../tables";
import { announceReport, contentSchema, presentReport, type ReportRow, requireReport } from "./reports";

interface ReportReplacement {
  contentJson: Content;
  title?: string | undefined;
}

/** Maximum number of repeats of a write after a concurrent write. */
const MAX_TRIES = 10;

const roomIsOccupied = (revision: number): DomainError =>
  new DomainError(
    "stale-revision",
    "People are editing this report now. Send the revision that you started from as baseRevision or If-Match: the service merges your changes with theirs.",
    { currentRevision: revision },
  );

/** The draft after a write: the changes since its base, merged with the changes of others. @throws DomainError 409, 412. */
async function mergedContent(context: Context, row: ReportRow, given: Content, precondition: Precondition) {
  const { revision } = row;
  const base = baseOf(precondition);
  const known = base === null || base === revision ? null : await draftAt(context, row, base);
  if (known === null) {
    checkPrecondition(precondition, revision);
    return given;
  }
  // Both may be sent, but they must name the same revision.
  if (precondition.baseRevision !== undefined) checkPrecondition({ ifMatch: precondition.ifMatch }, base ?? revision);
  const { value, conflicts } = mergeThreeWays(known, given, row.contentJson);
  if (conflicts.length > 0)
    throw new DomainError(
      "stale-revision",
      "Others changed the same fields. Read the report again and repeat your change.",
      {
        currentRevision: revision,
        errors: conflicts.slice(0, MAX_REPORTED_CONFLICTS).map((path) => ({
          path: path === "" ? "contentJson" : `contentJson.${path}`,
          message: "was changed by others since your base revision",
        })),
      },
    );
  const merged = contentSchema.safeParse(value);
  if (!merged.success)
    throw new DomainError(
      "content-too-large",
      "The draft is too large after merging the changes of others. Shorten it.",
    );
  return merged.data;
}

/** Conflicting fields that an answer names. */
const MAX_REPORTED_CONFLICTS = 50;

/**
 * Replaces a report's draft. With an earlier base revision, the service merges it with the changes of others. Without a
 * base, it replaces the draft unless people are editing it.
 * @throws DomainError 401, 403, 404, 409, 412.
 */
export async function updateReport(
  context: Context,
  reportId: string,
  given: ReportReplacement,
  precondition: Precondition,
) {
  for (let tries = 1; ; tries++) {
    let found = await requireReport(context, reportId, WRITE);
    const isShared = found.report.roomOpenedAt !== null;
    // Edits of open rooms are written as a revision first, so that this write is compared with them.
    if (isShared && (await context.rooms.flush(reportId)) !== null)
      found = await requireReport(context, reportId, WRITE);
    const row = found.report;
    if (isShared && baseOf(precondition) === null && (await context.rooms.isOccupied(reportId)))
      throw roomIsOccupied(row.revision);
    const written = {
      contentJson: await mergedContent(context, row, given.contentJson, precondition),
      title: given.title ?? row.title,
      revision: row.revision + 1,
      updatedAt: context.now,
    };
    const raced = staleRevision();
    const change = beginChange(context, row.tenantId)
      .guard(locationExists(row.locationId), notFound())
      .add(context.workspace.update(reports).set(written).where(isAsRead(reports, row)))
      .guardChanged(raced);
    keepBase(context, change, row, written.contentJson, context.now);
    announceReport(change, row, "updated", written.revision);
    try {
      await change.commit();
    } catch (thrown) {
      if (thrown !== raced || tries === MAX_TRIES || baseOf(precondition) === null) throw thrown;
      continue;
    }
    if (isShared) await context.rooms.merge(reportId);
    return presentReport(requireUser(context), { ...found, report: { ...row, ...written } });
  }
}
