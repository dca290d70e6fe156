import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { endUpload } from "../../workspace";
import { credentialRevoked, isLiveCredential, requireDevice } from "../pairing";
import { findUnfinished, type OperationView, presentOperation, statusOf } from "./operation";
import { ended, mine } from "./transfer";

/** What the calling device's camera has begun and not finished, newest first. @throws DomainError 401. */
export async function listUnfinished(context: Context): Promise<{ items: OperationView[] }> {
  const { cameraId } = requireDevice(context);
  const found = await findUnfinished(context, cameraId);
  return { items: found.map((operation) => presentOperation(operation, context.now)) };
}

/**
 * Cancels an operation of the calling device: nothing of it is published, and its place is free. Repeats, and
 * one whose time was over, answer how it ended. @throws DomainError 401, 404, upload-ended (it has its verdict).
 */
export async function cancelCapture(context: Context, operationId: string): Promise<OperationView> {
  const { credentialId } = requireDevice(context);
  const found = await mine(context, operationId);
  if ("published" in found) throw ended(found.published.status);
  const change = beginChange(context).guard(isLiveCredential(credentialId), credentialRevoked());
  endUpload(context, change, operationId);
  await change.commit();
  const now = await mine(context, operationId);
  const status = "published" in now ? now.published.status : statusOf(now.upload, context.now);
  if ("published" in now || status === "completed" || status === "rejected") throw ended(status);
  return presentOperation(now, context.now);
}
