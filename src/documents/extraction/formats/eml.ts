import type { Address, Attachment } from "postal-mime";
import { latin1 } from "../../../platform/latin1";
import { MAX_MAIL_BYTES } from "../../limits";
import type { Ending, Extracted, ExtractionInput } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { parsedLength, parseMail } from "./eml-text";
import { isTextAttachment, sayHtml, sayLines, textOfAttachment } from "./mail";

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

function textOf({ mimeType, content }: Attachment, declared: string | undefined): string | null {
  if (!isTextAttachment(mimeType) || typeof content === "string") return null;
  return textOfAttachment(new Uint8Array(content), declared);
}
