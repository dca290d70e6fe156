import { latin1 } from "../../../platform/latin1";
import { breathe } from "../../../platform/pace";
import { MAX_MAIL_ATTACHMENT_BYTES, MAX_MAIL_BYTES, MAX_MAIL_PARTS } from "../../limits";
import { encodingOfBytes } from "../charset";
import { decoderOf } from "../charsets";
import { type CompoundEntry, CompoundFile, findEntry, findStream } from "../compound/compound";
import {
  type ByteSource,
  bytesSource,
  type Ending,
  type Extracted,
  type ExtractionInput,
  Unreadable,
} from "../extracted";
import { ParagraphBuilder } from "../passages";
import { isTextAttachment, sayHtml, sayLines, textOfAttachment } from "./mail";
import { unpackRtf } from "./msg-rtf";
import type { AttachedFile } from "./pdf-files";
import { extractRtf } from "./rtf";
import { encodingOfCodepage } from "./rtf-words";

/** Identifiers of properties (MS-OXPROPS). */
const ID = {
  subject: "0037",
  representedName: "0042",
  representedAddress: "0065",
  representedSmtp: "5d02",
  senderName: "0c1a",
  senderAddress: "0c1f",
  senderSmtp: "5d01",
  body: "1000",
  html: "1013",
  rtf: "1009",
  name: "3001",
  address: "3003",
  smtp: "39fe",
  longFileName: "3707",
  fileName: "3704",
  mimeType: "370e",
  data: "3701",
} as const;
/** Why the text of some attachments is not read, in the words of other mails. */
const TOO_MANY = "has too many lines or parts";

/** Properties of fixed size, with their types. */
const FIXED = {
  submitted: 0x00390040,
  delivered: 0x0e060040,
  recipientType: 0x0c150003,
  messageCodepage: 0x3ffd0003,
  internetCodepage: 0x3fde0003,
  locale: 0x3ff10003,
} as const;

/** Code pages of mails that are not code pages of Windows. */
const INTERNET_CODEPAGES: Readonly<Record<number, string>> = {
  20866: "koi8-r",
  21866: "koi8-u",
  50220: "iso-2022-jp",
  50221: "iso-2022-jp",
  51932: "euc-jp",
  51949: "euc-kr",
  54936: "gb18030",
};

/** The code pages of Windows for the languages of a locale, by its lower ten bits. Other languages have 1252. */
const CODEPAGE_OF_LANGUAGE: Readonly<Record<number, number>> = {
  1: 1256,
  2: 1251,
  5: 1250,
  8: 1253,
  13: 1255,
  14: 1250,
  17: 932,
  18: 949,
  21: 1250,
  24: 1250,
  25: 1251,
  26: 1250,
  27: 1250,
  30: 874,
  31: 1254,
  34: 1251,
  36: 1250,
  37: 1257,
  38: 1257,
  39: 1257,
  41: 1256,
  42: 1258,
};
const [CHINESE, TRADITIONAL] = [4, [0x404, 0xc04, 0x1404]];

/** The code page of a program of this locale, or null if it says nothing. */
function codepageOfLocale(locale: number | null): number | null {
  if (locale === null) return null;
  const language = locale & 0x3ff;
  if (language === CHINESE) return TRADITIONAL.includes(locale) ? 950 : 936;
  return CODEPAGE_OF_LANGUAGE[language] ?? null;
}

/** Maximum size of a property of one line and of the list of properties, bytes, and maximum nesting of messages. */
const [MAX_LINE_BYTES, MAX_PROPERTIES_BYTES, MAX_MESSAGE_DEPTH] = [64 * 1024, 1024 * 1024, 8];
/** Size of the head of the list of properties: of a file, of a message within a message, and of anything else, bytes. */
const [TOP_HEAD, MESSAGE_HEAD, OTHER_HEAD] = [32, 24, 8];

/** The properties of a message, a recipient or an attachment (MS-OXMSG 2.1). */
class Properties {
  #fixed: DataView = new DataView(new ArrayBuffer(0));

  private constructor(
    private readonly file: CompoundFile,
    private readonly storage: CompoundEntry,
    private readonly head: number,
    /** The encoding of texts of eight bits. */
    public encoding: string | undefined,
  ) {}

  static async read(file: CompoundFile, storage: CompoundEntry, head: number, encoding?: string): Promise<Properties> {
    const made = new Properties(file, storage, head, encoding);
    const bytes = (await made.#stream("__properties_version1.0", MAX_PROPERTIES_BYTES)) ?? new Uint8Array();
    made.#fixed = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const codepage = made.number(FIXED.messageCodepage) ?? codepageOfLocale(made.number(FIXED.locale));
    made.encoding = encodingOfCodepage(codepage) ?? made.internetEncoding ?? encoding;
    return made;
  }

  async #stream(name: string, limit: number): Promise<Uint8Array | undefined> {
    const entry = findStream(this.storage, name);
    if (entry === undefined) return undefined;
    await breathe(64);
    return (await this.file.stream(entry)).read(0, limit);
  }

