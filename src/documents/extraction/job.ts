import { z } from "@hono/zod-openapi";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { runBatch } from "../../platform/db/database";
import { complete, continueLater, type JobHandler } from "../../platform/jobs/handlers";
import { describeFailure, log } from "../../platform/log";
import { PICTURE_TYPES } from "../../platform/pictures/headers";
import { queueRecognition, type VersionKey } from "../document";
import { MAX_PASSAGES, MAX_TEXT_LENGTH } from "../limits";
import { documentNotDeleted, documents, type TextStatus, textSections } from "../tables";
import { detectFormat, FORMATS, type Format } from "./detect";
import { damaged, type Ending, type Extracted, type ExtractionInput, Unreadable } from "./extracted";
import { EXTRACTORS } from "./formats";
import { type Passage, PassageBuilder } from "./passages";
import { loadVersion, publishText, writeSections } from "./publish";
import { objectSource, SourceFailure } from "./source";

/**
 * Extracts the text of a document's latest version, one slice in each run. A repeated slice writes the same passages. If
 * the version is not the latest any more, or the document was deleted, the job ends without an error.
 */
export const extractDocument: JobHandler<"extract-document"> = {
  async run(context, job) {
    const found = await loadVersion(context, job.payload);
    if (found === null) return complete(dropPassages(beginChange(context), job.payload));
    if (PICTURE_TYPES.includes(found.contentType)) return complete(beginRecognition(context, job.payload, found, 1));
    const state = job.state === null ? null : sliceState.parse(job.state);
    const source = objectSource(context.objects, found.objectKey, found.sizeBytes);
    const end = await readSlice({ ...found, source }, state, async (batch) => {
      await runBatch(context.db, writeSections(job.payload, batch));
    });
    if (end.kind === "continue") return continueLater(end.state, { progress: { done: end.done, total: end.total } });
    const pageCount = end.pageCount ?? null;
    if (end.status === "recognizing") return complete(beginRecognition(context, job.payload, found, pageCount));
    const change = beginChange(context);
    publishText(change, context, job.payload, found, { ...end, pageCount });
    const pages = pageCount ?? 1;
    return complete(change, { done: pages, total: pages });
  },

  /** Marks the extraction as failed, unless the text of this version was published before. */
  async failed(context, { payload }, change, { detail }) {
    const [found] = await context.db
      .select({
        tenantId: documents.tenantId,
        locationId: documents.locationId,
        textVersion: documents.textVersion,
        textStatus: documents.textStatus,
      })
      .from(documents)
      .where(and(eq(documents.id, payload.documentId), eq(documents.latestVersion, payload.version)));
    if (found === undefined) return;
    if (found.textVersion === payload.version && found.textStatus !== "pending") return;
    const end = { status: "failed" as const, detail: `The text could not be extracted. ${detail}`, pageCount: null };
    publishText(change, context, payload, found, { ...end, passages: 0 });
  },
};

/** Queues the extraction of a version, unless it is queued already. @returns the job's id. */
export const queueExtraction = (
  change: Change,
  { documentId, version }: VersionKey,
  options: { tenantId: string; requestedBy?: string | null },
): string =>
  change.job(
    "extract-document",
    { documentId, version },
    { ...options, dedupeKey: `extract-document:${documentId}:${version}` },
  );

/** The state of an extraction between two slices. */
export const sliceState = z.strictObject({
  format: z.enum(FORMATS),
  at: z.int().min(0),
  chunkIndex: z.int().min(0),
  /** Length of the text so far, UTF-16 units. */
  length: z.int().min(0),
});
export type SliceState = z.infer<typeof sliceState>;

export type SliceEnd =
  | { kind: "continue"; state: SliceState; done: number; total: number }
  | {
      kind: "end";
      status: Exclude<TextStatus, "pending" | "failed">;
      detail: string | null;
      pageCount: number | null;
      /** Number of passages. Passages from this index on are left over from an earlier extraction. */
      passages: number;
    };

/** Maximum number of passages that are written at once, and maximum length of their text, UTF-16 units. */
const [MAX_BATCH_PASSAGES, MAX_BATCH_TEXT_LENGTH] = [512, 400_000];

type Writer = (passages: readonly Passage[]) => Promise<void>;

/**
 * Reads one slice of a document and writes its passages in batches. The same bytes and state give the same passages. A
 * problem of the document is part of the result.
 * @throws SourceFailure, and the errors of `write`.
 */
