import { eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { contentRange, listsTag, rangeOf } from "../../platform/http/bodies";
import { describeFailure, log } from "../../platform/log";
import { contentDisposition } from "../../platform/objects/downloads";
import { toUtc } from "../../platform/time";
import { mayReadImages } from "../archive";
import { cameras, nameAt } from "../tables";
import { findExport, readPage, readPageSizes, readTicket, statusOf } from "./exports";
import { type ExportRow, layoutOf, type Part, partsOf } from "./zip";

/**
 * Parts that are opened ahead of the one that is being sent. Headers and images alternate, so at most three of the six
 * connections of a request are in use.
 */
const READ_AHEAD = 5;

/** Grows when the same manifest would give other bytes. */
const FORMAT = 1;

/** The ZIP's name: the camera's there, and the days of its first and last image. */
function fileName(name: string, { firstCapturedAt, lastCapturedAt, createdAt }: ExportRow): string {
  const day = (at: number | null) => toUtc(at ?? createdAt).slice(0, 10);
  return `${name.replace(/[/\\:*?"<>|\p{Cc}]/gu, "_")} ${day(firstCapturedAt)} ${day(lastCapturedAt)}.zip`;
}

/** The export that an address opens now. @throws DomainError 403, 404, 409, 410. */
async function openTicket(context: Context, exportId: string, text: string) {
  const ticket = await readTicket(context.settings.OBJECT_SIGNING_SECRET, text);
  if (ticket === null || ticket.exportId !== exportId) throw notFound();
  const row = await findExport(context, exportId);
  if (row === null || !(await mayReadImages(context, ticket.asker, row.locationId))) throw notFound();
  const [camera] = await context.db
    .select({ name: nameAt(row.locationId), retentionDays: cameras.retentionDays, expiredUntil: cameras.expiredUntil })
    .from(cameras)
    .where(eq(cameras.id, row.cameraId));
  if (camera === undefined) throw notFound();
  const status = statusOf(row, camera, context.now);
  if (status === "expired" || status === "failed")
    throw new DomainError("export-ended", "Images of this export are gone, or its time is over. Ask for a new one.");
  if (ticket.expiresAt <= context.now)
    throw forbidden("This address has expired. Ask for the export again, and go on from where you were.");
  if (status !== "ready") throw new DomainError("conflict", "The export is still being prepared.");
  return { row, name: camera.name };
}

/**
 * Answers a download with the ZIP or the range of it that was asked for. Access, and that every image is still
 * there, is asked first; the bytes follow while the client reads them.
 * @throws DomainError 403 address over, 404, 409 not ready, 410 expired, 412.
 */
export async function downloadExport(
  context: Context,
  id: string,
  ticket: string,
  request: Request,
): Promise<Response> {
  const { row, name } = await openTicket(context, id, ticket);
  const { stretches, sizeBytes } = layoutOf(row, await readPageSizes(context, id));
  const etag = `"${id}-${FORMAT}"`;
  const headers = new Headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    "content-type": "application/zip",
    "content-disposition": contentDisposition("attachment", fileName(name, row)),
  });
  const [ifMatch, ifNoneMatch] = ["if-match", "if-none-match"].map((name) => request.headers.get(name));
  if (ifMatch && !listsTag(ifMatch, etag))
    throw new DomainError("precondition-failed", "The export is another one now. Begin its download anew.");
  if (ifNoneMatch && listsTag(ifNoneMatch.replaceAll("W/", ""), etag))
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
  const parts = partsOf(row, stretches, range, (page) => readPage(context, id, page));
  const sent = sendParts(context, parts, writable);
  context.background(
    sent.catch((thrown) => log("warn", "camera-export.cut", { exportId: id, ...describeFailure(thrown) })),
  );
  return new Response(readable, { status, headers });
}

type Opened = Uint8Array | ReadableStream<Uint8Array>;

/** Opens a part. @throws when an object is gone, or is not the one of the manifest. */
async function open({ objects }: Pick<Context, "objects">, part: Part): Promise<Opened> {
  if (part.kind === "bytes") return part.bytes;
  const { key, sizeBytes, range } = part;
  const found = await objects.read(key, range.length === sizeBytes ? undefined : range);
  if (found === null) throw new Error("an exported image is gone");
  if (found.sizeBytes === sizeBytes) return found.body;
  await found.body.cancel();
  throw new Error("an exported image has another size");
}

const close = async (opened: Promise<Opened>): Promise<void> => {
  const found = await opened.catch(() => null);
  if (found instanceof ReadableStream) await found.cancel().catch(() => {});
};

/**
 * Sends parts one after the other, with a few objects open ahead; their bytes pass without being held.
 * What goes wrong ends the body short of its announced length, which every client notices.
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
