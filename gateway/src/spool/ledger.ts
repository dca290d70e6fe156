import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { isFull } from "../files";

/** A ledger's file is rotated at this size, and one older file is kept. */
const MAX_LEDGER_BYTES = 512 * 1024;
/** Lines that wait in memory while the disk is full. */
const MAX_UNWRITTEN_LINES = 1_000;

/**
 * The ends of an image. Every stored image has exactly one of them. An image that a folder has from a time at which none
 * was due is `unwanted`; it is not stored.
 */
const ENDS = ["completed", "rejected", "refused", "dropped", "thinned", "damaged", "unwanted"] as const;
export type End = (typeof ENDS)[number];
export type Totals = Record<End, number>;

const totalsSchema = z.object({
  completed: z.int(),
  rejected: z.int(),
  refused: z.int(),
  dropped: z.int(),
  thinned: z.int(),
  damaged: z.int(),
  // Lines of earlier versions do not have it.
  unwanted: z.int().default(0),
});
const lineSchema = z.object({
  captureId: z.string(),
  end: z.enum(ENDS),
  cause: z.string().nullable(),
  endedAt: z.number(),
  totals: totalsSchema,
});
export type LedgerLine = z.infer<typeof lineSchema>;

function linesOf(file: string): LedgerLine[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((text) => {
      try {
        return [lineSchema.parse(JSON.parse(text))];
      } catch {
        // A power failure cut this line.
        return [];
      }
    });
}

/** A record of how images ended. A line is written before the image is deleted, so that a restart counts each image once. */
export class Ledger {
  readonly #file: string;
  readonly #before: string;
  #totals: Totals = { completed: 0, rejected: 0, refused: 0, dropped: 0, thinned: 0, damaged: 0, unwanted: 0 };
  #size: number;
  #unwritten: string[] = [];

  constructor(folder: string) {
    this.#file = join(folder, "ledger.jsonl");
    this.#before = join(folder, "ledger.1.jsonl");
    this.#totals = { ...this.#totals, ...this.read().at(-1)?.totals };
    this.#size = existsSync(this.#file) ? statSync(this.#file).size : 0;
  }

  get totals(): Readonly<Totals> {
    return this.#totals;
  }

  /** The recorded ends, oldest first. */
  read(): LedgerLine[] {
    return [...linesOf(this.#before), ...linesOf(this.#file)];
  }

  /**
   * Records an end durably. @throws when the disk is full; then it is not recorded.
   * @param isDeferrable with a full disk, the end is counted at once, and written with a later one
   */
  note(captureId: string, end: End, cause: string | null, isDeferrable = false, endedAt = Date.now()): void {
    const totals = { ...this.#totals, [end]: this.#totals[end] + 1 };
    const line: LedgerLine = { captureId, end, cause, endedAt, totals };
    // The entry begins on a new line, even if a power failure cut the previous line.
    this.#unwritten.push(`\n${JSON.stringify(line)}\n`);
    try {
      this.#write(Buffer.from(this.#unwritten.join("")));
      this.#unwritten = [];
    } catch (thrown) {
      if (!isDeferrable || !isFull(thrown) || this.#unwritten.length > MAX_UNWRITTEN_LINES) {
        this.#unwritten.pop();
        throw thrown;
      }
    }
    this.#totals = totals;
  }

  #write(text: Buffer): void {
    if (this.#size > MAX_LEDGER_BYTES) {
      renameSync(this.#file, this.#before);
      this.#size = 0;
    }
    const handle = openSync(this.#file, "a", 0o600);
    try {
      for (let at = 0; at < text.length; ) at += writeSync(handle, text, at);
      fdatasyncSync(handle);
    } finally {
      closeSync(handle);
    }
    this.#size += text.length;
  }
}
