import type { Address, Attachment } from "postal-mime";
import { latin1 } from "../../../platform/latin1";
import { breathe } from "../../../platform/pace";
import { MAX_MAIL_ATTACHMENT_BYTES, MAX_MAIL_BYTES } from "../../limits";
import { encodingOfBytes } from "../charset";
import { decoderOf } from "../charsets";
import { type Ending, type Extracted, type ExtractionInput, Unreadable } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { parsedLength, parseMail } from "./eml-text";
import { HtmlText } from "./html";

const person = ({ name, address, group }: Address): string =>
  group === undefined ? `${name} ${address === undefined ? "" : `<${address}>`}` : group.map(person).join(", ");

/** Extracts a mail: subject, senders and recipients, body, names of the attachments, and attachments that are text. */
export async function* extractMail({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const read = await source.read(0, Math.min(source.sizeBytes, MAX_MAIL_BYTES));
  const bytes = read.subarray(0, parsedLength(read));
  const mail = await parseMail(bytes);
  const paragraphs = new ParagraphBuilder();
  const say = (text: string | undefined): void => {
    paragraphs.add(text ?? "");
    paragraphs.end();
  };
  say(mail.subject);
  for (const [label, people] of [
    ["From", mail.from === undefined ? [] : [mail.from]],
    ["To", mail.to ?? []],
    ["Cc", mail.cc ?? []],
  ] as const)
    if (people.length > 0) say(`${label}: ${people.map(person).join(", ")}`);
  if (mail.text !== undefined && mail.text.trim() !== "") sayLines(mail.text, say);
  else if (mail.html !== undefined) await sayHtml(mail.html, paragraphs);
  const charset = mail.attachments.length > 0 ? onlyCharset(bytes) : undefined;
  for (const attachment of mail.attachments) {
    say(attachment.filename ?? "");
    const text = textOf(attachment, charset);
    if (text !== null) sayLines(text, say);
  }
  yield* paragraphs.take();
  if (source.sizeBytes === bytes.length) return { pageCount: null };
  const why = bytes.length < read.length ? "has too many lines or parts" : "is larger than 16 MiB";
  return {
    pageCount: null,
    incomplete: `The mail ${why}. Search finds its text, but not the text of all attachments.`,
  };
}

/** The charset of a mail, if all its parts declare the same. The parser does not return the charset of an attachment. */
function onlyCharset(bytes: Uint8Array): string | undefined {
  const named = latin1(bytes).matchAll(/^[^\n]{0,200}charset\s*=\s*["']?([^\s"';]{1,40})/gim);
  const all = new Set(Array.from(named, ([, label = ""]) => label.toLowerCase()));
  return all.size === 1 ? all.values().next().value : undefined;
}

/** Number of characters of an HTML body that are parsed at once. */
const HTML_PIECE_LENGTH = 64 * 1024;

function sayLines(text: string, say: (paragraph: string) => void): void {
  for (const paragraph of text.split(/(?:\r?\n){2,}/)) say(paragraph);
}

async function sayHtml(html: string, paragraphs: ParagraphBuilder): Promise<void> {
  const reader = new HtmlText(paragraphs);
  for (let at = 0; at < html.length; at += HTML_PIECE_LENGTH) {
    await breathe(HTML_PIECE_LENGTH);
    reader.push(html.slice(at, at + HTML_PIECE_LENGTH));
  }
  reader.end();
}

function textOf({ mimeType, content }: Attachment, declared: string | undefined): string | null {
  if (!/^text\/(?:plain|csv|markdown)$/.test(mimeType) || typeof content === "string") return null;
  const bytes = new Uint8Array(content);
  if (bytes.length > MAX_MAIL_ATTACHMENT_BYTES) return null;
  try {
    return decoderOf(encodingOfBytes(bytes, declared)).decode(bytes);
  } catch (thrown) {
    // The text of the mail itself is still extracted.
    if (thrown instanceof Unreadable) return null;
    throw thrown;
  }
}
