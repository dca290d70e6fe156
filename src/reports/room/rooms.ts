import { and, eq, isNotNull, sql } from "drizzle-orm";
import { placesOfPeople, readIn } from "../../access";
import type { Subscriber } from "../../events";
import { KeyedMutex } from "../../platform/concurrency";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isHere, workspaceMoves } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import { currentOrigin } from "../../platform/log";
import { reach } from "../../platform/outages";
import type { ReportRooms } from "../../platform/ports";
import { MAX_ROOMS_PER_ACCESS_CHECK } from "../limits";
import { reportRoomMembers, reports } from "../tables";

/** Rooms called in parallel: an isolate has six connections. */
const MAX_PARALLEL = 6;

async function eachOf(reportIds: readonly string[], ask: (reportId: string) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < reportIds.length; at += MAX_PARALLEL)
    await Promise.all(reportIds.slice(at, at + MAX_PARALLEL).map(ask));
}

/** The rooms through their Durable Objects. */
export const openRooms = ({ REPORT_ROOM }: Pick<Cloudflare.Env, "REPORT_ROOM">): ReportRooms => {
  type Room = ReturnType<typeof REPORT_ROOM.getByName>;
  const ask = <T>(reportId: string, call: (room: Room) => PromiseLike<T>): Promise<T> =>
    reach("durable object", async () => call(REPORT_ROOM.getByName(reportId)));
  return {
    async flush(reportId) {
      const revision = await ask<number | "moving" | null>(reportId, (room) => room.flush(currentOrigin()));
      if (revision === "moving") throw workspaceMoves();
      return revision;
    },
    isOccupied: (reportId) => ask<boolean>(reportId, (room) => room.isOccupied()),
    merge: (reportId) => ask<void>(reportId, (room) => room.merge(currentOrigin())),
    recheck: (reportIds) => eachOf(reportIds, (reportId) => ask(reportId, (room) => room.recheck(currentOrigin()))),
    end: (reportIds) => eachOf(reportIds, (reportId) => ask(reportId, (room) => room.end())),
  };
};

/**
 * Checks access again in the rooms of these users in all of their databases, and in the database of this event: the person may have
 * lost the last thing there. A job of the directory has no workspace database of its own.
 */
async function recheckRoomsOf(context: Context, userIds: readonly string[]): Promise<void> {
  const names = new Set((await placesOfPeople(context, userIds)).keys());
  if (context.databases.names.includes(context.database)) names.add(context.database);
  await readIn(context, [...names], (there) => recheckRooms(there, { userIds }));
}

/** Checks access again in the rooms of these users, or of these locations, in one database. */
async function recheckRooms(
  { workspace, rooms, now }: Pick<Context, "workspace" | "rooms" | "now">,
  of: { userIds: readonly string[] } | { locationIds: readonly string[] },
): Promise<void> {
  const theirs =
    "userIds" in of ? inSet(reportRoomMembers.userId, of.userIds) : inSet(reportRoomMembers.locationId, of.locationIds);
  const [, found] = await workspace.batch([
    workspace
      .delete(reportRoomMembers)
      .where(sql`${theirs} AND ${reportRoomMembers.expiresAt} <= ${now} AND ${isInPlace}`),
    workspace
      .selectDistinct({ id: reportRoomMembers.reportId })
      .from(reportRoomMembers)
      .where(theirs)
      .limit(MAX_ROOMS_PER_ACCESS_CHECK),
  ]);
  await rooms.recheck(found.map(({ id }) => id));
}

/** Report rooms: are checked again when access may have become smaller. */
export const reportRooms: Subscriber = {
  name: "report-rooms",
  async deliver(context, event) {
    if (event.type === "access-changed") await recheckRoomsOf(context, event.userIds);
    if (event.type === "location-access-changed") await recheckRooms(context, { locationIds: event.locationIds });
    return null;
  },
};

/** Adds a job to the change that deletes reports. The job ends their rooms. Call this before the rows are deleted. */
export async function endRoomsOf(context: Context, change: Change, reportIds: readonly string[]): Promise<void> {
  const found = await context.workspace
    .select({ id: reports.id })
    .from(reports)
    .where(sql`${inSet(reports.id, reportIds)} AND ${isNotNull(reports.roomOpenedAt)}`);
  if (found.length > 0) change.job("end-report-rooms", { reportIds: found.map(({ id }) => id) });
}

/**
 * Closes the rooms of deleted reports. The room of a report in the trash keeps its data, and is open again after a
 * restoration.
 */
export const endReportRooms: JobHandler<"end-report-rooms"> = {
  async run({ workspace, rooms }, { payload: { reportIds } }) {
    const rows = await workspace.select({ id: reports.id }).from(reports).where(inSet(reports.id, reportIds));
    const kept = new Set(rows.map(({ id }) => id));
    await rooms.recheck(reportIds.filter((id) => kept.has(id)));
    await rooms.end(reportIds.filter((id) => !kept.has(id)));
    return complete();
  },
};

/** Whether the workspace of the report is here. A row that a move keeps ends with the user's token. */
const isInPlace = isHere(
  sql`(SELECT ${reports.tenantId} FROM ${reports} WHERE ${reports.id} = ${reportRoomMembers.reportId})`,
);

/**
 * Records the users of a room in the database, so that a loss of access finds them. Writes are serialized: closing one
 * window does not remove a user who has opened another.
 */
export class Register {
  readonly #mutex = new KeyedMutex();

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive("", work);
  }

  /** Records a user of the workspace's report with an open connection, until the last of the user's tokens expires. */
  enter(context: Context, tenantId: string, row: typeof reportRoomMembers.$inferInsert): Promise<unknown> {
    const longest = { expiresAt: sql`max(${reportRoomMembers.expiresAt}, excluded.expires_at)` };
    const target = [reportRoomMembers.reportId, reportRoomMembers.userId];
    return this.#inTurn(() =>
      beginChange(context, tenantId)
        .add(context.workspace.insert(reportRoomMembers).values(row).onConflictDoUpdate({ target, set: longest }))
        .commit(),
    );
  }

  /** Removes a user, unless `isIn` says that the user has another connection by then. */
  leave(
    { workspace }: Pick<Context, "workspace">,
    reportId: string,
    userId: string,
    isIn: () => boolean,
  ): Promise<unknown> {
    const theirs = and(eq(reportRoomMembers.reportId, reportId), eq(reportRoomMembers.userId, userId), isInPlace);
    return this.#inTurn(async () => (isIn() ? null : workspace.delete(reportRoomMembers).where(theirs)));
  }
}
