import { type Attachment, decodeWords } from "postal-mime";
import { latin1 } from "../../platform/latin1";
import { readWholeMail } from "../extraction";
import { MAX_INLINE_PICTURE_BYTES } from "../limits";
import { kindOf } from "../sorting/sorting";
import type { DocumentKind } from "../tables";
import { mediaTypeOf } from "../uploads/uploads";
import { endOfHeaders, readHeaders } from "./headers";
import { documentName } from "./names";

/** A document that a mail, or a file within another one, becomes. */
export interface Content {
  fileName: string;
  contentType: string;
  bytes: Uint8Array<ArrayBuffer>;
  kind: DocumentKind;
}

const MAIL_TYPE = "message/rfc822";

/** The endings of attachments without a name. */
const ENDINGS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/zip": "zip",
  "application/pkcs7-mime": "p7m",
  "application/x-pkcs7-mime": "p7m",
  "application/ms-tnef": "dat",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/gif": "gif",
  "image/heic": "heic",
  "image/tiff": "tiff",
  "text/calendar": "ics",
  "text/csv": "csv",
  "text/html": "html",
  "text/plain": "txt",
};

/** Parts that say something about the mail, and are no files: signatures, the control part of PGP, and reports of delivery. */
const NO_FILES = new Set([
  "application/pkcs7-signature",
  "application/x-pkcs7-signature",
  "application/pgp-signature",
  "application/pgp-encrypted",
  "message/delivery-status",
  "message/disposition-notification",
  "text/rfc822-headers",
]);

/** A file within another one. */
type Part = Pick<Attachment, "filename" | "mimeType" | "content">;

const bytesOf = ({ content }: Part): Uint8Array<ArrayBuffer> => {
  if (typeof content === "string") return Uint8Array.from(new TextEncoder().encode(content));
  return ArrayBuffer.isView(content) ? Uint8Array.from(content) : new Uint8Array(content);
};

/** Whether an attachment is a small picture that the text of the mail shows, such as the logo of a signature. */
const isDecoration = ({ contentId, mimeType }: Attachment, size: number, html: string): boolean =>
  contentId !== undefined &&
  mimeType.startsWith("image/") &&
  size <= MAX_INLINE_PICTURE_BYTES &&
  html.includes(`cid:${contentId.replace(/^<|>$/g, "")}`);

function nameOf({ filename, mimeType }: Part, bytes: Uint8Array): string {
  if (mimeType === MAIL_TYPE) {
    const end = endOfHeaders(bytes);
    const { subject } = readHeaders(bytes.subarray(0, end < 0 ? 0 : end));
    const name = filename ?? subject;
    return documentName(/\.eml$/i.test(name) ? name : `${name}.eml`, "Mail.eml");
  }
  const otherwise = `Attachment.${ENDINGS[mimeType] ?? "bin"}`;
  // A part without a name has the ending of its type. Some programs encode a name twice.
  return filename === null || filename.trim() === "" ? otherwise : documentName(decodeWords(filename), otherwise);
}

/** The document that a part becomes: a safe name, and the media type of its first bytes. */
export function contentOf(attachment: Part): Content {
  const bytes = bytesOf(attachment);
  const fileName = nameOf(attachment, bytes);
  const announced = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(attachment.mimeType)
    ? attachment.mimeType
    : "application/octet-stream";
  const contentType = mediaTypeOf(bytes.subarray(0, 64), announced);
  return { fileName, contentType, bytes, kind: kindOf(contentType, fileName) };
}

/** The mail itself as a document. */
export const wholeMail = (bytes: Uint8Array<ArrayBuffer>, subject: string): Content => ({
  fileName: documentName(`${subject}.eml`, "Mail.eml"),
  contentType: MAIL_TYPE,
  bytes,
  kind: "mail",
});

/** The attachments of a mail that become documents, in their order. Null if the mail cannot be read. */
export async function attachmentsOf(bytes: Uint8Array<ArrayBuffer>): Promise<Content[] | null> {
  const mail = await readWholeMail(bytes);
  if (mail === null) return null;
  const { attachments, html = "" } = mail;
  return attachments.flatMap((attachment) => {
    const { content, filename, mimeType } = attachment;
    const size = typeof content === "string" ? content.length : content.byteLength;
    const isEmpty = size === 0 && filename === null;
    if (isEmpty || NO_FILES.has(mimeType) || isDecoration(attachment, size, html)) return [];
    return [contentOf(attachment)];
  });
}

/** Whether bytes begin as a mail does. */
export const hasHeaders = (head: Uint8Array): boolean => /^[!-9;-~]+[ \t]*:/m.test(latin1(head.subarray(0, 4_000)));
