import { createHash } from "node:crypto";
import type { ObjectStore } from "../../platform/objects/store";
import { UploadRejection, type UploadRow } from "./purpose";

/** Bytes of the beginning that are kept to tell what kind of file it is. */
export const HEAD_BYTES = 4_096;

/** Digests a stream on its way through and keeps its first bytes; one chunk in memory at a time. */
function observed() {
  const hash = createHash("sha256");
  const head = new Uint8Array(HEAD_BYTES);
  let seen = 0;
  const through = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      hash.update(chunk);
      if (seen < HEAD_BYTES) head.set(chunk.subarray(0, HEAD_BYTES - seen), seen);
      seen += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  return { through, end: () => ({ sizeBytes: seen, digest: hash.digest("hex"), head: head.subarray(0, seen) }) };
}

/**
 * Copies an upload's bytes from its staging key to `finalKey` in one read, and only if they are
 * exactly those announced; so what was checked is what is kept, whatever a client does meanwhile.
 * @returns the first bytes, or null when nothing has arrived.
 * @throws UploadRejection when they are others; then the final key holds nothing.
 */
export async function copyVerified(
  objects: ObjectStore,
  upload: UploadRow,
  finalKey: string,
): Promise<Uint8Array | null> {
  const { sizeBytes, checksumSha256, contentType } = upload;
  const staged = await objects.head(upload.stagingKey);
  if (staged === null) return null;
  if (staged.sizeBytes !== sizeBytes)
    throw new UploadRejection(
      "size-mismatch",
      `${sizeBytes} bytes were announced and ${staged.sizeBytes} came. Start the upload again with the right size.`,
    );
  const source = await objects.read(upload.stagingKey);
  if (source === null) return null;
  const { through, end } = observed();
  let failure: { thrown: unknown } | null = null;
  try {
    await objects.write(finalKey, source.body.pipeThrough(through), { contentType, sizeBytes, checksumSha256 });
  } catch (thrown) {
    failure = { thrown };
  }
  const read = end();
  if (failure === null) return read.head;
  // The bucket refuses other bytes; whether it was that, our own digest of the whole says.
  if (read.sizeBytes !== sizeBytes || read.digest === checksumSha256) throw failure.thrown;
  throw new UploadRejection(
    "checksum-mismatch",
    "The SHA-256 of what came is not the one announced. Start the upload again and send the file unchanged.",
  );
}
