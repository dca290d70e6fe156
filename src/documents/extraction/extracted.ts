import type { PdfText } from "../../platform/ports";
import type { TextStatus } from "../tables";
import type { ByteSource } from "./source";

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

/** A page of a PDF with little or no text of its own, after that text. It may be a picture of text. */
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
