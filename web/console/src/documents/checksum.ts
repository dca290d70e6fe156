/** Larger files are read in slices, so that a phone need not hold them in memory. */
const MAX_AT_ONCE_BYTES = 4 * 1024 * 1024;

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The answer of the worker: the digest, or the name of the error. */
export type HashAnswer = { digest: Uint8Array } | { errorName: string };

/** SHA-256 of a large file, computed in a worker. */
function checksumInWorker(file: Blob, signal: AbortSignal | undefined): Promise<string> {
  const worker = new Worker(new URL("./hash-worker.ts", import.meta.url), { type: "module" });
  const answered = new Promise<string>((done, fail) => {
    worker.onmessage = ({ data }: MessageEvent<HashAnswer>) =>
      "digest" in data ? done(hex(data.digest)) : fail(new DOMException("The file cannot be read.", data.errorName));
    worker.onerror = () => fail(new Error("The checksum cannot be computed."));
    signal?.addEventListener("abort", () => fail(signal.reason), { once: true });
    worker.postMessage(file);
  });
  return answered.finally(() => worker.terminate());
}

/** SHA-256 of a file, in the format of the service. */
export async function checksumOf(file: Blob, signal?: AbortSignal): Promise<string> {
  if (file.size > MAX_AT_ONCE_BYTES) return checksumInWorker(file, signal);
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
}
