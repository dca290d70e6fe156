import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
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
import { REJECTED_URL_LIFETIME_MS } from "../limits";
import { captureOperations } from "../tables";

/** The location of the images to review. Default: the camera's present location. */
export const placeQuery = z.object({
  locationId: idSchema
    .optional()
    .openapi({ description: "Location where the images were taken. Default: the camera's present location." }),
});

/**
 * A camera and the location whose operations are reviewed. Requires Write of LocationCameras there.
 * @throws DomainError 401, 403, 404.
 */
const requireReviewed = (context: Context, cameraId: string, locationId: string | undefined): Promise<FoundCamera> =>
  locationId === undefined
    ? requireCamera(context, cameraId, WRITE)
    : requireCameraAt(context, cameraId, locationId, WRITE);

/** Selects operations of a camera at a location, with their uploads. `more` is a further condition. */
const operationsAt = ({ workspace }: Context, { camera, location }: FoundCamera, more: SQL | undefined) =>
  workspace
    .select({ operation: captureOperations, upload: uploads })
    .from(uploads)
    .innerJoin(captureOperations, eq(captureOperations.id, uploads.id))
    .where(and(eq(uploads.targetId, camera.id), eq(captureOperations.locationId, location.id), more));

type Reviewed = { operation: typeof captureOperations.$inferSelect; upload: typeof uploads.$inferSelect };

/** The requested page and location. */
type ReviewQuery = PageQuery & z.infer<typeof placeQuery>;

const cursorKey = z.tuple([z.string()]);

/** A page of a camera's operations at a location, newest first. `which` selects them. @throws DomainError 401, 403, 404. */
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

const captureFields = {
  operationId: idSchema,
  captureId: idSchema,
  cameraId: idSchema,
  locationId: idSchema,
  capturedAtUtc: utcSchema,
};

const presentCapture = ({ id, captureId, cameraId, locationId, capturedAt }: Reviewed["operation"]) => ({
  operationId: id,
  captureId,
  cameraId,
  locationId,
  capturedAtUtc: toUtc(capturedAt),
});

/** The ids of an operation. Without `locationId`, it is at the camera's present location. */
interface OperationRef {
  cameraId: string;
  operationId: string;
  locationId?: string | undefined;
}

/** An operation that the caller may review and that `which` selects. @throws DomainError 401, 403, 404. */
async function requireOperation(
  context: Context,
  { cameraId, operationId, locationId }: OperationRef,
  which?: SQL,
): Promise<Reviewed & FoundCamera> {
  const found = await requireReviewed(context, cameraId, locationId);
  const [row] = await operationsAt(context, found, and(eq(uploads.id, operationId), which));
  if (row === undefined) throw notFound();
  return { ...found, ...row };
}

const auditReview = (
  context: Context,
  action: "capture.cancelled" | "capture.retried",
  { camera, operation }: Reviewed & FoundCamera,
) =>
  auditStatement(context, {
    organizationId: camera.organizationId,
    action,
    subjectType: "capture-operation",
    subjectId: operation.id,
    details: { cameraId: camera.id, captureId: operation.captureId },
  });

/* Unfinished uploads of a camera. People can cancel them to free the upload slots of its device. */

export const pendingSchema = z
  .object({
    ...captureFields,
    sizeBytes: z.int(),
    status: z.enum(["pending-transfer", "verification-pending"]),
    startedAtUtc: utcSchema,
    expiresAtUtc: utcSchema,
  })
  .openapi("PendingCapture");

/** The unfinished operations of a camera at a location, newest first. @throws DomainError 401, 403, 404. */
export const listPending = (context: Context, cameraId: string, query: ReviewQuery) =>
  pageOfOperations(context, cameraId, query, isUnfinished(context.now), ({ operation, upload }) => ({
    ...presentCapture(operation),
    sizeBytes: upload.sizeBytes,
    status: upload.status === "pending" ? ("pending-transfer" as const) : ("verification-pending" as const),
    startedAtUtc: toUtc(operation.createdAt),
    expiresAtUtc: toUtc(upload.expiresAt),
  }));

const alreadyVerified = (): DomainError =>
  new DomainError("upload-ended", "The image is verified already. Find it among the published or the rejected images.");

/**
 * Cancels an unfinished upload of a camera. Its device may announce the image again. A repeat changes nothing.
 * @throws DomainError 401, 403, 404, upload-ended.
 */
