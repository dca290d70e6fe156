import { z } from "@hono/zod-openapi";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, type JobHandler, workspaceOf } from "../../platform/jobs/handlers";
import type { JobPayload } from "../../platform/jobs/kinds";
import { describeFailure, log } from "../../platform/log";
import { alone, breathe } from "../../platform/pace";
import { PICTURE_TYPES } from "../../platform/pictures/headers";
import { BrowsersBusy } from "../../platform/ports";
import { queueRecognition, type VersionKey } from "../document";
import { framesOf, type OpenFrames, type RefusedFrames } from "../frames";
import {
  MAX_PASSAGES,
  MAX_PASSAGES_PER_SCANNED_PAGE,
  MAX_READ_BYTES,
  MAX_SCAN_PAGES,
  MAX_TEXT_LENGTH,
} from "../limits";
import { documentNotDeleted, documents, type TextStatus, textSections } from "../tables";
import { detectFormat, FORMATS, type Format } from "./detect";
import {
  damaged,
  type Ending,
  type Extracted,
  type ExtractionInput,
  objectSource,
  SourceFailure,
  Unreadable,
} from "./extracted";
import { EXTRACTORS } from "./formats";
import { type Passage, PassageBuilder } from "./passages";
import { loadVersion, publishText, writeSections } from "./publish";
import { addUnread, counted, pagesIn, type UnreadPages, unreadScan, unreadSchema, writeUnread } from "./unread";

/**
 * Extracts the text of a document's latest version, one slice in each run. A repeated slice writes the same passages. If
 * the version is not the latest any more, or the document was deleted, the job ends without an error.
 */
