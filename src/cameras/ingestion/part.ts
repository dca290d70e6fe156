import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/sets";
import { giveUpObjects, type Tree, type TreePart } from "../../workspace";
import { locations, uploads } from "../../workspace/tables";
import { rejectedKey } from "../keys";
import { captureOperations } from "../tables";

/** The operations of a deleted tree. */
function within({ db }: Pick<Context, "db">, { type, id }: Tree): SQL | undefined {
  if (type === "document") return undefined;
  const place = type === "location" ? eq(locations.id, id) : eq(locations.clusterId, id);
  const gone = db
    .select({ id: locations.id })
    .from(locations)
    .where(and(place, isNotNull(locations.deletedAt)));
  return sql`${captureOperations.locationId} IN ${gone}`;
}

/**
 * Operations of captures at a deleted location: unfinished ones end, and rejected images go. Their
 * uploads stay until no address can bring bytes back.
 */
export const operationPart: TreePart = {
  name: "capture-operations",
  async take(context, tree, change, limit) {
    const { db, now } = context;
    const condition = within(context, tree);
    if (condition === undefined) return 0;
    const rows = await db
      .select({
        id: captureOperations.id,
        cameraId: captureOperations.cameraId,
        organizationId: captureOperations.tenantId,
      })
      .from(captureOperations)
      .where(condition)
      .limit(limit);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    const keys = rows.map(({ id: operationId, cameraId, organizationId }) =>
      rejectedKey({ organizationId, cameraId, operationId }),
    );
    giveUpObjects(context, change, sql`SELECT value FROM json_each(${JSON.stringify(keys)})`);
    change.add(
      db
        .update(uploads)
        .set({ status: "expired", finishedAt: now })
        .where(and(inSet(uploads.id, ids), inArray(uploads.status, ["pending", "verifying"]))),
      db.delete(captureOperations).where(inSet(captureOperations.id, ids)),
      db.delete(uploads).where(and(inSet(uploads.id, ids), isNotNull(uploads.cleanedAt))),
    );
    return ids.length;
  },
};
