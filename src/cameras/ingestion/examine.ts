import { crc32 } from "node:zlib";
import { z } from "@hono/zod-openapi";
import { and, eq, gt, isNotNull, isNull, ne, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import {
  CAPTURE_LIMITS,
  type DecodedJpeg,
  type EncodedPicture,
  embedPreview,
  fitPreview,
  pictureOf,
  THUMBNAIL_EDGE,
  thumbnailOf,
  verifyJpeg,
} from "../../platform/jpeg";
import { log } from "../../platform/log";
import { type ExaminedPurpose, releaseObjects, type UploadRow, type UploadVerdict } from "../../uploads";
import { uploads } from "../../uploads/tables";
import { locationExists } from "../../workspace";
import { locations } from "../../workspace/tables";
import { CAPTURE_FORMS, type CaptureForm, captureKey, type OperationKey, rejectedKey } from "../captures";
import { tellPublished } from "../find";
import {
  COMPLETED_OPERATION_RETENTION,
  ENDED_OPERATION_RETENTION,
  REJECTED_RETENTION,
  REJECTION_NOTICE_INTERVAL_MS,
} from "../limits";
import { cameraCaptures, cameras, captureOperations } from "../tables";
import { CAPTURE_PURPOSE, fallbackCaptureId, type OperationRow } from "./operations";

const JPEG = "image/jpeg";

/** The result of the examination of an image. */
interface ExaminedImage {
  crc32: number;
  /** Pixels of the upright picture. */
  width: number;
  height: number;
  thumbnail: EncodedPicture;
  preview: EncodedPicture;
  tolerated: string[];
}

/** The measures and the smaller forms of a decoded image, upright. */
function examineDecoded(decoded: DecodedJpeg, bytes: Uint8Array): ExaminedImage {
  const picture = pictureOf(decoded, THUMBNAIL_EDGE);
  const isTurned = (decoded.metadata.orientation ?? 1) >= 5;
  return {
    crc32: crc32(bytes),
    width: isTurned ? decoded.height : decoded.width,
    height: isTurned ? decoded.width : decoded.height,
    thumbnail: thumbnailOf(picture),
    preview: fitPreview(picture),
    tolerated: [...decoded.flags],
  };
}

/** The operation of an upload, or null when its location was deleted. */
async function findLiveOperation({ workspace }: Context, { id }: UploadRow): Promise<OperationRow | null> {
  const [found] = await workspace
    .select({ operation: captureOperations })
    .from(captureOperations)
    .innerJoin(locations, and(eq(locations.id, captureOperations.locationId), isNull(locations.deletedAt)))
    .where(eq(captureOperations.id, id));
  return found?.operation ?? null;
}

/**
 * Verifies the bytes of a capture. One read checks their size before their bytes, and of at most 8 MiB their SHA-256 and
 * every symbol of the JPEG. Verified bytes are written as original and thumbnail to keys that no client can write.
 * The thumbnail contains the preview. Only an error in the bytes is a rejection.
 */
async function examineCapture(context: Context, upload: UploadRow): Promise<UploadVerdict | null> {
  const operation = await findLiveOperation(context, upload);
  if (operation === null) return { status: "expired", objects: [], conclude: () => undefined };
  const found = await context.objects.read(upload.stagingKey);
  if (found === null) return null;
  if (found.sizeBytes !== upload.sizeBytes)
    return rejectCapture(context, operation, upload, found, {
      code: "size-mismatch",
      detail: `${upload.sizeBytes} bytes were announced, and ${found.sizeBytes} bytes were received.`,
    });
  const bytes = new Uint8Array(await new Response(found.body).arrayBuffer());
  const whole = { body: bytes, sizeBytes: bytes.byteLength };
  if ((await sha256Hex(bytes)) !== upload.checksumSha256)
    return rejectCapture(context, operation, upload, whole, {
      code: "checksum-mismatch",
      detail: "The SHA-256 of the received bytes differs from the announced one.",
    });
  const verdict = verifyJpeg(bytes, { minimumEdge: THUMBNAIL_EDGE, limits: CAPTURE_LIMITS });
  if (verdict.verdict === "rejected") return rejectCapture(context, operation, upload, whole, verdict);
  return keepImage(context, operation, upload, bytes, examineDecoded(verdict.decoded, bytes));
}

/** Writes an accepted image and its smaller forms. */
async function keepImage(
  context: Context,
  operation: OperationRow,
  upload: UploadRow,
  bytes: Uint8Array,
  image: ExaminedImage,
): Promise<UploadVerdict> {
  const key = (form: CaptureForm) =>
    captureKey({ organizationId: upload.tenantId, cameraId: operation.cameraId, operationId: operation.id }, form);
  const { sizeBytes, checksumSha256 } = upload;
  const { locationId } = operation;
  await context.objects.write(key("original"), bytes, { contentType: JPEG, sizeBytes, checksumSha256 });
  const thumbnail = embedPreview(image.thumbnail.bytes, image.preview.bytes);
  await context.objects.write(key("thumbnail"), thumbnail, { contentType: JPEG, sizeBytes: thumbnail.byteLength });
  return {
    status: "completed",
    objects: [{ key: key("original"), companion: key("thumbnail"), locationId, chargedBytes: sizeBytes }],
    conclude: (change, at) => publishCapture(context, change, operation, upload, image, at),
  };
}

/** Adds a verified image and the camera's new state to the change that completes the operation. */
async function publishCapture(
  context: Context,
  change: Change,
  operation: OperationRow,
  upload: UploadRow,
  image: ExaminedImage,
  at: number,
): Promise<void> {
  const { workspace } = context;
  const { id: operationId, cameraId, captureId, capturedAt, locationId } = operation;
  const { checksumSha256 } = upload;
  const isNewest = sql`${capturedAt} >= coalesce(${cameras.lastCaptureAt}, 0)`;
  const repeatsNewest = sql`${checksumSha256} = (SELECT ${cameraCaptures.checksumSha256} FROM ${cameraCaptures}
    WHERE ${cameraCaptures.cameraId} = ${cameraId} ORDER BY ${cameraCaptures.capturedAt} DESC LIMIT 1)`;
  const isTaken = sql`EXISTS (SELECT 1 FROM ${cameraCaptures} AS taken WHERE taken.id = ${captureId})`;
  change
    .guard(locationExists(locationId), new DomainError("conflict", "The location was deleted in the meantime."))
    .add(
      workspace
        .update(cameras)
        .set({
          watermark: sql`${cameras.watermark} + 1`,
          identicalFrames: sql`CASE WHEN NOT ${isNewest} THEN ${cameras.identicalFrames}
            WHEN ${repeatsNewest} THEN ${cameras.identicalFrames} + 1 ELSE 0 END`,
          lastCaptureAt: sql`max(coalesce(${cameras.lastCaptureAt}, 0), ${capturedAt})`,
        })
        .where(eq(cameras.id, cameraId)),
      workspace.insert(cameraCaptures).values({
        id: sql`CASE WHEN ${isTaken} THEN ${fallbackCaptureId(cameraId, captureId)} ELSE ${captureId} END`,
        tenantId: operation.tenantId,
        organizationId: operation.tenantId,
        cameraId,
        locationId,
        assignmentGeneration: operation.assignmentGeneration,
        operationId,
        capturedAt,
        receivedAt: operation.createdAt,
        completedAt: at,
        clockQuality: operation.clockQuality,
        sizeBytes: upload.sizeBytes,
        checksumSha256,
        crc32: image.crc32,
        width: image.width,
        height: image.height,
        previewWidth: image.preview.width,
        previewHeight: image.preview.height,
        tolerated: image.tolerated,
      }),
      workspace
        .update(captureOperations)
        .set({ heldAt: null, heldCode: null, heldDetail: null })
        .where(and(eq(captureOperations.id, operationId), isNotNull(captureOperations.heldAt))),
    );
  change.afterCommit(() => tellPublished(context, locationId, { cameraId, capturedAt }));
}

/** Announces a rejection, unless another rejection of this camera was announced within the notice interval. */
async function announceRejection(
  { workspace }: Context,
  change: Change,
  { id: operationId, cameraId, tenantId }: OperationRow,
  at: number,
) {
  const [other] = await workspace
    .select({ id: uploads.id })
    .from(uploads)
    .where(
      and(
        eq(uploads.targetId, cameraId),
        eq(uploads.status, "rejected"),
        ne(uploads.id, operationId),
        gt(uploads.finishedAt, at - REJECTION_NOTICE_INTERVAL_MS),
      ),
    )
    .limit(1);
  if (other === undefined) change.announce({ type: "capture-rejected", operationId }, tenantId);
}

/** Stores the received bytes for inspection and rejects the image with a reason. */
async function rejectCapture(
  context: Context,
  operation: OperationRow,
  { tenantId }: UploadRow,
  received: { body: ReadableStream<Uint8Array> | Uint8Array; sizeBytes: number },
  { code, detail }: { code: string; detail: string },
): Promise<UploadVerdict> {
  const { id: operationId, cameraId, locationId } = operation;
  const key = rejectedKey({ organizationId: tenantId, cameraId, operationId });
  const { sizeBytes } = received;
  await context.objects.write(key, received.body, { contentType: "application/octet-stream", sizeBytes });
  return {
    status: "rejected",
    rejection: { code, detail },
    objects: [{ key, locationId, chargedBytes: sizeBytes }],
    conclude: async (change, at) => {
      const free = { heldAt: null, heldCode: null, heldDetail: null };
      change.add(context.workspace.update(captureOperations).set(free).where(eq(captureOperations.id, operationId)));
      await announceRejection(context, change, operation, at);
    },
  };
}

const keyOf = ({ id, tenantId, targetId }: UploadRow): OperationKey => ({
  organizationId: tenantId,
  cameraId: targetId,
  operationId: id,
});

/** Uploads of captures. The operation with the same id has the announced metadata. */
export const captureUploads: ExaminedPurpose = {
  name: CAPTURE_PURPOSE,
  subject: z.strictObject({}),
  examine: (context, _subject, upload) => examineCapture(context, upload),

  leftovers(_subject, upload) {
    const forms = CAPTURE_FORMS.map((form) => captureKey(keyOf(upload), form));
    if (upload.status === "completed") return [rejectedKey(keyOf(upload))];
    return upload.status === "rejected" ? forms : [...forms, rejectedKey(keyOf(upload))];
  },

  undecided({ workspace, now }, change, upload, { code, detail }) {
    log("error", "capture.held", { operationId: upload.id, cameraId: upload.targetId, code });
    change.add(
      workspace
        .update(captureOperations)
        .set({ heldAt: now, heldCode: code, heldDetail: detail })
        .where(eq(captureOperations.id, upload.id)),
    );
  },

  retentionMs({ status }) {
    if (status === "rejected") return REJECTED_RETENTION;
    return status === "completed" ? COMPLETED_OPERATION_RETENTION : ENDED_OPERATION_RETENTION;
  },

  deleted(context, change, uploads) {
    const rejected = uploads.filter(({ status }) => status === "rejected").map((upload) => rejectedKey(keyOf(upload)));
    if (rejected.length > 0)
      releaseObjects(context, change, sql`SELECT value FROM json_each(${JSON.stringify(rejected)})`);
  },
};
