import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Context } from "../platform/context";
import { beginChange, type Change } from "../platform/db/change";
import { DomainError, notFound } from "../platform/errors";
import { idSchema, newIdIn } from "../platform/ids";
import type { ExpectedBytes, SignedUpload } from "../platform/objects/store";
import { SECOND } from "../platform/time";
import {
  MAX_IMMEDIATE_VERIFICATION_BYTES,
  MAX_VERIFICATION_WAIT_MS,
  UPLOAD_LIFETIME_MS,
  UPLOAD_PART_BYTES,
  UPLOAD_URL_LIFETIME_MS,
} from "./limits";
import { hasArrived, stagedKeys } from "./parts";
import type { UploadPurpose, UploadRow } from "./purpose";
import { requireFreeStorage, type StorageTenant } from "./quota";
import { UPLOAD_STATUSES, uploads } from "./tables";

/** What a client needs to send the bytes of an upload, in the answer that starts it. */
export const transferFields = {
  uploadId: idSchema,
  uploadUrl: z
    .string()
    .openapi({ description: "Send the bytes to this address with PUT. It needs no Authorization header." }),
  requiredHeaders: z
    .record(z.string(), z.string())
    .openapi({ description: "Send exactly these headers with the PUT." }),
};

export const uploadStatusSchema = z.enum(UPLOAD_STATUSES);

interface NewUpload {
  purpose: string;
  tenant: StorageTenant;
  /** The location of the target; null for a target without a location. */
  locationId: string | null;
  /** Id of the resource that the upload belongs to. SQL if the same change creates the resource. */
  targetId: string | SQL;
  /** JSON that the purpose needs to publish the upload. SQL if the same change creates its values. */
  subject: Readonly<Record<string, unknown>> | SQL;
  expected: ExpectedBytes;
  createdBy: string | null;
}

interface StartedUpload extends SignedUpload {
  uploadId: string;
}

/**
 * Reserves storage and signs an address for the PUT of the bytes. The reservation is part of `change`, which the caller
 * commits. @throws DomainError storage-full, at commit.
 */
export async function startUpload(context: Context, change: Change, given: NewUpload): Promise<StartedUpload> {
  const uploadId = newIdIn(given.tenant.tenantId);
  const signed = await context.objects.signUpload(
    stagingKeyOf(uploadId),
    given.expected,
    UPLOAD_URL_LIFETIME_MS / SECOND,
  );
  reserve(context, change, given, { id: uploadId, urlExpiresAt: signed.expiresAt, partBytes: null });
  return { ...signed, uploadId };
}

/**
 * Reserves storage for an upload whose bytes come in parts; `signParts` signs their addresses. @returns the upload's id.
 * @throws DomainError storage-full, at commit.
 */
export function startUploadInParts(context: Context, change: Change, given: NewUpload): string {
  const id = newIdIn(given.tenant.tenantId);
  reserve(context, change, given, { id, urlExpiresAt: context.now, partBytes: UPLOAD_PART_BYTES });
  return id;
}

const stagingKeyOf = (uploadId: string): string => `staging/${uploadId}`;

function reserve(
  context: Context,
  change: Change,
  { tenant, expected, purpose, locationId, targetId, subject, createdBy }: NewUpload,
  sending: Pick<UploadRow, "id" | "urlExpiresAt" | "partBytes">,
): void {
  const { workspace, now } = context;
  requireFreeStorage(context, change, tenant, expected.sizeBytes);
  change.add(
    workspace.insert(uploads).values({
      ...sending,
      purpose,
      ...tenant,
      locationId,
      targetId,
      subject,
      stagingKey: stagingKeyOf(sending.id),
      ...expected,
      status: "pending",
      createdBy,
      createdAt: now,
      expiresAt: now + UPLOAD_LIFETIME_MS,
    }),
  );
}

/** The fields that an announcement must have in common with an open upload to continue it. */
type SameUpload = Pick<NewUpload, "purpose" | "targetId" | "expected" | "createdBy"> & {
  /** The conditions for the purpose's subject. */
  where: SQL | undefined;
};

/**
 * Finds the caller's open upload of the same bytes for the same target, and signs a new address for it. Its reservation
 * starts again, in `change`. @returns null if there is none.
 * @throws DomainError conflict, at commit, if it ended in the meantime.
 */
export async function resumeUpload(context: Context, change: Change, same: SameUpload) {
  const row = await findOpen(context, same, isNull(uploads.partBytes));
  if (row === null) return null;
  const signed = await context.objects.signUpload(row.stagingKey, same.expected, UPLOAD_URL_LIFETIME_MS / SECOND);
  extend(context, change, row, { urlExpiresAt: signed.expiresAt });
  return { ...signed, row };
}

/** The same for an upload in parts, without an address. */
export async function resumeUploadInParts(context: Context, change: Change, same: SameUpload) {
  const row = await findOpen(context, same, isNotNull(uploads.partBytes));
  if (row !== null) extend(context, change, row, {});
  return row;
}

async function findOpen({ workspace, now }: Context, same: SameUpload, where: SQL): Promise<UploadRow | null> {
  const { contentType, sizeBytes, checksumSha256 } = same.expected;
  const [row] = await workspace
    .select()
    .from(uploads)
    .where(
      and(
        eq(uploads.targetId, same.targetId),
        isNull(uploads.finishedAt),
        eq(uploads.purpose, same.purpose),
        eq(uploads.status, "pending"),
        gt(uploads.expiresAt, now),
        same.createdBy === null ? isNull(uploads.createdBy) : eq(uploads.createdBy, same.createdBy),
        eq(uploads.contentType, contentType),
        eq(uploads.sizeBytes, sizeBytes),
        eq(uploads.checksumSha256, checksumSha256),
        where,
        same.where,
      ),
    )
    .orderBy(desc(uploads.createdAt))
    .limit(1);
  return row ?? null;
}

