import { z } from "@hono/zod-openapi";
import { describeFailure, log } from "../../platform/log";
import type { TextStatus } from "../tables";
import { detectFormat, FORMATS, type Format } from "./detect";
import { damaged, Unreadable } from "./ending";
import type { Ending, Extracted, ExtractionInput } from "./extracted";
import { EXTRACTORS } from "./formats/extractors";
import { LARGEST_TEXT, MOST_PASSAGES } from "./limits";
import { type Passage, PassageMaker } from "./passages";
import { SourceFailure } from "./source";

/** Where an extraction stands between two slices. */
export const sliceState = z.strictObject({
  format: z.enum(FORMATS),
  at: z.int().min(0),
  chunkIndex: z.int().min(0),
  /** Text so far, UTF-16 units. */
  length: z.int().min(0),
});
export type SliceState = z.infer<typeof sliceState>;

export type SliceEnd =
  | { kind: "again"; state: SliceState; done: number; total: number }
  | {
      kind: "end";
      status: Exclude<TextStatus, "pending" | "failed">;
      detail: string | null;
      pageCount: number | null;
      /** Passages that count: those from this index on are left over from an earlier extraction. */
      passages: number;
    };

/** Passages handed to the writer at once, and their text, UTF-16 units. */
const [WRITTEN_PASSAGES, WRITTEN_TEXT] = [500, 400_000];

type Writer = (passages: readonly Passage[]) => Promise<void>;

/**
 * Reads one slice of a document and hands its passages on in batches. The same bytes and state give the
 * same passages.
 * @throws SourceFailure and what `write` throws; what is wrong with the document is its end.
 */
export async function readSlice(input: ExtractionInput, state: SliceState | null, write: Writer): Promise<SliceEnd> {
  const slice = new Slice(write, state?.chunkIndex ?? 0, state?.length ?? 0);
  try {
    const format = state?.format ?? (await detectFormat(input));
    const extraction = EXTRACTORS[format](input, state?.at ?? 0);
    for (;;) {
      const { done, value } = await guarded(extraction);
      if (done === true) return await slice.end(format, value);
      if (value.kind === "checkpoint") return await slice.pause(format, value);
      await slice.add(value.page, value.text);
      if (slice.full) {
        await extraction.return({ pageCount: null });
        return await slice.end(format, { pageCount: null, incomplete: FULL });
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    // What was read of a document that is too large can be found; of a broken one it may be anything.
    if (thrown.status === "too-large") return slice.end(null, { pageCount: null, incomplete: thrown.detail });
    return { kind: "end", status: thrown.status, detail: thrown.detail, pageCount: null, passages: 0 };
  }
}

const FULL = "The document holds more text than is read: the first 20 MiB of it can be found.";

/** The next of an extraction; a parser that fails in a way it does not announce was given a broken file. */
async function guarded(extraction: AsyncGenerator<Extracted, Ending>): Promise<IteratorResult<Extracted, Ending>> {
  try {
    return await extraction.next();
  } catch (thrown) {
    if (thrown instanceof Unreadable || thrown instanceof SourceFailure) throw thrown;
    log("warn", "extraction.parser-failed", describeFailure(thrown));
    throw damaged("The file cannot be read.", thrown);
  }
}

class Slice {
  readonly #maker: PassageMaker;
  #waiting: Passage[] = [];
  #waitingText = 0;

  constructor(
    private readonly write: Writer,
    chunkIndex: number,
    private length: number,
  ) {
    this.#maker = new PassageMaker(chunkIndex);
  }

  get full(): boolean {
    return this.length >= LARGEST_TEXT || this.#maker.chunkIndex >= MOST_PASSAGES;
  }

  async add(page: number | null, text: string): Promise<void> {
    this.length += text.length;
    this.#maker.add(page, text);
    for (const passage of this.#maker.take()) {
      this.#waiting.push(passage);
      this.#waitingText += passage.text.length;
    }
    if (this.#waiting.length >= WRITTEN_PASSAGES || this.#waitingText >= WRITTEN_TEXT) await this.#flush();
  }

  async pause(format: SliceState["format"], { at, done, total }: { at: number; done: number; total: number }) {
    await this.#finish();
    const state = { format, at, chunkIndex: this.#maker.chunkIndex, length: this.length };
    return { kind: "again" as const, state, done, total };
  }

  async end(format: Format | null, { pageCount, incomplete }: Ending): Promise<SliceEnd> {
    await this.#finish();
    const passages = this.#maker.chunkIndex;
    if (incomplete !== undefined) return { kind: "end", status: "too-large", detail: incomplete, pageCount, passages };
    const status = passages === 0 ? "empty" : "indexed";
    return {
      kind: "end",
      status,
      detail: passages === 0 ? (format === "pdf" ? SCANNED : EMPTY) : null,
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

const EMPTY = "The file holds no text.";
const SCANNED =
  "The file holds no text. Scanned pages are pictures: make their text readable (OCR) and upload it again.";
