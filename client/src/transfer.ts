import type { DocumentUpload, DocumentUploadState } from "./schema.ts";
import type { Send } from "./session.ts";

/** The answer of the object store. */
export interface PutAnswer {
  status: number;
  /** The body. For a refusal, the XML document of S3. Empty if there is none. */
  body: string;
}

/** Sends the bytes of an upload. */
export type PutBytes = (
  upload: Pick<DocumentUpload, "uploadUrl" | "requiredHeaders">,
  bytes: Blob,
  options: UploadOptions,
) => Promise<PutAnswer>;

export interface UploadOptions {
  /**
   * Cancels the upload here and at the service: its bytes are deleted and its reserved storage is free again. With an
   * `UploadPaused` as its reason, the parts that have arrived stay, and another call with the same file continues.
   */
  signal?: AbortSignal;
  /** Called with the number of sent bytes. Only `putWithProgress` of the `browser` module calls it before the end. */
  onProgress?: (sentBytes: number, totalBytes: number) => void;
  /** Called when the service has begun an upload in parts, or continues one. */
  onStarted?: (upload: DocumentUploadState) => void;
  /** Called when the service has reserved the storage of a document's upload, with each size. */
  onReserved?: (upload: { uploadId: string }) => void;
  /**
   * Ends a cancelled upload of a document at the service. The client sends one request for that unless given, and a lost
   * connection loses it: then the service ends the upload after a day.
   */
  endUpload?: (uploadId: string) => void;
}

/** The reason of a signal that stops an upload for now. */
export class UploadPaused extends Error {}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const MAX_CODE_POINT = 0x10ffff;

/** The character of an entity of XML 1.0, by its name or number; the entity itself if there is none. */
function characterOf(entity: string, name: string): string {
  if (!name.startsWith("#")) return ENTITIES[name] ?? entity;
  const code = Number(name.startsWith("#x") ? `0${name.slice(1)}` : name.slice(1));
  return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : entity;
}

/** The text of an element of an S3 error; null if the body has no such element. */
function elementOf(name: string, body: string): string | null {
  const text = new RegExp(`<${name}>([^<>]{1,500})</${name}>`).exec(body)?.[1];
  return text?.replace(/&(#x[\da-fA-F]{1,6}|#\d{1,7}|[a-z]{2,4});/g, characterOf) ?? null;
}

/** The object store refused the bytes. The upload may be tried again. */
export class TransferError extends Error {
  readonly status: number;
  /** The reason that the object store gave; null if it gave none. */
  readonly reason: string | null;
  /** The id of the request at the object store; null if it named none. */
  readonly requestId: string | null;

  constructor({ status, body }: PutAnswer) {
    const reason = elementOf("Message", body);
    super(`The object store answered ${status}${reason === null ? "." : `: ${reason}`}`);
    this.name = "TransferError";
    this.status = status;
    this.reason = reason;
    this.requestId = elementOf("RequestId", body);
  }
}

/** The object store has the bytes already, because the answer of an earlier attempt was lost. */
const ALREADY_THERE = 412;

/** Sends the bytes with fetch. */
export const putWithFetch =
  (send: Send): PutBytes =>
  async ({ uploadUrl, requiredHeaders }, bytes, { signal, onProgress }) => {
    const stop = signal === undefined ? {} : { signal };
    const answer = await send(
      new Request(uploadUrl, { method: "PUT", headers: requiredHeaders, body: bytes, ...stop }),
    );
    onProgress?.(bytes.size, bytes.size);
    return { status: answer.status, body: await answer.text() };
  };

/** Computes the SHA-256 of a file in lower-case hexadecimal digits. */
export type ChecksumOf = (file: Blob, signal?: AbortSignal) => Promise<string>;

/** Sends bytes to a signed address. @throws TransferError */
export async function sendBytes(
  put: PutBytes,
  to: Parameters<PutBytes>[0],
  file: Blob,
  options: UploadOptions,
): Promise<void> {
  const answer = await put(to, file, options);
  const { status } = answer;
  if (status !== ALREADY_THERE && (status < 200 || status > 299)) throw new TransferError(answer);
}
