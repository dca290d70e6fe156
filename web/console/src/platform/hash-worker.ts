import { checksumOf } from "../../../../client/src/checksum.ts";
import type { HashAnswer } from "./checksum.ts";

/* Computes the SHA-256 of a large file, so that the page stays responsive meanwhile. */

async function answerTo(file: Blob): Promise<HashAnswer> {
  try {
    return { checksum: await checksumOf(file) };
  } catch (thrown) {
    return { errorName: thrown instanceof DOMException ? thrown.name : "Error" };
  }
}

addEventListener("message", ({ data }: MessageEvent<Blob>) => void answerTo(data).then(postMessage));
