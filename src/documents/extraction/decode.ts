import { latin1 } from "../../platform/latin1";
import { encodingByStatistics, encodingNamed, fits, unknownCharset, unmarkedUtf16 } from "./charset";
import { type ByteSource, pieces } from "./source";

/** Bytes that decide on an encoding. */
const SAMPLE = 1024 * 1024;

/** A byte-order mark's encoding, or null. */
export function markedEncoding(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return null;
}

/**
 * The encoding of a text: its byte-order mark, else UTF-16 or UTF-8 where its first MiB is that, else the first charset
 * declared for it that its bytes fit, else what they tell by their statistics.
 * @throws Unreadable unknown-charset.
 */
export async function detectEncoding(source: ByteSource, ...declared: (string | undefined)[]): Promise<string> {
  return encodingOfBytes(await source.read(0, SAMPLE), ...declared);
}

/** The same of bytes that are there. @throws Unreadable unknown-charset. */
export function encodingOfBytes(bytes: Uint8Array, ...declared: (string | undefined)[]): string {
  const sample = bytes.subarray(0, SAMPLE);
  const marked = markedEncoding(sample) ?? unmarkedUtf16(sample.subarray(0, SAMPLE_OF_UTF16));
  if (marked !== null) return marked;
  const named = declared.map(encodingNamed).filter((each) => each !== null);
  // Its escapes are ASCII, and so UTF-8 as well.
  const raw = latin1(sample);
  if (ESCAPES_OF_JIS.some((sign) => raw.includes(sign))) return "iso-2022-jp";
  if (isUtf8(sample)) return "utf-8";
  const fitting = named.find((each) => !each.startsWith("utf-") && fits(sample, each));
  if (fitting !== undefined) return fitting;
  const told = encodingByStatistics(sample);
  if (told === null) throw unknownCharset();
  return told;
}

const SAMPLE_OF_UTF16 = 8 * 1024;
const ESCAPES_OF_JIS = ["\u001b$@", "\u001b$B", "\u001b(J"];

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** A range of bytes as text, in pieces; bytes that are no character of the encoding become U+FFFD. */
export async function* decoded(
  source: ByteSource,
  encoding: string,
  from = 0,
  to = source.sizeBytes,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const piece of pieces(source, from, to - from)) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** Bytes before the end of a slice that are searched for the end of a line. */
const LOOK_BACK = 64 * 1024;

/** Where a slice of at most `length` bytes from `from` ends: after a line, else after a word, else after a character. */
export async function endOfSlice(source: ByteSource, encoding: string, from: number, length: number): Promise<number> {
  const end = from + length;
  if (end >= source.sizeBytes) return source.sizeBytes;
  const start = Math.max(from, end - LOOK_BACK);
  const tail = await source.read(start, end - start);
  if (encoding.startsWith("utf-16")) return start + lastUnit(tail, encoding === "utf-16le");
  for (const separator of [0x0a, 0x20]) {
    const at = tail.lastIndexOf(separator);
    if (at > 0) return start + at + 1;
  }
  let at = tail.length;
  while (encoding === "utf-8" && at > tail.length - 4 && at > 0 && ((tail[at - 1] ?? 0) & 0xc0) === 0x80) at--;
  return start + (encoding === "utf-8" && at > 1 ? at - 1 : tail.length);
}

/** The end of the last line, word or character of UTF-16 bytes that begin at an even offset. */
function lastUnit(tail: Uint8Array, littleEndian: boolean): number {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const even = tail.length - (tail.length % 2);
  for (const separator of [0x0a, 0x20])
    for (let at = even - 2; at >= 0; at -= 2) if (view.getUint16(at, littleEndian) === separator) return at + 2;
  const last = view.getUint16(even - 2, littleEndian);
  return last >= 0xd800 && last < 0xdc00 ? even - 2 : even;
}