  /** The place of the value of a property of fixed size. */
  #place(tag: number): number | null {
    for (let at = this.head; at + 16 <= this.#fixed.byteLength; at += 16)
      if (this.#fixed.getUint32(at, true) === tag) return at + 8;
    return null;
  }

  number(tag: number): number | null {
    const at = this.#place(tag);
    return at === null ? null : this.#fixed.getUint32(at, true);
  }

  /** The encoding of the mail before Outlook stored it, which an HTML body keeps. */
  get internetEncoding(): string | undefined {
    const codepage = this.number(FIXED.internetCodepage) ?? 0;
    return INTERNET_CODEPAGES[codepage] ?? encodingOfCodepage(codepage) ?? undefined;
  }

  /** A day and time in UTC, or "". Times count 100 nanoseconds since 1601. */
  time(tag: number): string {
    const at = this.#place(tag);
    if (at === null) return "";
    const date = new Date(Number(this.#fixed.getBigInt64(at, true) / 10_000n) - 11_644_473_600_000);
    return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 16).replace("T", " ");
  }

  binary(id: string, limit: number): Promise<Uint8Array | undefined> {
    return this.#stream(`__substg1.0_${id}0102`, limit);
  }

  /** A text of at most `limit` bytes, or "". */
  async text(id: string, limit = MAX_LINE_BYTES): Promise<string> {
    const wide = await this.#stream(`__substg1.0_${id}001f`, limit);
    if (wide !== undefined) return new TextDecoder("utf-16le").decode(wide);
    const narrow = await this.#stream(`__substg1.0_${id}001e`, limit);
    return narrow === undefined ? "" : decode(narrow, this.encoding);
  }

  /** The storages within this storage whose names begin with a text, in their order. */
  within(prefix: string): CompoundEntry[] {
    return [...this.storage.children]
      .filter(([name, { isStorage }]) => isStorage && name.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => entry);
  }
}

/** Decodes a text by its declared encodings and its letters. */
function decode(bytes: Uint8Array, ...declared: (string | undefined)[]): string {
  try {
    return decoderOf(encodingOfBytes(bytes, ...declared)).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return decoderOf(declared.find((each) => each !== undefined) ?? "windows-1252").decode(bytes);
  }
}

/** A mail with the number of parts that were read of it and of the messages within it. */
interface Reading {
  file: CompoundFile;
  parts: number;
  isIncomplete: boolean;
}

/**
 * Extracts a message of Outlook (MS-OXMSG): subject, senders and recipients, date, body, names of the attachments,
 * attachments that are text, and messages within the message. Outlook stores a body as text, HTML or packed RTF.
 */
export async function* extractMsg({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const file = await CompoundFile.open(source);
  const reading = { file, parts: 0, isIncomplete: false };
  yield* readMessage(reading, file.root, TOP_HEAD, 0);
  if (!reading.isIncomplete) return { pageCount: null };
  return {
    pageCount: null,
    incomplete: `The mail ${TOO_MANY}. Search finds its text, but not the text of all attachments.`,
  };
}

/**
 * Lists the files that are attached to a message of Outlook, at most `most`. Messages within the message are left out: they are
 * folders of the file, and no files. @throws Unreadable damaged.
 */
export async function filesOfMsg(source: ByteSource, most: number): Promise<AttachedFile[]> {
  const file = await CompoundFile.open(source);
  const message = await Properties.read(file, file.root, TOP_HEAD);
  const files: AttachedFile[] = [];
  for (const storage of message.within("__attach_version1.0_").slice(0, most)) {
    const attachment = await Properties.read(file, storage, OTHER_HEAD, message.encoding);
    if (findEntry(storage, `__substg1.0_${ID.data}000d`)?.isStorage === true) continue;
    files.push({
      fileName: await nameOfAttachment(attachment),
      mediaType: (await attachment.text(ID.mimeType)).toLowerCase(),
      read: async () => Uint8Array.from((await attachment.binary(ID.data, source.sizeBytes)) ?? []),
    });
  }
  return files;
}

const nameOfAttachment = async (attachment: Properties): Promise<string> =>
  (await attachment.text(ID.longFileName)) || (await attachment.text(ID.fileName)) || (await attachment.text(ID.name));

async function* readMessage(
  reading: Reading,
  storage: CompoundEntry,
  head: number,
  depth: number,
): AsyncGenerator<Extracted> {
  const properties = await Properties.read(reading.file, storage, head);
  const paragraphs = new ParagraphBuilder();
  const say = (text: string): void => {
    paragraphs.add(text);
    paragraphs.end();
  };
  say(await properties.text(ID.subject));
  const from = await senderOf(properties);
  if (from !== "") say(`From: ${from}`);
  const people = await recipientsOf(reading, properties);
  for (const [label, list] of people) if (list.length > 0) say(`${label}: ${list.join(", ")}`);
  const date = properties.time(FIXED.submitted) || properties.time(FIXED.delivered);
  if (date !== "") say(`Date: ${date}`);
  yield* paragraphs.take();
  yield* readBody(properties, paragraphs);
  for (const attachment of properties.within("__attach_version1.0_")) {
    if (++reading.parts > MAX_MAIL_PARTS) {
      reading.isIncomplete = true;
      break;
    }
    yield* readAttachment(reading, attachment, properties.encoding, depth);
  }
}

async function senderOf(properties: Properties): Promise<string> {
  const represented = await properties.text(ID.representedName);
  return represented === ""
    ? person(properties, ID.senderName, ID.senderSmtp, ID.senderAddress)
    : person(properties, ID.representedName, ID.representedSmtp, ID.representedAddress);
}

/** A name and an address. An address within an organization (`/o=…`) means nothing outside it. */
async function person(properties: Properties, nameId: string, smtpId: string, addressId: string): Promise<string> {
  const name = (await properties.text(nameId)).trim();
  const smtp = (await properties.text(smtpId)) || (await properties.text(addressId));
  return smtp.includes("@") && smtp !== name ? `${name} <${smtp}>`.trim() : name;
}

/** The recipients of a message. Blind copies are left out, as in mails. */
async function recipientsOf(reading: Reading, properties: Properties): Promise<["To" | "Cc", string[]][]> {
  const [to, copied]: [string[], string[]] = [[], []];
  for (const storage of properties.within("__recip_version1.0_")) {
    if (++reading.parts > MAX_MAIL_PARTS) {
      reading.isIncomplete = true;
      break;
    }
    const one = await Properties.read(reading.file, storage, OTHER_HEAD, properties.encoding);
    const type = one.number(FIXED.recipientType) ?? 1;
    const list = type === 1 ? to : type === 2 ? copied : null;
    const shown = list === null ? "" : await person(one, ID.name, ID.smtp, ID.address);
    if (shown !== "") list?.push(shown);
  }
  return [
    ["To", to],
    ["Cc", copied],
  ];
}

const META_CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})/i;

async function* readBody(properties: Properties, paragraphs: ParagraphBuilder): AsyncGenerator<Extracted> {
  const text = await properties.text(ID.body, MAX_MAIL_BYTES);
  if (text.trim() !== "") {
    sayLines(text, (paragraph) => {
      paragraphs.add(paragraph);
      paragraphs.end();
    });
    yield* paragraphs.take();
    return;
  }
  const html = await htmlOf(properties);
  if (html.trim() !== "") {
    await sayHtml(html, paragraphs);
    yield* paragraphs.take();
    return;
  }
  const packed = await properties.binary(ID.rtf, MAX_MAIL_BYTES);
  if (packed === undefined || packed.length === 0) return;
  // RTF can contain a message in HTML. Its HTML is in destinations that usual readers of RTF skip (MS-OXRTFEX).
  const source = bytesSource(await unpackRtf(packed, MAX_MAIL_BYTES));
  yield* extractRtf({ source, fileName: "", contentType: "" });
}

async function htmlOf(properties: Properties): Promise<string> {
  const bytes = await properties.binary(ID.html, MAX_MAIL_BYTES);
  if (bytes === undefined) return properties.text(ID.html, MAX_MAIL_BYTES);
  const own = META_CHARSET.exec(latin1(bytes.subarray(0, 4_096)))?.[1];
  return decode(bytes, properties.internetEncoding, own);
}

async function* readAttachment(
  reading: Reading,
  storage: CompoundEntry,
  encoding: string | undefined,
  depth: number,
): AsyncGenerator<Extracted> {
  const paragraphs = new ParagraphBuilder();
  const say = (text: string): void => {
    paragraphs.add(text);
    paragraphs.end();
  };
  const attachment = await Properties.read(reading.file, storage, OTHER_HEAD, encoding);
  const named = await nameOfAttachment(attachment);
  say(named);
  const mimeType = (await attachment.text(ID.mimeType)).toLowerCase();
  if (isTextAttachment(mimeType) || (mimeType === "" && /\.(?:txt|csv|md)$/i.test(named))) {
    const bytes = await attachment.binary(ID.data, MAX_MAIL_ATTACHMENT_BYTES + 1);
    const text = bytes === undefined ? null : textOfAttachment(bytes, encoding);
    if (text !== null) sayLines(text, say);
  }
  yield* paragraphs.take();
  const message = findEntry(storage, `__substg1.0_${ID.data}000d`);
  if (message?.isStorage !== true) return;
  if (depth >= MAX_MESSAGE_DEPTH) reading.isIncomplete = true;
  else yield* readMessage(reading, message, MESSAGE_HEAD, depth + 1);
}
