import { and, eq, isNull } from "drizzle-orm";
import { requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { queueAssetIndex } from "../indexing";
import { type ClusterRow, requireCluster } from "../places";
import { clusters } from "../tables";
import { presentCluster } from "./present";

type ClusterChange = { [K in "name" | "description" | "metadata"]?: ClusterRow[K] | undefined };

/** Changes a cluster's own fields. @throws DomainError 401, 403, 404, 409, 412. */
export async function updateCluster(
  context: Context,
  clusterId: string,
  { name, description, metadata }: ClusterChange,
  precondition: Precondition,
) {
  const row = await requireCluster(context, clusterId, "ClusterView", WRITE);
  checkPrecondition(precondition, row.revision);
  const next: ClusterRow = {
    ...row,
    name: name ?? row.name,
    description: description ?? row.description,
    metadata: metadata ?? row.metadata,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  const unchanged = and(eq(clusters.id, row.id), eq(clusters.revision, row.revision), isNull(clusters.deletedAt));
  const change = beginChange(context)
    .add(context.db.update(clusters).set(next).where(unchanged))
    .guardChanged(staleRevision());
  queueAssetIndex(change, "cluster", row);
  await change.commit();
  return presentCluster(requireUser(context), next);
}
