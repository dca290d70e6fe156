import type { Client } from "openapi-fetch";
import { dataOf } from "./problem.ts";
import type { BrandingUploadResult, Document, DocumentUpload, paths } from "./schema.ts";
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
  /** Cancels the upload here and at the service: its bytes are deleted and its reserved storage is free again. */
  signal?: AbortSignal;
  /** Called with the number of sent bytes. Only `putWithProgress` of the `browser` module calls it before the end. */
  onProgress?: (sentBytes: number, totalBytes: number) => void;
}

export interface FileToUpload {
  locationId: string;
  file: Blob;
  fileName: string;
  /** Folder in the location; its root unless given. */
  path?: string;
  /** The type of `file` unless given. */
  contentType?: string;
}

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

/** The client and the functions that an upload uses. */
interface Transfer {
  api: Client<paths>;
  putBytes: PutBytes;
  checksumOf: ChecksumOf;
}

async function send(put: PutBytes, to: Parameters<PutBytes>[0], file: Blob, options: UploadOptions): Promise<void> {
  const answer = await put(to, file, options);
  const { status } = answer;
  if (status !== ALREADY_THERE && (status < 200 || status > 299)) throw new TransferError(answer);
}

/** Carries out a started upload. When it is cancelled, `cancel` ends it at the service, and nobody waits for that. */
async function carryOut<Started, T>(
  starting: Promise<Started>,
  work: (started: Started) => Promise<T>,
  cancel: (started: Started) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([starting.then(work), aborted]);
  } catch (thrown) {
    // Without an answer, the service ends the upload after a day.
    if (signal?.aborted === true) starting.then(cancel).catch(() => {});
    throw thrown;
  }
}

/**
 * Uploads a file to a location, from the announcement with its checksum to the document. A name that exists already
 * gets a new version.
 * @throws ProblemError when the service refuses it, TransferError when the bytes do not arrive.
 */
export async function uploadDocument(
  { api, putBytes, checksumOf }: Transfer,
  { locationId, file, fileName, path, contentType }: FileToUpload,
  options: UploadOptions = {},
): Promise<Document> {
  const checksumSha256 = await checksumOf(file, options.signal);
  const stop = options.signal === undefined ? {} : { signal: options.signal };
  options.signal?.throwIfAborted();
  const params = { path: { locationId } };
  const starting = dataOf(
    api.POST("/v1/spatial/locations/{locationId}/documents/upload-start", {
      params,
      body: {
        fileName,
        contentType: contentType ?? (file.type || "application/octet-stream"),
        sizeBytes: file.size,
        checksumSha256,
        path: path ?? "",
      },
    }),
  );
  return carryOut(
    starting,
    async (started) => {
      await send(putBytes, started, file, options);
      return dataOf(
        api.POST("/v1/spatial/locations/{locationId}/documents/upload-complete", {
          params,
          body: { uploadId: started.uploadId },
          ...stop,
        }),
      );
    },
    ({ uploadId }) =>
      api.DELETE("/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}", {
        params: { path: { locationId, uploadId } },
      }),
    options.signal,
  );
}

/** A picture for reports and the console, and the organization that it belongs to. */
export interface BrandingFile {
  organizationId: string;
  slot: "logo" | "banner";
  file: Blob;
  fileName: string;
}

/**
 * Uploads a logo or banner, which replaces the current one.
 * @throws ProblemError, TransferError as `uploadDocument`.
 */
export async function uploadBranding(
  { api, putBytes, checksumOf }: Transfer,
  { organizationId, slot, file, fileName }: BrandingFile,
  options: UploadOptions = {},
): Promise<BrandingUploadResult> {
  const params = { path: { organizationId, slot } };
  const contentType = file.type || "application/octet-stream";
  const checksumSha256 = await checksumOf(file, options.signal);
  const body = { fileName, contentType, sizeBytes: file.size, checksumSha256 };
  const stop = options.signal === undefined ? {} : { signal: options.signal };
  options.signal?.throwIfAborted();
  const starting = dataOf(api.POST("/v1/orgs/{organizationId}/branding/assets/{slot}/upload-start", { params, body }));
  return carryOut(
    starting,
    async (started) => {
      await send(putBytes, started, file, options);
      return dataOf(
        api.POST("/v1/orgs/{organizationId}/branding/assets/{slot}/upload-complete", {
          params,
          body: { uploadId: started.uploadId },
          ...stop,
        }),
      );
    },
    ({ uploadId }) =>
      api.DELETE("/v1/orgs/{organizationId}/branding/assets/{slot}/uploads/{uploadId}", {
        params: { path: { organizationId, slot, uploadId } },
      }),
    options.signal,
  );
}
