import { z } from "@hono/zod-openapi";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { alreadyCommitted, beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { rateLimited } from "../../platform/http/rate-limit";
import { idSchema } from "../../platform/ids";
import { instantSchema, SECOND } from "../../platform/time";
import { requireFreeStorage } from "../../uploads";
import { locations } from "../../workspace/tables";
import { abandonCaptures, type CaptureRow, newOperationId, openOf } from "../capture-rows";
import { retainedAfterOfCamera } from "../captures";
import {
  ADMISSION_WINDOW_MS,
  ADMISSIONS_PER_MINUTE,
  CLOCK_TOLERANCE_MS,
  MAX_CAPTURE_BYTES,
  MAX_UNFINISHED_OPERATIONS,
  OPERATION_LIFETIME_MS,
  VERDICT_RETRY_SECONDS,
} from "../limits";
import { credentialRevoked, isLiveCredential, requireDevice } from "../pairing";
import { CLOCK_QUALITIES, cameraAssignments, cameraFrames, cameraPlaces, cameras, PART } from "../tables";
import {
  expiryOf,
  fallbackCaptureId,
  findByCaptureId,
  isUnfinished,
  type OperationView,
  ofCapture,
  presentOperation,
  statusOf,
} from "./operations";
import { signTransfer } from "./transfer";

/** Ends an admission when the capture was announced before. The caller then recovers that operation. */
const alreadyAnnounced = () => new DomainError("conflict", "This capture was announced before.");

const assignmentChanged = () =>
  new DomainError(
    "assignment-changed",
    "The image was taken under an earlier assignment of the camera, or before the current assignment began. Fetch the configuration. The image cannot be uploaded under the current assignment: keep it on the device for a person, or delete it.",
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
  // An operation id cannot contain a negative time.
  if (capturedAtUtc < 0) throw outsideRetention();
  if (capturedAtUtc > now + CLOCK_TOLERANCE_MS)
    throw new DomainError(
      "captured-in-future",
      "The capture time is more than five minutes in the future. Set the device's clock, and announce the image after its capture time.",
    );
}

/** SQL that selects the captures that take an upload slot of the camera: unfinished ones that are not held. */
const takesSlot = (cameraId: string, now: number): SQL | undefined =>
  and(openOf(cameraId), isUnfinished(now), isNull(cameraFrames.heldAt));

/** SQL for the times of a camera's admissions in the last minute, as rows of `value`. */
const recentAdmissions = (now: number): SQL =>
  sql`SELECT value FROM json_each(${cameras.admitted}) WHERE value > ${now - ADMISSION_WINDOW_MS}`;

/** SQL that is true unless the camera has an operation or an image of this capture that a repeat would recover. */
const isUnknownCapture = (cameraId: string, { captureId, ...given }: NewCapture, now: number): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${cameraFrames} WHERE ${ofCapture(cameraId, captureId, false)}
      AND NOT (${cameraFrames.status} = 'pending' AND ${cameraFrames.receivedAt} <= ${now - OPERATION_LIFETIME_MS}
        AND ${isSameMetadata(given)}))
    AND NOT EXISTS (SELECT 1 FROM ${cameraFrames} WHERE ${ofCapture(cameraId, captureId, true)}
      AND NOT (${isSameMetadata(given)}))`;

/** SQL that is true for a capture that was announced with this metadata. */
const isSameMetadata = (given: CaptureMetadata): SQL | undefined =>
  and(
    eq(cameraFrames.generation, given.assignmentGeneration),
    eq(cameraFrames.capturedAt, given.capturedAtUtc),
    eq(cameraFrames.sizeBytes, given.sizeBytes),
    eq(cameraFrames.checksum, given.checksumSha256),
    eq(cameraFrames.isEstimated, given.clockQuality === "estimated"),
  );

/** SQL that is true while the camera is neither revoked nor retired, and its organization may use cameras. */
const isActiveCamera = (cameraId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameras} JOIN ${organizations} ON ${organizations.id} = ${cameras.organizationId}
    WHERE ${cameras.id} = ${cameraId} AND ${cameras.revokedAt} IS NULL AND ${cameras.retiredAt} IS NULL
      AND ${organizations.cameras} AND ${organizations.deletedAt} IS NULL)`;