/** Starts the reservation of a pending upload again. @throws DomainError conflict, at commit, if it has ended. */
function extend(context: Context, change: Change, row: UploadRow, address: Partial<UploadRow>): void {
  change
    .add(
      context.workspace
        .update(uploads)
        .set({ expiresAt: context.now + UPLOAD_LIFETIME_MS, ...address })
        .where(isPending(context, row)),
    )
    .guardChanged(new DomainError("conflict", "The upload has ended in the meantime. Start it again."));
}

/**
 * Cancels an open upload: its reservation ends with `change`, a running verification publishes nothing, and its bytes are
 * deleted. A later PUT to its address is deleted by the job `expire-uploads`. A repetition does no harm.
 * @throws DomainError upload-ended, if the upload has its result.
 */
export async function cancelUpload<Subject>(
  context: Context,
  purpose: UploadPurpose<Subject>,
  upload: UploadRow,
): Promise<void> {
  if (upload.status === "expired") return;
  const hasResult = ended("The upload has its result already, so it cannot be cancelled.");
  if (upload.finishedAt !== null) throw hasResult;
  const change = beginChange(context, upload.tenantId);
  change
    .add(
      context.workspace
        .update(uploads)
        .set({ status: "expired", finishedAt: context.now, verifyJobId: null })
        .where(and(eq(uploads.id, upload.id), isNull(uploads.finishedAt))),
    )
    .guardChanged(hasResult);
  purpose.abandoned?.(context, change, purpose.subject.parse(upload.subject), upload);
  change.afterCommit(() => context.objects.remove(stagedKeys(upload)));
  try {
    await change.commit();
  } catch (thrown) {
    // A simultaneous request cancelled it.
    if (thrown === hasResult && (await findUpload(context, upload.id))?.status === "expired") return;
    throw thrown;
  }
}

/** Finds an upload by id, or null. The caller checks the access. */
export async function findUpload(
  { workspace }: Pick<Context, "workspace">,
  uploadId: string,
): Promise<UploadRow | null> {
  const [row] = await workspace.select().from(uploads).where(eq(uploads.id, uploadId));
  return row ?? null;
}

/** Condition: the upload still waits for its bytes. */
const isPending = ({ now }: Pick<Context, "now">, upload: UploadRow) =>
  and(eq(uploads.id, upload.id), eq(uploads.status, "pending"), gt(uploads.expiresAt, now));

/**
 * Marks an upload as being verified and queues the job. @returns the job's id, or null if the upload is not pending any
 * more: another request did the same, or the upload has ended.
 */
async function beginVerification(context: Context, upload: UploadRow): Promise<string | null> {
  const lostRace = new DomainError("conflict", "The upload is being completed by another request.");
  const { tenantId, createdBy } = upload;
  // A repeated `complete` does no harm, and after a 503 it must work under the same Idempotency-Key.
  const change = beginChange({ ...context, idempotency: null }, upload.tenantId);
  const jobId = change.job("verify-upload", { uploadId: upload.id }, { tenantId, requestedBy: createdBy });
  change
    .add(
      context.workspace
        .update(uploads)
        .set({ status: "verifying", verifyJobId: jobId })
        .where(isPending(context, upload)),
    )
    .guardChanged(lostRace);
  try {
    await change.commit();
    return jobId;
  } catch (thrown) {
    if (thrown === lostRace) return null;
    throw thrown;
  }
}

const POLL_INTERVAL_MS = SECOND / 4;

const ended = (detail: string): DomainError => new DomainError("upload-ended", detail);

const incomplete = ({ partBytes }: Pick<UploadRow, "partBytes">): DomainError =>
  new DomainError(
    "upload-incomplete",
    partBytes === null
      ? "No file has arrived. PUT it to `uploadUrl`, then call this again."
      : "Some parts have not arrived. Read the upload, send the parts that it lacks, then call this again.",
  );

const rejected = ({ rejectionCode, rejectionDetail }: UploadRow): DomainError =>
  rejectionCode === "target-gone"
    ? ended(rejectionDetail ?? "")
    : new DomainError(
        "upload-mismatch",
        rejectionDetail ?? "The file differs from the announced one. Start the upload again.",
      );

/**
 * Completes an upload within the request: it verifies the upload, or waits for the worker that does. A repetition does no
 * harm. @returns the completed row.
 * @throws DomainError upload-incomplete, upload-mismatch, upload-ended, or unavailable (call again).
 */
export async function completeUpload(context: Context, upload: UploadRow): Promise<UploadRow> {
  let jobId = upload.verifyJobId;
  if (upload.status === "pending") {
    if (upload.expiresAt <= context.now) throw ended("The upload has expired. Start it again.");
    if (!(await hasArrived(context, upload))) throw incomplete(upload);
    jobId = await beginVerification(context, upload);
  }
  if (jobId !== null && upload.sizeBytes <= MAX_IMMEDIATE_VERIFICATION_BYTES)
    await context.runNow(context.database, jobId);
  const deadline = Date.now() + MAX_VERIFICATION_WAIT_MS;
  for (;;) {
    const now = await findUpload(context, upload.id);
    if (now === null) throw notFound();
    if (now.status === "completed") return now;
    if (now.status === "rejected") throw rejected(now);
    if (now.status === "expired") throw ended("The upload has expired or was cancelled. Start it again.");
    if (now.status === "pending") throw incomplete(upload);
    if (Date.now() >= deadline)
      throw new DomainError("unavailable", "The file is still being verified. Call this again to get the result.", {
        retryAfter: 2,
      });
    await scheduler.wait(POLL_INTERVAL_MS);
  }
}
