import { crc32 } from "node:zlib";
import { and, eq, isNull } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/hash";
import {
  CAPTURE_LIMITS,
  type DecodedJpeg,
  type EncodedPicture,
  fitPreview,
  pictureOf,
  THUMBNAIL_EDGE,
  thumbnailOf,
  verifyJpeg,
} from "../../platform/jpeg";
import type { UploadRow, UploadVerdict } from "../../workspace";
import { locations } from "../../workspace/tables";
import { type CaptureForm, captureKey } from "../keys";
import { captureOperations } from "../tables";
import type { OperationRow } from "./operation";
import { publishCapture } from "./publish";
import { rejectCapture } from "./reject";

const JPEG = "image/jpeg";

/** What the examination of an image found. */
export interface ExaminedImage {
  crc32: number;
  /** Pixels of the upright picture. */
  width: number;
  height: number;
  thumbnail: EncodedPicture;
  preview: EncodedPicture;
  tolerated: string[];
}

/** Forms of a whole image, upright. */
function examineDecoded(decoded: DecodedJpeg, bytes: Uint8Array): ExaminedImage {
  const picture = pictureOf(decoded, THUMBNAIL_EDGE);
  const lies = (decoded.metadata.orientation ?? 1) >= 5;
  return {
    crc32: crc32(bytes),
    width: lies ? decoded.height : decoded.width,
    height: lies ? decoded.width : decoded.height,
    thumbnail: thumbnailOf(picture),
    preview: fitPreview(picture),
    tolerated: [...decoded.flags],
  };
}

/** The operation of an upload, while the place it belongs to is there; null otherwise. */
async function operationInPlace({ db }: Context, { id }: UploadRow): Promise<OperationRow | null> {
  const [found] = await db
    .select({ operation: captureOperations })
    .from(captureOperations)
    .innerJoin(locations, and(eq(locations.id, captureOperations.locationId), isNull(locations.deletedAt)))
    .where(eq(captureOperations.id, id));
  return found?.operation ?? null;
}

/**
 * Judges the bytes of a capture: their size before they are read, then, in one read of at most 8 MiB, their
 * SHA-256 and every symbol of the JPEG. What was judged is what is written, as original, thumbnail and
 * preview, to keys no client can write. Only what is wrong with the bytes is a rejection.
 */
export async function examineCapture(context: Context, upload: UploadRow): Promise<UploadVerdict | null> {
  const { objects } = context;
  const staged = await objects.head(upload.stagingKey);
  if (staged === null) return null;
  const operation = await operationInPlace(context, upload);
  if (operation === null) return { status: "expired", objects: [], conclude: () => undefined };
  if (staged.sizeBytes !== upload.sizeBytes) {
    const found = await objects.read(upload.stagingKey);
    if (found === null) return null;
    return rejectCapture(context, operation, upload, found, {
      code: "size-mismatch",
      detail: `${upload.sizeBytes} bytes were announced and ${staged.sizeBytes} came.`,
    });
  }
  const found = await objects.read(upload.stagingKey);
  if (found === null) return null;
  const bytes = new Uint8Array(await new Response(found.body).arrayBuffer());
  const whole = { body: bytes, sizeBytes: bytes.byteLength };
  if ((await sha256Hex(bytes)) !== upload.checksumSha256)
    return rejectCapture(context, operation, upload, whole, {
      code: "checksum-mismatch",
      detail: "The SHA-256 of what came is not the one announced.",
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
  for (const form of ["thumbnail", "preview"] as const) {
    const made = image[form].bytes;
    await context.objects.write(key(form), made, { contentType: JPEG, sizeBytes: made.byteLength });
  }
  return {
    status: "completed",
    objects: [
      { key: key("original"), locationId, chargedBytes: sizeBytes },
      { key: key("thumbnail"), chargedBytes: 0 },
      { key: key("preview"), chargedBytes: 0 },
    ],
    conclude: (change, at) => publishCapture(context, change, operation, upload, image, at),
  };
}
