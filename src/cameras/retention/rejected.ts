import { z } from "@hono/zod-openapi";
import { and, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { type DownloadLink, presentDownload } from "../../platform/objects/downloads";
import { MINUTE, SECOND, toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { uploads } from "../../uploads/tables";
import { rejectionSchema } from "../ingestion";
import { rejectedKey } from "../keys";
import { operationsAt, pageOfOperations, type ReviewQuery, requireReviewed } from "./reviewed";

/** How long a download's address lives. */
const LINK_LIFETIME = 5 * MINUTE;

export const rejectedSchema = z
  .object({
    operationId: idSchema,
    captureId: idSchema,
    cameraId: idSchema,
    locationId: idSchema,
    capturedAtUtc: utcSchema,
    receivedAtUtc: utcSchema,
    rejectedAtUtc: utcSchema.nullable(),
    sizeBytes: z.int().openapi({ description: "As it was announced." }),
    checksumSha256: z.string(),
    rejection: rejectionSchema,
  })
  .openapi("RejectedCapture");

const rejected = eq(uploads.status, "rejected");

/** Rejected images of a camera at a place, newest first. @throws DomainError 401, 403, 404. */
export const listRejected = (context: Context, cameraId: string, query: ReviewQuery) =>
  pageOfOperations(context, cameraId, query, rejected, ({ operation, upload }) => ({
    operationId: operation.id,
    captureId: operation.captureId,
    cameraId: operation.cameraId,
    locationId: operation.locationId,
    capturedAtUtc: toUtc(operation.capturedAt),
    receivedAtUtc: toUtc(operation.createdAt),
    rejectedAtUtc: toUtcOrNull(upload.finishedAt),
    sizeBytes: upload.sizeBytes,
    checksumSha256: upload.checksumSha256,
    rejection: { code: upload.rejectionCode ?? "", detail: upload.rejectionDetail ?? "" },
  }));

/**
 * An expiring address of what came for a rejected image: it may be anything, so it is only ever saved.
 * @throws DomainError 401, 403, 404.
 */
export async function rejectedLink(
  context: Context,
  { cameraId, operationId, locationId }: { cameraId: string; operationId: string; locationId?: string | undefined },
): Promise<DownloadLink> {
  const found = await requireReviewed(context, cameraId, locationId);
  const [row] = await operationsAt(context, found, and(eq(uploads.id, operationId), rejected));
  if (row === undefined) throw notFound();
  const key = rejectedKey({ organizationId: row.upload.tenantId, cameraId, operationId });
  const object = await context.objects.head(key);
  if (object === null) throw notFound();
  const contentType = "application/octet-stream";
  const as = { fileName: `${row.operation.captureId}.jpg`, contentType, disposition: "attachment" as const };
  const signed = await context.objects.signDownload(key, as, LINK_LIFETIME / SECOND);
  return presentDownload(signed, { contentType, sizeBytes: object.sizeBytes });
}
