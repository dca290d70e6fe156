import { sha256 } from "@noble/hashes/sha2.js";
import { digestOf, hex } from "./digest.ts";

/** A larger file is read in slices of this size, so that memory holds one of them. Web Crypto needs all bytes at once. */
const SLICE_BYTES = 4 * 1024 * 1024;

/** SHA-256 of a file of any size, in lower-case hexadecimal digits. @throws the reason of the signal when it is aborted. */
export async function checksumOf(file: Blob, signal?: AbortSignal): Promise<string> {
  if (file.size <= SLICE_BYTES) return digestOf(file);
  const hash = sha256.create();
  for (let at = 0; at < file.size; at += SLICE_BYTES) {
    signal?.throwIfAborted();
    hash.update(new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer()));
  }
  return hex(hash.digest());
}
