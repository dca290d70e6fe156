import { and, eq, exists, isNotNull, type SQL, sql } from "drizzle-orm";
import { auditStatement, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import {
  type DeletedTree,
  type DeletionStep,
  findInTrash,
  finishDeletion,
  hasLocations,
  isAsRead,
  locationExists,
  notInTrash,
  parentDeleted,
  removeFromTrash,
  requireExistingParent,
  requirePurgeable,
} from "../../workspace";
import { locations } from "../../workspace/tables";
import { endRoomsOf } from "../room";
import { isOpenJob, reportJobs, reports } from "../tables";
import { announceReport, type FoundReport, hasCapacity, placeOfReport, type ReportRow, requireReport } from "./reports";

/** Reads a report, deleted or not. @throws DomainError 401, 404. */
async function findReport(context: Context, reportId: string): Promise<ReportRow> {
  requireUser(context);
  const [row] = await context.workspace.select().from(reports).where(eq(reports.id, reportId));
  if (row === undefined) throw notFound();
  return row;
}

/** Reads a report that its owner may purge. It may be in the trash. @throws DomainError 401, 403, 404. */
async function findPurgeable(context: Context, reportId: string): Promise<ReportRow> {
  const row = await findReport(context, reportId);
  await requirePurgeable(context, row, placeOfReport(row), "Reports");
  return row;
}

/** Adds the end of a report that is visible: its room closes, and the PDFs that wait are cancelled. */
async function addEnd(context: Context, change: Change, row: ReportRow): Promise<void> {
  const { workspace, now } = context;
  change.add(
    workspace
      .update(reportJobs)
      .set({ status: "cancelled", snapshot: null, finishedAt: now })
      .where(and(eq(reportJobs.reportId, row.id), isOpenJob)),
  );
  await endRoomsOf(context, change, [row.id]);
  announceReport(change, row, "deleted", row.revision);
}

/**
 * Deletes a report and cancels its open jobs; its PDFs remain as documents. It stays in the trash for the recovery
 * window, unless it is purged. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteReport(
  context: Context,
  reportId: string,
  precondition: Precondition,
  isPurged: boolean,
): Promise<void> {
  const read = async () =>
    isPurged ? findPurgeable(context, reportId) : (await requireReport(context, reportId, WRITE)).report;
  let row = await read();
  checkPrecondition(precondition, row.revision);
  // What people have typed in the room is part of the report that can be restored.
  const isOpen = row.deletedAt === null && !isPurged && row.roomOpenedAt !== null;
  if (isOpen && (await context.rooms.flush(reportId)) !== null) row = await read();
  const { id, tenantId, organizationId, clusterId, locationId, title, deletedAt } = row;
  const change = beginChange(context, tenantId)
    .guard(
      sql`EXISTS (SELECT 1 FROM ${reports} WHERE ${reports.id} = ${id} AND ${reports.deletedAt} IS ${deletedAt})`,
      notFound(),
    )
    .add(
      context.workspace
        .update(reports)
        .set({ deletedAt: deletedAt ?? context.now })
        .where(isAsRead(reports, row)),
    )
    .guardChanged(staleRevision());
  if (deletedAt === null) await addEnd(context, change, row);
  finishDeletion(
    context,
    change,
    isPurged,
    { kind: "report", id, tenantId, organizationId, clusterId, locationId, name: title },
    { locationId, title },
  );
  await change.commit();
}

/**
 * Restores a report with its draft and its revision.
 * @throws DomainError 401, 403, 404, 409 (its location is deleted, or it is not in the trash), 422 (too many reports).
 */
export async function restoreReport(context: Context, reportId: string): Promise<FoundReport> {
  const row = await findReport(context, reportId);
  requireLevel(context, placeOfReport(row), "Reports", "Reports", WRITE);
  await requireExistingParent(context, row);
  if (row.deletedAt === null) throw notInTrash();
  if (!(await findInTrash(context, row.id))) throw notFound();
  const { id, tenantId, organizationId, locationId, title, revision } = row;
  const change = beginChange(context, tenantId);
  removeFromTrash(context, change, "report", id);
  change
    .guard(locationExists(locationId), parentDeleted())
    .guard(...hasCapacity(locationId))
    .add(
      context.workspace
        .update(reports)
        .set({ deletedAt: null })
        .where(and(eq(reports.id, id), isNotNull(reports.deletedAt))),
    )
    .add(
      auditStatement(context, {
        organizationId,
        action: "report.restored",
        subjectType: "report",
        subjectId: id,
        details: { locationId, title },
      }),
    );
  announceReport(change, row, "created", revision);
  await change.commit();
  return requireReport(context, id, WRITE);
}

/** Condition: a deleted report, or a report of deleted locations of the tree. Null for a tree without reports. */
function within({ workspace }: Context, tree: DeletedTree): SQL | null {
  const { type, id } = tree;
  if (type === "report") return and(eq(reports.id, id), isNotNull(reports.deletedAt)) ?? null;
  if (!hasLocations(tree)) return null;
  const gone = exists(
    workspace
      .select({ one: sql`1` })
      .from(locations)
      .where(and(eq(locations.id, reports.locationId), isNotNull(locations.deletedAt))),
  );
  return and(type === "location" ? eq(reports.locationId, id) : eq(reports.clusterId, id), gone) ?? null;
}

/** Removes the reports of a deleted tree; their jobs are removed with them. */
export const reportDeletion: DeletionStep = {
  name: "reports",
  async deleteRows(context, tree, change, limit) {
    const { workspace } = context;
    const condition = within(context, tree);
    if (condition === null) return 0;
    const rows = await workspace.select({ id: reports.id }).from(reports).where(condition).limit(limit);
    const ids = rows.map((row) => row.id);
    if (ids.length === 0) return 0;
    await endRoomsOf(context, change, ids);
    change.add(workspace.delete(reports).where(inSet(reports.id, ids)));
    return ids.length;
  },
};
