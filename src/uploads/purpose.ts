import type { z } from "@hono/zod-openapi";
import type { Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import type { NewStoredObject } from "./stored-objects";
import type { uploads } from "./tables";

export type UploadRow = typeof uploads.$inferSelect;

/** Verified bytes: their size and checksum are the announced ones. */
export interface VerifiedBytes {
  /** Key of the bytes. No client can write it. */
  key: string;
  sizeBytes: number;
  checksumSha256: string;
  /** The first bytes, at most `HEAD_BYTES`. */
  head: Uint8Array;
  /** Milliseconds since the epoch. */
  at: number;
}

/** The result of the verification of an upload. */
export interface UploadVerdict {
  /** `expired` if the target of the upload was deleted. It says nothing about the bytes. */
  status: "completed" | "rejected" | "expired";
  rejection?: { code: string; detail: string };
  /** The written objects, which this change registers. */
  objects: readonly Omit<NewStoredObject, "tenantId">[];
  /** Adds to `change` the rows that make the bytes visible. `at` is in milliseconds. @throws UploadRejection. */
  conclude(change: Change, at: number): Promise<void> | void;
}

/**
 * The purpose of an upload, by the feature that owns it. job-handlers.ts registers all purposes. Reservation, transfer
 * and verification are the same for all of them.
 */
export interface UploadPurpose<Subject = unknown> {
  readonly name: string;
  readonly subject: z.ZodType<Subject>;
  /** The key of the verified bytes. It belongs only to this upload, also after its target was moved or renamed. */
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

/**
 * A purpose that examines the staged bytes itself, instead of the usual copy. It decides about them, writes the objects
 * to keep, and handles an upload for which every attempt failed without a verdict.
 */
export interface ExaminedPurpose<Subject = unknown> {
  readonly name: string;
  readonly subject: z.ZodType<Subject>;
  /**
   * @returns null if no bytes have arrived.
   * @throws UploadRejection if the bytes are refused. After any other error the job is retried.
   */
  examine(context: Context, subject: Subject, upload: UploadRow): Promise<UploadVerdict | null>;
  /** Keys that a verification may have written and that no row refers to, for an ended upload. */
  leftovers(subject: Subject, upload: UploadRow): readonly string[];
  abandoned?(context: Context, change: Change, subject: Subject, upload: UploadRow): void;
  /**
   * Adds to `change` a notice that every attempt failed. The upload stays in verification until a person retries it.
   */
  undecided(context: Context, change: Change, upload: UploadRow, reason: { code: string; detail: string }): void;
  /** Retention of the row of an ended upload, milliseconds. */
  retentionMs(upload: UploadRow): number;
  /** Adds to `change` the deletion of this purpose's rows about these uploads, whose own rows it deletes. */
  deleted(context: Context, change: Change, uploads: readonly UploadRow[]): void;
}

export type AnyPurpose = UploadPurpose | ExaminedPurpose;

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
export function purposeOf<P extends AnyPurpose>(purposes: readonly P[], upload: UploadRow): P {
  const purpose = purposes.find(({ name }) => name === upload.purpose);
  if (purpose === undefined) throw new Error(`no handler for uploads of purpose ${upload.purpose}`);
  return purpose;
}
