import type { Change } from "../../platform/db/change";
import { type Tree, treeKey } from "./tree";

/** Queues the job that takes away a deleted thing and all it holds. */
export function queueTreeDeletion(
  change: Change,
  type: Tree["type"],
  { id, tenantId }: { id: string; tenantId: string },
): void {
  change.job("delete-tree", { type, id }, { tenantId, dedupeKey: treeKey({ id }) });
}
