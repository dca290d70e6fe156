import { z } from "@hono/zod-openapi";
import type { Context } from "../../platform/context";
import { DomainError } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { instantSchema } from "../../platform/time";
import { refreshAddress } from "../../workspace";
import type { CaptureRow } from "../find";
import { requireDevice } from "../pairing";
import { CLOCK_QUALITIES } from "../tables";
import { admitCapture, alreadyKnown } from "./admit";
import { CAPTURE_URL_LIFETIME } from "./limits";
import {
  findKnown,
  type Operation,
  type OperationView,
  presentOperation,
  presentPublished,
  statusOf,
} from "./operation";

/** What a device says of an image before it sends it: kept beside the bytes, and the same in every try. */
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
  .openapi("NewCapture");
export type NewCapture = z.infer<typeof newCaptureSchema>;

type Facts = Omit<NewCapture, "captureId" | "contentType">;

/** @throws DomainError capture-changed unless what was announced before is what is announced now. */
function requireSame(known: Facts, given: NewCapture): void {
  const names = Object.keys(known) as (keyof Facts)[];
  const changed = names.filter((name) => known[name] !== given[name]);
  if (changed.length > 0)
    throw new DomainError(
      "capture-changed",
      `This captureId was announced with another ${changed.join(", ")}. What is announced of an image never changes: make a new captureId for another image.`,
    );
}

const factsOf = ({ operation, upload }: Operation): Facts => ({
  assignmentGeneration: operation.assignmentGeneration,
  capturedAtUtc: operation.capturedAt,
  sizeBytes: upload.sizeBytes,
  checksumSha256: upload.checksumSha256,
  clockQuality: operation.clockQuality,
});

const factsOfPublished = (row: CaptureRow): Facts => ({
  assignmentGeneration: row.assignmentGeneration,
  capturedAtUtc: row.capturedAt,
  sizeBytes: row.sizeBytes,
  checksumSha256: row.checksumSha256,
  clockQuality: row.clockQuality,
});

type Known = Awaited<ReturnType<typeof findKnown>>;

/** The answer from what is known of a capture, with an address where bytes are awaited; null where a new operation may begin. */
async function recover(
  context: Context,
  { begun, published }: Known,
  given: NewCapture,
): Promise<OperationView | null> {
  if (begun === null) {
    if (published === null) return null;
    requireSame(factsOfPublished(published), given);
    return presentPublished(published, given.captureId);
  }
  requireSame(factsOf(begun), given);
  const status = statusOf(begun.upload, context.now);
  if (status === "expired" || status === "cancelled") return null;
  const signed =
    status === "pending-transfer" ? await refreshAddress(context, begun.upload, CAPTURE_URL_LIFETIME) : null;
  return presentOperation(begun, context.now, signed);
}

/**
 * Begins the upload of an image, or recovers what was begun for the same captureId, however far it got.
 * @throws DomainError 401, capture-changed, assignment-changed, captured-in-future,
 * captured-outside-retention, content-too-large, rate-limited, storage-full.
 */
export async function announceCapture(
  context: Context,
  given: NewCapture,
): Promise<{ isNew: boolean; view: OperationView }> {
  const { cameraId } = requireDevice(context);
  const known = await findKnown(context, cameraId, given.captureId);
  const recovered = await recover(context, known, given);
  if (recovered !== null) return { isNew: false, view: recovered };
  try {
    return { isNew: true, view: await admitCapture(context, known.camera, given) };
  } catch (thrown) {
    if (thrown !== alreadyKnown) throw thrown;
    // The same announcement came twice at once: this one finds what the other began.
    const begun = await recover(context, await findKnown(context, cameraId, given.captureId), given);
    if (begun === null) throw thrown;
    return { isNew: false, view: begun };
  }
}