export const extractDocument: JobHandler<"extract-document"> = {
  async run(context, job) {
    const found = await loadVersion(context, job.payload);
    if (found === null) return complete(dropPassages(beginChange(context, workspaceOf(job)), job.payload));
    if (found.sizeBytes > MAX_READ_BYTES) {
      const change = beginChange(context, found.tenantId);
      const end = { status: "too-large" as const, detail: TOO_LARGE_DETAIL, pageCount: null, passages: 0 };
      publishText(change, context, job.payload, found, end);
      return complete(change);
    }
    if (PICTURE_TYPES.includes(found.contentType)) {
      const photo = { pageCount: 1, passages: 0, unread: unreadScan(1) };
      return complete(beginRecognition(context, job.payload, found, photo));
    }
    const state = job.state === null ? null : sliceState.parse(job.state);
    const source = objectSource(context.objects, found.objectKey, found.sizeBytes);
    const frames = await framesOf(found.contentType, source);
    if (frames !== null) return complete(beginFrames(context, job.payload, found, frames));
    const { recognizer } = context;
    const readInBrowser = (from: number) => recognizer.readText({ ...source, isPdf: true }, from);
    try {
      const input = { ...found, source, readAsset: context.assets, ...(recognizer.isOn && { readInBrowser }) };
      const write: Writer = async (batch) => {
        await beginChange(context, found.tenantId)
          .add(...writeSections(job.payload, batch))
          .commit();
      };
      const end = await alone(() => readSlice(input, state, write));
      if (end.kind === "continue") return continueLater(end.state, { progress: { done: end.done, total: end.total } });
      const pages = end.pageCount ?? 1;
      const progress = { done: pages, total: pages };
      if (end.status === "recognizing") return complete(beginRecognition(context, job.payload, found, end), progress);
      const change = beginChange(context, found.tenantId);
      publishText(change, context, job.payload, found, end);
      return complete(change, progress);
    } catch (thrown) {
      if (!(thrown instanceof BrowsersBusy)) throw thrown;
      return continueLater(state, { delayMs: thrown.retryAfterMs });
    }
  },

  /** Marks the extraction as failed, unless the text of this version was published before. */
  async failed(context, { payload }, change, { detail }) {
    const [found] = await context.workspace
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

/**
 * Queues the extraction of a version, unless it is queued already. With `recognizesAgain`, pages that have recognized text are read
 * again. @returns the job's id.
 */
export const queueExtraction = (
  change: Change,
  { documentId, version }: VersionKey,
  { recognizesAgain = false, ...options }: { tenantId: string; requestedBy?: string | null; recognizesAgain?: boolean },
): string =>
  change.job(
    "extract-document",
    { documentId, version, ...(recognizesAgain && { recognizesAgain }) },
    { ...options, dedupeKey: `${recognizesAgain ? "recognize-again" : "extract-document"}:${documentId}:${version}` },
  );

/** The state of an extraction between two slices. */
export const sliceState = z.strictObject({
  format: z.enum(FORMATS),
  at: z.int().min(0),
  chunkIndex: z.int().min(0),
  /** Length of the text so far, UTF-16 units. */
  length: z.int().min(0),
  /** The pages that may be pictures of text. */
  unread: z.array(unreadSchema),
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
      /** The pages that wait for recognition. */
      unread: UnreadPages[];
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
  const slice = new Slice(write, state ?? { chunkIndex: 0, length: 0, unread: [] });
  try {
    const format = state?.format ?? (await detectFormat(input));
    const extraction = EXTRACTORS[format](input, state?.at ?? 0);
    for (;;) {
      const { done, value } = await nextExtracted(extraction);
      if (done === true) return await slice.end(format, value);
      if (value.kind === "checkpoint") return await slice.pause(format, value);
      // Text that only just reaches the limit is complete.
      if (slice.full) {
        await extraction.return({ pageCount: null });
        return await slice.end(format, { pageCount: null, incomplete: TRUNCATED_DETAIL });
      }
      if (value.kind === "text") await breathe(value.text.length);
      if (value.kind === "scan") slice.leaveRoom(value.page);
      else await slice.add(value.page, value.text);
    }
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    // The text of a document that is too large can be found up to the limit. The text of a damaged one is unreliable.
    if (thrown.status === "too-large") return slice.end(null, { pageCount: null, incomplete: thrown.detail });
    return { kind: "end", status: thrown.status, detail: thrown.detail, pageCount: null, passages: 0, unread: [] };
  }
}

const TRUNCATED_DETAIL = `The document has too much text. Search finds only the first ${MAX_TEXT_LENGTH / 1024 ** 2} Mi characters.`;

/** Returns the next item of an extraction. An unexpected error of a parser means that the file is damaged. */
async function nextExtracted(
  extraction: AsyncGenerator<Extracted, Ending>,
): Promise<IteratorResult<Extracted, Ending>> {
  try {
    return await extraction.next();
  } catch (thrown) {
    if (thrown instanceof Unreadable || thrown instanceof SourceFailure) throw thrown;
    // The browser that reads a large PDF, not the PDF.
    if (thrown instanceof BrowsersBusy || thrown instanceof DomainError) throw thrown;
    log("warn", "extraction.parser-failed", describeFailure(thrown));
    throw damaged("The file cannot be read.", thrown);
  }
}

class Slice {
  readonly #maker: PassageBuilder;
  #waiting: Passage[] = [];
  #waitingText = 0;
  #length: number;
  readonly #unread: UnreadPages[];

  constructor(
    private readonly write: Writer,
    { chunkIndex, length, unread }: Pick<SliceState, "chunkIndex" | "length" | "unread">,
  ) {
    this.#maker = new PassageBuilder(chunkIndex);
    this.#length = length;
    this.#unread = unread;
  }

  get full(): boolean {
    return this.#length >= MAX_TEXT_LENGTH || this.#passages >= MAX_PASSAGES;
  }

  /** Number of passages, without the room for the text of scanned pages. */
  get #passages(): number {
    return this.#maker.chunkIndex - pagesIn(this.#unread) * MAX_PASSAGES_PER_SCANNED_PAGE;
  }

  async add(page: number | null, text: string): Promise<void> {
    this.#length += text.length;
    this.#maker.add(page, text);
    for (const passage of this.#maker.take()) {
      this.#waiting.push(passage);
      this.#waitingText += passage.text.length;
    }
    if (this.#waiting.length >= MAX_BATCH_PASSAGES || this.#waitingText >= MAX_BATCH_TEXT_LENGTH) await this.#flush();
  }

  /** Leaves room for the passages of a page that is recognized later. */
  leaveRoom(page: number): void {
    if (pagesIn(this.#unread) >= MAX_SCAN_PAGES) return;
    this.#maker.flush();
    addUnread(this.#unread, page, this.#maker.chunkIndex);
    this.#maker.chunkIndex += MAX_PASSAGES_PER_SCANNED_PAGE;
  }

  async pause(format: SliceState["format"], { at, done, total }: { at: number; done: number; total: number }) {
    await this.#finish();
    const state = { format, at, chunkIndex: this.#maker.chunkIndex, length: this.#length, unread: this.#unread };
    return { kind: "continue" as const, state, done, total };
  }

  async end(format: Format | null, { pageCount, incomplete }: Ending): Promise<SliceEnd> {
    await this.#finish();
    const passages = this.#maker.chunkIndex;
    const end = { kind: "end" as const, pageCount, passages, unread: this.#unread };
    if (incomplete !== undefined) return { ...end, status: "too-large", detail: incomplete };
    if (this.#passages > 0)
      return { ...end, status: this.#unread.length > 0 ? "recognizing" : "indexed", detail: null };
    // All pages of a PDF without text are pictures.
    return format === "pdf"
      ? { ...end, status: "recognizing", detail: null, passages: 0, unread: unreadScan(pageCount ?? 1) }
      : { ...end, status: "empty", detail: EMPTY_DETAIL };
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

const TOO_LARGE_DETAIL = "The text of a file of more than 100 MiB is not read. Search finds it by its name and tags.";

const EMPTY_DETAIL = "The file contains no text.";

/**
 * Leaves pages that are pictures to the recognition. The text of the other pages is published before. A version without
 * such text keeps its earlier text until then.
 */
function beginRecognition(
  context: Context,
  { recognizesAgain = false, ...of }: JobPayload<"extract-document">,
  { tenantId, locationId }: { tenantId: string; locationId: string },
  { pageCount, passages, unread }: Pick<SliceEnd & { kind: "end" }, "pageCount" | "passages" | "unread">,
): Change {
  const change = beginChange(context, tenantId).add(
    ...writeUnread(of, unread, { hasText: passages > 0, recognizesAgain }),
  );
  queueRecognition(change, of, tenantId);
  if (passages > 0) {
    const detail = `Search finds the text of the document. ${counted(pagesIn(unread))} without text are read as pictures.`;
    publishText(change, context, of, { tenantId, locationId }, { status: "recognizing", detail, pageCount, passages });
    return change;
  }
  change.add(
    context.workspace
      .update(documents)
      .set({ textStatus: "recognizing", textDetail: null, pageCount })
      .where(and(eq(documents.id, of.documentId), eq(documents.latestVersion, of.version), documentNotDeleted())),
  );
  const event = { type: "state-updated", subject: "document", subjectId: of.documentId } as const;
  return change.announce({ ...event, locationId, action: "updated", revision: null }, tenantId);
}

/** Leaves the pages of a HEIC or TIFF file to the recognition, unless its directory cannot be read. */
function beginFrames(
  context: Context,
  of: JobPayload<"extract-document">,
  found: { tenantId: string; locationId: string },
  frames: OpenFrames | RefusedFrames,
): Change {
  if (!("status" in frames)) {
    const { length } = frames.frames;
    return beginRecognition(context, of, found, {
      pageCount: frames.pageCount,
      passages: 0,
      unread: unreadScan(length),
    });
  }
  const change = beginChange(context, found.tenantId);
  publishText(change, context, of, found, { ...frames, pageCount: null, passages: 0 });
  return change;
}

/** Removes a batch of sections of older versions while `condition` holds. */
export const removeOlderSections = ({ documentId, version }: VersionKey, condition: SQL, limit: number): SQL =>
  sql`DELETE FROM text_sections WHERE id IN (
    SELECT id FROM text_sections WHERE document_id = ${documentId} AND version < ${version} AND ${condition} LIMIT ${limit})`;

/** Removes the passages of an abandoned extraction, unless they are the document's text. */
const dropPassages = (change: Change, { documentId, version }: VersionKey): Change =>
  change.add(sql`DELETE FROM ${textSections} WHERE document_id = ${documentId} AND version = ${version}
    AND NOT EXISTS (SELECT 1 FROM ${documents} WHERE id = ${documentId} AND text_version = ${version})`);
