import { and, eq, gt, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import type { SignedUpload } from "../../platform/objects/store";
import { SECOND } from "../../platform/time";
import { uploads } from "../tables";
import type { UploadRow } from "./purpose";
import { UPLOAD_URL_LIFETIME } from "./start";

/** Holds for an upload that still waits for its bytes. */
const waits = ({ now }: Pick<Context, "now">, upload: UploadRow) =>
  and(eq(uploads.id, upload.id), eq(uploads.status, "pending"), gt(uploads.expiresAt, now));

/**
 * Marks an upload as being verified, with the job that does it. @returns the job's id, or null when the
 * upload waits no more: somebody else just did the same, or it has ended.
 */
export async function beginVerification(context: Context, upload: UploadRow): Promise<string | null> {
  const lostRace = new DomainError("conflict", "The upload is being completed by another request.");
  const { tenantId, createdBy } = upload;
  // Repeating `complete` is harmless, and after a 503 it must be possible under the same Idempotency-Key.
  const change = beginChange({ ...context, idempotency: null });
  const jobId = change.job("verify-upload", { uploadId: upload.id }, { tenantId, requestedBy: createdBy });
  change
    .add(context.db.update(uploads).set({ status: "verifying", verifyJobId: jobId }).where(waits(context, upload)))
    .guardChanged(lostRace);
  try {
    await change.commit();
    return jobId;
  } catch (thrown) {
    if (thrown === lostRace) return null;
    throw thrown;
  }
}

/**
 * Signs another address for an upload that waits for its bytes; it ends with the reservation at the latest.
 * @returns null when the upload waits no more.
 */
export async function refreshAddress(
  context: Context,
  upload: UploadRow,
  urlLifetimeMs = UPLOAD_URL_LIFETIME,
): Promise<SignedUpload | null> {
  const { db, now, objects } = context;
  const left = Math.floor(Math.min(urlLifetimeMs, upload.expiresAt - now) / SECOND);
  if (left < 1) return null;
  const signed = await objects.signUpload(upload.stagingKey, upload, left);
  // Known before it is handed out: leftovers are taken away once no address can bring them back.
  const [row] = await db
    .update(uploads)
    .set({ urlExpiresAt: sql`max(${uploads.urlExpiresAt}, ${signed.expiresAt})` })
    .where(waits(context, upload))
    .returning({ id: uploads.id });
  return row === undefined ? null : signed;
}
