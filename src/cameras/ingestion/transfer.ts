import type { Context } from "../../platform/context";
import { DomainError, notFound } from "../../platform/errors";
import { beginVerification, refreshAddress } from "../../workspace";
import { requireDevice } from "../pairing";
import { CAPTURE_URL_LIFETIME } from "./limits";
import {
  findOperation,
  findPublishedBy,
  type Operation,
  type OperationView,
  presentOperation,
  presentPublished,
  statusOf,
} from "./operation";

export const ended = (status: string): DomainError =>
  new DomainError(
    "upload-ended",
    status === "completed" || status === "rejected"
      ? `The operation is ${status}. Ask its statusUrl for the result.`
      : `The operation is ${status}. Announce the same captureId with the same facts to begin a new one.`,
  );

/** An operation of the calling device, or what is left of a forgotten one. @throws DomainError 401, 404. */
export async function mine(context: Context, operationId: string): Promise<Operation | { published: OperationView }> {
  const { cameraId } = requireDevice(context);
  const found = await findOperation(context, cameraId, operationId);
  if (found !== null) return found;
  const row = await findPublishedBy(context, cameraId, operationId);
  if (row === null) throw notFound();
  return { published: presentPublished(row, row.id) };
}

/** How an operation of the calling device stands. @throws DomainError 401, 404. */
export async function readOperation(context: Context, operationId: string): Promise<OperationView> {
  const found = await mine(context, operationId);
  return "published" in found ? found.published : presentOperation(found, context.now);
}

/**
 * Another address for bytes that are still awaited.
 * @throws DomainError 401, 404, conflict (they are being verified), upload-ended.
 */
export async function refreshUploadUrl(context: Context, operationId: string): Promise<OperationView> {
  const found = await mine(context, operationId);
  if ("published" in found) throw ended(found.published.status);
  const status = statusOf(found.upload, context.now);
  if (status === "verification-pending")
    throw new DomainError("conflict", "The image is being verified. Ask its statusUrl for the result.");
  if (status !== "pending-transfer") throw ended(status);
  const signed = await refreshAddress(context, found.upload, CAPTURE_URL_LIFETIME);
  // Its last second, or another request of the device completed or a person cancelled it just now.
  if (signed === null) throw ended("about to end");
  return presentOperation(found, context.now, signed);
}

/**
 * Hands an operation to verification, whatever has arrived; repeating it is harmless.
 * @returns how it stands now: in verification, or finished. @throws DomainError 401, 404, upload-ended.
 */
export async function completeCapture(context: Context, operationId: string): Promise<OperationView> {
  const found = await mine(context, operationId);
  if ("published" in found) return found.published;
  if (statusOf(found.upload, context.now) === "pending-transfer") {
    const begun = await beginVerification(context, found.upload);
    const { operation, upload } = found;
    if (begun !== null) return presentOperation({ operation, upload: { ...upload, status: "verifying" } }, context.now);
  }
  const now = await mine(context, operationId);
  if ("published" in now) return now.published;
  const view = presentOperation(now, context.now);
  if (view.status === "expired" || view.status === "cancelled") throw ended(view.status);
  return view;
}
