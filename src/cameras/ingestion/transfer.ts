import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { beginVerification, endUploads, renewUploadUrl } from "../../uploads";
import { CAPTURE_URL_LIFETIME_MS } from "../limits";
import { credentialRevoked, isLiveCredential, requireDevice } from "../pairing";
import {
  findOperation,
  findPublishedBy,
  findUnfinished,
  type Operation,
  type OperationView,
  presentOperation,
  presentPublished,
  statusOf,
} from "./operations";

const uploadEnded = (status: string): DomainError =>
  new DomainError(
    "upload-ended",
    status === "completed" || status === "rejected"
      ? `The operation is ${status}. Read its statusUrl for the result.`
      : `The operation is ${status}. Announce the same captureId with the same metadata to begin a new one.`,
  );

/** An operation of the calling device; when its row was deleted already, the published image. @throws DomainError 401, 404. */
async function requireOwnOperation(
  context: Context,
  operationId: string,
): Promise<Operation | { published: OperationView }> {
  const { cameraId } = requireDevice(context);
  const found = await findOperation(context, cameraId, operationId);
  if (found !== null) return found;
  const row = await findPublishedBy(context, cameraId, operationId);
  if (row === null) throw notFound();
  return { published: presentPublished(row, row.id) };
}

/** The state of an operation of the calling device. @throws DomainError 401, 404. */
export async function readOperation(context: Context, operationId: string): Promise<OperationView> {
  const found = await requireOwnOperation(context, operationId);
  return "published" in found ? found.published : presentOperation(found, context.now);
}

/**
 * Signs a new upload address while the bytes are missing.
 * @throws DomainError 401, 404, conflict (the bytes are being verified), upload-ended.
 */
export async function refreshUploadUrl(context: Context, operationId: string): Promise<OperationView> {
  const found = await requireOwnOperation(context, operationId);
  if ("published" in found) throw uploadEnded(found.published.status);
  const status = statusOf(found.upload, context.now);
  if (status === "verification-pending")
    throw new DomainError("conflict", "The image is being verified. Read its statusUrl for the result.");
  if (status !== "pending-transfer") throw uploadEnded(status);
  const signed = await renewUploadUrl(context, found.upload, CAPTURE_URL_LIFETIME_MS);
  // The operation is about to expire, or another request completed or cancelled it just now.
  if (signed === null) throw uploadEnded("about to end");
  return presentOperation(found, context.now, signed);
}

/**
 * Starts the verification of an operation's bytes. A repeat changes nothing.
 * @returns its state: in verification, or finished. @throws DomainError 401, 404, upload-ended.
 */
export async function completeCapture(context: Context, operationId: string): Promise<OperationView> {
  const found = await requireOwnOperation(context, operationId);
  if ("published" in found) return found.published;
  const status = statusOf(found.upload, context.now);
  if (status === "verification-pending") return presentOperation(found, context.now);
  if (status === "pending-transfer") {
    const begun = await beginVerification(context, found.upload);
    const { operation, upload } = found;
    if (begun !== null) return presentOperation({ operation, upload: { ...upload, status: "verifying" } }, context.now);
  }
  const now = await requireOwnOperation(context, operationId);
  if ("published" in now) return now.published;
  const view = presentOperation(now, context.now);
  if (view.status === "expired" || view.status === "cancelled") throw uploadEnded(view.status);
  return view;
}

/** The unfinished operations of the calling device's camera, newest first. @throws DomainError 401. */
export async function listUnfinished(context: Context): Promise<{ items: OperationView[] }> {
  const { cameraId } = requireDevice(context);
  const found = await findUnfinished(context, cameraId);
  return { items: found.map((operation) => presentOperation(operation, context.now)) };
}

/**
 * Cancels an operation of the calling device: the image is not published, and its slot becomes free. For an operation
 * that was cancelled or has expired, returns that state. @throws DomainError 401, 404, upload-ended (verification finished).
 */
export async function cancelCapture(context: Context, operationId: string): Promise<OperationView> {
  const { credentialId } = requireDevice(context);
  const found = await requireOwnOperation(context, operationId);
  if ("published" in found) throw uploadEnded(found.published.status);
  const change = beginChange(context).guard(isLiveCredential(credentialId), credentialRevoked());
  endUploads(context, change, { ids: [operationId] });
  await change.commit();
  const now = await requireOwnOperation(context, operationId);
  const status = "published" in now ? now.published.status : statusOf(now.upload, context.now);
  if ("published" in now || status === "completed" || status === "rejected") throw uploadEnded(status);
  return presentOperation(now, context.now);
}
