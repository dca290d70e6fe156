import type { TextStatus } from "../tables";
import type { ByteSource } from "./source";

/** One paragraph, table row or group of lines; the page counts from 1 where the format has pages. */
export interface ExtractedText {
  kind: "text";
  page: number | null;
  text: string;
}

/**
 * Everything before it was yielded, and another slice goes on from `at`: a checkpoint ends its slice.
 * Progress is in pages, or in MiB where there are none.
 */
interface Checkpoint {
  kind: "checkpoint";
  at: number;
  done: number;
  total: number;
}

export type Extracted = ExtractedText | Checkpoint;

/** How the document ended: its number of pages, and a sentence when not all of it could be read. */
export interface Ending {
  pageCount: number | null;
  incomplete?: string;
}

export interface ExtractionInput {
  source: ByteSource;
  fileName: string;
  contentType: string;
}

/**
 * Reads one format from a position that it gave in a checkpoint, or from 0. What it yields depends on
 * the bytes alone, so a repeated slice yields the same.
 * @throws Unreadable for what cannot be read, SourceFailure when the bytes cannot be had.
 */
export type Extractor = (input: ExtractionInput, from: number) => AsyncGenerator<Extracted, Ending>;

/** How a document's text can end other than in passages. */
type UnreadableStatus = Extract<TextStatus, "encrypted" | "damaged" | "unsupported" | "unknown-charset" | "too-large">;

/** Ends the extraction in a named state; `detail` is a sentence for the document's owner. */
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