/** Seconds until both limits of a camera allow another operation. A transfer keeps its slot until it expires. */
async function secondsUntilAllowed({ workspace, now }: Context, cameraId: string): Promise<number> {
  const [[camera], taken] = await workspace.batch([
    workspace.select({ admitted: cameras.admitted }).from(cameras).where(eq(cameras.id, cameraId)),
    workspace
      .select({ status: cameraFrames.status, receivedAt: cameraFrames.receivedAt })
      .from(cameraFrames)
      .where(takesSlot(cameraId, now)),
  ]);
  const recent = (camera?.admitted ?? []).filter((at) => at > now - ADMISSION_WINDOW_MS);
  const oldest = recent.at(-ADMISSIONS_PER_MINUTE) ?? now - ADMISSION_WINDOW_MS;
  const free = taken
    .map((capture) => (capture.status === "verifying" ? VERDICT_RETRY_SECONDS : (expiryOf(capture) - now) / SECOND))
    .sort((one, other) => one - other);
  return Math.max((oldest + ADMISSION_WINDOW_MS - now) / SECOND, free[free.length - MAX_UNFINISHED_OPERATIONS] ?? 0);
}

/**
 * SQL that is true when the camera's current assignment has this generation, and an image of this time is not older
 * than it. Without tolerance: the device is paired after the assignment began, and a wrong image would show the former
 * place. The first assignment has no former place, so that images from before the camera was added can be imported.
 */
function isOfPresentAssignment(cameraId: string, { assignmentGeneration, capturedAtUtc }: NewCapture): SQL {
  const present = sql`EXISTS (SELECT 1 FROM ${cameras}
    WHERE ${cameras.id} = ${cameraId} AND ${cameras.assignmentGeneration} = ${assignmentGeneration})`;
  if (assignmentGeneration === 1) return present;
  return sql`${present} AND NOT EXISTS (SELECT 1 FROM ${cameraAssignments} WHERE ${cameraAssignments.cameraId} = ${cameraId}
    AND ${cameraAssignments.generation} = ${assignmentGeneration} AND ${cameraAssignments.startedAt} > ${capturedAtUtc})`;
}

/** A pending operation of this capture whose lifetime has ended leaves its capture id to the new one. */
const endExpired = (context: Context, change: Change, cameraId: string, captureId: string): void =>
  abandonCaptures(context, change, ofCapture(cameraId, captureId, false), "expired");

/**
 * Begins a new operation, in one batch that reads nothing before. The batch checks every rule and limit, so concurrent
 * requests cannot exceed one. @throws DomainError as `announceCapture`, and `alreadyAnnounced`.
 */
