import { z } from "@hono/zod-openapi";
import { and, eq, isNotNull } from "drizzle-orm";
import { auditStatement, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { uploads } from "../../uploads/tables";
import { captureOperations } from "../tables";
import { operationsAt, pageOfOperations, type ReviewQuery, requireReviewed } from "./reviewed";

/*
 * Images whose verification came to no verdict, for a reason of the service's own. To their device they are
 * in verification; people see why they wait and have them tried again.
 */

export const heldSchema = z
  .object({
    operationId: idSchema,
    captureId: idSchema,
    cameraId: idSchema,
    locationId: idSchema,
    capturedAtUtc: utcSchema,
    heldAtUtc: utcSchema.nullable(),
    expiresAtUtc: utcSchema.openapi({ description: "After this its device begins anew by itself." }),
    reason: z.object({ code: z.string(), detail: z.string() }),
  })
  .openapi("HeldCapture");

const held = and(eq(uploads.status, "verifying"), isNotNull(captureOperations.heldAt));

/** Images of a camera at a place that wait for an operator, newest first. @throws DomainError 401, 403, 404. */
export const listHeld = (context: Context, cameraId: string, query: ReviewQuery) =>
  pageOfOperations(context, cameraId, query, held, ({ operation, upload }) => ({
    operationId: operation.id,
    captureId: operation.captureId,
    cameraId: operation.cameraId,
    locationId: operation.locationId,
    capturedAtUtc: toUtc(operation.capturedAt),
    heldAtUtc: toUtcOrNull(operation.heldAt),
    expiresAtUtc: toUtc(upload.expiresAt),
    reason: { code: operation.heldCode ?? "", detail: operation.heldDetail ?? "" },
  }));

/** Has a held image verified again. @throws DomainError 401, 403, 404, conflict when it waits no more. */
export async function retryHeld(
  context: Context,
  { cameraId, operationId, locationId }: { cameraId: string; operationId: string; locationId?: string | undefined },
): Promise<void> {
  const found = await requireReviewed(context, cameraId, locationId);
  const [row] = await operationsAt(context, found, eq(uploads.id, operationId));
  if (row === undefined) throw notFound();
  const { db } = context;
  const { userId } = requireUser(context);
  const noMore = new DomainError("conflict", "The image waits no more: it is being verified, or has ended.");
  if (row.operation.heldAt === null) throw noMore;
  const change = beginChange(context);
  const jobId = change.job(
    "verify-upload",
    { uploadId: operationId },
    { tenantId: row.upload.tenantId, requestedBy: userId },
  );
  change
    .add(
      db
        .update(captureOperations)
        .set({ heldAt: null, heldCode: null, heldDetail: null })
        .where(and(eq(captureOperations.id, operationId), isNotNull(captureOperations.heldAt))),
    )
    .guardChanged(noMore)
    .add(
      db
        .update(uploads)
        .set({ verifyJobId: jobId })
        .where(and(eq(uploads.id, operationId), eq(uploads.status, "verifying"))),
    )
    .guardChanged(noMore)
    .add(
      auditStatement(context, {
        organizationId: found.camera.organizationId,
        action: "capture.retried",
        subjectType: "capture-operation",
        subjectId: operationId,
        details: { cameraId, captureId: row.operation.captureId },
      }),
    );
  await change.commit();
}
