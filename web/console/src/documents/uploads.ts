import { computed, signal } from "@preact/signals";
import { sizeOf } from "#texts/language.ts";
import { UPLOADS } from "#texts/uploads.ts";
import type { Document } from "../../../../client/src/index.ts";
import { messageOf, Refusal } from "../../../ui/notice.tsx";
import { client } from "../platform/session.ts";

type UploadState = "waiting" | "checking" | "sending" | "finishing" | "done" | "failed" | "cancelled";

export interface Upload {
  id: number;
  locationId: string;
  file: File;
  fileName: string;
  /** The folder in the location; "" for none. */
  path: string;
  state: UploadState;
  sentBytes: number;
  /** The reason why it failed; undefined unless it did. */
  error?: unknown;
  stop: AbortController;
}

/** Uploads that run at the same time; the others wait. */
const AT_ONCE = 3;
/** Maximum size of a document, bytes: a copy of the limit in `src/documents/limits.ts`. */
const MAX_DOCUMENT_BYTES = 100 * 1024 * 1024;

/** Every upload of this tab, in the order of the files. */
export const uploads = signal<readonly Upload[]>([]);
/** The newest document of an upload. When it changes, lists are read again. */
export const uploaded = signal<Document | null>(null);

const RUNNING: readonly UploadState[] = ["checking", "sending", "finishing"];
export const isOpen = ({ state }: Upload): boolean => state === "waiting" || RUNNING.includes(state);
const anyOpen = computed(() => uploads.value.some(isOpen));

function change(id: number, part: Partial<Upload>): void {
  uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...part } : one));
}

let lastId = 0;

/** A file with its place in the location. Its own name is used unless another is given. */
export interface FileToAdd {
  file: File;
  path: string;
  fileName?: string;
}

export function addFiles(locationId: string, files: Iterable<FileToAdd>): void {
  const added = [...files].map(({ file, path, fileName = file.name }): Upload => {
    lastId++;
    const tooLarge = file.size > MAX_DOCUMENT_BYTES;
    const state = tooLarge ? "failed" : "waiting";
    const error = tooLarge ? new Refusal(UPLOADS.tooLarge) : undefined;
    return { id: lastId, locationId, file, fileName, path, state, sentBytes: 0, error, stop: new AbortController() };
  });
  uploads.value = [...uploads.value, ...added];
  beginWaiting();
}

/** Starts waiting uploads, up to the number that may run. */
function beginWaiting(): void {
  const free = AT_ONCE - uploads.value.filter(({ state }) => RUNNING.includes(state)).length;
  for (const one of uploads.value.filter(({ state }) => state === "waiting").slice(0, Math.max(free, 0))) void run(one);
}

async function run({ id, locationId, file, fileName, path, stop }: Upload): Promise<void> {
  change(id, { state: "checking", sentBytes: 0, error: undefined });
  const onProgress = (sentBytes: number, total: number) =>
    change(id, { sentBytes, state: sentBytes < total ? "sending" : "finishing" });
  try {
    const document = await client.uploadDocument(
      { locationId, file, fileName, path },
      { signal: stop.signal, onProgress },
    );
    change(id, { state: "done" });
    uploaded.value = document;
  } catch (thrown) {
    const unreadable = thrown instanceof DOMException && thrown.name === "NotReadableError";
    if (stop.signal.aborted) change(id, { state: "cancelled" });
    else change(id, { state: "failed", error: unreadable ? new Refusal(UPLOADS.unreadable) : thrown });
  } finally {
    beginWaiting();
  }
}

export function retryUpload(id: number): void {
  change(id, { state: "waiting", stop: new AbortController() });
  beginWaiting();
}

export function cancelUpload({ id, state, stop }: Upload): void {
  stop.abort();
  if (state === "waiting") change(id, { state: "cancelled" });
}

export function clearUploads(locationId: string): void {
  uploads.value = uploads.value.filter((one) => one.locationId !== locationId || isOpen(one));
}

/** The state of an upload in words. */
export function stateOf({ state, sentBytes, file, error }: Upload): string {
  if (state === "failed") return messageOf(error);
  return state === "sending" ? UPLOADS.sending(sizeOf(sentBytes), sizeOf(file.size)) : UPLOADS[state];
}

addEventListener("beforeunload", (event) => {
  if (anyOpen.peek()) event.preventDefault();
});
