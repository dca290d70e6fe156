import { and, eq, gt, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { rowsOf } from "../../platform/db/database";
import { DomainError, notFound } from "../../platform/errors";
import type { SignedUpload } from "../../platform/objects/store";
import { SECOND } from "../../platform/time";
import { abandonCaptures, type CaptureRow, findPlacedCapture, ofOperation } from "../capture-rows";
import { stagingKey } from "../captures";
import { CAPTURE_URL_LIFETIME_MS, OPERATION_LIFETIME_MS } from "../limits";
import { credentialRevoked, isLiveCredential, requireDevice } from "../pairing";
import { cameraFrames } from "../tables";
import { expiryOf, findUnfinished, type OperationView, presentOperation, statusOf } from "./operations";

const uploadEnded = (status: string): DomainError =>
  new DomainError(
    "upload-ended",
    status === "completed" || status === "rejected"
      ? `The operation is ${status}. Read its statusUrl for the result.`
      : `The operation is ${status}. Announce the same captureId with the same metadata to begin a new one.`,
  );

/** An operation of the calling device. @throws DomainError 401, 404. */
async function requireOwnOperation(context: Context, operationId: string): Promise<CaptureRow> {
  const { cameraId } = requireDevice(context);
  const found = await findPlacedCapture(context, cameraId, operationId);
  if (found === null) throw notFound();
  return found.capture;
}

/**
 * Signs an address for the bytes of a pending operation. It expires with the reservation at the latest, and
 * LEFTOVER_GRACE_MS covers it. @returns null if the operation is about to expire.
 */
export async function signTransfer(
  { objects }: Pick<Context, "objects">,
  capture: Pick<CaptureRow, "operation" | "receivedAt" | "sizeBytes" | "checksum">,
): Promise<SignedUpload | null> {
  // The lifetime begins when it is signed, which can be seconds after the request began.
  const seconds = Math.floor(Math.min(CAPTURE_URL_LIFETIME_MS, expiryOf(capture) - Date.now()) / SECOND);
  if (seconds < 1) return null;
  const { operation: operationId, sizeBytes, checksum: checksumSha256 } = capture;
  return objects.signUpload(
    stagingKey({ operationId }),
    { contentType: "image/jpeg", sizeBytes, checksumSha256 },
    seconds,
  );
}

/** The state of an operation of the calling device. @throws DomainError 401, 404. */
export const readOperation = async (context: Context, operationId: string): Promise<OperationView> =>
  presentOperation(await requireOwnOperation(context, operationId), context.now);

/**
 * Signs a new upload address while the bytes are missing.
 * @throws DomainError 401, 404, conflict (the bytes are being verified), upload-ended.
 */
export async function refreshUploadUrl(context: Context, operationId: string): Promise<OperationView> {
  const capture = await requireOwnOperation(context, operationId);
  const status = statusOf(capture, context.now);
  if (status === "verification-pending")
    throw new DomainError("conflict", "The image is being verified. Read its statusUrl for the result.");
  if (status !== "pending-transfer") throw uploadEnded(status);
  const signed = await signTransfer(context, capture);
  if (signed === null) throw uploadEnded("about to end");
  return presentOperation(capture, context.now, signed);
}

/** The verification has begun or the operation has ended: the caller reads the state. */
const notPending = new DomainError("conflict", "The operation does not wait for its bytes.");

/**
 * Marks a pending operation as being verified, and queues its job, in one batch that reads nothing before.
 * @returns its state, or null if it is not pending.
 */
async function beginVerification(context: Context, operationId: string): Promise<OperationView | null> {
  const { cameraId, organizationId } = requireDevice(context);
  const { workspace, now } = context;
  // A repeat does no harm, and after a 503 it must work under the same Idempotency-Key.
  const change = beginChange({ ...context, idempotency: null }, organizationId);
  const pending = and(
    ofOperation(cameraId, operationId),
    eq(cameraFrames.status, "pending"),
    gt(cameraFrames.receivedAt, now - OPERATION_LIFETIME_MS),
  );
  change
    .add(
      workspace
        .update(cameraFrames)
        .set({ status: "verifying" })
        .where(pending)
        .returning({
          id: sql<string>`coalesce(${cameraFrames.announcedId}, ${cameraFrames.id})`.as("capture_id"),
          receivedAt: cameraFrames.receivedAt,
        }),
    )
    .guardChanged(notPending);
  change.job("verify-capture", { cameraId, operationId }, { tenantId: organizationId });
  try {
    const [marked] = await change.commit();
    const [row] = rowsOf<{ capture_id: string; received_at: number }>(marked);
    if (row === undefined) throw notPending;
    const begun = { id: row.capture_id, announcedId: null, operation: operationId, receivedAt: row.received_at };
    const rest = { finishedAt: null, sizeBytes: 0, checksum: "", reasonCode: null, reasonDetail: null };
    return presentOperation({ ...begun, ...rest, status: "verifying" }, now);
  } catch (thrown) {
    if (thrown === notPending) return null;
    throw thrown;
  }
}

/**
 * Starts the verification of an operation's bytes. A repeat changes nothing.
 * @returns its state: in verification, or finished. @throws DomainError 401, 404, upload-ended.
 */
export async function completeCapture(context: Context, operationId: string): Promise<OperationView> {
  const begun = await beginVerification(context, operationId);
  if (begun !== null) return begun;
  const view = await readOperation(context, operationId);
  if (view.status === "expired" || view.status === "cancelled") throw uploadEnded(view.status);
  return view;
}

/** The unfinished operations of the calling device's camera, newest first. @throws DomainError 401. */
export async function listUnfinished(context: Context): Promise<{ items: OperationView[] }> {
  const { cameraId } = requireDevice(context);
  const found = await findUnfinished(context, cameraId);
  return { items: found.map(({ capture }) => presentOperation(capture, context.now)) };
}

/**
 * Cancels an operation of the calling device: the image is not published, and its slot becomes free. For an operation
 * that was cancelled or has expired, returns that state. @throws DomainError 401, 404, upload-ended (verification finished).
 */
export async function cancelCapture(context: Context, operationId: string): Promise<OperationView> {
  const { credentialId, cameraId, organizationId } = requireDevice(context);
  await requireOwnOperation(context, operationId);
  const change = beginChange(context, organizationId).guard(isLiveCredential(credentialId), credentialRevoked());
  abandonCaptures(context, change, ofOperation(cameraId, operationId), "cancelled");
  await change.commit();
  const capture = await requireOwnOperation(context, operationId);
  if (capture.status === "completed" || capture.status === "rejected") throw uploadEnded(capture.status);
  return presentOperation(capture, context.now);
}
