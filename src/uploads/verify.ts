import { createHash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Context } from "../platform/context";
import { beginChange, type Change } from "../platform/db/change";
import { DomainError } from "../platform/errors";
import { complete, type JobHandler, type Outcome } from "../platform/jobs/handlers";
import { describeFailure, log } from "../platform/log";
import type { ObjectStore } from "../platform/objects/store";
import { openStaged } from "./parts";
import { purposeOf, type UploadPurpose, UploadRejection, type UploadRow } from "./purpose";
import { announceStorageLevel } from "./quota";
import { registerObject } from "./stored-objects";
import { removeLeftovers } from "./sweep";
import { uploads } from "./tables";
import { findUpload } from "./uploads";

/** Number of first bytes that are kept, to detect the kind of the file. */
const HEAD_BYTES = 4_096;

/**
 * Verifies an upload and publishes it, then deletes leftover objects. A worker that dies in between leaves them to the job
 * `expire-uploads`. If the bytes are missing, the upload is not rejected: it waits for them again.
 */
export const verifyUpload = (purposes: readonly UploadPurpose[]): JobHandler<"verify-upload"> => ({
  async run(context, job) {
    const upload = await findUpload(context, job.payload.uploadId);
    return upload?.status === "verifying" ? verify(context, purposes, upload) : complete();
  },
  /** Without a verdict the upload becomes pending again, so the client may repeat `complete`. */
  failed({ workspace }, { payload }, change) {
    change.add(
      workspace
        .update(uploads)
        .set({ status: "pending", verifyJobId: null })
        .where(and(eq(uploads.id, payload.uploadId), eq(uploads.status, "verifying"))),
    );
  },
});

async function verify(context: Context, purposes: readonly UploadPurpose[], upload: UploadRow): Promise<Outcome> {
  const purpose = purposeOf(purposes, upload);
  const subject = purpose.subject.parse(upload.subject);
  const ended = (change: Change, status: UploadRow["status"]): Outcome =>
    complete(change.afterCommit(() => tidy(context, purposes, { ...upload, status })));
  try {
    const key = purpose.finalKey(subject, upload);
    const head = await copyVerified(context.objects, upload, key);
    const change = beginChange(context, upload.tenantId);
    if (head === null) return complete(endVerification(context, change, upload, { status: "pending" }));
    const { sizeBytes, checksumSha256 } = upload;
    const at = Date.now();
    endVerification(context, change, upload, { status: "completed", finishedAt: at });
    registerObject(context, change, { key, tenantId: upload.tenantId, chargedBytes: sizeBytes });
    if (sizeBytes > 0) await announceStorageLevel(context, change, upload, sizeBytes);
    await purpose.publish(context, change, subject, upload, { key, sizeBytes, checksumSha256, head, at });
    return ended(change, "completed");
  } catch (thrown) {
    if (!(thrown instanceof UploadRejection)) throw thrown;
    const rejection = beginChange(context, upload.tenantId);
    const { code: rejectionCode, detail: rejectionDetail } = thrown;
    const finishedAt = Date.now();
    endVerification(context, rejection, upload, { status: "rejected", rejectionCode, rejectionDetail, finishedAt });
    purpose.abandoned?.(context, rejection, subject, upload);
    return ended(rejection, "rejected");
  }
}

/** Deletes the objects and reservations of an ended upload. The job `expire-uploads` deletes the rest. */
const tidy = (context: Context, purposes: readonly UploadPurpose[], ended: UploadRow): Promise<void> =>
  removeLeftovers(context, purposes, [ended]).catch((thrown: unknown) => {
    log("warn", "upload.not-tidied", { uploadId: ended.id, ...describeFailure(thrown) });
  });

/**
 * Copies an upload's bytes from where they were received to `finalKey` in one read, if their size and SHA-256 are the announced
 * ones. One read checks and copies, so a client cannot change the bytes in between.
 * @returns the first bytes, or null if not all of them have arrived.
 * @throws UploadRejection if size or checksum differ. Then there is no object at the final key.
 */
async function copyVerified(objects: ObjectStore, upload: UploadRow, finalKey: string): Promise<Uint8Array | null> {
  const { sizeBytes, checksumSha256, contentType } = upload;
  const source = await openStaged(objects, upload);
  if (source === null) return null;
  const { through, end } = digestingStream();
  let failure: { thrown: unknown } | null = null;
  try {
    await objects.write(finalKey, source.pipeThrough(through), { contentType, sizeBytes, checksumSha256 });
  } catch (thrown) {
    failure = { thrown };
  }
  const read = end();
  if (failure === null) return read.head;
  // The bucket refuses bytes with another checksum. The digest computed here says whether that was the reason.
  if (read.sizeBytes !== sizeBytes || read.digest === checksumSha256) throw failure.thrown;
  throw new UploadRejection(
    "checksum-mismatch",
    "The SHA-256 of the received file differs from the announced one. Start the upload again and send the file unchanged.",
  );
}

/** A stream that computes the SHA-256 of its bytes and keeps the first ones. It holds one chunk in memory at a time. */
function digestingStream() {
  const hash = createHash("sha256");
  const head = new Uint8Array(HEAD_BYTES);
  let seen = 0;
  const through = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      hash.update(chunk);
      if (seen < HEAD_BYTES) head.set(chunk.subarray(0, HEAD_BYTES - seen), seen);
      seen += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  return { through, end: () => ({ sizeBytes: seen, digest: hash.digest("hex"), head: head.subarray(0, seen) }) };
}

/** Adds the end of a verification to `change`. The change fails if the upload has ended in the meantime. */
function endVerification(context: Context, change: Change, upload: UploadRow, end: Partial<UploadRow>): Change {
  return change
    .add(
      context.workspace
        .update(uploads)
        .set({ ...end, verifyJobId: null })
        .where(and(eq(uploads.id, upload.id), eq(uploads.status, "verifying"))),
    )
    .guardChanged(new DomainError("conflict", "The upload has ended in the meantime."));
}
