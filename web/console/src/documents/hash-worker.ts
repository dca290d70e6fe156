import { sha256 } from "@noble/hashes/sha2.js";
import type { HashAnswer } from "./checksum.ts";

/* Computes the SHA-256 of a file in slices. Web Crypto needs all bytes at once. */

const SLICE_BYTES = 4 * 1024 * 1024;

async function digestOf(file: Blob): Promise<HashAnswer> {
  try {
    const hash = sha256.create();
    for (let at = 0; at < file.size; at += SLICE_BYTES)
      hash.update(new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer()));
    return { digest: hash.digest() };
  } catch (thrown) {
    return { errorName: thrown instanceof DOMException ? thrown.name : "Error" };
  }
}

addEventListener("message", async ({ data }: MessageEvent<Blob>) => postMessage(await digestOf(data)));
