import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { rateLimited } from "../../platform/http/rate-limit";
import { idSchema } from "../../platform/ids";
import { instantSchema, SECOND } from "../../platform/time";
import { renewUploadUrl, startUpload } from "../../uploads";
import { uploads } from "../../uploads/tables";
import { locationExists } from "../../workspace";
import type { CaptureRow } from "../captures";
import { retainedAfterOfCamera } from "../captures";
import type { CameraRow } from "../find";
import {
  ADMISSION_WINDOW_MS,
  ADMISSIONS_PER_MINUTE,
  CAPTURE_URL_LIFETIME_MS,
  CLOCK_TOLERANCE_MS,
  MAX_CAPTURE_BYTES,
  MAX_UNFINISHED_OPERATIONS,
  OPERATION_LIFETIME_MS,
  VERDICT_RETRY_SECONDS,
} from "../limits";
import { credentialRevoked, isLiveCredential, requireDevice } from "../pairing";
import { CLOCK_QUALITIES, cameraCaptures, cameras, captureOperations } from "../tables";
import {
  CAPTURE_PURPOSE,
  fallbackCaptureId,
  findByCaptureId,
  isUnfinished,
  type Operation,
  type OperationView,
  presentOperation,
  presentPublished,
  statusOf,
} from "./operations";

/** Ends an admission when another request began the same capture meanwhile. The caller then recovers that operation. */
const alreadyAnnounced = new DomainError("conflict", "This capture was announced by another request just now.");

const assignmentChanged = () =>
  new DomainError(
    "assignment-changed",
    "The image was taken under an earlier assignment of the camera. Fetch the configuration. The image cannot be uploaded under the present assignment: delete it on the device.",
  );
const outsideRetention = () =>
  new DomainError(
    "captured-outside-retention",
    "The image is older than the camera's retention, so nobody would see it. Delete it on the device.",
  );

/** Checks the size, and that the capture time is not in the future. */
function requireValidCapture({ now }: Context, { sizeBytes, capturedAtUtc }: NewCapture): void {
  if (sizeBytes > MAX_CAPTURE_BYTES)
    throw new DomainError(
      "content-too-large",
      "An image may have 8 MiB at most. Encode it again with a lower quality or fewer pixels.",
    );
  if (capturedAtUtc > now + CLOCK_TOLERANCE_MS)
    throw new DomainError(
      "captured-in-future",
      "The capture time is more than five minutes in the future. Set the device's clock, and announce the image after its capture time.",
    );
}

/** SQL that selects the operations that take an upload slot of the camera: unfinished ones that are not held. */
const takesSlot = (cameraId: string, now: number): SQL | undefined =>
  and(eq(uploads.targetId, cameraId), isUnfinished(now), isNull(captureOperations.heldAt));

const takenSlots = (cameraId: string, now: number): SQL =>
  sql`SELECT count(*) FROM ${uploads} JOIN ${captureOperations} ON ${captureOperations.id} = ${uploads.id}
    WHERE ${takesSlot(cameraId, now)}`;

const admittedSince = (cameraId: string, since: number): SQL =>
  sql`SELECT count(*) FROM ${captureOperations} WHERE ${captureOperations.cameraId} = ${cameraId}
    AND ${captureOperations.createdAt} > ${since}`;

/** SQL that is true unless the camera has an operation or an image of this capture that a repeat would recover. */
const isUnknownCapture = (cameraId: string, captureId: string, now: number): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${captureOperations} JOIN ${uploads} ON ${uploads.id} = ${captureOperations.id}
      WHERE ${captureOperations.cameraId} = ${cameraId} AND ${captureOperations.captureId} = ${captureId}
        AND ${uploads.status} <> 'expired' AND NOT (${uploads.status} = 'pending' AND ${uploads.expiresAt} <= ${now}))
    AND NOT EXISTS (SELECT 1 FROM ${cameraCaptures} WHERE ${cameraCaptures.id} IN (${captureId}, ${fallbackCaptureId(cameraId, captureId)})
      AND ${cameraCaptures.cameraId} = ${cameraId})`;

/** SQL that is true while the camera is neither revoked nor retired, and its organization may use cameras. */
const isActiveCamera = (camera: CameraRow): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameras} JOIN ${organizations} ON ${organizations.id} = ${cameras.organizationId}
    WHERE ${cameras.id} = ${camera.id} AND ${cameras.revokedAt} IS NULL AND ${cameras.retiredAt} IS NULL AND ${organizations.cameras})`;