export async function readSlice(input: ExtractionInput, state: SliceState | null, write: Writer): Promise<SliceEnd> {
  const slice = new Slice(write, state?.chunkIndex ?? 0, state?.length ?? 0);
  try {
    const format = state?.format ?? (await detectFormat(input));
    const extraction = EXTRACTORS[format](input, state?.at ?? 0);
    for (;;) {
      const { done, value } = await nextExtracted(extraction);
      if (done === true) return await slice.end(format, value);
      if (value.kind === "checkpoint") return await slice.pause(format, value);
      await slice.add(value.page, value.text);
      if (slice.full) {
        await extraction.return({ pageCount: null });
        return await slice.end(format, { pageCount: null, incomplete: TRUNCATED_DETAIL });
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    // The text of a document that is too large can be found up to the limit. The text of a damaged one is unreliable.
    if (thrown.status === "too-large") return slice.end(null, { pageCount: null, incomplete: thrown.detail });
    return { kind: "end", status: thrown.status, detail: thrown.detail, pageCount: null, passages: 0 };
  }
}

const TRUNCATED_DETAIL = "The document has too much text. Search finds only the first 20 MiB.";

/** Returns the next item of an extraction. An unexpected error of a parser means that the file is damaged. */
async function nextExtracted(
  extraction: AsyncGenerator<Extracted, Ending>,
): Promise<IteratorResult<Extracted, Ending>> {
  try {
    return await extraction.next();
  } catch (thrown) {
    if (thrown instanceof Unreadable || thrown instanceof SourceFailure) throw thrown;
    log("warn", "extraction.parser-failed", describeFailure(thrown));
    throw damaged("The file cannot be read.", thrown);
  }
}

class Slice {
  readonly #maker: PassageBuilder;
  #waiting: Passage[] = [];
  #waitingText = 0;

  constructor(
    private readonly write: Writer,
    chunkIndex: number,
    private length: number,
  ) {
    this.#maker = new PassageBuilder(chunkIndex);
  }

  get full(): boolean {
    return this.length >= MAX_TEXT_LENGTH || this.#maker.chunkIndex >= MAX_PASSAGES;
  }

  async add(page: number | null, text: string): Promise<void> {
    this.length += text.length;
    this.#maker.add(page, text);
    for (const passage of this.#maker.take()) {
      this.#waiting.push(passage);
      this.#waitingText += passage.text.length;
    }
    if (this.#waiting.length >= MAX_BATCH_PASSAGES || this.#waitingText >= MAX_BATCH_TEXT_LENGTH) await this.#flush();
  }

  async pause(format: SliceState["format"], { at, done, total }: { at: number; done: number; total: number }) {
    await this.#finish();
    const state = { format, at, chunkIndex: this.#maker.chunkIndex, length: this.length };
    return { kind: "continue" as const, state, done, total };
  }

  async end(format: Format | null, { pageCount, incomplete }: Ending): Promise<SliceEnd> {
    await this.#finish();
    const passages = this.#maker.chunkIndex;
    if (incomplete !== undefined) return { kind: "end", status: "too-large", detail: incomplete, pageCount, passages };
    // The pages of a PDF without text are pictures.
    const status = passages > 0 ? "indexed" : format === "pdf" ? "recognizing" : "empty";
    return { kind: "end", status, detail: status === "empty" ? EMPTY_DETAIL : null, pageCount, passages };
  }

  async #finish(): Promise<void> {
    this.#maker.flush();
    this.#waiting.push(...this.#maker.take());
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length > 0) await this.write(this.#waiting);
    [this.#waiting, this.#waitingText] = [[], 0];
  }
}

const EMPTY_DETAIL = "The file contains no text.";

/** Leaves a version whose pages are pictures to the recognition. The document keeps its earlier text until then. */
function beginRecognition(
  context: Context,
  of: VersionKey,
  { tenantId, locationId }: { tenantId: string; locationId: string },
  pageCount: number | null,
): Change {
  const change = beginChange(context).add(
    context.db
      .update(documents)
      .set({ textStatus: "recognizing", textDetail: null, pageCount })
      .where(and(eq(documents.id, of.documentId), eq(documents.latestVersion, of.version), documentNotDeleted())),
  );
  queueRecognition(change, of, tenantId);
  const event = { type: "state-updated", subject: "document", subjectId: of.documentId } as const;
  return change.announce({ ...event, locationId, action: "updated", revision: null }, tenantId);
}

/** Removes a batch of sections of older versions while `condition` holds. */
export const removeOlderSections = ({ documentId, version }: VersionKey, condition: SQL, limit: number): SQL =>
  sql`DELETE FROM text_sections WHERE id IN (
    SELECT id FROM text_sections WHERE document_id = ${documentId} AND version < ${version} AND ${condition} LIMIT ${limit})`;

/** Removes the passages of an abandoned extraction, unless they are the document's text. */
const dropPassages = (change: Change, { documentId, version }: VersionKey): Change =>
  change.add(sql`DELETE FROM ${textSections} WHERE document_id = ${documentId} AND version = ${version}
    AND NOT EXISTS (SELECT 1 FROM ${documents} WHERE id = ${documentId} AND text_version = ${version})`);
