import { computed, signal } from "@preact/signals";
import { sizeOf } from "#texts/language.ts";
import { UPLOADS } from "#texts/uploads.ts";
import { type Document, ProblemError, UploadPaused } from "../../../../client/src/index.ts";
import { messageOf, Refusal } from "../../../ui/notice.tsx";
import { client } from "../platform/session.ts";
import { tellChanged } from "./changed.ts";
import { endUpload } from "./endings.ts";
import { checksumFor, forget, remember } from "./unfinished.ts";

type UploadState =
  | "waiting"
  | "checking"
  | "sending"
  | "finishing"
  | "offline"
  | "busy"
  | "paused"
  | "done"
  | "failed"
  | "cancelled";

export interface Upload {
  id: number;
  locationId: string;
  file: File;
  fileName: string;
  /** The folder in the location; "" for none. */
  path: string;
  state: UploadState;
  sentBytes: number;
  /** The id of an upload in parts, which can be paused. */
  uploadId?: string | undefined;
  /** The id of an upload of any size whose storage the service has reserved, until it has ended. */
  reservedId?: string | undefined;
  /** Attempts without a connection, one after the other. */
  losses: number;
  /** Attempts that a busy service has put off. */
  refusals: number;
  /** The reason why it failed; undefined unless it did. */
  error?: unknown;
  stop: AbortController;
}

/** Uploads that run at the same time; the others wait. */
const AT_ONCE = 3;
/** Maximum size of a document, bytes: a copy of the limit in `src/documents/limits.ts`. */
const MAX_DOCUMENT_BYTES = 2 * 1024 ** 3;

/** Every upload of this tab, in the order of the files. */
export const uploads = signal<readonly Upload[]>([]);
/** The newest document of an upload. */
export const uploaded = signal<Document | null>(null);

/** The documents and versions that this tab has uploaded. */
const own = new Set<string>();
const keyOf = (documentId: string, version: number): string => `${documentId} ${version}`;

/** Whether this tab has uploaded the version of an event: its list was read after that. */
export const isOwnUpload = ({ documentId, version }: { documentId: string; version: number }): boolean =>
  own.has(keyOf(documentId, version));

const RUNNING: readonly UploadState[] = ["checking", "sending", "finishing"];
export const isRunning = ({ state }: Upload): boolean => RUNNING.includes(state);
const WAITING: readonly UploadState[] = ["waiting", "offline", "busy", "paused"];
export const isOpen = (upload: Upload): boolean => WAITING.includes(upload.state) || isRunning(upload);
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
    const stop = new AbortController();
    return { id: lastId, locationId, file, fileName, path, state, sentBytes: 0, losses: 0, refusals: 0, error, stop };
  });
  uploads.value = [...uploads.value, ...added];
  beginWaiting();
}

/** Starts waiting uploads, up to the number that may run. */
function beginWaiting(): void {
  if (Date.now() < restsUntil) return;
  const free = AT_ONCE - uploads.value.filter(({ state }) => RUNNING.includes(state)).length;
  for (const one of uploads.value.filter(({ state }) => state === "waiting").slice(0, Math.max(free, 0))) void run(one);
}

/** Connections that may be lost without progress between them, and the longest pause before another attempt, milliseconds. */
const [MAX_LOSSES, MAX_PAUSE_MS] = [8, 30_000];

