import type { z } from "@hono/zod-openapi";
import type { Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import type { NewStoredObject } from "./stored-objects";
import type { uploads } from "./tables";

export type UploadRow = typeof uploads.$inferSelect;

/** What verification found out about bytes that are exactly those announced. */
export interface VerifiedBytes {
  /** Key of the bytes, which no client can write. */
  key: string;
  sizeBytes: number;
  checksumSha256: string;
  /** The first bytes, at most `HEAD_BYTES`. */
  head: Uint8Array;
  /** Milliseconds since the epoch. */
  at: number;
}

/** How the verification of an upload ends. */
export interface UploadVerdict {
  /** `expired` where what it was for is gone: then nothing is said about the bytes. */
  status: "completed" | "rejected" | "expired";
  rejection?: { code: string; detail: string };
  /** What was written and is kept from this change on. */
  objects: readonly Omit<NewStoredObject, "tenantId">[];
  /** Adds what makes the bytes visible to the change that ends the upload `at` this time. @throws UploadRejection. */
  conclude(change: Change, at: number): Promise<void> | void;
}

/**
 * What uploads are for. The feature that owns a purpose gives it to the jobs in job-handlers.ts; the
 * flow around it is the same for all.
 */
export interface UploadPurpose<Subject = unknown> {
  readonly name: string;
  readonly subject: z.ZodType<Subject>;
  /** Where the verified bytes go: a key that belongs to this upload alone, whatever happens to its target. */
  finalKey(subject: Subject, upload: UploadRow): string;
  /**
   * Adds what makes the bytes visible to the change that completes the upload.
   * @throws UploadRejection when they are not what the purpose takes, or their target is gone.
   */
  publish(
    context: Context,
    change: Change,
    subject: Subject,
    upload: UploadRow,
    bytes: VerifiedBytes,
  ): Promise<void> | void;
  /** Adds what takes back the traces of an upload that was rejected or expired; it may run twice. */
  abandoned?(context: Context, change: Change, subject: Subject, upload: UploadRow): void;
}

/**
 * A purpose that reads the staged bytes itself, in the place of the usual copy: it judges them, writes
 * what is to be kept, and says what becomes of an upload that no verdict could be found for.
 */
export interface ExaminedPurpose<Subject = unknown> {
  readonly name: string;
  readonly subject: z.ZodType<Subject>;
  /** Null when nothing has arrived. Whatever it throws but UploadRejection is no verdict: it is tried again. */
  examine(context: Context, subject: Subject, upload: UploadRow): Promise<UploadVerdict | null>;
  /** Keys that a verification may have written and that nothing refers to, now that the upload has ended as it says. */
  leftovers(subject: Subject, upload: UploadRow): readonly string[];
  abandoned?(context: Context, change: Change, subject: Subject, upload: UploadRow): void;
  /** Adds what tells people that every try came to no verdict: the upload stays in verification until it is tried again. */
  undecided(context: Context, change: Change, upload: UploadRow, reason: { code: string; detail: string }): void;
  /** How long an upload is remembered once it ended as it says, milliseconds. */
  retentionMs(upload: UploadRow): number;
  /** Adds what goes with the memory of these ended uploads. */
  deleted(context: Context, change: Change, uploads: readonly UploadRow[]): void;
}

export type AnyPurpose = UploadPurpose | ExaminedPurpose;

/** A verdict on the bytes or their target: the upload ends as rejected. */
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
  if (purpose === undefined) throw new Error(`no publisher for uploads of purpose ${upload.purpose}`);
  return purpose;
}
