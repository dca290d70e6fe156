import { Buffer } from "node:buffer";
import { unzlibSync } from "fflate";
import { breathe } from "../../../platform/pace";
import { MAX_PDF_STREAMS } from "../../limits";
import { tooLarge, type Unreadable } from "../extracted";
import { inflatedSize } from "./inflated-size";

export const STREAM = new TextEncoder().encode("stream");
export const END_OF_STREAM = new TextEncoder().encode("endstream");

/** Whether the word `stream` at `at` is a part of `endstream`. */
export const isEndOfStream = (bytes: Uint8Array, at: number): boolean =>
  bytes[at - 3] === 0x65 && bytes[at - 2] === 0x6e && bytes[at - 1] === 0x64;

/** Finds the ends of stream data. Ask in the order of the file: then each byte is scanned once. */
export class StreamEnds {
  #from = 0;
  #end = -1;

  constructor(private readonly bytes: Uint8Array) {}

  /** The end of the data that begins at `start`: the next `endstream`, or the end of the file. */
  after(start: number): number {
    if (start < this.#from || start > this.#end) {
      const end = find(this.bytes, END_OF_STREAM, start);
      [this.#from, this.#end] = [start, end < 0 ? this.bytes.length : end];
    }
    return this.#end;
  }
}

/** The beginning of the next line. Lines end with LF, CR LF or CR. */
export function lineAfter(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at++;
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + 2 : at + 1;
}

/** The first offset of `word` from `from` on, or -1. The runtime compares the bytes: 16 MiB take some milliseconds. */
export const find = (bytes: Uint8Array, word: Uint8Array, from: number): number =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(word, from);

/** Bytes that `find` looks through for the cost of one character of a parser. */
export const SEARCHED_BYTES_PER_UNIT = 64;

/** Bytes of a simple filter that cost as much as one character of a parser. */
const BYTES_PER_UNIT = 8;

export const tooManyStreams = (): Unreadable => tooLarge(`The PDF holds more than ${MAX_PDF_STREAMS} streams.`);

/** Names and abbreviations of filters (ISO 32000-1, tables 6 and 94). */
const FLATE = new Set(["FlateDecode", "Fl"]);
const LZW = new Set(["LZWDecode", "LZW"]);
const RUNS = new Set(["RunLengthDecode", "RL"]);
const HEX = new Set(["ASCIIHexDecode", "AHx"]);
const BASE_85 = new Set(["ASCII85Decode", "A85"]);
const PICTURES = "DCTDecode DCT CCITTFaxDecode CCF JPXDecode JBIG2Decode BrotliDecode".split(" ");
/** Filters of pictures. Their data has no text, and a few bytes can claim any unpacked size. */
export const PICTURE_FILTERS: ReadonlySet<string> = new Set(PICTURES);

/**
 * Counts the bytes that a stream unpacks to through its filters, up to `limit`. Infinity for a chain of compressions that
 * no program writes. It keeps at most `limit` bytes, and only for data that is compressed twice.
 */
export async function unpackedSize(bytes: Uint8Array, filters: readonly string[], limit: number): Promise<number> {
  const [filter, ...rest] = filters;
  if (filter === undefined) return bytes.length;
  // Packed data counts while it is unpacked. The given bytes are the rest of the file.
  if (!FLATE.has(filter)) await breathe(bytes.length / BYTES_PER_UNIT);
  if (HEX.has(filter)) return unpackedSize(fromHex(bytes), rest, limit);
  if (BASE_85.has(filter)) return unpackedSize(fromBase85(bytes), rest, limit);
  if (!FLATE.has(filter) && !LZW.has(filter) && !RUNS.has(filter)) return unpackedSize(bytes, rest, limit);
  const size = FLATE.has(filter)
    ? await inflatedSize(bytes, limit)
    : LZW.has(filter)
      ? lzwSize(bytes, limit)
      : runsSize(bytes);
  if (rest.length === 0 || size > limit) return size;
  if (!FLATE.has(filter)) return Number.POSITIVE_INFINITY;
  return Math.max(size, await unpackedSize(inflated(bytes, size), rest, limit));
}

/** Unpacks zlib data to `size` bytes. Invalid data gives no bytes, because pdf.js cannot read it either. */
export function inflated(bytes: Uint8Array, size: number): Uint8Array {
  try {
    return unzlibSync(bytes, { out: new Uint8Array(size) });
  } catch {
    return new Uint8Array(0);
  }
}

/** Counts run-length data (ISO 32000-1, 7.4.5): a byte gives the number of literal bytes or repetitions; 128 is the end. */
function runsSize(bytes: Uint8Array): number {
  let size = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at] as number;
    if (length === 128) break;
    size += length < 128 ? length + 1 : 257 - length;
    at += length < 128 ? length + 2 : 2;
  }
  return size;
}

const [CLEAR, END, CODES] = [256, 257, 4_096];

/** Counts LZW data (ISO 32000-1, 7.4.4) by the lengths of its codes' strings. */
function lzwSize(bytes: Uint8Array, limit: number): number {
  const lengths = new Uint16Array(CODES).fill(1, 0, CLEAR);
  let [next, width, before, size, held, bits] = [END + 1, 9, 0, 0, 0, 0];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffffff;
    bits += 8;
    if (bits < width) continue;
    bits -= width;
    const code = (held >> bits) & ((1 << width) - 1);
    if (code === END || size > limit) break;
    if (code === CLEAR) [next, width, before] = [END + 1, 9, 0];
    else {
      if (before > 0 && next < CODES) lengths[next++] = before + 1;
      before = code < next ? (lengths[code] ?? 1) : before + 1;
      size += before;
      // The code width grows one entry early, which is the default of EarlyChange.
      width = next + 1 >= 2_048 ? 12 : next + 1 >= 1_024 ? 11 : next + 1 >= 512 ? 10 : 9;
    }
  }
  return size;
}

/** The value of each character that is a hexadecimal digit, otherwise -1. */
const HEX_DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-f]/i.test(String.fromCharCode(byte)) ? Number.parseInt(String.fromCharCode(byte), 16) : -1,
);

function fromHex(bytes: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(Math.ceil(bytes.length / 2));
  let digits = 0;
  for (const byte of bytes) {
    if (byte === 0x3e) break;
    const digit = HEX_DIGITS[byte] as number;
    if (digit < 0) continue;
    decoded[digits >> 1] = (decoded[digits >> 1] ?? 0) | (digits % 2 === 0 ? digit << 4 : digit);
    digits++;
  }
  return decoded.subarray(0, Math.ceil(digits / 2));
}

function fromBase85(bytes: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(bytes.length * 4);
  const view = new DataView(decoded.buffer);
  let [length, digits, value] = [0, 0, 0];
  for (const byte of bytes) {
    if (byte === 0x7e) break;
    if (byte === 0x7a && digits === 0) length += 4;
    if (byte < 0x21 || byte > 0x75) continue;
    value = value * 85 + byte - 0x21;
    if (++digits < 5) continue;
    view.setUint32(length, value);
    [length, digits, value] = [length + 4, 0, 0];
  }
  if (digits > 1) {
    for (let n = digits; n < 5; n++) value = value * 85 + 84;
    view.setUint32(length, value);
    length += digits - 1;
  }
  return decoded.subarray(0, length);
}
