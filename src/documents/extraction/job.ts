import { z } from "@hono/zod-openapi";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { complete, continueLater, type JobHandler } from "../../platform/jobs/handlers";
import { describeFailure, log } from "../../platform/log";
import type { VersionKey } from "../document";
import { MAX_PASSAGES, MAX_TEXT_LENGTH } from "../limits";
import { documentNotDeleted, documents, documentVersions, passages, type TextStatus } from "../tables";
import { detectFormat, FORMATS, type Format } from "./detect";
import { damaged, type Ending, type Extracted, type ExtractionInput, Unreadable } from "./extracted";
import { EXTRACTORS } from "./formats";
import { type Passage, PassageBuilder } from "./passages";
import { objectSource, SourceFailure } from "./source";

/**
 * Extracts the text of a document's latest version, one slice in each run. A repeated slice writes the same passages. If
 * the version is not the latest any more, or the document was deleted, the job ends without an error.
 */
export const extractDocument: JobHandler<"extract-document"> = {
  async run(context, job) {
    const found = await loadVersion(context, job.payload);
    if (found === null) return complete(dropPassages(beginChange(context), job.payload));
    const state = job.state === null ? null : sliceState.parse(job.state);
    const source = objectSource(context.objects, found.objectKey, found.sizeBytes);
    const end = await readSlice({ ...found, source }, state, (batch) => writePassages(context, job.payload, batch));
    if (end.kind === "continue") return continueLater(end.state, { progress: { done: end.done, total: end.total } });
    const change = beginChange(context);
    const pageCount = end.pageCount ?? null;
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
const [MAX_BATCH_PASSAGES, MAX_BATCH_TEXT_LENGTH] = [500, 400_000];

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
    const status = passages === 0 ? "empty" : "indexed";
    return {
      kind: "end",
      status,
      detail: passages === 0 ? (format === "pdf" ? SCANNED_DETAIL : EMPTY_DETAIL) : null,
      pageCount,
      passages,
    };
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
const SCANNED_DETAIL =
  "The file contains no text. Scanned pages are pictures. Add a text layer with OCR and upload the file again.";

/** Loads a version with its document. Null if the document was deleted or has a newer version. */
async function loadVersion({ db }: Context, { documentId, version }: VersionKey) {
  const [found] = await db
    .select({
      tenantId: documents.tenantId,
      locationId: documents.locationId,
      objectKey: documentVersions.objectKey,
      fileName: documentVersions.fileName,
      contentType: documentVersions.contentType,
      sizeBytes: documentVersions.sizeBytes,
    })
    .from(documentVersions)
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(
      and(
        eq(documentVersions.documentId, documentId),
        eq(documentVersions.version, version),
        eq(documents.latestVersion, version),
        documentNotDeleted(),
      ),
    );
  return found ?? null;
}

/**
 * Writes passages in one statement, which can be repeated: an existing passage keeps its id, which the search index
 * refers to. It writes nothing for a deleted document.
 */
async function writePassages({ db }: Context, of: VersionKey, batch: readonly Passage[]): Promise<void> {
  const rows = JSON.stringify(batch.map(({ page, chunkIndex, text }) => [page, chunkIndex, text]));
  await db.run(sql`INSERT INTO ${passages} (document_id, version, page, chunk_index, text)
    SELECT ${of.documentId}, ${of.version}, value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rows})
    WHERE EXISTS (SELECT 1 FROM ${documents} WHERE id = ${of.documentId} AND ${documentNotDeleted()})
    ON CONFLICT (document_id, version, chunk_index) DO UPDATE SET page = excluded.page, text = excluded.text
    WHERE text IS NOT excluded.text OR page IS NOT excluded.page`);
}

interface TextEnd {
  status: TextStatus;
  detail: string | null;
  pageCount: number | null;
  /** Number of passages of this version. Passages from this index on are deleted. */
  passages: number;
}

/**
 * Publishes a version's text as the document's text, unless that comes from a newer version. The index keeps the earlier
 * text until the indexing job, which this change queues, replaces it. Those who look at the location hear of it.
 */
function publishText(
  change: Change,
  { db }: Context,
  { documentId, version }: VersionKey,
  { tenantId, locationId }: { tenantId: string; locationId: string },
  end: TextEnd,
): void {
  change.add(
    sql`DELETE FROM ${passages} WHERE document_id = ${documentId} AND version = ${version}
        AND chunk_index >= ${end.passages}`,
    db
      .update(documents)
      .set({ textVersion: version, textStatus: end.status, textDetail: end.detail, pageCount: end.pageCount })
      .where(and(eq(documents.id, documentId), documentNotDeleted(), sql`${documents.textVersion} <= ${version}`)),
  );
  change.job("index-document", { documentId }, { tenantId, dedupeKey: `index-document:${documentId}` });
  const event = { type: "state-updated", subject: "document", subjectId: documentId } as const;
  change.announce({ ...event, locationId, action: "updated", revision: null }, tenantId);
}

/** Removes a batch of passages of older versions while `condition` holds. */
export const removeOlderPassages = ({ documentId, version }: VersionKey, condition: SQL, limit: number): SQL =>
  sql`DELETE FROM passages WHERE id IN (
    SELECT id FROM passages WHERE document_id = ${documentId} AND version < ${version} AND ${condition} LIMIT ${limit})`;

/** Removes the passages of an abandoned extraction, unless they are the document's text. */
const dropPassages = (change: Change, { documentId, version }: VersionKey): Change =>
  change.add(sql`DELETE FROM ${passages} WHERE document_id = ${documentId} AND version = ${version}
    AND NOT EXISTS (SELECT 1 FROM ${documents} WHERE id = ${documentId} AND text_version = ${version})`);
