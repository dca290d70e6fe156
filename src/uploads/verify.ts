import { createHash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Context } from "../platform/context";
import { beginChange, type Change } from "../platform/db/change";
import { DomainError } from "../platform/errors";
import { complete, continueLater, type JobHandler, type Outcome } from "../platform/jobs/handlers";
import type { ObjectStore } from "../platform/objects/store";
import {
  type AnyPurpose,
  purposeOf,
  type UploadPurpose,
  UploadRejection,
  type UploadRow,
  type UploadVerdict,
} from "./purpose";
import { announceStorageLevel } from "./quota";
import { registerObject } from "./stored-objects";
import { removeLeftovers } from "./sweep";
import { uploads } from "./tables";
import { findUpload } from "./uploads";

const CLEANUP_STATE = "clean";

/** Ends a verification; undone when the upload was cancelled or has expired in the meantime. */
function endVerification(context: Context, change: Change, upload: UploadRow, end: Partial<UploadRow>): Change {
  return change
    .add(
      context.db
        .update(uploads)
        .set({ ...end, verifyJobId: null })
        .where(and(eq(uploads.id, upload.id), eq(uploads.status, "verifying"))),
    )
    .guardChanged(new DomainError("conflict", "The upload has ended in the meantime."));
}

/** The usual verification: the bytes are copied as they are, and their purpose publishes the copy. */
async function copyAndPublish(
  context: Context,
  purpose: UploadPurpose,
  subject: unknown,
  upload: UploadRow,
): Promise<UploadVerdict | null> {
  const key = purpose.finalKey(subject, upload);
  const head = await copyVerified(context.objects, upload, key);
  if (head === null) return null;
  const { sizeBytes, checksumSha256 } = upload;
  return {
    status: "completed",
    objects: [{ key, chargedBytes: sizeBytes }],
    conclude: (change, at) =>
      purpose.publish(context, change, subject, upload, { key, sizeBytes, checksumSha256, head, at }),
  };
}

async function verify(context: Context, purposes: readonly AnyPurpose[], upload: UploadRow): Promise<Outcome> {
  const purpose = purposeOf(purposes, upload);
  const subject = purpose.subject.parse(upload.subject);
  try {
    const verdict =
      "examine" in purpose
        ? await purpose.examine(context, subject, upload)
        : await copyAndPublish(context, purpose, subject, upload);
    const change = beginChange(context);
    if (verdict === null) return complete(endVerification(context, change, upload, { status: "pending" }));
    const { status, rejection, objects } = verdict;
    const at = Date.now();
    const why = { rejectionCode: rejection?.code ?? null, rejectionDetail: rejection?.detail ?? null };
    endVerification(context, change, upload, { status, ...why, finishedAt: at });
    for (const object of objects) registerObject(context, change, { ...object, tenantId: upload.tenantId });
    const bytes = objects.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0);
    if (bytes > 0) await announceStorageLevel(context, change, upload, bytes);
    await verdict.conclude(change, at);
    return continueLater(CLEANUP_STATE, { change });
  } catch (thrown) {
    if (!(thrown instanceof UploadRejection)) throw thrown;
    const rejection = beginChange(context);
    const { code: rejectionCode, detail: rejectionDetail } = thrown;
    const finishedAt = Date.now();
    endVerification(context, rejection, upload, { status: "rejected", rejectionCode, rejectionDetail, finishedAt });
    purpose.abandoned?.(context, rejection, subject, upload);
    return continueLater(CLEANUP_STATE, { change: rejection });
  }
}

/**
 * Verifies what was uploaded and publishes it, then, in a slice of its own, deletes what is left over.
 * Bytes that are not there are no rejection: the upload waits for them again.
 */
export const verifyUpload = (purposes: readonly AnyPurpose[]): JobHandler<"verify-upload"> => ({
  async run(context, job) {
    const upload = await findUpload(context, job.payload.uploadId);
    if (upload === null) return complete();
    if (upload.status === "verifying") return verify(context, purposes, upload);
    if (job.state === CLEANUP_STATE) await removeLeftovers(context, purposes, [upload]);
    return complete();
  },
  /**
   * What is not a verdict on the bytes leaves the upload as it was before `complete`, which may be called
   * again; or its purpose keeps it in verification until a person has looked.
   */
  async failed(context, job, change, reason) {
    const { db } = context;
    const upload = await findUpload(context, job.payload.uploadId);
    if (upload === null) return;
    const purpose = purposeOf(purposes, upload);
    const mayWait = "undecided" in purpose;
    const verifying = and(eq(uploads.id, upload.id), eq(uploads.status, "verifying"));
    change.add(
      db
        .update(uploads)
        .set({ status: mayWait ? "verifying" : "pending", verifyJobId: null })
        .where(verifying),
    );
    if (mayWait && upload.status === "verifying") purpose.undecided(context, change, upload, reason);
  },
});

/** Bytes of the beginning that are kept to tell what kind of file it is. */
const HEAD_BYTES = 4_096;

/** Digests a stream on its way through and keeps its first bytes; one chunk in memory at a time. */
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

/**
 * Copies an upload's bytes from its staging key to `finalKey` in one read, and only if they are
 * exactly those announced; so what was checked is what is kept, whatever a client does meanwhile.
 * @returns the first bytes, or null when nothing has arrived.
 * @throws UploadRejection when they are others; then the final key holds nothing.
 */
async function copyVerified(objects: ObjectStore, upload: UploadRow, finalKey: string): Promise<Uint8Array | null> {
  const { sizeBytes, checksumSha256, contentType } = upload;
  const staged = await objects.head(upload.stagingKey);
  if (staged === null) return null;
  if (staged.sizeBytes !== sizeBytes)
    throw new UploadRejection(
      "size-mismatch",
      `${sizeBytes} bytes were announced and ${staged.sizeBytes} came. Start the upload again with the right size.`,
    );
  const source = await objects.read(upload.stagingKey);
  if (source === null) return null;
  const { through, end } = digestingStream();
  let failure: { thrown: unknown } | null = null;
  try {
    await objects.write(finalKey, source.body.pipeThrough(through), { contentType, sizeBytes, checksumSha256 });
  } catch (thrown) {
    failure = { thrown };
  }
  const read = end();
  if (failure === null) return read.head;
  // The bucket refuses other bytes; whether it was that, our own digest of the whole says.
  if (read.sizeBytes !== sizeBytes || read.digest === checksumSha256) throw failure.thrown;
  throw new UploadRejection(
    "checksum-mismatch",
    "The SHA-256 of what came is not the one announced. Start the upload again and send the file unchanged.",
  );
}
