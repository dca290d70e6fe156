import { and, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { again, done, type JobHandler, type Outcome } from "../../platform/jobs/handlers";
import { announceLevel } from "../storage/levels";
import { keepObject } from "../storage/objects";
import { uploads } from "../tables";
import { copyVerified } from "./copy";
import { findUpload } from "./find";
import {
  type AnyPurpose,
  purposeOf,
  type UploadPurpose,
  UploadRejection,
  type UploadRow,
  type UploadVerdict,
} from "./purpose";
import { removeLeftovers } from "./sweep";

const CLEAN = "clean";

/** Ends a verification; undone when the upload was cancelled or has expired in the meantime. */
function leave(context: Context, change: Change, upload: UploadRow, end: Partial<UploadRow>): Change {
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
async function copied(
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
        : await copied(context, purpose, subject, upload);
    const change = beginChange(context);
    if (verdict === null) return done(leave(context, change, upload, { status: "pending" }));
    const { status, rejection, objects } = verdict;
    const at = Date.now();
    const why = { rejectionCode: rejection?.code ?? null, rejectionDetail: rejection?.detail ?? null };
    leave(context, change, upload, { status, ...why, finishedAt: at });
    for (const object of objects) keepObject(context, change, { ...object, tenantId: upload.tenantId });
    const bytes = objects.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0);
    if (bytes > 0) await announceLevel(context, change, upload, bytes);
    await verdict.conclude(change, at);
    return again(CLEAN, { change });
  } catch (thrown) {
    if (!(thrown instanceof UploadRejection)) throw thrown;
    const rejection = beginChange(context);
    const { code: rejectionCode, detail: rejectionDetail } = thrown;
    const finishedAt = Date.now();
    leave(context, rejection, upload, { status: "rejected", rejectionCode, rejectionDetail, finishedAt });
    purpose.abandoned?.(context, rejection, subject, upload);
    return again(CLEAN, { change: rejection });
  }
}

/**
 * Verifies what was uploaded and publishes it, then, in a slice of its own, deletes what is left over.
 * Bytes that are not there are no rejection: the upload waits for them again.
 */
export const verifyUpload = (purposes: readonly AnyPurpose[]): JobHandler<"verify-upload"> => ({
  async run(context, job) {
    const upload = await findUpload(context, job.payload.uploadId);
    if (upload === null) return done();
    if (upload.status === "verifying") return verify(context, purposes, upload);
    if (job.state === CLEAN) await removeLeftovers(context, purposes, [upload]);
    return done();
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