/** Seconds until the limit per minute allows another operation; 0 when it allows one now. */
async function secondsUntilRateAllows({ workspace, now }: Context, cameraId: string): Promise<number> {
  const mine = and(
    eq(captureOperations.cameraId, cameraId),
    gt(captureOperations.createdAt, now - ADMISSION_WINDOW_MS),
  );
  const recent = await workspace
    .select({ at: captureOperations.createdAt })
    .from(captureOperations)
    .where(mine)
    .orderBy(asc(captureOperations.createdAt));
  const oldest = recent.at(-ADMISSIONS_PER_MINUTE)?.at ?? now - ADMISSION_WINDOW_MS;
  return (oldest + ADMISSION_WINDOW_MS - now) / SECOND;
}

/** Seconds until a slot becomes free without any action: a transfer keeps its slot until it expires. 0 when one is free now. */
async function secondsUntilSlotIsFree({ workspace, now }: Context, cameraId: string): Promise<number> {
  const taken = await workspace
    .select({ status: uploads.status, expiresAt: uploads.expiresAt })
    .from(uploads)
    .innerJoin(captureOperations, eq(captureOperations.id, uploads.id))
    .where(takesSlot(cameraId, now));
  const free = taken
    .map(({ status, expiresAt }) => (status === "verifying" ? VERDICT_RETRY_SECONDS : (expiresAt - now) / SECOND))
    .sort((a, b) => a - b);
  return free[free.length - MAX_UNFINISHED_OPERATIONS] ?? 0;
}

/** Adds to a refusal the time after which both limits allow another operation. */
async function withRetryAfter(context: Context, cameraId: string, { code, detail }: DomainError): Promise<DomainError> {
  const seconds = [await secondsUntilRateAllows(context, cameraId), await secondsUntilSlotIsFree(context, cameraId)];
  return new DomainError(code, detail, { retryAfter: Math.max(...seconds) });
}

/**
 * Begins a new operation. The batch that begins it checks every rule and limit, so concurrent requests cannot
 * exceed one. @throws DomainError as `announceCapture`, and `alreadyKnown`.
 */
async function admitCapture(context: Context, camera: CameraRow | null, given: NewCapture): Promise<OperationView> {
  requireValidCapture(context, given);
  const { workspace, now } = context;
  const { captureId, assignmentGeneration, capturedAtUtc: capturedAt, clockQuality, ...expected } = given;
  if (camera === null || camera.locationId === null) throw credentialRevoked();
  const { id: cameraId, tenantId, organizationId, locationId } = camera;
  const { credentialId } = requireDevice(context);
  const tooMany = rateLimited(0);
  const full = tooManyUnfinished();
  const retained = sql`${capturedAt} > (SELECT ${retainedAfterOfCamera(now)} FROM ${cameras} WHERE ${cameras.id} = ${cameraId})`;
  const sameAssignment = sql`EXISTS (SELECT 1 FROM ${cameras} WHERE ${cameras.id} = ${cameraId}
    AND ${cameras.assignmentGeneration} = ${assignmentGeneration} AND ${cameras.locationId} = ${locationId})`;
  const change = beginChange(context)
    .guard(isUnknownCapture(cameraId, captureId, now), alreadyAnnounced)
    .guard(isActiveCamera(camera), credentialRevoked())
    .guard(isLiveCredential(credentialId), credentialRevoked())
    .guard(sameAssignment, assignmentChanged())
    .guard(locationExists(locationId), credentialRevoked())
    .guard(retained, outsideRetention())
    .guard(sql`(${admittedSince(cameraId, now - ADMISSION_WINDOW_MS)}) < ${ADMISSIONS_PER_MINUTE}`, tooMany)
    .guard(sql`(${takenSlots(cameraId, now)}) < ${MAX_UNFINISHED_OPERATIONS}`, full);
  const { uploadId, ...signed } = await startUpload(context, change, {
    purpose: CAPTURE_PURPOSE,
    tenant: { tenantId, organizationId },
    locationId,
    targetId: cameraId,
    subject: {},
    expected,
    createdBy: null,
    urlLifetimeMs: CAPTURE_URL_LIFETIME_MS,
  });
  const operation = {
    id: uploadId,
    tenantId,
    cameraId,
    locationId,
    assignmentGeneration,
    captureId,
    capturedAt,
    clockQuality,
    createdAt: now,
  };
  change.add(workspace.insert(captureOperations).values(operation));
  try {
    await change.commit();
  } catch (thrown) {
    const refusal = [tooMany, full].find((limit) => limit === thrown);
    throw refusal === undefined ? thrown : await withRetryAfter(context, cameraId, refusal);
  }
  const upload = {
    ...expected,
    status: "pending" as const,
    expiresAt: now + OPERATION_LIFETIME_MS,
    finishedAt: null,
    rejectionCode: null,
    rejectionDetail: null,
  };
  return presentOperation({ operation, upload }, now, signed);
}