/** Waits until another attempt has a chance: after a pause that grows, or when the browser has a network again. */
async function networkReturns(losses: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((done) => {
    const timer = navigator.onLine ? setTimeout(done, Math.min(1_000 * 2 ** losses, MAX_PAUSE_MS)) : undefined;
    addEventListener("online", () => done(), { once: true, signal });
    signal.addEventListener("abort", () => done(), { once: true });
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

async function run({
  id,
  locationId,
  file,
  fileName,
  path,
  stop,
  losses,
  refusals,
  sentBytes: before,
}: Upload): Promise<void> {
  change(id, { state: "checking", error: undefined });
  let uploadId: string | undefined;
  let most = before;
  const onProgress = (sentBytes: number, total: number) => {
    if (stop.signal.aborted) return;
    // Progress after a lost connection: the next loss is a first one.
    if (sentBytes > most) [most, losses] = [sentBytes, 0];
    change(id, { sentBytes, state: sentBytes < total ? "sending" : "finishing" });
  };
  try {
    const checksum = await checksumFor(file, stop.signal);
    const onStarted = (started: { uploadId: string }) => {
      ({ uploadId } = started);
      change(id, { uploadId });
      void remember(file, { uploadId, locationId, path, fileName, checksum });
    };
    const given = { locationId, file, fileName, path, checksumSha256: checksum };
    const document = await client.uploadDocument(given, {
      signal: stop.signal,
      onProgress,
      onStarted,
      onReserved: (reserved) => {
        if (!stop.signal.aborted) change(id, { reservedId: reserved.uploadId });
      },
      endUpload: (ended) => endUpload(locationId, ended),
    });
    forget(uploadId);
    change(id, { state: "done", reservedId: undefined });
    own.add(keyOf(document.id, document.version));
    uploaded.value = document;
    tellChanged({ ids: [document.id], gone: [], by: "upload" });
  } catch (thrown) {
    const unreadable = thrown instanceof DOMException && thrown.name === "NotReadableError";
    const isPaused = stop.signal.reason instanceof UploadPaused;
    if (stop.signal.aborted) {
      if (!isPaused) forget(uploadId);
      change(id, isPaused ? { state: "paused" } : { state: "cancelled", reservedId: undefined });
    } else if (thrown instanceof TypeError && losses < MAX_LOSSES) void goOnLater(id, losses + 1, stop.signal);
    else if (pauseWanted(thrown) !== null && refusals < MAX_LOSSES) void goOnAfter(id, pauseWanted(thrown) ?? 0);
    else change(id, { state: "failed", error: unreadable ? new Refusal(UPLOADS.unreadable) : thrown });
  } finally {
    beginWaiting();
  }
}

/** Tries an upload again when the network has returned. What the service has received stays there. */
async function goOnLater(id: number, losses: number, signal: AbortSignal): Promise<void> {
  change(id, { state: "offline", losses });
  await networkReturns(losses, signal);
  if (uploads.peek().find((one) => one.id === id)?.state !== "offline") return;
  change(id, { state: "waiting" });
  beginWaiting();
}

/** The seconds that a busy service wants the upload to wait; null if it is refused for another reason. */
const pauseWanted = (thrown: unknown): number | null =>
  thrown instanceof ProblemError && (thrown.status === 429 || thrown.status === 503) ? thrown.retryAfter : null;

/** Until then, milliseconds since the epoch, the service wants no new upload: all of them wait. */
let restsUntil = 0;

/** Tries an upload again when a busy service wants it. The uploads that wait begin no earlier. */
async function goOnAfter(id: number, seconds: number): Promise<void> {
  const upload = uploads.peek().find((one) => one.id === id);
  if (upload === undefined) return;
  restsUntil = Math.max(restsUntil, Date.now() + seconds * 1_000);
  change(id, { state: "busy", refusals: upload.refusals + 1 });
  await new Promise((done) => setTimeout(done, seconds * 1_000));
  if (uploads.peek().find((one) => one.id === id)?.state === "busy") change(id, { state: "waiting" });
  beginWaiting();
}

export function retryUpload(id: number): void {
  change(id, { state: "waiting", losses: 0, refusals: 0, stop: new AbortController() });
  beginWaiting();
}

/** Stops an upload in parts for now. Those that have arrived stay, and `retryUpload` continues. */
export const pauseUpload = ({ stop }: Upload): void => stop.abort(new UploadPaused());

export function cancelUpload(upload: Upload): void {
  upload.stop.abort();
  if (isRunning(upload)) return;
  // No request runs that could end it at the service.
  giveUp(upload);
  change(upload.id, { state: "cancelled", reservedId: undefined });
}

/** Ends what the service keeps for an upload that does not run. */
function giveUp({ locationId, reservedId }: Upload): void {
  forget(reservedId);
  if (reservedId !== undefined) endUpload(locationId, reservedId);
}

/** Takes the ended uploads from the list. Those that have failed can still be sent again, but a small one only from the list. */
export function clearUploads(locationId: string): void {
  const isCleared = (one: Upload) => one.locationId === locationId && !isOpen(one);
  for (const one of uploads.value.filter(isCleared)) if (one.uploadId === undefined) giveUp(one);
  uploads.value = uploads.value.filter((one) => !isCleared(one));
}

/** The state of an upload in words. */
export function stateOf({ state, sentBytes, file, error }: Upload): string {
  if (state === "failed") return messageOf(error);
  return state === "sending" ? UPLOADS.sending(sizeOf(sentBytes), sizeOf(file.size)) : UPLOADS[state];
}

addEventListener("beforeunload", (event) => {
  if (anyOpen.peek()) event.preventDefault();
});
