import { latin1 } from "../../platform/latin1";
import { breathe } from "../../platform/pace";
import { contradiction, countUtf8, decoderOf, encodingByStatistics, encodingNamed, isUtf8 } from "./charsets";
import { type ByteSource, chunks, Unreadable } from "./extracted";

const unknownCharset = (): Unreadable =>
  new Unreadable(
    "unknown-charset",
    "The file does not declare its character set, and its bytes do not show it. Save it as UTF-8 and upload it again.",
  );

/** The `charset` of a media type. */
export const charsetOfType = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*["']?([^\s"';]{1,40})/i.exec(contentType)?.[1];

/** Control characters that text may contain: white space, end of file, the escape of ISO-2022, and next line. */
const CONTROLS_OF_TEXT = "\t\n\v\f\r\u001a\u001b\u0085";

/** Decodes bytes. Null if they are invalid in the encoding. The last character may be cut off. */
function read(bytes: Uint8Array, encoding: string): string | null {
  try {
    const text = decoderOf(encoding, true).decode(bytes, { stream: true });
    // The decoders of Windows encodings map undefined bytes to control characters, which no text contains.
    const controls = text.match(/\p{Cc}/gu) ?? [];
    return controls.some((control) => !CONTROLS_OF_TEXT.includes(control)) ? null : text;
  } catch {
    return null;
  }
}

/** Whether bytes can be text in an encoding. */
const fits = (bytes: Uint8Array, encoding: string): boolean => read(bytes, encoding) !== null;

/** Detects UTF-16 without a byte-order mark: letters of one script with white space between them. Otherwise null. */
export function unmarkedUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (!bytes.includes(0)) return null;
  for (const encoding of ["utf-16le", "utf-16be"] as const) {
    const text = read(bytes.subarray(0, bytes.length - (bytes.length % 2)), encoding);
    if (text === null || !/[ \n]/.test(text) || /[\p{Cn}\p{Co}\p{Cs}]/u.test(text)) continue;
    const letters = text.match(/\p{L}/gu)?.length ?? 0;
    if (letters >= text.length / 3 && SCRIPTS.some((script) => (text.match(script)?.length ?? 0) > 0.7 * letters))
      return encoding;
  }
  return null;
}

const SCRIPTS = [
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]",
  ..."Latin Cyrillic Greek Hangul Arabic Hebrew Thai Devanagari"
    .split(" ")
    .map((name) => `(?=\\p{L})\\p{Script=${name}}`),
].map((script) => new RegExp(script, "gu"));

/** Number of first bytes that decide the encoding. */
const SAMPLE_BYTES = 1024 * 1024;

/** The encoding of a byte-order mark, or null. */
export function markedEncoding(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return null;
}

/**
 * Detects the encoding of a text from its first MiB. The order is: the byte-order mark, UTF-16 or UTF-8 if the bytes are
 * valid, the first of the `declared` charsets in which the bytes are valid and can be words, the letters of the text.
 * @throws Unreadable unknown-charset.
 */
export async function detectEncoding(source: ByteSource, ...declared: (string | undefined)[]): Promise<string> {
  const sample = await source.read(0, SAMPLE_BYTES);
  return encodingOfSample(sample, source.sizeBytes <= SAMPLE_BYTES, declared);
}

/** Detects the encoding of bytes in memory, like `detectEncoding`. @throws Unreadable unknown-charset. */
export const encodingOfBytes = (bytes: Uint8Array, ...declared: (string | undefined)[]): string =>
  encodingOfSample(bytes.subarray(0, SAMPLE_BYTES), bytes.length <= SAMPLE_BYTES, declared);

/** Names of a charset that programs write where they know none. It has no character of more than seven bits. */
const UNDECLARED = /^\s*(?:us-?ascii|ascii|ansi_x3\.4-19\d\d|unknown(?:-8bit)?|8bit|binary|x-unknown)\s*$/i;

