import { and, eq, isNull } from "drizzle-orm";
import { auditStatement, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { announceHidden, expireUploadsIn } from "../deletion/hide";
import { queueAssetIndex } from "../indexing";
import { type ClusterRow, placeOfCluster, requireCluster } from "../places";
import { clusters, locations } from "../tables";
import { purge, requireOwner } from "../trash/purge";
import { putInTrash } from "../trash/put";
import { findInTrash } from "../trash/take";

/** A cluster that its owner may purge: one that lives, or is in the trash. @throws DomainError 401, 403, 404. */
async function requirePurgeable(context: Context, clusterId: string): Promise<ClusterRow> {
  requireUser(context);
  const [row] = await context.db.select().from(clusters).where(eq(clusters.id, clusterId));
  if (row === undefined) throw notFound();
  requireLevel(context, placeOfCluster(row), "ClusterView", "ClusterView", WRITE);
  if (row.deletedAt !== null && !(await findInTrash(context, row.id))) throw notFound();
  requireOwner(context, row);
  return row;
}

/**
 * Deletes a cluster and everything in it: invisible from this change on, together with its locations, and not counted.
 * It stays in the trash for the recovery window, unless it is purged. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteCluster(
  context: Context,
  clusterId: string,
  precondition: Precondition,
  isPurged: boolean,
): Promise<void> {
  const row = isPurged
    ? await requirePurgeable(context, clusterId)
    : await requireCluster(context, clusterId, "ClusterView", WRITE);
  checkPrecondition(precondition, row.revision);
  const { db, now } = context;
  const { id, tenantId, organizationId, name, deletedAt } = row;
  const asRead = deletedAt === null ? isNull(clusters.deletedAt) : eq(clusters.deletedAt, deletedAt);
  const living = and(eq(locations.clusterId, id), isNull(locations.deletedAt));
  const held = deletedAt === null ? await db.select({ id: locations.id }).from(locations).where(living) : [];
  const change = beginChange(context)
    .add(
      db
        .update(clusters)
        .set({ deletedAt: deletedAt ?? now })
        .where(and(eq(clusters.id, id), eq(clusters.revision, row.revision), asRead)),
    )
    .guardChanged(staleRevision())
    .add(db.update(locations).set({ deletedAt: now, deletedWith: id }).where(living))
    .add(
      auditStatement(context, {
        organizationId,
        action: isPurged ? "cluster.purged" : "cluster.deleted",
        subjectType: "cluster",
        subjectId: id,
        details: { name },
      }),
    );
  if (deletedAt === null) {
    expireUploadsIn(context, change, "cluster", row);
    announceHidden(
      change,
      held.map((location) => location.id),
      tenantId,
    );
    queueAssetIndex(change, "cluster", row);
  }
  if (isPurged) purge(context, change, "cluster", row);
  else
    putInTrash(context, change, {
      kind: "cluster",
      id,
      tenantId,
      organizationId,
      clusterId: id,
      locationId: null,
      documentId: null,
      name,
    });
  await change.commit();
}
