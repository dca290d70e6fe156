import { eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { DomainError, notFound } from "../../platform/errors";
import { toUtc } from "../../platform/time";
import { serveZip } from "../../platform/zip/send";
import { requireUnexpired } from "../../platform/zip/ticket";
import { mayReadImages } from "../archive";
import { cameras, nameAtLocation } from "../tables";
import { findExport, readPage, readPageSizes, statusOf, TICKETS } from "./exports";
import { type ExportRow, layoutOf, partsOf } from "./zip";

/** Increase it when the same manifest gives different bytes. */
const FORMAT = 1;

/** The ZIP's name: the camera's name at the location, and the days of the first and last image. */
function fileName(name: string, { firstCapturedAt, lastCapturedAt, createdAt }: ExportRow): string {
  const day = (at: number | null) => toUtc(at ?? createdAt).slice(0, 10);
  return `${name} ${day(firstCapturedAt)} ${day(lastCapturedAt)}.zip`;
}

/**
 * The export of a valid ticket. @throws DomainError 403, 404, 409, 410.
 * @param now when it must be ready. The address must be valid when the request begins.
 */
async function openTicket(context: Context, exportId: string, text: string, now = context.now) {
  const ticket = await TICKETS.read(context.settings.OBJECT_SIGNING_SECRET, text);
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
  const status = statusOf(row, camera, now);
  if (status === "expired" || status === "failed")
    throw new DomainError(
      "export-ended",
      "Images of this export were deleted or have expired, or the export itself has expired. Request a new one.",
    );
  requireUnexpired(ticket, context.now);
  if (status !== "ready") throw new DomainError("conflict", "The export is still being prepared.");
  return { row, name: camera.name };
}

/**
 * Responds with the ZIP or the requested range of it. Access and the export's status are checked first, and again while the bytes
 * are sent.
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
  return serveZip(context, request, {
    exportId: id,
    etag: `"${id}-${FORMAT}"`,
    fileName: fileName(name, row),
    sizeBytes,
    parts: (range) => partsOf(row, segments, range, (page) => readPage(context, id, page)),
    mayContinue: async () => {
      await openTicket(context, id, ticket, Date.now());
    },
  });
}
