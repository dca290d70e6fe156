import { and, eq, gt, isNull } from "drizzle-orm";
import { requireAdmin } from "../../access";
import { documents } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { type IndexTask, readTask } from "./tasks";

/**
 * Indexes one document again; takes its text first where it has none that is current.
 * @throws DomainError 401, 403, 404.
 */
export async function reindexDocument(context: Context, documentId: string): Promise<IndexTask> {
  const { userId } = requireAdmin(context);
  const [document] = await context.db
    .select()
    .from(documents)
    .where(and(eq(documents.id, documentId), isNull(documents.deletedAt), gt(documents.latestVersion, 0)));
  if (document === undefined) throw notFound();
  const { tenantId, latestVersion, textVersion, textStatus } = document;
  const options = { tenantId, requestedBy: userId };
  const change = beginChange(context);
  const current = textVersion === latestVersion && (textStatus === "indexed" || textStatus === "empty");
  // Without a key that merges it with a waiting job: the caller gets the task it may follow.
  const id = current
    ? change.job("index-document", { documentId }, options)
    : change.job("extract-document", { documentId, version: latestVersion }, options);
  change.job("index-asset", { type: "document", id: documentId }, options);
  await change.commit();
  return readTask(context, id);
}

/** Queues a walk over everything of one kind. @throws DomainError 401, 403. */
export async function startBackfill(
  context: Context,
  kind: "backfill-documents" | "backfill-assets",
): Promise<IndexTask> {
  const { userId } = requireAdmin(context);
  const change = beginChange(context);
  const id = change.job(kind, {}, { requestedBy: userId });
  await change.commit();
  return readTask(context, id);
}
