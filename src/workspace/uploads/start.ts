import type { SQL } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { newId } from "../../platform/ids";
import type { ExpectedBytes, SignedUpload } from "../../platform/objects/store";
import { HOUR, MINUTE, SECOND } from "../../platform/time";
import { requireRoom, type StorageTenant } from "../storage/quota";
import { uploads } from "../tables";

/** How long an address to upload to lives unless its purpose says otherwise. */
export const UPLOAD_URL_LIFETIME = 15 * MINUTE;
/** How long the reservation lives: a transfer may be repeated, or completed late, within it. */
export const UPLOAD_LIFETIME = 24 * HOUR;

export interface NewUpload {
  purpose: string;
  tenant: StorageTenant;
  /** What it belongs to; SQL when the same change makes it. */
  targetId: string | SQL;
  /** What the purpose publishes it by, as JSON; SQL when the same change makes it. */
  subject: Readonly<Record<string, unknown>> | SQL;
  expected: ExpectedBytes;
  createdBy: string | null;
  urlLifetimeMs?: number;
}

export interface StartedUpload extends SignedUpload {
  uploadId: string;
}

/**
 * Reserves room and signs an address to put the bytes to. The reservation is part of `change`, which
 * the caller commits. @throws (at commit) DomainError storage-full.
 */
export async function startUpload(context: Context, change: Change, given: NewUpload): Promise<StartedUpload> {
  const { db, now, objects } = context;
  const { expected, tenant, urlLifetimeMs = UPLOAD_URL_LIFETIME } = given;
  const uploadId = newId();
  const stagingKey = `staging/${uploadId}`;
  const signed = await objects.signUpload(stagingKey, expected, urlLifetimeMs / SECOND);
  requireRoom(context, change, tenant, expected.sizeBytes);
  change.add(
    db.insert(uploads).values({
      id: uploadId,
      purpose: given.purpose,
      ...tenant,
      targetId: given.targetId,
      subject: given.subject,
      stagingKey,
      ...expected,
      status: "pending",
      createdBy: given.createdBy,
      createdAt: now,
      expiresAt: now + UPLOAD_LIFETIME,
      urlExpiresAt: signed.expiresAt,
    }),
  );
  return { ...signed, uploadId };
}
