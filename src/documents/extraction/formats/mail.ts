import { breathe } from "../../../platform/pace";
import { MAX_MAIL_ATTACHMENT_BYTES } from "../../limits";
import { encodingOfBytes } from "../charset";
import { decoderOf } from "../charsets";
import { Unreadable } from "../extracted";
import type { ParagraphBuilder } from "../passages";
import { HtmlText } from "./html";

/** Number of characters of an HTML body that are parsed at once. */
const HTML_PIECE_LENGTH = 64 * 1024;

/** Adds a text whose paragraphs have blank lines between them. */
export function sayLines(text: string, say: (paragraph: string) => void): void {
  for (const paragraph of text.split(/(?:\r?\n){2,}/)) say(paragraph);
}

/** Adds the visible text of an HTML body. */
export async function sayHtml(html: string, paragraphs: ParagraphBuilder): Promise<void> {
  const reader = new HtmlText(paragraphs);
  for (let at = 0; at < html.length; at += HTML_PIECE_LENGTH) {
    await breathe(HTML_PIECE_LENGTH);
    reader.push(html.slice(at, at + HTML_PIECE_LENGTH));
  }
  reader.end();
}

/** Whether the text of an attachment of this media type is read with its mail. */
export const isTextAttachment = (mimeType: string): boolean => /^text\/(?:plain|csv|markdown)$/.test(mimeType);

/** The text of an attachment, or null if it is too large or its charset is unknown. */
export function textOfAttachment(bytes: Uint8Array, declared: string | undefined): string | null {
  if (bytes.length > MAX_MAIL_ATTACHMENT_BYTES) return null;
  try {
    return decoderOf(encodingOfBytes(bytes, declared)).decode(bytes);
  } catch (thrown) {
    // The text of the mail itself is still extracted.
    if (thrown instanceof Unreadable) return null;
    throw thrown;
  }
}
