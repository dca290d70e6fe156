import { and, eq, exists, isNotNull, sql } from "drizzle-orm";
import { inSet } from "../../platform/db/sets";
import type { TreePart } from "../../workspace";
import { locations } from "../../workspace/tables";
import { endRoomsOf } from "../room/rooms";
import { reports } from "../tables";

/** Reports of a deleted location or cluster; their jobs go with them. */
export const reportPart: TreePart = {
  name: "reports",
  async take(context, { type, id }, change, limit) {
    if (type === "document") return 0;
    const { db } = context;
    const gone = exists(
      db
        .select({ one: sql`1` })
        .from(locations)
        .where(and(eq(locations.id, reports.locationId), isNotNull(locations.deletedAt))),
    );
    const within = type === "location" ? eq(reports.locationId, id) : eq(reports.clusterId, id);
    const rows = await db.select({ id: reports.id }).from(reports).where(and(within, gone)).limit(limit);
    const ids = rows.map((row) => row.id);
    if (ids.length === 0) return 0;
    await endRoomsOf(context, change, ids);
    change.add(db.delete(reports).where(inSet(reports.id, ids)));
    return ids.length;
  },
};
