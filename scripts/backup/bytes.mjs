import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { Refusal } from "../setup/project.mjs";
import { bytesOf } from "./patience.mjs";

/** Bytes of an object in memory. R2 takes parts of at least 5 MiB. */
const PIECE_BYTES = 8 * 1024 * 1024;

/** The bytes of an object of a bucket. */
export const inBucket = (bucket, key, size) => ({
  name: key,
  size,
  read: (offset, length) => bytesOf(bucket, key, { offset, length }),
});

/** Runs `work` with the bytes of a file. */
export async function withFile(path, work) {
  const opened = await open(path);
  try {
    const { size } = await opened.stat();
    return await work({
      name: path,
      size,
      async read(offset, length) {
        const piece = new Uint8Array(length);
        for (let filled = 0; filled < length; ) {
          const { bytesRead } = await opened.read(piece, filled, length - filled, offset + filled);
          if (bytesRead === 0) throw new Refusal(`${path} became shorter while it was read.`);
          filled += bytesRead;
        }
        return piece;
      },
    });
  } finally {
    await opened.close();
  }
}

/**
 * The bytes in pieces, each of PIECE_BYTES but the last.
 * @throws Refusal after the last piece if the bytes have another SHA-256
 */
export async function* piecesOf({ name, size, read }, sha256) {
  const hash = createHash("sha256");
  for (let at = 0; at < size; at += PIECE_BYTES) {
    const piece = await read(at, Math.min(PIECE_BYTES, size - at));
    hash.update(piece);
    yield piece;
  }
  if (sha256 !== undefined && hash.digest("hex") !== sha256)
    throw new Refusal(`${name} has changed since it was stored: it cannot be copied.`);
}

/** Writes bytes as an object with this metadata, in parts if they are long. */
export async function putBytes(bucket, key, bytes, sha256, metadata = {}) {
  if (bytes.size <= PIECE_BYTES) {
    let whole = new Uint8Array(0);
    for await (const piece of piecesOf(bytes, sha256)) whole = piece;
    await bucket.put(key, whole.buffer, { ...metadata, ...(sha256 !== undefined && { sha256 }) });
    return;
  }
  const upload = await bucket.createMultipartUpload(key, metadata);
  try {
    const parts = [];
    for await (const piece of piecesOf(bytes, sha256))
      parts.push(await upload.uploadPart(parts.length + 1, piece.buffer));
    await upload.complete(parts);
  } catch (thrown) {
    await upload.abort();
    throw thrown;
  }
}
