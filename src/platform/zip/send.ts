import { z } from "@hono/zod-openapi";
import type { Context } from "../context";
import { DomainError } from "../errors";
import { type BodyRange, contentRange, matchesEtag, rangeOf } from "../http/bodies";
import { describeFailure, log } from "../log";
import { contentDisposition } from "../objects/store";
import { isOutage } from "../outages";
import { MINUTE, SECOND } from "../time";

/** The next part of a ZIP to send: bytes, or a range of an object that must have its recorded size. */
export type Part =
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "object"; key: string; sizeBytes: number; range: BodyRange };

/** What the route of a download says about its answers. */
export const ZIP_ANSWERS = {
  200: {
    description: "The ZIP",
    content: { "application/zip": { schema: z.string().openapi({ format: "binary" }) } },
  },
  206: { description: "The requested range" },
  304: { description: "The client's copy is up to date" },
  416: { description: "The range begins after the end of the ZIP" },
} as const;

/** A ZIP whose bytes follow from its parts. */
interface ServedZip {
  /** The id of its export, for the log. */
  exportId: string;
  /** Changes with the bytes. */
  etag: string;
  fileName: string;
  sizeBytes: number;
  parts(range: BodyRange): AsyncGenerator<Part>;
  /** Throws unless the reader may read it now. It is asked again while the bytes are sent. */
  mayContinue(): Promise<void>;
  /** Runs when an object of it does not exist any more. */
  lost?(): Promise<void>;
}

/**
 * Responds with a ZIP or the requested range of it. The bytes are streamed while the client reads them.
 * @throws DomainError 412.
 */
export function serveZip(context: Context, request: Request, zip: ServedZip): Response {
  const { etag, sizeBytes } = zip;
  const headers = new Headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    "content-type": "application/zip",
    "content-disposition": contentDisposition("attachment", zip.fileName),
  });
  const [ifMatch, ifNoneMatch] = ["if-match", "if-none-match"].map((name) => request.headers.get(name));
  if (ifMatch && !matchesEtag(ifMatch, etag))
    throw new DomainError("precondition-failed", "The export has changed. Start the download again.");
  if (ifNoneMatch && matchesEtag(ifNoneMatch.replaceAll("W/", ""), etag))
    return new Response(null, { status: 304, headers });
  const asked = rangeOf(request, etag, sizeBytes);
  if (asked === "unsatisfiable") {
    headers.set("content-range", `bytes */${sizeBytes}`);
    return new Response(null, { status: 416, headers });
  }
  const range = asked ?? { offset: 0, length: sizeBytes };
  headers.set("content-length", String(range.length));
  if (asked !== null) headers.set("content-range", contentRange(asked, sizeBytes));
  const status = asked === null ? 200 : 206;
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const { readable, writable } = new FixedLengthStream(range.length);
  const sent = sendParts(context, zip.parts(range), writable, zip.mayContinue).catch(async (thrown: unknown) => {
    log("warn", "export.cut", { exportId: zip.exportId, ...describeFailure(thrown) });
    if (thrown instanceof LostObject) await zip.lost?.();
  });
  context.background(sent);
  return new Response(readable, { status, headers });
}

/** An object of a ZIP does not exist, or has another size than its manifest says. */
class LostObject extends Error {}

type Opened = Uint8Array | ReadableStream<Uint8Array>;

/** Opens a part. @throws LostObject */
async function open({ objects }: Pick<Context, "objects">, part: Part): Promise<Opened> {
  if (part.kind === "bytes") return part.bytes;
  const { key, sizeBytes, range } = part;
  const found = await objects.read(key, range.length === sizeBytes ? undefined : range);
  if (found === null) throw new LostObject("an exported file does not exist");
  if (found.sizeBytes === sizeBytes) return found.body;
  await found.body.cancel();
  throw new LostObject("an exported file has another size");
}

const close = async (opened: Promise<Opened>): Promise<void> => {
  const found = await opened.catch(() => null);
  if (found instanceof ReadableStream) await found.cancel().catch(() => {});
};

/** Time between two checks of access, milliseconds: at first, and at most. Between them it is a part of the time since the begin. */
export const FIRST_CHECK_MS = 5 * SECOND;
const MAX_CHECK_MS = 10 * MINUTE;
const CHECK_PART = 20;

/** Checks in a row that can end with an outage before the download is cut. */
const MAX_UNANSWERED_CHECKS = 3;

/**
 * Asks again and again whether the reader may continue, and aborts otherwise. The longer a download takes, the rarer it asks, so
 * that the questions of six hours are fewer than the queries that D1 allows a request. A short outage cuts no download.
 * @returns a function that ends it
 */
function keepChecking(mayContinue: () => Promise<void>, cut: AbortController): () => void {
  const began = Date.now();
  let timer: ReturnType<typeof setTimeout>;
  let unanswered = 0;
  const check = async (): Promise<void> => {
    if (cut.signal.aborted) return;
    try {
      await mayContinue();
      unanswered = 0;
    } catch (thrown) {
      if (!isOutage(thrown) || ++unanswered === MAX_UNANSWERED_CHECKS) return cut.abort(thrown);
    }
    wait();
  };
  const wait = () => {
    const usual = Math.min(Math.max(FIRST_CHECK_MS, (Date.now() - began) / CHECK_PART), MAX_CHECK_MS);
    timer = setTimeout(() => void check(), unanswered === 0 ? usual : FIRST_CHECK_MS);
  };
  wait();
  return () => {
    clearTimeout(timer);
    cut.abort();
  };
}

/**
 * Parts that are opened ahead of the part that is being sent. Headers and objects alternate, so at most three of the six
 * connections of a request are in use.
 */
const READ_AHEAD = 5;

/**
 * Sends parts in order and opens a few objects ahead; bytes are streamed, not buffered.
 * An error ends the body before its announced length, which every client detects.
 */
export async function sendParts(
  context: Pick<Context, "objects">,
  parts: AsyncGenerator<Part>,
  to: WritableStream<Uint8Array>,
  mayContinue: () => Promise<void> = async () => undefined,
): Promise<void> {
  const ahead: Promise<Opened>[] = [];
  const refill = async () => {
    while (ahead.length <= READ_AHEAD) {
      const { done, value } = await parts.next();
      if (done) return;
      const opened = open(context, value);
      opened.catch(() => {});
      ahead.push(opened);
    }
  };
  const cut = new AbortController();
  const { signal } = cut;
  const stopChecking = keepChecking(mayContinue, cut);
  try {
    for (;;) {
      await refill();
      signal.throwIfAborted();
      const next = await ahead.shift();
      if (next === undefined) break;
      if (next instanceof ReadableStream) await next.pipeTo(to, { preventClose: true, preventAbort: true, signal });
      else await write(to, next, signal);
    }
    await to.close();
  } catch (thrown) {
    await Promise.all([parts.return(undefined), to.abort(thrown).catch(() => {}), ...ahead.map(close)]);
    throw thrown;
  } finally {
    stopChecking();
  }
}

async function write(to: WritableStream<Uint8Array>, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const writer = to.getWriter();
  // A client that reads nothing would hold the write.
  const abort = () => void writer.abort(signal.reason).catch(() => {});
  signal.addEventListener("abort", abort);
  try {
    await writer.write(bytes);
  } finally {
    signal.removeEventListener("abort", abort);
    writer.releaseLock();
  }
}
