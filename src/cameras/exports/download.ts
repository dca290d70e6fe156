import { eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { contentRange, matchesEtag, rangeOf } from "../../platform/http/bodies";
import { describeFailure, log } from "../../platform/log";
import { contentDisposition } from "../../platform/objects/store";
import { toUtc } from "../../platform/time";
import { mayReadImages } from "../archive";
import { cameras, nameAtLocation } from "../tables";
import { findExport, readPage, readPageSizes, readTicket, statusOf } from "./exports";
import { type ExportRow, layoutOf, type Part, partsOf } from "./zip";

/**
 * Parts that are opened ahead of the part that is being sent. Headers and images alternate, so at most three of the six
 * connections of a request are in use.
 */
const READ_AHEAD = 5;

/** Increase it when the same manifest gives different bytes. */
const FORMAT = 1;

/** The ZIP's name: the camera's name at the location, and the days of the first and last image. */
function fileName(name: string, { firstCapturedAt, lastCapturedAt, createdAt }: ExportRow): string {
  const day = (at: number | null) => toUtc(at ?? createdAt).slice(0, 10);
  return `${name} ${day(firstCapturedAt)} ${day(lastCapturedAt)}.zip`;
}

/** The export of a valid ticket. @throws DomainError 403, 404, 409, 410. */
async function openTicket(context: Context, exportId: string, text: string) {
  const ticket = await readTicket(context.settings.OBJECT_SIGNING_SECRET, text);
  if (ticket === null || ticket.exportId !== exportId) throw notFound();
  const row = await findExport(context, exportId);
  if (row === null || !(await mayReadImages(context, ticket.reader, row.locationId))) throw notFound();
  const [camera] = await context.workspace
    .select({
      name: nameAtLocation(row.locationId),
      retentionDays: cameras.retentionDays,
      expiredUntil: cameras.expiredUntil,
    })
    .from(cameras)
    .where(eq(cameras.id, row.cameraId));
  if (camera === undefined) throw notFound();
  const status = statusOf(row, camera, context.now);
  if (status === "expired" || status === "failed")
    throw new DomainError(
      "export-ended",
      "Images of this export were deleted or have expired, or the export itself has expired. Request a new one.",
    );
  if (ticket.expiresAt <= context.now)
    throw forbidden(
      "This address has expired. Read the export again for a new address, and resume the download with it.",
    );
  if (status !== "ready") throw new DomainError("conflict", "The export is still being prepared.");
  return { row, name: camera.name };
}

/**
 * Responds with the ZIP or the requested range of it. Access and the export's status are checked first; the bytes are
 * streamed while the client reads them.
 * @throws DomainError 403 address expired, 404, 409 not ready, 410 expired, 412.
 */
export async function downloadExport(
  context: Context,
  id: string,
  ticket: string,
  request: Request,
): Promise<Response> {
  const { row, name } = await openTicket(context, id, ticket);
  const { segments, sizeBytes } = layoutOf(row, await readPageSizes(context, id));
  const etag = `"${id}-${FORMAT}"`;
  const headers = new Headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    "content-type": "application/zip",
    "content-disposition": contentDisposition("attachment", fileName(name, row)),
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
  const parts = partsOf(row, segments, range, (page) => readPage(context, id, page));
  const sent = sendParts(context, parts, writable);
  context.background(
    sent.catch((thrown) => log("warn", "camera-export.cut", { exportId: id, ...describeFailure(thrown) })),
  );
  return new Response(readable, { status, headers });
}

type Opened = Uint8Array | ReadableStream<Uint8Array>;

/** Opens a part. @throws when an object does not exist, or its size differs from the manifest. */
async function open({ objects }: Pick<Context, "objects">, part: Part): Promise<Opened> {
  if (part.kind === "bytes") return part.bytes;
  const { key, sizeBytes, range } = part;
  const found = await objects.read(key, range.length === sizeBytes ? undefined : range);
  if (found === null) throw new Error("an exported image does not exist");
  if (found.sizeBytes === sizeBytes) return found.body;
  await found.body.cancel();
  throw new Error("an exported image has another size");
}

const close = async (opened: Promise<Opened>): Promise<void> => {
  const found = await opened.catch(() => null);
  if (found instanceof ReadableStream) await found.cancel().catch(() => {});
};

/**
 * Sends parts in order and opens a few objects ahead; bytes are streamed, not buffered.
 * An error ends the body before its announced length, which every client detects.
 */
export async function sendParts(
  context: Pick<Context, "objects">,
  parts: AsyncGenerator<Part>,
  to: WritableStream<Uint8Array>,
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
  try {
    for (;;) {
      await refill();
      const next = await ahead.shift();
      if (next === undefined) break;
      if (next instanceof ReadableStream) await next.pipeTo(to, { preventClose: true, preventAbort: true });
      else await write(to, next);
    }
    await to.close();
  } catch (thrown) {
    await Promise.all([parts.return(undefined), to.abort(thrown).catch(() => {}), ...ahead.map(close)]);
    throw thrown;
  }
}

async function write(to: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = to.getWriter();
  try {
    await writer.write(bytes);
  } finally {
    writer.releaseLock();
  }
}
