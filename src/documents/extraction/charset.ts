import { analyse } from "chardet";
import { latin1 } from "../../platform/latin1";
import { type ByteSource, chunks, Unreadable } from "./extracted";
import { breathe } from "./pace";

/** Maximum number of bytes that the detector gets. They are lines with bytes outside ASCII. */
const MAX_STATISTICS_BYTES = 64 * 1024;
/** Minimum confidence of the detector (0 to 100), and minimum lead over the next encoding that gives another text. */
const [MIN_CONFIDENCE, MIN_LEAD] = [15, 3];
/** Maximum share of implausible words. A larger share means that the encoding is wrong. */
const MAX_IMPLAUSIBLE_SHARE = 0.15;

/** The Windows encoding that contains all letters of an ISO encoding, and more signs. */
const WINDOWS_SUPERSET: Readonly<Record<string, string>> = {
  "iso-8859-1": "windows-1252",
  "iso-8859-2": "windows-1250",
  "iso-8859-7": "windows-1253",
  "iso-8859-8": "windows-1255",
  "iso-8859-9": "windows-1254",
  "koi8-r": "koi8-u",
};

export const unknownCharset = (): Unreadable =>
  new Unreadable(
    "unknown-charset",
    "The file does not declare its character set, and its bytes do not show it. Save it as UTF-8 and upload it again.",
  );

/** The name of a declared charset in the Encoding Standard, or null for an unknown charset. */
export function encodingNamed(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return null;
  }
}

/** The `charset` of a media type. */
export const charsetOfType = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*["']?([^\s"';]{1,40})/i.exec(contentType)?.[1];

/** Control characters that text may contain: white space, end of file, the escape of ISO-2022, and next line. */
const CONTROLS_OF_TEXT = "\t\n\v\f\r\u001a\u001b\u0085";

/** Decodes bytes. Null if they are invalid in the encoding. The last character may be cut off. */
function read(bytes: Uint8Array, encoding: string): string | null {
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes, { stream: true });
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

/** The lines with bytes outside ASCII. Only they say anything about the encoding. */
function nonAsciiLines(bytes: Uint8Array): Uint8Array {
  const lines: number[] = [];
  for (let at = 0; at < bytes.length && lines.length < MAX_STATISTICS_BYTES; ) {
    const found = bytes.indexOf(0x0a, at);
    const end = found < 0 ? bytes.length : found + 1;
    const line = bytes.subarray(at, Math.min(end, at + MAX_STATISTICS_BYTES));
    if (line.some((byte) => byte >= 0x80 || byte === 0x1b)) for (const byte of line) lines.push(byte);
    at = end;
  }
  return Uint8Array.from(lines.slice(0, MAX_STATISTICS_BYTES));
}

/** The share of implausible words among those with letters outside ASCII: `Ãƒ¼`, `ä§b`, small letters before capitals. */
function implausibleShare(text: string): number {
  let [words, odd] = [0, 0];
  for (const word of text.match(/[A-Za-z\u0080-\u009f\u00a1-\u{10ffff}]+/gu) ?? []) {
    if (!/[\u0080-\u{10ffff}]/u.test(word)) continue;
    words++;
    if (IMPLAUSIBLE_WORD.test(word)) odd++;
  }
  return words === 0 ? 0 : odd / words;
}

const IMPLAUSIBLE_WORD =
  /\p{Ll}\p{Lu}|\p{L}[\p{S}\p{No}\u00a1-\u00a9\u00ab-\u00b1\u00b4-\u00b6\u00b8\u00b9\u00bb-\u00bf\u2020-\u2022\u2026\u2030\u201a\u201e]\p{L}|\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]/u;

/**
 * Letters of one language in a Windows encoding, and letters that no language writes together with them: Icelandic, and
 * Turkish at the same bytes.
 */
const FOREIGN_LETTERS: Readonly<Record<string, { own: RegExp; foreign: RegExp }>> = {
  "windows-1252": { own: /[ðþ]/gi, foreign: /[àâãçèêëìîïñòôõùû]/gi },
  "windows-1254": { own: /[ğşı]/gi, foreign: /[àáãäåæèéêëìíïñòóôõøùú]/gi },
};

/**
 * Whether a text mixes letters as no language does that is written in the encoding. The bytes are then Baltic or Vietnamese,
 * which the detector does not find in every text. Some foreign names are no mix.
 */
