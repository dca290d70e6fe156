/** The checksum of a larger file is computed in a worker. */
const MAX_IN_PAGE_BYTES = 4 * 1024 * 1024;

/** The answer of the worker: the checksum, or the name of the error. */
export type HashAnswer = { checksum: string } | { errorName: string };

/** SHA-256 of a large file, computed in a worker. */
function checksumInWorker(file: Blob, signal: AbortSignal | undefined): Promise<string> {
  const worker = new Worker(new URL("./hash-worker.ts", import.meta.url), { type: "module" });
  const answered = new Promise<string>((done, fail) => {
    worker.onmessage = ({ data }: MessageEvent<HashAnswer>) =>
      "checksum" in data ? done(data.checksum) : fail(new DOMException("The file cannot be read.", data.errorName));
    worker.onerror = () => fail(new Error("The checksum cannot be computed."));
    signal?.addEventListener("abort", () => fail(signal.reason), { once: true });
    worker.postMessage(file);
  });
  return answered.finally(() => worker.terminate());
}

/** SHA-256 of a file, in the format of the service. */
export async function checksumOf(file: Blob, signal?: AbortSignal): Promise<string> {
  if (file.size > MAX_IN_PAGE_BYTES) return checksumInWorker(file, signal);
  return (await import("../../../../client/src/checksum.ts")).checksumOf(file, signal);
}
