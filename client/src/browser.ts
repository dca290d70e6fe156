import type { PutBytes } from "./transfer.ts";

/** Sends bytes with the progress that a browser reports and `fetch` does not. */
export const putWithProgress: PutBytes = ({ uploadUrl, requiredHeaders }, bytes, { signal, onProgress }) =>
  new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open("PUT", uploadUrl);
    for (const [name, value] of Object.entries(requiredHeaders)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress?.(Math.min(loaded, bytes.size), bytes.size);
    request.onload = () => done({ status: request.status, body: request.responseText });
    request.onerror = () => fail(new TypeError("The object store could not be reached."));
    request.onabort = () => fail(signal?.reason ?? new DOMException("The upload was ended.", "AbortError"));
    request.onloadend = () => signal?.removeEventListener("abort", stop);
    if (signal?.aborted) return fail(signal.reason);
    signal?.addEventListener("abort", stop);
    request.send(bytes);
  });
