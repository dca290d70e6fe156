import { and, eq } from "drizzle-orm";
import { beginChange, type Change } from "../../platform/db/change";
import { complete, continueLater, type JobHandler } from "../../platform/jobs/handlers";
import { documents } from "../tables";
import { readSlice, sliceState } from "./slice";
import { objectSource } from "./source";
import { dropPassages, loadVersion, publishText, type TextOf, writePassages } from "./store";

/**
 * Takes the text of a document's latest version, a slice a run. A slice that runs twice writes the same
 * passages; a version that was followed by another, or whose document was deleted, ends the job quietly.
 */
export const extractDocument: JobHandler<"extract-document"> = {
  async run(context, job) {
    const found = await loadVersion(context, job.payload);
    if (found === null) return complete(dropPassages(beginChange(context), job.payload));
    const state = job.state === null ? null : sliceState.parse(job.state);
    const source = objectSource(context.objects, found.objectKey, found.sizeBytes);
    const end = await readSlice({ ...found, source }, state, (batch) => writePassages(context, job.payload, batch));
    if (end.kind === "again") return continueLater(end.state, { progress: { done: end.done, total: end.total } });
    const change = beginChange(context);
    const pageCount = end.pageCount ?? null;
    publishText(change, context, job.payload, found.tenantId, { ...end, pageCount });
    const pages = pageCount ?? 1;
    return complete(change, { done: pages, total: pages });
  },

  /** The text that a document has already stays; one that never had this version's shows that it failed. */
  async failed(context, { payload }, change, { detail }) {
    const [found] = await context.db
      .select({ tenantId: documents.tenantId, textVersion: documents.textVersion, textStatus: documents.textStatus })
      .from(documents)
      .where(and(eq(documents.id, payload.documentId), eq(documents.latestVersion, payload.version)));
    if (found === undefined) return;
    if (found.textVersion === payload.version && found.textStatus !== "pending") return;
    const end = { status: "failed" as const, detail: `The text could not be taken. ${detail}`, pageCount: null };
    publishText(change, context, payload, found.tenantId, { ...end, passages: 0 });
  },
};

/** Queues the extraction of a version with a change; a waiting one is not queued twice. Returns the job's id. */
export const queueExtraction = (
  change: Change,
  { documentId, version }: TextOf,
  options: { tenantId: string; requestedBy?: string | null },
): string =>
  change.job(
    "extract-document",
    { documentId, version },
    { ...options, dedupeKey: `extract-document:${documentId}:${version}` },
  );
