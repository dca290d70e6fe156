import type { Context } from "../../platform/context";
import { DomainError, notFound } from "../../platform/errors";
import { SECOND } from "../../platform/time";
import { beginVerification } from "./begin";
import { findUpload } from "./find";
import type { UploadRow } from "./purpose";

/** How long `complete` waits for a verification that somebody else is running. */
const LONGEST_WAIT = 10 * SECOND;
const POLL_EVERY = SECOND / 4;

const ended = (detail: string): DomainError => new DomainError("upload-ended", detail);

const incomplete = (): DomainError =>
  new DomainError("upload-incomplete", "No file has arrived. PUT it to `uploadUrl`, then call this again.");

const rejected = ({ rejectionCode, rejectionDetail }: UploadRow): DomainError =>
  rejectionCode === "target-gone"
    ? ended(rejectionDetail ?? "")
    : new DomainError("upload-mismatch", rejectionDetail ?? "The file is not what was announced.");

/**
 * Completes an upload within the request: verifies it here, or waits for whoever does. Repeating it
 * is harmless. @returns the completed row.
 * @throws DomainError upload-incomplete, upload-mismatch, upload-ended, or unavailable (ask again).
 */
export async function completeUpload(context: Context, upload: UploadRow): Promise<UploadRow> {
  let jobId = upload.verifyJobId;
  if (upload.status === "pending") {
    if (upload.expiresAt <= context.now) throw ended("The upload has expired. Start it again.");
    if ((await context.objects.head(upload.stagingKey)) === null) throw incomplete();
    jobId = await beginVerification(context, upload);
  }
  if (jobId !== null) await context.runNow(jobId);
  const deadline = Date.now() + LONGEST_WAIT;
  for (;;) {
    const now = await findUpload(context, upload.id);
    if (now === null) throw notFound();
    if (now.status === "completed") return now;
    if (now.status === "rejected") throw rejected(now);
    if (now.status === "expired") throw ended("The upload has expired or was cancelled. Start it again.");
    if (now.status === "pending") throw incomplete();
    if (Date.now() >= deadline)
      throw new DomainError("unavailable", "The file is still being verified. Call this again to get the result.", {
        retryAfter: 2,
      });
    await scheduler.wait(POLL_EVERY);
  }
}
