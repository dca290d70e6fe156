import type { ObjectStore } from "../../platform/objects/store";
import type { AssetReader, PdfText } from "../../platform/ports";
import type { TextStatus } from "../tables";

/** Reads ranges of a document's bytes. A range past the end is shortened. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Offset and length in bytes. @throws SourceFailure if the object store fails. A later attempt may succeed. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** The object store failed. It says nothing about the document itself. */
export class SourceFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SourceFailure";
  }
}

/** Number of bytes that a small read fetches, and maximum number of such blocks that are cached. */
export const BLOCK_BYTES = 1024 * 1024;
export const MAX_CACHED_BLOCKS = 4;

export const bytesSource = (bytes: Uint8Array): ByteSource => ({
  sizeBytes: bytes.length,
  read: async (offset, length) => bytes.slice(offset, offset + length),
});

/** A source that reads ranges of an object in the store. It caches at most four blocks of 1 MiB. */
export function objectSource(objects: Pick<ObjectStore, "read">, key: string, sizeBytes: number): ByteSource {
  const blocks = new Map<number, Promise<Uint8Array>>();

  function block(index: number): Promise<Uint8Array> {
    const kept =
      blocks.get(index) ??
      fetchRange(objects, key, index * BLOCK_BYTES, Math.min(BLOCK_BYTES, sizeBytes - index * BLOCK_BYTES));
    blocks.delete(index);
    blocks.set(index, kept);
    for (const oldest of blocks.keys()) if (blocks.size > MAX_CACHED_BLOCKS) blocks.delete(oldest);
    return kept;
  }

  return {
    sizeBytes,
    async read(offset, asked) {
      const length = Math.min(asked, sizeBytes - offset);
      if (length <= 0) return new Uint8Array(0);
      if (length > BLOCK_BYTES) return fetchRange(objects, key, offset, length);
      const [first, last] = [Math.floor(offset / BLOCK_BYTES), Math.floor((offset + length - 1) / BLOCK_BYTES)];
      const start = offset - first * BLOCK_BYTES;
      const head = await block(first);
      if (first === last) return head.subarray(start, start + length);
      const joined = new Uint8Array(length);
      joined.set(head.subarray(start));
      joined.set((await block(last)).subarray(0, length - (BLOCK_BYTES - start)), BLOCK_BYTES - start);
      return joined;
    },
  };
}

async function fetchRange(
  objects: Pick<ObjectStore, "read">,
  key: string,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  try {
    const object = await objects.read(key, { offset, length });
    if (object === null) throw new SourceFailure("the object is missing");
    const bytes = new Uint8Array(length);
    let at = 0;
    for await (const piece of object.body) {
      bytes.set(piece, at);
      at += piece.length;
    }
    if (at !== length) throw new SourceFailure(`the object gave ${at} of ${length} bytes`);
    return bytes;
  } catch (thrown) {
    throw thrown instanceof SourceFailure ? thrown : new SourceFailure("the object store failed", thrown);
  }
}

/** Size of a chunk of a streamed range, bytes. */
const CHUNK_BYTES = 64 * 1024;

/** Reads a range of the source in chunks of at most 64 KiB, one in memory at a time. */
export async function* chunks(source: ByteSource, offset: number, length: number): AsyncGenerator<Uint8Array> {
  const end = Math.min(offset + length, source.sizeBytes);
  for (let at = offset; at < end; at += CHUNK_BYTES) yield await source.read(at, Math.min(CHUNK_BYTES, end - at));
}

/** Reads all bytes into a buffer that the caller owns and may change or transfer. */
export async function readWhole(source: ByteSource): Promise<Uint8Array> {
  const whole = await source.read(0, source.sizeBytes);
  // A small file comes from a cached block, so it is copied.
  return source.sizeBytes > BLOCK_BYTES ? whole : whole.slice();
}

/** One paragraph, table row or group of lines. Pages count from 1. The page is null if the format has none. */
export interface ExtractedText {
  kind: "text";
  page: number | null;
  text: string;
}

/**
 * The end of a slice: all text before `at` was yielded, and the next slice continues from there. `done` and `total` are
 * in pages, or in MiB if the format has no pages.
 */
interface Checkpoint {
  kind: "checkpoint";
  at: number;
  done: number;
  total: number;
}

/** A page of a PDF with little or no text, after that text. It may be a picture of text. */
interface PictureOfText {
  kind: "scan";
  page: number;
}

export type Extracted = ExtractedText | PictureOfText | Checkpoint;

/** The result of an extraction: the number of pages, and a sentence if a part of the document was not read. */
export interface Ending {
  pageCount: number | null;
  incomplete?: string;
}

export interface ExtractionInput {
  source: ByteSource;
  /** Reads the own text of pages of the document, a PDF, from page `from` on, in a browser. Absent without browsers. */
  readInBrowser?: (from: number) => Promise<PdfText>;
  /** Reads a static file of this deployment. Without it, PDFs that name a predefined character map have no text. */
  readAsset?: AssetReader;
  fileName: string;
  contentType: string;
}

/**
 * Extracts the text of one format, from the position `at` of a checkpoint or from 0. The result depends only on the
 * bytes, so a repeated slice yields the same text.
 * @throws Unreadable if the document cannot be read, SourceFailure if the object store fails.
 */
export type Extractor = (input: ExtractionInput, from: number) => AsyncGenerator<Extracted, Ending>;

/** The text statuses of a document that cannot be read completely. */
type UnreadableStatus = Extract<TextStatus, "encrypted" | "damaged" | "unsupported" | "unknown-charset" | "too-large">;

/** Ends the extraction with a text status. `detail` is a sentence for the owner of the document. */
export class Unreadable extends Error {
  constructor(
    readonly status: UnreadableStatus,
    readonly detail: string,
    cause?: unknown,
  ) {
    super(`${status}: ${detail}`, { cause });
    this.name = "Unreadable";
  }
}

export const damaged = (what: string, cause?: unknown): Unreadable =>
  new Unreadable("damaged", `${what} Open it in the program that made it and save it again.`, cause);

export const tooLarge = (detail: string): Unreadable => new Unreadable("too-large", detail);
