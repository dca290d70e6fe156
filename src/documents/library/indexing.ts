import type { Change } from "../../platform/db/change";

/** Queues the index to read a document's card again, with the change that made it stale. */
export function queueDocumentIndex(change: Change, { id, tenantId }: { id: string; tenantId: string }): void {
  change.job("index-asset", { type: "document", id }, { tenantId, dedupeKey: `index-asset:${id}` });
}
