import { and, eq } from "drizzle-orm";
import { asReaderAt } from "../access";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import { DomainError, notFound } from "../platform/errors";
import { toUtc } from "../platform/time";
import { partsOf, zipSize } from "../platform/zip/archive";
import { serveZip } from "../platform/zip/send";
import { requireUnexpired } from "../platform/zip/ticket";
import { requireExporter } from "./access";
import { findExport, releaseExport, statusOf, TICKETS } from "./exports";
import { readPage, readPages } from "./manifest";
import { type WorkspaceExportRow, workspaceExports } from "./tables";

/**
 * The export of a valid ticket, whose credential may still read it.
 * @param now when it must be ready. The address must be valid when the request begins.
 * @throws DomainError 403, 404, 409, 410.
 */
async function openTicket(context: Context, exportId: string, text: string, now = context.now) {
  const ticket = await TICKETS.read(context.settings.OBJECT_SIGNING_SECRET, text);
  if (ticket === null || ticket.exportId !== exportId) throw notFound();
  const row = await findExport(context, exportId);
  const reader = row === null ? null : await asReaderAt({ ...context, now }, ticket.reader, []);
  if (row === null || reader === null) throw notFound();
  try {
    requireExporter(reader, row, row.hasImages);
  } catch (thrown) {
    throw thrown instanceof DomainError ? notFound() : thrown;
  }
  const status = statusOf(row, now);
  if (status === "queued" || status === "preparing")
    throw new DomainError("conflict", "The export is still being prepared.");
  if (status !== "ready")
    throw new DomainError(
      "export-ended",
      "The export has expired, was cancelled, or a file of it was deleted. Start a new one.",
    );
  requireUnexpired(ticket, context.now);
  return row;
}

async function fileName({ workspace }: Context, { organizationId, createdAt }: WorkspaceExportRow): Promise<string> {
  const day = toUtc(createdAt).slice(0, 10);
  if (organizationId === null) return `Personal data ${day}.zip`;
  const [row] = await workspace
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  return `${row?.name ?? "Organization"} ${day}.zip`;
}

/**
 * Responds with the ZIP or the requested range of it. Access and the status are checked first, and again while the bytes are sent.
 * @throws DomainError 403 address expired, 404, 409 not ready, 410 ended, 412.
 */
export async function downloadExport(
  context: Context,
  id: string,
  ticket: string,
  request: Request,
): Promise<Response> {
  const row = await openTicket(context, id, ticket);
  const pages = await readPages(context, id);
  return serveZip(context, request, {
    exportId: id,
    etag: `"${id}-1"`,
    fileName: await fileName(context, row),
    sizeBytes: zipSize(pages),
    parts: (range) => partsOf(pages, range, (page) => readPage(context, pages[page]?.objectKey)),
    mayContinue: async () => {
      await openTicket(context, id, ticket, Date.now());
    },
    lost: async () => {
      const change = beginChange(context, row.tenantId).add(
        context.workspace
          .update(workspaceExports)
          .set({ status: "lost" })
          .where(and(eq(workspaceExports.id, id), eq(workspaceExports.status, "ready"))),
      );
      releaseExport(context, change, row);
      await change.commit();
    },
  });
}
