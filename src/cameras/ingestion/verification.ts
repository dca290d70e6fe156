import { crc32 } from "node:zlib";
import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { isWanted } from "../../events";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { complete, type Job, type JobHandler, type Outcome } from "../../platform/jobs/handlers";
import {
  type DecodedJpeg,
  type EncodedPicture,
  embedPreview,
  fitPreview,
  pictureOf,
  THUMBNAIL_EDGE,
  thumbnailOf,
  verifyJpeg,
} from "../../platform/jpeg";
import { describeFailure, log } from "../../platform/log";
import { decodeAlone, inPieces } from "../../platform/pace";
import { announceLevel, selectStorage } from "../../uploads";
import { locationExists } from "../../workspace";
import { locations } from "../../workspace/tables";
import {
  abandonCaptures,
  allKeys,
  formKeys,
  keyOf,
  ofCamera,
  ofOperation,
  type PlacedCapture,
  placeColumns,
} from "../capture-rows";
import { captureKey, rejectedKey, stagingKey } from "../captures";
import { tellPublished } from "../find";
import { LEFTOVER_GRACE_MS, REJECTION_NOTICE_INTERVAL_MS } from "../limits";
import { cameraFrames, cameraPlaces, cameras, PART } from "../tables";

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

/** A capture in verification. */
interface Verified extends PlacedCapture {
  /** Whether its location was deleted. */
  isGone: boolean;
  /** Bytes that its organization uses, and their limit. */
  storage: { used: number; limit: number };
  /** Whether an earlier try can have written objects, or can still write them. */
  isRepeated: boolean;
}

type Operation = { cameraId: string; operationId: string };

/** SQL that selects an operation while it is in verification. */
const inVerification = ({ cameraId, operationId }: Operation): SQL | undefined =>
  and(ofOperation(cameraId, operationId), eq(cameraFrames.status, "verifying"));

/** Reads the rows that a verification needs, in one batch. Null if the operation is not in verification. */
async function findVerified(
  context: Context,
  { payload: operation, tenantId, attempts }: Job<"verify-capture">,
): Promise<Verified | null> {
  const { workspace } = context;
  const organizationId = tenantId ?? "";
  const [[found], [usage], [organization]] = await workspace.batch([
    workspace
      .select({
        capture: cameraFrames,
        place: placeColumns,
        isGone: sql<number>`${locations.deletedAt} IS NOT NULL`.as("is_gone"),
      })
      .from(cameraFrames)
      .innerJoin(cameraPlaces, eq(cameraPlaces.place, cameraFrames.place))
      .innerJoin(locations, eq(locations.id, cameraPlaces.locationId))
      .where(inVerification(operation)),
    ...selectStorage(context, { tenantId: organizationId, organizationId }),
  ]);
  if (found === undefined) return null;
  const { capture, place, isGone } = found;
  const storage = { used: usage?.usedBytes ?? 0, limit: organization?.limit ?? Number.POSITIVE_INFINITY };
  return { capture, place, isGone: isGone === 1, storage, isRepeated: attempts > 1 || capture.heldAt !== null };
}

/**
 * Verifies the bytes of a capture. One read checks their size before their bytes, and of at most 8 MiB their SHA-256 and
 * every symbol of the JPEG. Verified bytes are written as original and thumbnail to keys that no client can write.
 * The thumbnail contains the preview. Only an error in the bytes is a rejection. If no bytes have arrived, the operation
 * waits for them again.
 */
async function verify(context: Context, found: Verified): Promise<Outcome> {
  const { capture } = found;
  const received = await context.objects.read(stagingKey(keyOf(found)));
  if (received === null)
    return complete(setState(context, beginChange(context, found.place.tenantId), found, { status: "pending" }));
  if (received.sizeBytes !== capture.sizeBytes)
    return reject(context, found, received, {
      code: "size-mismatch",
      detail: `${capture.sizeBytes} bytes were announced, and ${received.sizeBytes} bytes were received.`,
    });
  const bytes = new Uint8Array(await new Response(received.body).arrayBuffer());
  const whole = { body: bytes, sizeBytes: bytes.byteLength };
  if ((await sha256Hex(bytes)) !== capture.checksum)
    return reject(context, found, whole, {
      code: "checksum-mismatch",
      detail: "The SHA-256 of the received bytes differs from the announced one.",
    });
  const examined = await decodeAlone(async () => {
    const verdict = await inPieces(verifyJpeg(bytes, { minimumEdge: THUMBNAIL_EDGE }));
    return verdict.verdict === "rejected" ? verdict : examineDecoded(verdict.decoded, bytes);
  });
  return "verdict" in examined ? reject(context, found, whole, examined) : publish(context, found, bytes, examined);
}

/** Adds the new state of a capture in verification to `change`. The change fails if its operation has ended meanwhile. */
function setState(
  { workspace }: Context,
  change: Change,
  found: PlacedCapture,
  state: Partial<typeof cameraFrames.$inferInsert>,
): Change {
  return change
    .add(
      workspace
        .update(cameraFrames)
        .set({ heldAt: null, ...state })
        .where(inVerification(keyOf(found))),
    )
    .guardChanged(new DomainError("conflict", "The operation has ended in the meantime."));
}

/**
 * Completes the job with `change`, then deletes what nobody needs any more. The jobs `clean-frames` and `clear-staging` repeat
 * that.
 */
const concluded = ({ objects }: Context, change: Change, leftovers: readonly string[]): Outcome =>
  complete(
    change.afterCommit(() =>
      objects.remove(leftovers).catch((thrown: unknown) => {
        log("warn", "frame.not-tidied", describeFailure(thrown));
      }),
    ),
  );

