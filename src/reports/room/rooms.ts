import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Subscriber } from "../../events";
import { KeyedMutex } from "../../platform/concurrency";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
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
  const room = (reportId: string) => REPORT_ROOM.getByName(reportId);
  return {
    flush: (reportId) => room(reportId).flush(),
    isOccupied: async (reportId) => room(reportId).isOccupied(),
    merge: (reportId) => room(reportId).merge(),
    recheck: (reportIds) => eachOf(reportIds, (reportId) => room(reportId).recheck()),
    end: (reportIds) => eachOf(reportIds, (reportId) => room(reportId).end()),
  };
};

/** Checks access again in the rooms of these users, or of these locations. */
async function recheckRooms(
  { workspace, rooms, now }: Pick<Context, "workspace" | "rooms" | "now">,
  of: { userIds: readonly string[] } | { locationIds: readonly string[] },
): Promise<void> {
  const theirs =
    "userIds" in of ? inSet(reportRoomMembers.userId, of.userIds) : inSet(reportRoomMembers.locationId, of.locationIds);
  const [, found] = await workspace.batch([
    workspace.delete(reportRoomMembers).where(sql`${theirs} AND ${reportRoomMembers.expiresAt} <= ${now}`),
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
    if (event.type === "access-changed") await recheckRooms(context, { userIds: event.userIds });
    if (event.type === "location-access-changed") await recheckRooms(context, { locationIds: event.locationIds });
    return null;
  },
};

/** Adds a job that ends the rooms of reports to the change that deletes them. Call it before the rows are deleted. */
export async function endRoomsOf(context: Context, change: Change, reportIds: readonly string[]): Promise<void> {
  const found = await context.workspace
    .select({ id: reports.id })
    .from(reports)
    .where(sql`${inSet(reports.id, reportIds)} AND ${isNotNull(reports.roomOpenedAt)}`);
  if (found.length > 0) change.job("end-report-rooms", { reportIds: found.map(({ id }) => id) });
}

/** Closes the rooms of deleted reports. */
export const endReportRooms: JobHandler<"end-report-rooms"> = {
  async run({ rooms }, { payload }) {
    await rooms.end(payload.reportIds);
    return complete();
  },
};

type Write = Pick<Context, "workspace">;

/**
 * Records the users of a room in the database, so that a loss of access finds them. Writes are serialized: closing one
 * window does not remove a user who has opened another.
 */
export class Register {
  readonly #mutex = new KeyedMutex();

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive("", work);
  }

  /** Records a user with an open connection, until the last of the user's tokens expires. */
  enter({ workspace }: Write, row: typeof reportRoomMembers.$inferInsert): Promise<unknown> {
    const longest = { expiresAt: sql`max(${reportRoomMembers.expiresAt}, excluded.expires_at)` };
    return this.#inTurn(async () =>
      workspace
        .insert(reportRoomMembers)
        .values(row)
        .onConflictDoUpdate({ target: [reportRoomMembers.reportId, reportRoomMembers.userId], set: longest }),
    );
  }

  /** Removes a user, unless `isIn` says that the user has another connection by then. */
  leave({ workspace }: Write, reportId: string, userId: string, isIn: () => boolean): Promise<unknown> {
    const theirs = and(eq(reportRoomMembers.reportId, reportId), eq(reportRoomMembers.userId, userId));
    return this.#inTurn(async () => (isIn() ? null : workspace.delete(reportRoomMembers).where(theirs)));
  }
}