function mixesAlphabets({ encoding, text }: Reading): boolean {
  const letters = FOREIGN_LETTERS[encoding];
  if (letters === undefined) return false;
  const own = text.match(letters.own)?.length ?? 0;
  return own > 0 && (text.match(letters.foreign)?.length ?? 0) > own / 2;
}

interface Reading {
  encoding: string;
  text: string;
  confidence: number;
  odd: number;
}

/** Decodes bytes in an encoding, or in its Windows superset if that gives fewer implausible words. */
function readingIn(bytes: Uint8Array, name: string, confidence: number): Reading | null {
  const encoding = encodingNamed(name);
  if (encoding === null) return null;
  const readings = [encoding, WINDOWS_SUPERSET[name.toLowerCase()]].flatMap((each) => {
    const text = each === undefined ? null : read(bytes, each);
    return each === undefined || text === null
      ? []
      : [{ encoding: each, text, confidence, odd: implausibleShare(text) }];
  });
  return readings.sort((a, b) => a.odd - b.odd)[0] ?? null;
}

/** Detects the encoding of text by the statistics of its bytes. Null if no encoding has enough lead. */
export function encodingByStatistics(sample: Uint8Array): string | null {
  const bytes = nonAsciiLines(sample);
  const matches = analyse(bytes).filter(({ name }) => !name.startsWith("UTF-16") && !name.startsWith("UTF-32"));
  // UTF-8 with a few invalid bytes.
  if (matches[0]?.name === "UTF-8" && matches[0].confidence >= 80) return "utf-8";
  const readings: Reading[] = [];
  for (const { name, confidence } of matches) {
    const reading = name === "UTF-8" ? null : readingIn(bytes, name, confidence);
    if (reading !== null && !readings.some(({ text }) => text === reading.text)) readings.push(reading);
  }
  const [best, next] = readings;
  if (best === undefined || best.confidence < MIN_CONFIDENCE || best.odd > MAX_IMPLAUSIBLE_SHARE) return null;
  if (mixesAlphabets(best)) return null;
  return best.confidence - (next?.confidence ?? 0) < MIN_LEAD ? null : best.encoding;
}

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
 * valid, the first of the `declared` charsets in which the bytes are valid, the statistics of the bytes.
 * @throws Unreadable unknown-charset.
 */
export async function detectEncoding(source: ByteSource, ...declared: (string | undefined)[]): Promise<string> {
  return encodingOfBytes(await source.read(0, SAMPLE_BYTES), ...declared);
}

/** Detects the encoding of bytes in memory, like `detectEncoding`. @throws Unreadable unknown-charset. */
export function encodingOfBytes(bytes: Uint8Array, ...declared: (string | undefined)[]): string {
  const head = bytes.subarray(0, SAMPLE_BYTES);
  const marked = markedEncoding(head) ?? unmarkedUtf16(head.subarray(0, UTF16_SAMPLE_BYTES));
  if (marked !== null) return marked;
  const sample = withoutZeros(head);
  const named = declared.map(encodingNamed).filter((each) => each !== null);
  // ISO-2022-JP consists of ASCII bytes, so it is valid UTF-8 too. Its escapes decide.
  const raw = latin1(sample);
  if (ESCAPES_OF_JIS.some((sign) => raw.includes(sign))) return "iso-2022-jp";
  if (isUtf8(sample)) return "utf-8";
  const fitting = named.find((each) => !each.startsWith("utf-") && fits(sample, each));
  if (fitting !== undefined) return fitting;
  const told = encodingByStatistics(sample);
  if (told === null) throw unknownCharset();
  return told;
}

/** Bytes without the zeros that a loss of power leaves in a text. */
export const withoutZeros = (bytes: Uint8Array): Uint8Array =>
  bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes;

const UTF16_SAMPLE_BYTES = 8 * 1024;
const ESCAPES_OF_JIS = ["\u001b$@", "\u001b$B", "\u001b(J"];

/** Whether bytes are UTF-8. The last character may be cut off. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Decodes a range of bytes in chunks. Bytes that are invalid in the encoding become U+FFFD, and zeros become spaces. */
export async function* decoded(
  source: ByteSource,
  encoding: string,
  from = 0,
  to = source.sizeBytes,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
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

/** The letters of a form. The forms of marks alone contain a space or a connecting stroke, which would split the word. */
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