/** Writes an accepted image and its smaller form, and publishes them with the camera's new state. */
async function publish(
  context: Context,
  found: Verified,
  bytes: Uint8Array,
  { thumbnail, preview, tolerated, ...picture }: ExaminedImage,
): Promise<Outcome> {
  const { workspace, objects } = context;
  const { capture, place, storage } = found;
  const { capturedAt, sizeBytes, checksum: checksumSha256 } = capture;
  const { cameraId, locationId, tenantId } = place;
  const key = keyOf(found);
  await objects.write(captureKey(key, "original"), bytes, { contentType: JPEG, sizeBytes, checksumSha256 });
  const small = embedPreview(thumbnail.bytes, preview.bytes);
  await objects.write(captureKey(key, "thumbnail"), small, { contentType: JPEG, sizeBytes: small.byteLength });
  const at = Date.now();
  const isNewest = sql`${capturedAt} >= coalesce(${cameras.lastCaptureAt}, 0)`;
  const repeatsNewest = sql`EXISTS (SELECT 1 FROM ${cameraFrames} WHERE ${ofCamera(cameraId)}
    AND ${cameraFrames.part} = 0 AND ${cameraFrames.capturedAt} = ${cameras.lastCaptureAt}
    AND ${eq(cameraFrames.checksum, checksumSha256)})`;
  const change = beginChange(context, tenantId)
    .guard(locationExists(locationId), new DomainError("conflict", "The location was deleted in the meantime."))
    .add(
      workspace
        .update(cameras)
        .set({
          watermark: sql`${cameras.watermark} + 1`,
          identicalFrames: sql`CASE WHEN NOT ${isNewest} THEN ${cameras.identicalFrames}
            WHEN ${repeatsNewest} THEN ${cameras.identicalFrames} + 1 ELSE 0 END`,
          lastCaptureAt: sql`max(coalesce(${cameras.lastCaptureAt}, 0), ${capturedAt})`,
          lastAcceptedAt: sql`max(coalesce(${cameras.lastAcceptedAt}, 0), ${at})`,
        })
        .where(eq(cameras.id, cameraId)),
    );
  setState(context, change, found, {
    part: PART.archive,
    status: "completed",
    finishedAt: at,
    // Nothing is left to do after the first try: `clear-staging` finds staged bytes without the row.
    dueAt: found.isRepeated ? at + LEFTOVER_GRACE_MS : null,
    chargedBytes: sizeBytes,
    ...picture,
    previewWidth: preview.width,
    previewHeight: preview.height,
    tolerated: tolerated.length > 0 ? tolerated : null,
    reasonCode: null,
    reasonDetail: null,
  });
  announceLevel(change, tenantId, storage, sizeBytes);
  change.announce(
    { type: "capture-published", cameraId, locationId, captureId: capture.id, capturedAt },
    tenantId,
    isWanted(tenantId, "capture-published"),
  );
  change.afterCommit(() => tellPublished(context, locationId, { cameraId, capturedAt }));
  return concluded(context, change, [stagingKey(key), rejectedKey(key)]);
}

/** Announces a rejection, unless another rejection of this camera was announced within the notice interval. */
async function announceRejection(
  { workspace }: Context,
  change: Change,
  { capture, place }: PlacedCapture,
  at: number,
): Promise<void> {
  const [other] = await workspace
    .select({ id: cameraFrames.id })
    .from(cameraFrames)
    .where(
      and(
        eq(cameraFrames.place, capture.place),
        sql`${cameraFrames.status} = 'rejected'`,
        gt(cameraFrames.finishedAt, at - REJECTION_NOTICE_INTERVAL_MS),
      ),
    )
    .limit(1);
  const { cameraId, tenantId } = place;
  if (other === undefined)
    change.announce({ type: "capture-rejected", cameraId, operationId: capture.operation }, tenantId);
}

/** Stores the received bytes for inspection and rejects the image with a reason. */
async function reject(
  context: Context,
  found: Verified,
  { body, sizeBytes }: { body: ReadableStream<Uint8Array> | Uint8Array; sizeBytes: number },
  { code, detail }: { code: string; detail: string },
): Promise<Outcome> {
  const key = keyOf(found);
  await context.objects.write(rejectedKey(key), body, { contentType: "application/octet-stream", sizeBytes });
  const at = Date.now();
  const change = setState(context, beginChange(context, found.place.tenantId), found, {
    part: PART.aside,
    status: "rejected",
    finishedAt: at,
    dueAt: at + LEFTOVER_GRACE_MS,
    chargedBytes: sizeBytes,
    reasonCode: code,
    reasonDetail: detail,
  });
  announceLevel(change, found.place.tenantId, found.storage, sizeBytes);
  await announceRejection(context, change, found, at);
  return concluded(context, change, [stagingKey(key), ...formKeys(found)]);
}

/**
 * Verifies an image and publishes or rejects it. When every attempt fails without a verdict, the image is held: it stays in
 * verification until a person retries it.
 */
export const verifyCapture: JobHandler<"verify-capture"> = {
  async run(context, job) {
    const { payload } = job;
    const found = await findVerified(context, job);
    if (found === null) return complete();
    if (!found.isGone) return verify(context, found);
    const change = beginChange(context, found.place.tenantId);
    abandonCaptures(context, change, inVerification(payload), "expired");
    return concluded(context, change, allKeys(found));
  },

  failed({ workspace, now }, { payload }, change, { code, detail }) {
    log("error", "capture.held", { ...payload, code });
    change.add(
      workspace
        .update(cameraFrames)
        .set({ heldAt: now, reasonCode: code, reasonDetail: detail })
        .where(inVerification(payload)),
    );
  },
};
