import type { GrantTarget } from "../access";
import type { Change } from "../platform/db/change";

/** Queues the index to read a cluster, location or annotation again, with the change that made it stale. */
export function queueAssetIndex(
  change: Change,
  type: "cluster" | "location" | "annotation",
  { id, tenantId }: { id: string; tenantId: string },
): void {
  change.job("index-asset", { type, id }, { tenantId, dedupeKey: `index-asset:${id}` });
}

/** Queues the index to let those find a thing and all it holds whom it is shared with now: after a grant, or a move. */
export function queueSharedIndex(
  change: Change,
  target: GrantTarget,
  { id, tenantId }: { id: string; tenantId: string },
  moved = false,
): void {
  const payload = moved ? { target, id, moved } : { target, id };
  change.job("index-shared", payload, { tenantId, dedupeKey: `index-shared:${moved}:${id}` });
}
