import { isNotNull, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import type { JobHandler } from "../../platform/jobs/handlers";
import { done } from "../../platform/jobs/handlers";
import type { ReportRooms } from "../../platform/report-rooms";
import { reportRoomMembers, reports } from "../tables";

/** Rooms asked at once: an isolate has six connections. */
const AT_ONCE = 6;

async function eachOf(reportIds: readonly string[], ask: (reportId: string) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < reportIds.length; at += AT_ONCE) await Promise.all(reportIds.slice(at, at + AT_ONCE).map(ask));
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
const MOST_ROOMS = 1_000;

/** Asks again who may be in the rooms of these people, or at these locations. */
export async function recheckRooms(
  { db, rooms, now }: Pick<Context, "db" | "rooms" | "now">,
  of: { userIds: readonly string[] } | { locationIds: readonly string[] },
): Promise<void> {
  const theirs =
    "userIds" in of ? inSet(reportRoomMembers.userId, of.userIds) : inSet(reportRoomMembers.locationId, of.locationIds);
  const [, found] = await db.batch([
    db.delete(reportRoomMembers).where(sql`${theirs} AND ${reportRoomMembers.expiresAt} <= ${now}`),
    db.selectDistinct({ id: reportRoomMembers.reportId }).from(reportRoomMembers).where(theirs).limit(MOST_ROOMS),
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
    return done();
  },
};
