import { and, asc, gt, sql } from "drizzle-orm";
import { z } from "zod";
import { queueExtraction, queueRecognition } from "../../documents";
import { documentPublished, documents } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { NO_WORKSPACE } from "../../platform/db/residence";
import { complete, continueLater, countQueries, type JobHandler } from "../../platform/jobs/handlers";
import { reindexText } from "./documents";

/** Documents of a slice, and passages after which it ends. */
const BACKFILL_BATCH = 50;
const MAX_PASSAGES_PER_SLICE = 600;

const backfillStateSchema = z.strictObject({ after: z.string(), done: z.int(), total: z.int() });
type BackfillState = z.infer<typeof backfillStateSchema>;

/**
 * Indexes the text of every document again, in order of ids and in bounded slices. Each document is replaced in place,
 * so it is always in the index. Documents without an extracted text are queued for extraction, which indexes them. So
 * are all documents if their text must be read again.
 */
export const backfillDocuments: JobHandler<"backfill-documents"> = {
  async run(context, job) {
    const state = job.state === null ? await beginBackfill(context) : backfillStateSchema.parse(job.state);
    const batch = await nextDocuments(context, state.after);
    // This change has no workspace itself. Each job that it queues has one. Each text is a separate change.
    const change = beginChange(context, NO_WORKSPACE);
    // The recognition of a scan is expensive, and no new rule of the extraction changes it.
    const readsAgain = ({ textStatus }: (typeof batch)[number]) =>
      job.payload.readTextAgain === true && textStatus !== "recognized";
    let [passages, at] = [0, state];
    const isSpent = countQueries(context);
    for (const document of batch) {
      if (passages >= MAX_PASSAGES_PER_SLICE || isSpent()) break;
      if (["pending", "failed"].includes(document.textStatus) || readsAgain(document))
        queueExtraction(change, { documentId: document.id, version: document.latestVersion }, document);
      else passages += await reindexText(context, change, document, job.id);
      // A restored backup has no jobs.
      if (document.textStatus === "recognizing")
        queueRecognition(change, { documentId: document.id, version: document.latestVersion }, document.tenantId);
      at = { ...at, after: document.id, done: at.done + 1 };
    }
    const finished = batch.length < BACKFILL_BATCH && at.after === (batch.at(-1)?.id ?? at.after);
    const progress = { done: at.done, total: Math.max(at.done, at.total) };
    return finished ? complete(change, { done: at.done, total: at.done }) : continueLater(at, { change, progress });
  },
};

const isPresent = documentPublished();

async function beginBackfill({ workspace }: Context): Promise<BackfillState> {
  const [row] = await workspace.select({ total: sql<number>`count(*)` }).from(documents).where(isPresent);
  return { after: "", done: 0, total: row?.total ?? 0 };
}

const nextDocuments = ({ workspace }: Context, after: string) =>
  workspace
    .select({
      id: documents.id,
      tenantId: documents.tenantId,
      latestVersion: documents.latestVersion,
      textStatus: documents.textStatus,
    })
    .from(documents)
    .where(and(isPresent, gt(documents.id, after)))
    .orderBy(asc(documents.id))
    .limit(BACKFILL_BATCH);
