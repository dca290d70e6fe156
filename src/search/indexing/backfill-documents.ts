import { and, asc, gt, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { queueExtraction } from "../../documents";
import { documents } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { again, done, type JobHandler } from "../../platform/jobs/handlers";
import { reindexText } from "./reindex-text";

/** Documents a slice looks at, and passages after which it ends. */
const BATCH = 50;
const ENOUGH_PASSAGES = 600;

const stateSchema = z.strictObject({ after: z.string(), done: z.int(), total: z.int() });
type State = z.infer<typeof stateSchema>;

/**
 * Indexes every document's text again, in order of ids, a bounded batch a slice. Each document is replaced
 * in place, so the index is never without it; texts that were never taken are queued for extraction.
 */
export const backfillDocuments: JobHandler<"backfill-documents"> = {
  async run(context, job) {
    const state = job.state === null ? await begin(context) : stateSchema.parse(job.state);
    const batch = await nextDocuments(context, state.after);
    const change = beginChange(context);
    let [passages, at] = [0, state];
    for (const document of batch) {
      if (passages >= ENOUGH_PASSAGES) break;
      if (["pending", "failed"].includes(document.textStatus))
        queueExtraction(change, { documentId: document.id, version: document.latestVersion }, document);
      else passages += await reindexText(context, change, document, job.id);
      at = { ...at, after: document.id, done: at.done + 1 };
    }
    const finished = batch.length < BATCH && at.after === (batch.at(-1)?.id ?? at.after);
    const progress = { done: at.done, total: Math.max(at.done, at.total) };
    return finished ? done(change, { done: at.done, total: at.done }) : again(at, { change, progress });
  },
};

const present = and(isNull(documents.deletedAt), gt(documents.latestVersion, 0));

async function begin({ db }: Context): Promise<State> {
  const [row] = await db.select({ total: sql<number>`count(*)` }).from(documents).where(present);
  return { after: "", done: 0, total: row?.total ?? 0 };
}

const nextDocuments = ({ db }: Context, after: string) =>
  db
    .select({
      id: documents.id,
      tenantId: documents.tenantId,
      latestVersion: documents.latestVersion,
      textStatus: documents.textStatus,
    })
    .from(documents)
    .where(and(present, gt(documents.id, after)))
    .orderBy(asc(documents.id))
    .limit(BATCH);