export async function cancelPending(context: Context, ref: OperationRef): Promise<void> {
  const found = await requireOperation(context, ref);
  const refusal = alreadyVerified();
  const { id, status } = found.upload;
  if (status === "completed" || status === "rejected") throw refusal;
  if (status === "expired") return;
  const change = beginChange(context);
  endUploads(context, change, { ids: [id] });
  change.guardChanged(refusal).add(auditReview(context, "capture.cancelled", found));
  await change.commit().catch(async (thrown: unknown) => {
    // Another request ended it just now, as requested here; or its verification finished first.
    if (thrown !== refusal || (await findUpload(context, id))?.status !== "expired") throw thrown;
  });
}

export const rejectedSchema = z
  .object({
    ...captureFields,
    receivedAtUtc: utcSchema,
    rejectedAtUtc: utcSchema.nullable(),
    sizeBytes: z.int().openapi({ description: "The announced size of the image." }),
    checksumSha256: z.string(),
    rejection: rejectionSchema,
  })
  .openapi("RejectedCapture");

/** In the text of a statement, not as a parameter: the index is for this condition only. */
const rejected = sql`${uploads.status} = 'rejected'`;

/** Rejected images of a camera at a location, newest first. @throws DomainError 401, 403, 404. */
export const listRejected = (context: Context, cameraId: string, query: ReviewQuery) =>
  pageOfOperations(context, cameraId, query, rejected, ({ operation, upload }) => ({
    ...presentCapture(operation),
    receivedAtUtc: toUtc(operation.createdAt),
    rejectedAtUtc: toUtcOrNull(upload.finishedAt),
    sizeBytes: upload.sizeBytes,
    checksumSha256: upload.checksumSha256,
    rejection: { code: upload.rejectionCode ?? "", detail: upload.rejectionDetail ?? "" },
  }));

/**
 * An expiring address of the bytes of a rejected image. They may be of any kind, so browsers download them.
 * @throws DomainError 401, 403, 404.
 */
export async function rejectedLink(context: Context, ref: OperationRef): Promise<DownloadLink> {
  const { operation, upload } = await requireOperation(context, ref, rejected);
  const { cameraId, id: operationId } = operation;
  const key = rejectedKey({ organizationId: upload.tenantId, cameraId, operationId });
  const object = await context.objects.head(key);
  if (object === null) throw notFound();
  const contentType = "application/octet-stream";
  const as = { fileName: `${operation.captureId}.jpg`, contentType, disposition: "attachment" as const };
  const signed = await context.objects.signDownload(key, as, REJECTED_URL_LIFETIME_MS / SECOND);
  return presentDownload(signed, { contentType, sizeBytes: object.sizeBytes });
}

/*
 * Held images: the service could not verify them, for a reason of its own. For their device they are in verification. People
 * see the reason and can request another verification.
 */

export const heldSchema = z
  .object({
    ...captureFields,
    heldAtUtc: utcSchema.nullable(),
    expiresAtUtc: utcSchema.openapi({ description: "After this time, the device starts a new operation by itself." }),
    reason: z.object({ code: z.string(), detail: z.string() }),
  })
  .openapi("HeldCapture");

const held = and(isNull(uploads.finishedAt), eq(uploads.status, "verifying"), isNotNull(captureOperations.heldAt));

/** Held images of a camera at a location, newest first. @throws DomainError 401, 403, 404. */
export const listHeld = (context: Context, cameraId: string, query: ReviewQuery) =>
  pageOfOperations(context, cameraId, query, held, ({ operation, upload }) => ({
    ...presentCapture(operation),
    heldAtUtc: toUtcOrNull(operation.heldAt),
    expiresAtUtc: toUtc(upload.expiresAt),
    reason: { code: operation.heldCode ?? "", detail: operation.heldDetail ?? "" },
  }));

/** Verifies a held image again. @throws DomainError 401, 403, 404, conflict when it is no longer held. */
export async function retryHeld(context: Context, ref: OperationRef): Promise<void> {
  const found = await requireOperation(context, ref);
  const { operation, upload } = found;
  const { workspace } = context;
  const { userId } = requireUser(context);
  const notHeld = new DomainError(
    "conflict",
    "The image is no longer held: it is being verified, or its operation has ended. Read the list again.",
  );
  if (operation.heldAt === null) throw notHeld;
  const change = beginChange(context);
  change
    .add(
      workspace
        .update(captureOperations)
        .set({ heldAt: null, heldCode: null, heldDetail: null })
        .where(and(eq(captureOperations.id, operation.id), isNotNull(captureOperations.heldAt))),
    )
    .guardChanged(notHeld);
  verifyAgain(context, change, upload, userId, notHeld);
  change.add(auditReview(context, "capture.retried", found));
  await change.commit();
}
