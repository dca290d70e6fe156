import { and, eq, isNotNull, lte, sql } from "drizzle-orm";
import { levelAt, userRef, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { complete, continueLater, type JobHandler, type RecurringHandler } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";
import { findLocation, type LocationRow, loadAccessAtLocation, locationPath } from "../../workspace";
import { EXPIRED_FOLDERS_PER_SLICE, FOLDER_DOCUMENTS_PER_SLICE } from "../limits";
import { folderChanges, folders } from "../tables";
import { announceFolders, findChange, locationsOf } from "./changes";
import { addSlice, type FolderChangeRow, sliceEnd } from "./slices";

const isRunning = (id: string) => and(eq(folderChanges.id, id), eq(folderChanges.status, "running"));

/** Why a change stops. */
const STOPS = {
  locationDeleted: "The location was deleted.",
  accessEnded: "The person who asked for this may not change documents here any more.",
  failed: "The service could not go on. Try again.",
} as const;

/** Ends a change that cannot go on. What is done stays. */
const stop = ({ workspace, now }: Context, change: Change, id: string, reason: string): Change =>
  change.add(workspace.update(folderChanges).set({ status: "stopped", finishedAt: now, reason }).where(isRunning(id)));

/** Whether the person who asked for a change may still change the documents of one of its locations. */
async function mayStillChange(context: Context, { createdBy }: FolderChangeRow, location: LocationRow) {
  if (createdBy === null) return false;
  const { held } = await loadAccessAtLocation(context, [userRef(createdBy)], location.id, [], Date.now());
  const theirs = held[0]?.facts;
  return theirs !== undefined && levelAt(theirs, "Documents", locationPath(location)) >= WRITE;
}

/** Changes the documents of a folder, in slices. Each slice checks the access of the person again. */
export const changeFolderJob: JobHandler<"change-folder"> = {
  async run(context, { payload: { changeId }, state }) {
    const { workspace, now } = context;
    const row = await findChange(context, changeId);
    if (row?.status !== "running") return complete();
    const change = beginChange(context, row.tenantId);
    const places: LocationRow[] = [];
    for (const id of locationsOf(row)) {
      const place = await findLocation(context, id);
      if (place === null) return complete(announceFolders(stop(context, change, changeId, STOPS.locationDeleted), row));
      if (!(await mayStillChange(context, row, place)))
        return complete(announceFolders(stop(context, change, changeId, STOPS.accessEnded), row));
      places.push(place);
    }
    const target = places.at(-1);
    if (target === undefined) return complete();
    const after = state === null ? null : sliceEnd.parse(state);
    const { done, refused, reason, end } = await addSlice(
      context,
      change,
      row,
      target,
      after,
      FOLDER_DOCUMENTS_PER_SLICE,
    );
    const left = { done: row.done + done, refused: row.refused + refused, reason: row.reason ?? reason };
    const ended = end === null && ({ status: "done", finishedAt: now } as const);
    change.add(
      workspace
        .update(folderChanges)
        .set({ ...left, ...ended })
        .where(isRunning(changeId)),
    );
    const progress = { done: left.done + left.refused, total: row.total };
    if (end !== null) return continueLater(end, { change, progress });
    return complete(announceFolders(change, row), progress);
  },
  failed(context, { payload: { changeId } }, change) {
    stop(context, change, changeId, STOPS.failed);
  },
};

/** Deletes folders that nobody can restore any more, and ended changes of folders. */
export const expireFolders: RecurringHandler<"expire-folders"> = {
  hasWork({ now, settings }) {
    const old = now - settings.RECOVERY_WINDOW_DAYS * DAY;
    return sql`EXISTS (SELECT 1 FROM ${folders} WHERE ${folders.deletedAt} IS NOT NULL AND ${folders.deletedAt} <= ${old})
      OR EXISTS (SELECT 1 FROM ${folderChanges} WHERE ${folderChanges.finishedAt} IS NOT NULL AND ${folderChanges.finishedAt} <= ${old})`;
  },
  async run(context) {
    const { workspace, settings } = context;
    const old = Date.now() - settings.RECOVERY_WINDOW_DAYS * DAY;
    const [gone, ended] = await Promise.all([
      workspace
        .select({ id: folders.id, tenantId: folders.tenantId })
        .from(folders)
        .where(and(isNotNull(folders.deletedAt), lte(folders.deletedAt, old), isHere(folders.tenantId)))
        .limit(EXPIRED_FOLDERS_PER_SLICE),
      workspace
        .select({ id: folderChanges.id, tenantId: folderChanges.tenantId })
        .from(folderChanges)
        .where(
          and(isNotNull(folderChanges.finishedAt), lte(folderChanges.finishedAt, old), isHere(folderChanges.tenantId)),
        )
        .limit(EXPIRED_FOLDERS_PER_SLICE),
    ]);
    // The rows of a workspace that moves wait.
    if (gone.length + ended.length === 0) return complete();
    const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
    const change = beginChange(context, [...new Set([...gone, ...ended].map(({ tenantId }) => tenantId))]).add(
      workspace.delete(folders).where(and(inSet(folders.id, idsOf(gone)), isNotNull(folders.deletedAt))),
      workspace.delete(folderChanges).where(inSet(folderChanges.id, idsOf(ended))),
    );
    const more = [gone, ended].some((rows) => rows.length === EXPIRED_FOLDERS_PER_SLICE);
    return more ? continueLater(null, { change }) : complete(change);
  },
};
