import type { Client } from "openapi-fetch";
import { digestOf } from "./digest.ts";
import { isOffline, pause } from "./pauses.ts";
import { dataOf } from "./problem.ts";
import type { DocumentUploadState, paths } from "./schema.ts";
import { type PutBytes, sendBytes, TransferError, type UploadOptions } from "./transfer.ts";

/** Parts that are sent at the same time. */
const PARTS_AT_ONCE = 3;
/** Attempts to send one part, and the pause after the first failed one, milliseconds. Each further pause is twice as long. */
const [PART_ATTEMPTS, PART_PAUSE_MS] = [4, 1_000];

/** Whether a failure can pass: the network, the object store's own fault, or an address that expired on a slow network. */
const canPass = (thrown: unknown): boolean =>
  thrown instanceof TypeError || (thrown instanceof TransferError && (thrown.status >= 500 || thrown.status === 403));

interface PartedTransfer {
  api: Client<paths>;
  putBytes: PutBytes;
}

/**
 * Sends the parts of an upload that the service does not have yet, some at the same time. Each part that was sent stays at the
 * service, so a later call continues. Memory holds the parts that are being sent.
 * @throws ProblemError, TransferError, or TypeError without a connection.
 */
export async function sendParts(
  { api, putBytes }: PartedTransfer,
  locationId: string,
  { uploadId, partSizeBytes, partCount, receivedParts }: DocumentUploadState,
  file: Blob,
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  const size = partSizeBytes ?? file.size;
  const partOf = (number: number): Blob => file.slice((number - 1) * size, number * size);
  const sent = new Map(receivedParts.map((number) => [number, partOf(number).size]));
  const report = () =>
    onProgress?.(
      Math.min(
        [...sent.values()].reduce((sum, bytes) => sum + bytes, 0),
        file.size,
      ),
      file.size,
    );
  const left = Array.from({ length: partCount }, (_, n) => n + 1).filter((number) => !sent.has(number));
  report();
  // The first part that fails stops the others.
  const failed = new AbortController();
  const stop = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);

  async function sendOnce(number: number): Promise<void> {
    const bytes = partOf(number);
    const parts = [{ number, checksumSha256: await digestOf(bytes) }];
    const signed = await dataOf(
      api.POST("/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}/parts", {
        params: { path: { locationId, uploadId } },
        body: { parts },
        signal: stop,
      }),
    );
    const [address] = signed.parts;
    if (address === undefined) throw new Error("The service signed no address.");
    const onPart = (bytesSent: number) => {
      sent.set(number, bytesSent);
      report();
    };
    await sendBytes(putBytes, address, bytes, { signal: stop, onProgress: onPart });
    onPart(bytes.size);
  }

  async function sendPart(number: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(number);
      } catch (thrown) {
        sent.delete(number);
        report();
        if (stop.aborted || attempt === PART_ATTEMPTS || isOffline() || !canPass(thrown)) throw thrown;
        await pause(PART_PAUSE_MS * 2 ** (attempt - 1), stop);
      }
    }
  }

  async function work(): Promise<void> {
    for (let number = left.shift(); number !== undefined; number = left.shift()) await sendPart(number);
  }

  try {
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, work));
  } catch (thrown) {
    failed.abort(thrown);
    throw thrown;
  }
}
