import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { auditStatement, readerOf, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { sayTo } from "../../platform/languages/reader";
import type { DownloadChecks } from "../../platform/objects/endpoint";
import { BYTES, type DownloadLink, presentDownload } from "../../platform/objects/store";
import { SECOND, toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import {
  abandonCaptures,
  findPlacedCapture,
  keyOf,
  ofOperation,
  type PlacedCapture,
  selectCaptures,
} from "../capture-rows";
import { rejectedKey } from "../captures";
import { type FoundCamera, requireCamera, requireCameraAt } from "../find";
import { captureIdOf, expiryOf, isUnfinished, rejectionSchema } from "../ingestion";
import { REJECTED_URL_LIFETIME_MS } from "../limits";
import { cameraFrames, cameraPlaces } from "../tables";

/** The location of the images to review. Default: the camera's current location. */
export const placeQuery = z.object({
  locationId: idSchema
    .optional()
    .openapi({ description: "Location where the images were taken. Default: the camera's current location." }),
});

/**
 * A camera and the location whose operations are reviewed. Requires Write of LocationCameras there.
 * @throws DomainError 401, 403, 404.
 */
const requireReviewed = (context: Context, cameraId: string, locationId: string | undefined): Promise<FoundCamera> =>
  locationId === undefined
    ? requireCamera(context, cameraId, WRITE)
    : requireCameraAt(context, cameraId, locationId, WRITE);

/** SQL that selects the captures of a camera at a location. */
const capturesAt = ({ camera, location }: FoundCamera): SQL =>
  sql`${cameraFrames.place} = (SELECT ${cameraPlaces.place} FROM ${cameraPlaces}
    WHERE ${cameraPlaces.cameraId} = ${camera.id} AND ${cameraPlaces.locationId} = ${location.id})`;

/** The query of a request: a page, and a location. */
type ReviewQuery = PageQuery & z.infer<typeof placeQuery>;

const cursorKey = z.tuple([z.int(), idSchema]);

/**
 * A page of a camera's operations at a location, newest first by the time in the column `at`. `which` selects them.
 * @throws DomainError 401, 403, 404.
 */
async function pageOfOperations<Item>(
  context: Context,
  cameraId: string,
  { locationId, limit, cursor }: ReviewQuery,
  at: "receivedAt" | "finishedAt",
  which: SQL | undefined,
  present: (capture: PlacedCapture) => Item,
) {
  const found = await requireReviewed(context, cameraId, locationId);
  const after = readCursor(cursor, cursorKey);
  const [time, operation] = [cameraFrames[at], cameraFrames.operation];
  const isOlder =
    after === null ? undefined : sql`(${time}, ${operation}) < (${after[0]}, ${sql.param(after[1], operation)})`;
  const rows = await selectCaptures(context.workspace)
    .where(and(capturesAt(found), which, isOlder))
    .orderBy(desc(time), desc(operation))
    .limit(limit + 1);
  return toPage(rows, limit, ({ capture }) => [capture[at] ?? 0, capture.operation], present);
}

const captureFields = {
  operationId: idSchema,
  captureId: idSchema,
  cameraId: idSchema,
  locationId: idSchema,
  capturedAtUtc: utcSchema,
};

const presentCapture = ({ capture, place }: PlacedCapture) => ({
  operationId: capture.operation,
  captureId: captureIdOf(capture),
  cameraId: place.cameraId,
  locationId: place.locationId,
  capturedAtUtc: toUtc(capture.capturedAt),
});

/** The ids of an operation. Without `locationId`, it is at the camera's present location. */
interface OperationRef {
  cameraId: string;
  operationId: string;
  locationId?: string | undefined;
}

type Reviewed = PlacedCapture & FoundCamera;

/** An operation that the caller may review. @throws DomainError 401, 403, 404. */
async function requireOperation(
  context: Context,
  { cameraId, operationId, locationId }: OperationRef,
): Promise<Reviewed> {
  const found = await requireReviewed(context, cameraId, locationId);
  const operation = await findPlacedCapture(context, cameraId, operationId);
  if (operation === null || operation.place.locationId !== found.location.id) throw notFound();
  return { ...found, ...operation };
}

const auditReview = (
  context: Context,
  action: "capture.cancelled" | "capture.retried",
  { camera, capture }: Reviewed,
) =>
  auditStatement(context, {
    organizationId: camera.organizationId,
    action,
    subjectType: "capture-operation",
    subjectId: capture.operation,
    details: { cameraId: camera.id, captureId: captureIdOf(capture) },
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

/** In the text of statements: it is a range of the primary key. */
const isOpen = sql`${cameraFrames.part} = 1`;

/** The unfinished operations of a camera at a location, newest first. @throws DomainError 401, 403, 404. */
export const listPending = (context: Context, cameraId: string, query: ReviewQuery) =>
  pageOfOperations(context, cameraId, query, "receivedAt", and(isOpen, isUnfinished(context.now)), (found) => ({
    ...presentCapture(found),
    sizeBytes: found.capture.sizeBytes,
    status: found.capture.status === "pending" ? ("pending-transfer" as const) : ("verification-pending" as const),
    startedAtUtc: toUtc(found.capture.receivedAt),
    expiresAtUtc: toUtc(expiryOf(found.capture)),
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
  const { status, isAbandoned } = found.capture;
  if (status === "completed" || status === "rejected") throw refusal;
  if (isAbandoned) return;
  const change = beginChange(context, found.place.tenantId);
  abandonCaptures(context, change, ofOperation(ref.cameraId, ref.operationId), "cancelled");
  change.guardChanged(refusal).add(auditReview(context, "capture.cancelled", found));
  await change.commit().catch(async (thrown: unknown) => {
    // Another request ended it just now, as requested here; or its verification finished first.
    const now = thrown === refusal ? await findPlacedCapture(context, ref.cameraId, ref.operationId) : null;
    if (now?.capture.isAbandoned !== true) throw thrown;
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
const rejected = sql`${cameraFrames.status} = 'rejected'`;

/** Rejected images of a camera at a location, newest first. @throws DomainError 401, 403, 404. */
export const listRejected = (context: Context, cameraId: string, query: ReviewQuery) =>
  pageOfOperations(context, cameraId, query, "finishedAt", rejected, (found) => ({
    ...presentCapture(found),
    receivedAtUtc: toUtc(found.capture.receivedAt),
    rejectedAtUtc: toUtcOrNull(found.capture.finishedAt),
    sizeBytes: found.capture.sizeBytes,
    checksumSha256: found.capture.checksum,
    rejection: { code: found.capture.reasonCode ?? "", detail: found.capture.reasonDetail ?? "" },
  }));

/**
 * An expiring address of the bytes of a rejected image. They may be of any kind, so browsers download them.
 * @throws DomainError 401, 403, 404.
 */
export async function rejectedLink(context: Context, ref: OperationRef): Promise<DownloadLink> {
  const found = await requireOperation(context, ref);
  const key = rejectedKey(keyOf(found));
  const object = found.capture.status === "rejected" ? await context.objects.head(key) : null;
  if (object === null) throw notFound();
  const fileName = `${captureIdOf(found.capture)}.jpg`;
  const as = { fileName, contentType: BYTES, disposition: "attachment" as const };
  const ids = [ref.cameraId, ref.operationId, found.location.id];
  const access = { reader: readerOf(context), kind: "rejected-capture" as const, ids };
  const signed = await context.objects.signDownload(key, as, REJECTED_URL_LIFETIME_MS / SECOND, access);
  return presentDownload(signed, object.sizeBytes);
}

/** The access check of addresses of rejected images. @throws DomainError 404 */
export const rejectedDownloads: Pick<DownloadChecks["check"], "rejected-capture"> = {
  "rejected-capture": (context, [cameraId = "", operationId = "", locationId]) =>
    requireOperation(context, { cameraId, operationId, locationId }),
};

/*
 * Held images: the service could not verify them because of a fault of the service. The API tells the device that they are still in
 * verification. People see the reason and can request another verification.
 */

export const heldSchema = z
  .object({
    ...captureFields,
    heldAtUtc: utcSchema.nullable(),
    expiresAtUtc: utcSchema.openapi({ description: "After this time, the device starts a new operation by itself." }),
    reason: z.object({ code: z.string(), detail: z.string() }),
  })
  .openapi("HeldCapture");

const held = and(isOpen, eq(cameraFrames.status, "verifying"), isNotNull(cameraFrames.heldAt));

/** Held images of a camera at a location, newest first. @throws DomainError 401, 403, 404. */
export const listHeld = (context: Context, cameraId: string, query: ReviewQuery) =>
  pageOfOperations(context, cameraId, query, "receivedAt", held, (found) => ({
    ...presentCapture(found),
    heldAtUtc: toUtcOrNull(found.capture.heldAt),
    expiresAtUtc: toUtc(expiryOf(found.capture)),
    reason: { code: found.capture.reasonCode ?? "", detail: sayTo(context, found.capture.reasonDetail ?? "") },
  }));

/** Verifies a held image again. @throws DomainError 401, 403, 404, conflict when it is no longer held. */
export async function retryHeld(context: Context, ref: OperationRef): Promise<void> {
  const found = await requireOperation(context, ref);
  const { cameraId, operationId } = ref;
  const { userId } = requireUser(context);
  const notHeld = new DomainError(
    "conflict",
    "The image is no longer held: it is being verified, or its operation has ended. Read the list again.",
  );
  const change = beginChange(context, found.place.tenantId);
  change
    .add(
      context.workspace
        .update(cameraFrames)
        .set({ heldAt: null, reasonCode: null, reasonDetail: null })
        .where(and(ofOperation(cameraId, operationId), held)),
    )
    .guardChanged(notHeld);
  const { tenantId } = found.place;
  change.job("verify-capture", { cameraId, operationId }, { tenantId, requestedBy: userId });
  change.add(auditReview(context, "capture.retried", found));
  await change.commit();
}
