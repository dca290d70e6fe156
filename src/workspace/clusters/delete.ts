import { and, eq, isNull } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { queueTreeDeletion } from "../deletion/queue";
import { queueAssetIndex } from "../indexing";
import { requireCluster } from "../places";
import { clusters, locations } from "../tables";

/**
 * Deletes a cluster and everything in it: invisible from this change on, together with its locations;
 * a job takes the contents away. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteCluster(context: Context, clusterId: string, precondition: Precondition): Promise<void> {
  const row = await requireCluster(context, clusterId, "ClusterView", WRITE);
  checkPrecondition(precondition, row.revision);
  const { db, now } = context;
  const change = beginChange(context)
    .add(
      db
        .update(clusters)
        .set({ deletedAt: now })
        .where(and(eq(clusters.id, row.id), eq(clusters.revision, row.revision), isNull(clusters.deletedAt))),
    )
    .guardChanged(staleRevision())
    .add(
      db
        .update(locations)
        .set({ deletedAt: now })
        .where(and(eq(locations.clusterId, row.id), isNull(locations.deletedAt))),
    )
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "cluster.deleted",
        subjectType: "cluster",
        subjectId: row.id,
        details: { name: row.name },
      }),
    );
  queueAssetIndex(change, "cluster", row);
  queueTreeDeletion(change, "cluster", row);
  await change.commit();
}
