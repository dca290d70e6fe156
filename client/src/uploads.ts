import type { Client } from "openapi-fetch";
import { sendParts } from "./parts.ts";
import { pause } from "./pauses.ts";
import { dataOf, ProblemError } from "./problem.ts";
import type { BrandingUploadResult, Document, paths } from "./schema.ts";
import { type ChecksumOf, type PutBytes, sendBytes, type UploadOptions, UploadPaused } from "./transfer.ts";

export interface FileToUpload {
  locationId: string;
  file: Blob;
  fileName: string;
  /** Folder in the location; its root unless given. */
  path?: string;
  /** The type of `file` unless given. */
  contentType?: string;
  /** SHA-256 of `file`, if it is known: 64 lower-case hexadecimal digits. */
  checksumSha256?: string;
}

/** The client and the functions that an upload uses. */
interface Transfer {
  api: Client<paths>;
  putBytes: PutBytes;
  checksumOf: ChecksumOf;
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
    if (signal?.aborted === true && !(signal.reason instanceof UploadPaused)) starting.then(cancel).catch(() => {});
    throw thrown;
  }
}

/** A file above this size is sent in parts, bytes. */
const PARTED_ABOVE_BYTES = 20_000_000;
/** Requests that wait for the verification of one file. Each takes some seconds. */
const MAX_COMPLETIONS = 100;

/** Completes an upload, and waits for the verification of a large file. @throws ProblemError */
async function complete(api: Client<paths>, locationId: string, uploadId: string, signal: AbortSignal | undefined) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await dataOf(
        api.POST("/v1/spatial/locations/{locationId}/documents/upload-complete", {
          params: { path: { locationId } },
          body: { uploadId },
          ...(signal !== undefined && { signal }),
        }),
      );
    } catch (thrown) {
      const isWaiting = thrown instanceof ProblemError && thrown.status === 503 && thrown.retryAfter !== null;
      if (!isWaiting || attempt === MAX_COMPLETIONS) throw thrown;
      await pause((thrown.retryAfter ?? 1) * 1_000, signal);
    }
  }
}

/**
 * Uploads a file to a location, from the announcement with its checksum to the document. A name that exists already
 * gets a new version. A file of more than 20 MB is sent in parts: after a lost connection, another call with the same file
 * sends only the parts that have not arrived.
 * @throws ProblemError when the service refuses it, TransferError when the bytes do not arrive, TypeError without a connection.
 */
export async function uploadDocument(
  transfer: Transfer,
  { locationId, file, fileName, path, contentType, checksumSha256: known }: FileToUpload,
  options: UploadOptions = {},
): Promise<Document> {
  const { api, putBytes, checksumOf } = transfer;
  const { signal } = options;
  const checksumSha256 = known ?? (await checksumOf(file, signal));
  signal?.throwIfAborted();
  const params = { path: { locationId } };
  const body = {
    fileName,
    contentType: contentType ?? (file.type || "application/octet-stream"),
    sizeBytes: file.size,
    checksumSha256,
    path: path ?? "",
  };
  const cancel = async ({ uploadId }: { uploadId: string }) => {
    if (options.endUpload !== undefined) return options.endUpload(uploadId);
    await api.DELETE("/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}", {
      params: { path: { locationId, uploadId } },
    });
  };
  if (file.size > PARTED_ABOVE_BYTES)
    return carryOut(
      dataOf(api.POST("/v1/spatial/locations/{locationId}/documents/uploads", { params, body })),
      async (started) => {
        options.onReserved?.(started);
        options.onStarted?.(started);
        await sendParts(transfer, locationId, started, file, options);
        return complete(api, locationId, started.uploadId, signal);
      },
      cancel,
      signal,
    );
  return carryOut(
    dataOf(api.POST("/v1/spatial/locations/{locationId}/documents/upload-start", { params, body })),
    async (started) => {
      options.onReserved?.(started);
      await sendBytes(putBytes, started, file, options);
      return complete(api, locationId, started.uploadId, signal);
    },
    cancel,
    signal,
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
      await sendBytes(putBytes, started, file, options);
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
