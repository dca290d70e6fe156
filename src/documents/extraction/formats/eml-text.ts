import PostalMime, { type Email, type PostalMimeOptions, type RawEmail } from "postal-mime";
import { latin1 } from "../../../platform/latin1";
import { breathe } from "../../../platform/pace";
import { MAX_MAIL_LINES, MAX_MAIL_PARTS } from "../../limits";
import { encodingOfBytes } from "../charset";
import { countUtf8, decoderOf } from "../charsets";
import { damaged, Unreadable } from "../extracted";

/** Maximum nesting of MIME parts, and maximum size of the headers of one part, bytes. */
const MAX_MIME_DEPTH = 64;
const MAX_HEADER_BYTES = 1024 * 1024;

/** Work of the parser for a line and for a part, in the characters that other parsers read meanwhile. */
const [WORK_PER_LINE, WORK_PER_PART] = [32, 1024];

/** The steps of the parser of mails that it takes for each line and for each part; its types do not name them. */
interface Steps {
  processLine(line: Uint8Array, isFinal: boolean): Promise<void>;
  collectNode(node: unknown, alternative: unknown, related: boolean): Promise<void>;
}

// The parser makes a separate parser for each mail within a mail, so all of them pause.
const steps = PostalMime.prototype as unknown as Steps;
const { processLine, collectNode } = steps;
steps.processLine = async function (line, isFinal) {
  await breathe(WORK_PER_LINE + line.length);
  return processLine.call(this, line, isFinal);
};
steps.collectNode = async function (...node) {
  await breathe(WORK_PER_PART);
  return collectNode.apply(this, node);
};

const [LINE_FEED, HYPHEN] = [0x0a, 0x2d];

/**
 * The length of a mail that is parsed, bytes. The parser keeps an object for each line and for each part, so a mail ends after
 * `MAX_MAIL_LINES` lines, and after as many lines that can begin a part as `MAX_MAIL_PARTS`.
 */
export function parsedLength(bytes: Uint8Array): number {
  let [lines, parts] = [0, 0];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] === HYPHEN && bytes[at + 1] === HYPHEN) parts++;
    if (++lines > MAX_MAIL_LINES || parts > MAX_MAIL_PARTS) return at;
    const end = bytes.indexOf(LINE_FEED, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  return bytes.length;
}

/**
 * Parses a mail with its attachments as they were sent: an attached mail is one of them. Null for a mail that cannot be read, also
 * because of too many lines, parts or nested parts.
 */
export async function readWholeMail(bytes: Uint8Array<ArrayBuffer>): Promise<Email | null> {
  if (parsedLength(bytes) < bytes.length) return null;
  try {
    return await parseOnce(bytes, { forceRfc822Attachments: true });
  } catch (thrown) {
    if (thrown instanceof Unreadable) return null;
    throw thrown;
  }
}

const OUTSIDE_ASCII = /[\u0080-\uffff]/;
/** The headers of a text part, up to the end of its Content-Type. */
const TEXT_PART = /^Content-Type:[ \t]*text\/(?:plain|html)[^\n]{0,1000}(?:\n[ \t][^\n]{0,1000}){0,20}/gim;
const CHARSET = /;[ \t\r\n]*charset\s*=\s*(?:"([^"\n]{0,60})"|([^\s"';]{1,60}))/i;

/** The encoding that keeps each byte: those outside ASCII become U+F780 to U+F7FF. */
const BYTES = "x-user-defined";

const bytesOf = (raw: string): Uint8Array => Uint8Array.from(raw, (char) => char.charCodeAt(0));

async function parseOnce(bytes: Uint8Array, more: PostalMimeOptions = {}): Promise<Email> {
  const limits = { maxNestingDepth: MAX_MIME_DEPTH, maxHeadersSize: MAX_HEADER_BYTES };
  // The parser copies a view, but not a whole buffer.
  const whole = bytes.length === bytes.buffer.byteLength ? bytes.buffer : bytes;
  try {
    return await PostalMime.parse(whole as RawEmail, { ...limits, ...more });
  } catch (cause) {
    throw damaged("The mail cannot be read.", cause);
  }
}