const tooManyUnfinished = (): DomainError =>
  new DomainError(
    "rate-limited",
    `${MAX_UNFINISHED_OPERATIONS} images of this camera are already being uploaded. Finish or cancel one of them, or try again after the time in Retry-After.`,
  );

/** Metadata that a device announces before it sends an image. The device stores it with the bytes and repeats it unchanged. */
export const newCaptureSchema = z
  .strictObject({
    captureId: idSchema,
    assignmentGeneration: z.int().min(1),
    capturedAtUtc: instantSchema,
    sizeBytes: z.int().min(1),
    checksumSha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex characters"),
    clockQuality: z.enum(CLOCK_QUALITIES),
    contentType: z.literal("image/jpeg"),
  })
  .openapi("CaptureOperationCreate");
type NewCapture = z.infer<typeof newCaptureSchema>;

type CaptureMetadata = Omit<NewCapture, "captureId" | "contentType">;

/** @throws DomainError capture-metadata-mismatch unless both announcements have the same metadata. */
function requireSameMetadata(known: CaptureMetadata, given: NewCapture): void {
  const names = Object.keys(known) as (keyof CaptureMetadata)[];
  const changed = names.filter((name) => known[name] !== given[name]);
  if (changed.length > 0)
    throw new DomainError(
      "capture-metadata-mismatch",
      `This captureId was announced with another ${changed.join(", ")}. The metadata of a capture never changes: use a new captureId for another image.`,
    );
}

const metadataOf = ({ operation, upload }: Operation): CaptureMetadata => ({
  assignmentGeneration: operation.assignmentGeneration,
  capturedAtUtc: operation.capturedAt,
  sizeBytes: upload.sizeBytes,
  checksumSha256: upload.checksumSha256,
  clockQuality: operation.clockQuality,
});

const metadataOfPublished = (row: CaptureRow): CaptureMetadata => ({
  assignmentGeneration: row.assignmentGeneration,
  capturedAtUtc: row.capturedAt,
  sizeBytes: row.sizeBytes,
  checksumSha256: row.checksumSha256,
  clockQuality: row.clockQuality,
});

type Known = Awaited<ReturnType<typeof findByCaptureId>>;

/** The state of a known capture, with an upload address while its bytes are missing; null when a new operation may begin. */
async function recover(
  context: Context,
  { begun, published }: Known,
  given: NewCapture,
): Promise<OperationView | null> {
  if (begun === null) {
    if (published === null) return null;
    requireSameMetadata(metadataOfPublished(published), given);
    return presentPublished(published, given.captureId);
  }
  requireSameMetadata(metadataOf(begun), given);
  const status = statusOf(begun.upload, context.now);
  if (status === "expired" || status === "cancelled") return null;
  const signed =
    status === "pending-transfer" ? await renewUploadUrl(context, begun.upload, CAPTURE_URL_LIFETIME_MS) : null;
  return presentOperation(begun, context.now, signed);
}

/**
 * Begins the upload of an image, or returns the operation that was begun for the same captureId, in any state.
 * @throws DomainError 401, capture-metadata-mismatch, assignment-changed, captured-in-future,
 * captured-outside-retention, content-too-large, rate-limited, storage-full.
 */
export async function announceCapture(
  context: Context,
  given: NewCapture,
): Promise<{ isNew: boolean; view: OperationView }> {
  const { cameraId } = requireDevice(context);
  const known = await findByCaptureId(context, cameraId, given.captureId);
  const recovered = await recover(context, known, given);
  if (recovered !== null) return { isNew: false, view: recovered };
  try {
    return { isNew: true, view: await admitCapture(context, known.camera, given) };
  } catch (thrown) {
    if (thrown !== alreadyAnnounced) throw thrown;
    // Two requests announced the same capture at once: this one returns the operation of the other.
    const begun = await recover(context, await findByCaptureId(context, cameraId, given.captureId), given);
    if (begun === null) throw thrown;
    return { isNew: false, view: begun };
  }
}
