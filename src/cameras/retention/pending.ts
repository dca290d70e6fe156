import { z } from "@hono/zod-openapi";
import { eq } from "drizzle-orm";
import { auditStatement } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { endUpload, findUpload } from "../../uploads";
import { uploads } from "../../uploads/tables";
import { isUnfinished } from "../ingestion";
import { operationsAt, pageOfOperations, type ReviewQuery, requireReviewed } from "./reviewed";

/* Images that a camera's device has announced and that are not decided yet, for people who free its places. */

export const pendingSchema = z
  .object({
    operationId: idSchema,
    captureId: idSchema,
    cameraId: idSchema,
    locationId: idSchema,
    capturedAtUtc: utcSchema,
    sizeBytes: z.int(),
    status: z.enum(["pending-transfer", "verification-pending"]),
    startedAtUtc: utcSchema,
    expiresAtUtc: utcSchema,
  })
  .openapi("PendingCapture");

/** What a camera's device has begun at a place and not finished, newest first. @throws DomainError 401, 403, 404. */
export const listPending = (context: Context, cameraId: string, query: ReviewQuery) =>
  pageOfOperations(context, cameraId, query, isUnfinished(context.now), ({ operation, upload }) => ({
    operationId: operation.id,
    captureId: operation.captureId,
    cameraId: operation.cameraId,
    locationId: operation.locationId,
    capturedAtUtc: toUtc(operation.capturedAt),
    sizeBytes: upload.sizeBytes,
    status: upload.status === "pending" ? ("pending-transfer" as const) : ("verification-pending" as const),
    startedAtUtc: toUtc(operation.createdAt),
    expiresAtUtc: toUtc(upload.expiresAt),
  }));

const hasVerdict = (): DomainError =>
  new DomainError("upload-ended", "The image has its verdict already: it is published, or among the rejected ones.");

/**
 * Cancels an upload of a camera; its device may announce the image again. Repeats change nothing.
 * @throws DomainError 401, 403, 404, upload-ended.
 */
export async function cancelPending(
  context: Context,
  { cameraId, operationId, locationId }: { cameraId: string; operationId: string; locationId?: string | undefined },
): Promise<void> {
  const found = await requireReviewed(context, cameraId, locationId);
  const [row] = await operationsAt(context, found, eq(uploads.id, operationId));
  if (row === undefined) throw notFound();
  const refusal = hasVerdict();
  const { status } = row.upload;
  if (status === "completed" || status === "rejected") throw refusal;
  if (status === "expired") return;
  const change = beginChange(context);
  endUpload(context, change, operationId);
  change.guardChanged(refusal).add(
    auditStatement(context, {
      organizationId: found.camera.organizationId,
      action: "capture.cancelled",
      subjectType: "capture-operation",
      subjectId: operationId,
      details: { cameraId, captureId: row.operation.captureId },
    }),
  );
  await change.commit().catch(async (thrown: unknown) => {
    // Somebody else ended it just now, which is what was asked for, or its verdict came first.
    if (thrown !== refusal || (await findUpload(context, operationId))?.status !== "expired") throw thrown;
  });
}
