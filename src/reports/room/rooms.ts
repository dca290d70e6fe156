import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import type { ReportRooms } from "../../platform/ports";
import { reportRoomMembers, reports } from "../tables";

/** Rooms asked at once: an isolate has six connections. */
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

/** Rooms that one sweep of access asks: people are in few at a time. */
const MAX_ROOMS = 1_000;

/** Asks again who may be in the rooms of these people, or at these locations. */
export async function recheckRooms(
  { db, rooms, now }: Pick<Context, "db" | "rooms" | "now">,
  of: { userIds: readonly string[] } | { locationIds: readonly string[] },
): Promise<void> {
  const theirs =
    "userIds" in of ? inSet(reportRoomMembers.userId, of.userIds) : inSet(reportRoomMembers.locationId, of.locationIds);
  const [, found] = await db.batch([
    db.delete(reportRoomMembers).where(sql`${theirs} AND ${reportRoomMembers.expiresAt} <= ${now}`),
    db.selectDistinct({ id: reportRoomMembers.reportId }).from(reportRoomMembers).where(theirs).limit(MAX_ROOMS),
  ]);
  await rooms.recheck(found.map(({ id }) => id));
}

/** Adds to the change that deletes reports what ends their rooms: call it before the rows are gone. */
export async function endRoomsOf(context: Context, change: Change, reportIds: readonly string[]): Promise<void> {
  const found = await context.db
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

type Write = Pick<Context, "db">;

/**
 * Who is in a room, written to the database so that a loss of access finds them. One write follows the other:
 * a window that closes strikes out nobody whose next window is open by then.
 */
export class Register {
  #work: Promise<unknown> = Promise.resolve();

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#work.then(work, work);
    this.#work = mine;
    return mine;
  }

  /** Writes down somebody whose connection is open, until the last of their tokens runs out. */
  enter({ db }: Write, row: typeof reportRoomMembers.$inferInsert): Promise<unknown> {
    const longest = { expiresAt: sql`max(${reportRoomMembers.expiresAt}, excluded.expires_at)` };
    return this.#inTurn(async () =>
      db
        .insert(reportRoomMembers)
        .values(row)
        .onConflictDoUpdate({ target: [reportRoomMembers.reportId, reportRoomMembers.userId], set: longest }),
    );
  }

  /** Strikes somebody out, unless they are in when it is their turn. */
  leave({ db }: Write, reportId: string, userId: string, isIn: () => boolean): Promise<unknown> {
    const theirs = and(eq(reportRoomMembers.reportId, reportId), eq(reportRoomMembers.userId, userId));
    return this.#inTurn(async () => (isIn() ? null : db.delete(reportRoomMembers).where(theirs)));
  }
}
