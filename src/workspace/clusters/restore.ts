import { and, eq, isNotNull, sql } from "drizzle-orm";
import { auditStatement, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { requireRoom } from "../../uploads";
import { queueAssetIndex } from "../indexing";
import { placeOfCluster } from "../places";
import { clusters, locations } from "../tables";
import { findInTrash, notInTrash, takeOutOfTrash } from "../trash/take";
import { presentCluster } from "./present";

/**
 * Restores a cluster with the locations that were deleted with it; what was deleted before by itself stays deleted.
 * @throws DomainError 401, 403, 404, 409, 507.
 */
export async function restoreCluster(context: Context, clusterId: string) {
  const caller = requireUser(context);
  const { db, now } = context;
  const [row] = await db.select().from(clusters).where(eq(clusters.id, clusterId));
  if (row === undefined) throw notFound();
  requireLevel(context, placeOfCluster(row), "ClusterView", "ClusterView", WRITE);
  if (row.deletedAt === null) throw notInTrash();
  if (!(await findInTrash(context, row.id))) throw notFound();
  const next = { ...row, deletedAt: null, revision: row.revision + 1, updatedAt: now };
  const change = beginChange(context);
  takeOutOfTrash(context, change, row.id);
  change.add(
    db
      .update(clusters)
      .set(next)
      .where(and(eq(clusters.id, row.id), isNotNull(clusters.deletedAt))),
    db
      .update(locations)
      .set({ deletedAt: null, deletedWith: null, revision: sql`${locations.revision} + 1` })
      .where(and(eq(locations.clusterId, row.id), eq(locations.deletedWith, row.id))),
  );
  requireRoom(context, change, row, 0);
  change.add(
    auditStatement(context, {
      organizationId: row.organizationId,
      action: "cluster.restored",
      subjectType: "cluster",
      subjectId: row.id,
      details: { name: row.name },
    }),
  );
  queueAssetIndex(change, "cluster", row);
  await change.commit();
  return presentCluster(caller, next);
}