/**
 * Parses a mail. A text part whose charset is missing, wrong or unknown is decoded by its letters, and so are headers that are
 * not encoded.
 * @throws Unreadable damaged or unknown-charset.
 */
export async function parseMail(original: Uint8Array): Promise<Email> {
  const bytes = withReadableHead(original);
  const mail = await parseOnce(bytes);
  if (!OUTSIDE_ASCII.test(`${mail.text ?? ""}${mail.html ?? ""}`)) return mail;
  const raw = latin1(bytes);
  const isBare = !/^Content-Type:/im.test(raw);
  const charsets = new Set(Array.from(raw.matchAll(TEXT_PART), ([part]) => charsetOf(part)));
  // The parser decodes UTF-8 rightly, even without a declaration.
  if (!isBroken(mail) && [...charsets].every((charset) => charset === undefined || /^utf-?8$/i.test(charset)))
    return mail;
  const several = charsets.size > 1;
  const marked = isBare
    ? `Content-Type: text/plain; charset=${BYTES}\r\n${raw}`
    : raw.replace(TEXT_PART, (part) => {
        const charset = charsetOf(part);
        if (several && charset !== undefined) return part;
        return `${part.replace(CHARSET, "").replace(/\r$/, "")}; charset=${BYTES}${part.endsWith("\r") ? "\r" : ""}`;
      });
  const declared = several ? undefined : [...charsets][0];
  const undecoded = await parseOnce(bytesOf(marked));
  const encoding = encodingOfBytes(bytesIn(`${undecoded.text ?? ""}\n${undecoded.html ?? ""}`), declared);
  const decode = (text: string | undefined) => (text === undefined ? undefined : decodedIn(text, encoding));
  const [text, html] = [decode(undecoded.text), decode(undecoded.html)];
  return { ...mail, ...(text === undefined ? {} : { text }), ...(html === undefined ? {} : { html }) };
}

const charsetOf = (part: string): string | undefined => {
  const [, quoted, bare] = CHARSET.exec(part) ?? [];
  return quoted ?? bare;
};

const isBroken = ({ text, html }: Email): boolean => `${text ?? ""}${html ?? ""}`.includes("\ufffd");

/** The bytes of characters that the parser kept as bytes. */
const bytesIn = (text: string): Uint8Array =>
  bytesOf(text.replace(/[\u0080-\uf77f\uf800-\uffff]/g, " ").replace(/[\uf780-\uf7ff]/g, (char) => byteOf(char)));

const byteOf = (char: string): string => String.fromCharCode(char.charCodeAt(0) & 0xff);

/** Decodes the characters that the parser kept as bytes. */
const decodedIn = (text: string, encoding: string): string =>
  text.replace(/[^\u0080-\uf77f\uf800-\uffff]+/g, (run) => decoderOf(encoding).decode(bytesIn(run)));

/** A mail whose headers are UTF-8: the bytes of headers that are not encoded get the encoding that their letters show. */
function withReadableHead(bytes: Uint8Array): Uint8Array {
  const raw = latin1(bytes.subarray(0, MAX_HEADER_BYTES));
  const end = /\r?\n\r?\n/.exec(raw)?.index ?? raw.length;
  const head = bytes.subarray(0, end);
  const { characters, invalid } = countUtf8(head);
  if (invalid === 0 || characters > invalid) return bytes;
  try {
    // The body has more letters than the headers, and is mostly in the same encoding.
    const declared = charsetOf(TEXT_PART_ONCE.exec(raw)?.[0] ?? "");
    const text = new TextEncoder().encode(decoderOf(encodingOfBytes(head, declared)).decode(head));
    const joined = new Uint8Array(text.length + bytes.length - end);
    joined.set(text);
    joined.set(bytes.subarray(end), text.length);
    return joined;
  } catch (thrown) {
    if (thrown instanceof Unreadable) return bytes;
    throw thrown;
  }
}

const TEXT_PART_ONCE = new RegExp(TEXT_PART.source, "im");
