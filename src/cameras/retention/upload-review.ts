import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNotNull, lt, type SQL } from "drizzle-orm";
import { auditStatement, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { type DownloadLink, presentDownload } from "../../platform/objects/store";
import { SECOND, toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { endUploads, findUpload, verifyAgain } from "../../uploads";
import { uploads } from "../../uploads/tables";
import { rejectedKey } from "../captures";
import { type FoundCamera, requireCamera, requireCameraAt } from "../find";
import { isUnfinished, rejectionSchema } from "../ingestion";
import { REJECTED_URL_LIFETIME } from "../limits";
import { captureOperations } from "../tables";

/** Where the images to be looked at were taken: where the camera stands now, unless said otherwise. */
export const placeQuery = z.object({
  locationId: idSchema
    .optional()
    .openapi({ description: "Where they were taken; where the camera stands if left out." }),
});

/**
 * The camera at the place whose operations are looked at, for those who may change it there.
 * @throws DomainError 401, 403, 404.
 */
const requireReviewed = (context: Context, cameraId: string, locationId: string | undefined): Promise<FoundCamera> =>
  locationId === undefined
    ? requireCamera(context, cameraId, WRITE)
    : requireCameraAt(context, cameraId, locationId, WRITE);

/** Operations of a camera at a location, with their uploads, that `more` selects. */
const operationsAt = ({ db }: Context, { camera, location }: FoundCamera, more: SQL | undefined) =>
  db
    .select({ operation: captureOperations, upload: uploads })
    .from(uploads)
    .innerJoin(captureOperations, eq(captureOperations.id, uploads.id))
    .where(and(eq(uploads.targetId, camera.id), eq(captureOperations.locationId, location.id), more));

type Reviewed = { operation: typeof captureOperations.$inferSelect; upload: typeof uploads.$inferSelect };

/** Which page is asked for, and of which place. */
type ReviewQuery = PageQuery & z.infer<typeof placeQuery>;

const cursorKey = z.tuple([z.string()]);

/** A page of a camera's operations at a place that `which` selects, newest first. @throws DomainError 401, 403, 404. */
async function pageOfOperations<Item>(
  context: Context,
  cameraId: string,
  { locationId, limit, cursor }: ReviewQuery,
  which: SQL | undefined,
  present: (row: Reviewed) => Item,
) {
  const found = await requireReviewed(context, cameraId, locationId);
  const after = readCursor(cursor, cursorKey);
  const rows = await operationsAt(context, found, and(which, after === null ? undefined : lt(uploads.id, after[0])))
    .orderBy(desc(uploads.id))
    .limit(limit + 1);
  return toPage(rows, limit, ({ upload }) => [upload.id], present);
}

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
  endUploads(context, change, { ids: [operationId] });
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
  const signed = await context.objects.signDownload(key, as, REJECTED_URL_LIFETIME / SECOND);
  return presentDownload(signed, { contentType, sizeBytes: object.sizeBytes });
}

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
  change
    .add(
      db
        .update(captureOperations)
        .set({ heldAt: null, heldCode: null, heldDetail: null })
        .where(and(eq(captureOperations.id, operationId), isNotNull(captureOperations.heldAt))),
    )
    .guardChanged(noMore);
  verifyAgain(context, change, row.upload, userId, noMore);
  change.add(
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
