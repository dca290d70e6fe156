import { tooLarge, type Unreadable } from "../ending";
import { MOST_PDF_STREAMS } from "../limits";

export const STREAM = new TextEncoder().encode("stream");
export const END_OF_STREAM = new TextEncoder().encode("endstream");

/** Whether the word `stream` at `at` is the end of `endstream`. */
export const isEnd = (bytes: Uint8Array, at: number): boolean =>
  bytes[at - 3] === 0x65 && bytes[at - 2] === 0x6e && bytes[at - 1] === 0x64;

/** Finds where the data of streams ends, asked in the order of the file: each byte is looked at once. */
export class StreamEnds {
  #from = 0;
  #end = -1;

  constructor(private readonly bytes: Uint8Array) {}

  /** Where the data that begins at `start` ends: before the next `endstream`, or with the file. */
  after(start: number): number {
    if (start < this.#from || start > this.#end) {
      const end = find(this.bytes, END_OF_STREAM, start);
      [this.#from, this.#end] = [start, end < 0 ? this.bytes.length : end];
    }
    return this.#end;
  }
}

/** Data begins on the next line, which ends in LF, CR LF, or CR. */
export function lineAfter(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at++;
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + 2 : at + 1;
}

/** The first place of `word` from `from` on, or -1. */
export function find(bytes: Uint8Array, word: Uint8Array, from: number): number {
  const [first = 0] = word;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1))
    if (word.every((byte, n) => bytes[at + n] === byte)) return at;
  return -1;
}

export const tooManyStreams = (): Unreadable => tooLarge(`The PDF holds more than ${MOST_PDF_STREAMS} streams.`);
