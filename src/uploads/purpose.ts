import type { z } from "@hono/zod-openapi";
import type { Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import type { uploads } from "./tables";

export type UploadRow = typeof uploads.$inferSelect;

/** Verified bytes: their size and checksum are the announced ones. */
interface VerifiedBytes {
  /** Key of the bytes. No client can write it. */
  key: string;
  sizeBytes: number;
  checksumSha256: string;
  /** The first bytes, at most `HEAD_BYTES`. */
  head: Uint8Array;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * The purpose of an upload, by the feature that owns it. job-handlers.ts registers all purposes. Reservation, transfer
 * and verification are the same for all of them.
 */
export interface UploadPurpose<Subject = unknown> {
  readonly name: string;
  readonly subject: z.ZodType<Subject>;
  /** The key of the verified bytes. It belongs only to this upload, even after its target was moved or renamed. */
  finalKey(subject: Subject, upload: UploadRow): string;
  /**
   * Adds to `change`, which completes the upload, the rows that make the bytes visible.
   * @throws UploadRejection if the purpose does not accept the bytes, or their target was deleted.
   */
  publish(
    context: Context,
    change: Change,
    subject: Subject,
    upload: UploadRow,
    bytes: VerifiedBytes,
  ): Promise<void> | void;
  /** Adds to `change` the removal of the rows that a rejected or expired upload left. It can run twice. */
  abandoned?(context: Context, change: Change, subject: Subject, upload: UploadRow): void;
}

/** A verdict about the bytes or their target: the upload ends as rejected. */
export class UploadRejection extends Error {
  constructor(
    readonly code: "size-mismatch" | "checksum-mismatch" | "kind-refused" | "target-gone",
    readonly detail: string,
  ) {
    super(`${code}: ${detail}`);
    this.name = "UploadRejection";
  }
}

/** The purpose of an upload. @throws when no feature has registered it. */
export function purposeOf(purposes: readonly UploadPurpose[], upload: UploadRow): UploadPurpose {
  const purpose = purposes.find(({ name }) => name === upload.purpose);
  if (purpose === undefined) throw new Error(`no handler for uploads of purpose ${upload.purpose}`);
  return purpose;
}
