import { latin1 } from "../../platform/latin1";
import { markedEncoding, unmarkedUtf16, withoutZeros } from "./charset";
import { encodingByStatistics, isUtf8 } from "./charsets";
import { COMPOUND_MARK, CompoundFile, findStream } from "./compound/compound";
import { type ByteSource, type ExtractionInput, Unreadable } from "./extracted";

import { Archive } from "./zip/archive";

export const FORMATS = [
  "pdf",
  "docx",
  "xlsx",
  "pptx",
  "odt",
  "ods",
  "odp",
  "epub",
  "rtf",
  "html",
  "markdown",
  "plain",
  "csv",
  "json",
  "eml",
  "msg",
  "doc",
  "xls",
  "ppt",
] as const;
export type Format = (typeof FORMATS)[number];

/** Number of first bytes that decide whether a file is text. */
const SAMPLE_BYTES = 64 * 1024;

const unsupported = (): Unreadable =>
  new Unreadable(
    "unsupported",
    "The service cannot extract text from files of this kind. Search finds only the file's name.",
  );

/**
 * Detects the format of a file by its bytes. File name and media type only distinguish the text formats.
 * @throws Unreadable unsupported or encrypted.
 */
export async function detectFormat(input: ExtractionInput): Promise<Format> {
  const head = await input.source.read(0, SAMPLE_BYTES);
  const ascii = String.fromCharCode(...head.subarray(0, 1_024));
  if (ascii.includes("%PDF-")) return "pdf";
  if (ascii.startsWith("PK\x03\x04") || ascii.startsWith("PK\x05\x06")) return formatOfArchive(input.source);
  if (ascii.startsWith(COMPOUND_MARK)) return formatOfCompoundFile(input.source);
  if (ascii.replace("\xef\xbb\xbf", "").trimStart().startsWith("{\\rtf")) return "rtf";
  if (!isText(input, head)) throw unsupported();
  return formatOfText(input, head);
}

/** Whether bytes are text: at most 1 % control characters, and zero bytes only as a loss of power leaves them. */
function isText(input: ExtractionInput, head: Uint8Array): boolean {
  if (markedEncoding(head)?.startsWith("utf-16") || unmarkedUtf16(head.subarray(0, 8 * 1024)) !== null) return true;
  const text = withoutZeros(head);
  const controls = text.reduce((sum, byte) => sum + (byte < 0x20 && !CONTROLS_OF_TEXT.includes(byte) ? 1 : 0), 0);
  if (text.length === head.length) return controls <= head.length / 100;
  // Only the name says what zeros alone are.
  if (text.length === 0) return namedFormat(input) !== undefined;
  const runs = head.reduce((sum, byte, at) => sum + (byte === 0 && head[at - 1] !== 0 ? 1 : 0), 0);
  const allowed = Math.max(1, text.length / 100);
  if (runs > allowed || controls > allowed || latin1(head.subarray(257, 262)) === "ustar") return false;
  return (
    isUtf8(text, input.source.sizeBytes <= SAMPLE_BYTES) || (controls === 0 && encodingByStatistics(text) !== null)
  );
}

const CONTROLS_OF_TEXT = [0x09, 0x0a, 0x0c, 0x0d, 0x1b];

const OPEN_DOCUMENT = /^application\/vnd\.oasis\.opendocument\.([a-z]{1,20})(?:-template|-master)?\s*$/;
const OPEN_DOCUMENTS: Readonly<Record<string, Format>> = { text: "odt", spreadsheet: "ods", presentation: "odp" };

async function formatOfArchive(source: ByteSource): Promise<Format> {
  const archive = await Archive.open(source);
  if (archive.has("[Content_Types].xml")) {
    const types = await archive.text("[Content_Types].xml", 4 * 1024 * 1024);
    if (/wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroEnabled/.test(types))
      return "docx";
    if (/spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroEnabled/.test(types)) return "xlsx";
    if (/presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\.\w+\.macroEnabled/.test(types))
      return "pptx";
  } else if (archive.has("mimetype")) {
    const type = await archive.text("mimetype", 1_024);
    if (/^application\/epub\+zip\s*$/.test(type)) return "epub";
    const [, kind = ""] = OPEN_DOCUMENT.exec(type) ?? [];
    const format = OPEN_DOCUMENTS[kind];
    if (format !== undefined) return format;
  }
  throw unsupported();
}

/** The formats of compound files, by a stream that each has. */
const BY_STREAM: readonly (readonly [stream: string, format: Format])[] = [
  ["__properties_version1.0", "msg"],
  ["WordDocument", "doc"],
  ["Workbook", "xls"],
  ["Book", "xls"],
  ["PowerPoint Document", "ppt"],
];

/** The format of a compound file. One with a password contains an encrypted package. @throws Unreadable. */
async function formatOfCompoundFile(source: ByteSource): Promise<Format> {
  const { root } = await CompoundFile.open(source);
  if (findStream(root, "EncryptedPackage") !== undefined)
    throw new Unreadable("encrypted", "The file is protected with a password.");
  const found = BY_STREAM.find(([stream]) => findStream(root, stream) !== undefined);
  if (found !== undefined) return found[1];
  throw unsupported();
}

const BY_EXTENSION: Readonly<Record<string, Format>> = {
  htm: "html",
  html: "html",
  xhtml: "html",
  md: "markdown",
  markdown: "markdown",
  mdx: "markdown",
  csv: "csv",
  tsv: "csv",
  json: "json",
  jsonl: "json",
  ndjson: "json",
  geojson: "json",
  eml: "eml",
  txt: "plain",
  log: "plain",
};

const BY_TYPE: Readonly<Record<string, Format>> = {
  "text/html": "html",
  "application/xhtml+xml": "html",
  "text/markdown": "markdown",
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/json": "json",
  "application/x-ndjson": "json",
  "application/geo+json": "json",
  "message/rfc822": "eml",
};

/** A header line at the beginning of a mail, as relays and mail programs write it. */
const MAIL =
  /^(?:Return-Path|Received|Delivered-To|From|Date|Subject|Message-ID|MIME-Version|X-[\w-]{1,60}): [^\n]*\n/i;

/** The text format that the name or the media type of a file says. */
function namedFormat({ fileName, contentType }: ExtractionInput): Format | undefined {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(fileName)?.[1]?.toLowerCase() ?? "";
  const named = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
  if (named !== undefined) return named;
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined;
}

function formatOfText(input: ExtractionInput, head: Uint8Array): Format {
  const named = namedFormat(input);
  if (named !== undefined) return named;
  const start = new TextDecoder(markedEncoding(head) ?? unmarkedUtf16(head.subarray(0, 8 * 1024)) ?? "utf-8").decode(
    head.subarray(0, 4_096),
  );
  if (/^\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html)[\s>]/i.test(start)) return "html";
  return MAIL.test(start) && /^(?:From|Message-ID): /im.test(start) ? "eml" : "plain";
}