async function admitCapture(context: Context, given: NewCapture): Promise<OperationView> {
  requireValidCapture(context, given);
  const { workspace, now } = context;
  const { captureId, assignmentGeneration, capturedAtUtc: capturedAt, sizeBytes, checksumSha256 } = given;
  const { credentialId, cameraId, organizationId } = requireDevice(context);
  const capture = {
    capturedAt,
    operation: newOperationId(capturedAt),
    generation: assignmentGeneration,
    status: "pending" as const,
    dueAt: now + OPERATION_LIFETIME_MS,
    receivedAt: now,
    isEstimated: given.clockQuality === "estimated",
    sizeBytes,
    checksum: checksumSha256,
  };
  const signed = await signTransfer(context, capture);
  const tooMany = rateLimited(0);
  const full = tooManyUnfinished();
  const ofThisCamera = sql`FROM ${cameras} WHERE ${cameras.id} = ${cameraId}`;
  const retained = sql`${capturedAt} > (SELECT ${retainedAfterOfCamera(now)} ${ofThisCamera})`;
  const atLocation = sql`EXISTS (SELECT 1 FROM ${cameras} JOIN ${locations} ON ${locations.id} = ${cameras.locationId}
    WHERE ${cameras.id} = ${cameraId} AND ${locations.deletedAt} IS NULL)`;
  const allowsOne = sql`(SELECT count(*) FROM ${cameras}, json_each(${cameras.admitted}) AS admission
    WHERE ${cameras.id} = ${cameraId} AND admission.value > ${now - ADMISSION_WINDOW_MS}) < ${ADMISSIONS_PER_MINUTE}`;
  const hasFreeSlot = sql`(SELECT count(*) FROM ${cameraFrames} WHERE ${takesSlot(cameraId, now)}) < ${MAX_UNFINISHED_OPERATIONS}`;
  const change = beginChange(context, organizationId)
    .guard(isUnknownCapture(cameraId, given, now), alreadyAnnounced())
    .guard(isActiveCamera(cameraId), credentialRevoked())
    .guard(isLiveCredential(credentialId), credentialRevoked())
    .guard(isOfPresentAssignment(cameraId, given), assignmentChanged())
    .guard(atLocation, credentialRevoked())
    .guard(retained, outsideRetention())
    .guard(allowsOne, tooMany)
    .guard(hasFreeSlot, full);
  requireFreeStorage(context, change, { tenantId: organizationId, organizationId }, sizeBytes);
  endExpired(context, change, cameraId, captureId);
  const isTaken = sql`EXISTS (SELECT 1 FROM ${cameraFrames} AS taken WHERE taken.id = ${captureId} AND taken.is_abandoned = 0)`;
  const place = sql`(SELECT ${cameraPlaces.place} FROM ${cameraPlaces} JOIN ${cameras} ON ${cameras.id} = ${cameraPlaces.cameraId}
    AND ${cameras.locationId} = ${cameraPlaces.locationId} WHERE ${cameras.id} = ${cameraId})`;
  change.add(
    workspace.insert(cameraFrames).values({
      ...capture,
      place,
      part: PART.open,
      id: sql`CASE WHEN ${isTaken} THEN ${fallbackCaptureId(cameraId, captureId)} ELSE ${captureId} END`,
      announcedId: sql`CASE WHEN ${isTaken} THEN ${captureId} END`,
    }),
    workspace
      .update(cameras)
      .set({
        admitted: sql`json_insert((SELECT json_group_array(value) FROM (${recentAdmissions(now)})), '$[#]', ${now})`,
      })
      .where(eq(cameras.id, cameraId)),
  );
  try {
    await change.commit();
  } catch (thrown) {
    const refusal = [tooMany, full].find((limit) => limit === thrown);
    if (refusal === undefined) throw thrown;
    const { code, detail } = refusal;
    throw new DomainError(code, detail, { retryAfter: await secondsUntilAllowed(context, cameraId) });
  }
  const rest = { id: captureId, announcedId: null, finishedAt: null, reasonCode: null, reasonDetail: null };
  return presentOperation({ ...capture, ...rest }, now, signed);
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

const metadataOf = (capture: CaptureRow): CaptureMetadata => ({
  assignmentGeneration: capture.generation,
  capturedAtUtc: capture.capturedAt,
  sizeBytes: capture.sizeBytes,
  checksumSha256: capture.checksum,
  clockQuality: capture.isEstimated ? "estimated" : "synchronized",
});

/**
 * The state of a capture that was announced before, with an upload address while its bytes are missing; null when a new
 * operation may begin. @throws DomainError capture-metadata-mismatch.
 */
async function recover(context: Context, cameraId: string, given: NewCapture): Promise<OperationView | null> {
  const capture = await findByCaptureId(context, cameraId, given.captureId);
  if (capture === null) return null;
  requireSameMetadata(metadataOf(capture), given);
  const status = statusOf(capture, context.now);
  if (status === "expired" || status === "cancelled") return null;
  return presentOperation(
    capture,
    context.now,
    status === "pending-transfer" ? await signTransfer(context, capture) : null,
  );
}

/**
 * Begins the upload of an image, or returns the operation that was begun for the same captureId, in any state. This operation is
 * returned even if a new operation would be refused now.
 * @throws DomainError 401, capture-metadata-mismatch, assignment-changed, captured-in-future,
 * captured-outside-retention, content-too-large, rate-limited, storage-full.
 */
export async function announceCapture(
  context: Context,
  given: NewCapture,
): Promise<{ isNew: boolean; view: OperationView }> {
  const { cameraId } = requireDevice(context);
  try {
    return { isNew: true, view: await admitCapture(context, given) };
  } catch (thrown) {
    if (!(thrown instanceof DomainError) || thrown === alreadyCommitted) throw thrown;
    const view = await recover(context, cameraId, given);
    if (view === null) throw thrown;
    return { isNew: false, view };
  }
}