function encodingOfSample(head: Uint8Array, isWhole: boolean, declared: readonly (string | undefined)[]): string {
  const marked = markedEncoding(head) ?? unmarkedUtf16(head.subarray(0, UTF16_SAMPLE_BYTES));
  if (marked !== null) return marked;
  const sample = withoutZeros(head);
  const named = declared
    .filter((label) => label !== undefined && !UNDECLARED.test(label))
    .map(encodingNamed)
    .filter((each) => each !== null);
  // ISO-2022-JP consists of ASCII bytes, so it is valid UTF-8 too. Its escapes decide.
  const raw = latin1(sample);
  if (ESCAPES_OF_JIS.some((sign) => raw.includes(sign))) return "iso-2022-jp";
  if (isUtf8(sample, isWhole) || (named.includes("utf-8") && isMostlyUtf8(sample))) return "utf-8";
  const fitting = named.find((each) => !each.startsWith("utf-") && fits(sample, each));
  const told = fitting === undefined ? encodingByStatistics(sample) : (contradiction(sample, fitting) ?? fitting);
  if (told === null) throw unknownCharset();
  return told;
}

/** Whether bytes that are declared as UTF-8 can be that: most characters outside ASCII are valid. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const { characters, invalid } = countUtf8(bytes);
  return invalid === 0 || characters > invalid;
}

/** Bytes without the zeros that a loss of power leaves in a text. */
export const withoutZeros = (bytes: Uint8Array): Uint8Array =>
  bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes;

const UTF16_SAMPLE_BYTES = 8 * 1024;
const ESCAPES_OF_JIS = ["\u001b$@", "\u001b$B", "\u001b(J"];

/** Decodes a range of bytes in chunks. Bytes that are invalid in the encoding become U+FFFD, and zeros become spaces. */
export async function* decoded(
  source: ByteSource,
  encoding: string,
  from = 0,
  to = source.sizeBytes,
): AsyncGenerator<string> {
  const decoder = decoderOf(encoding);
  for await (const piece of chunks(source, from, to - from)) {
    await breathe(piece.length);
    yield zerosAsSpaces(decoder.decode(piece, { stream: true }));
  }
  yield decoder.decode();
}

const zerosAsSpaces = (text: string): string => (text.includes("\0") ? text.replace(/\0+/g, " ") : text);

/** Number of bytes before the end of a slice that are searched for the end of a line. */
const LINE_SEARCH_BYTES = 64 * 1024;

/** The end of a slice of at most `length` bytes from `from`: after a line, else after a word, else after a character. */
export async function endOfSlice(source: ByteSource, encoding: string, from: number, length: number): Promise<number> {
  const end = from + length;
  if (end >= source.sizeBytes) return source.sizeBytes;
  const start = Math.max(from, end - LINE_SEARCH_BYTES);
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

/** The end of the last line, word or character in UTF-16 bytes. They begin at an even offset. */
function lastUnit(tail: Uint8Array, littleEndian: boolean): number {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const even = tail.length - (tail.length % 2);
  for (const separator of [0x0a, 0x20])
    for (let at = even - 2; at >= 0; at -= 2) if (view.getUint16(at, littleEndian) === separator) return at + 2;
  const last = view.getUint16(even - 2, littleEndian);
  return last >= 0xd800 && last < 0xdc00 ? even - 2 : even;
}

// Control characters, marks of the writing direction and private-use characters are no text. Zero-width joiners stay,
// because Indian scripts and emoji need them.
const INVISIBLE = /[\p{Cc}\p{Co}\p{Cs}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffc-\uffff]/gu;
const SPACES = /[\s\u0085]+/gu;

/**
 * Forms of letters that only their shape distinguishes: ligatures, Arabic letters by their place in the word, radicals in the
 * place of ideographs, and signs of vertical lines. PDFs contain them instead of the letters.
 */
const FORMS = /[\u2f00-\u2fd5\ufb00-\ufd3d\ufd40-\ufdff\ufe10-\ufe19\ufe30-\ufe44\ufe70-\ufefc]/g;

/** The letters that a presentation form stands for. The form of a single mark contains a space or a connecting stroke too, which would split the word. */
const lettersOf = (form: string): string => form.normalize("NFKC").replace(/^[ \u0640](?=\p{M})/u, "");

/** Normalizes text to one line: NFC, letters instead of their forms, single spaces, no invisible characters. */
export const normalise = (text: string): string =>
  text
    .replace(SPACES, " ")
    .replace(INVISIBLE, "")
    .replace(FORMS, lettersOf)
    .normalize("NFC")
    .replace(/ {2,}/g, " ")
    .trim();
