import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import { DomainError } from "../platform/errors";
import type { ObjectStore, SignedUpload } from "../platform/objects/store";
import { SECOND } from "../platform/time";
import { UPLOAD_LIFETIME_MS, UPLOAD_URL_LIFETIME_MS } from "./limits";
import { UploadRejection, type UploadRow } from "./purpose";
import { uploads } from "./tables";

/*
 * The bytes of an upload are in one staging object, or in one object for each part. A part that was stored once is never
 * written again, so what the service has acknowledged stays until the upload ends.
 */

type Staged = Pick<UploadRow, "stagingKey" | "sizeBytes" | "partBytes">;

/** Number of parts of an upload; 0 if it is not sent in parts. */
export const partCount = ({ sizeBytes, partBytes }: Omit<Staged, "stagingKey">): number =>
  partBytes === null ? 0 : Math.ceil(sizeBytes / partBytes);

const partKey = ({ stagingKey }: Pick<Staged, "stagingKey">, number: number): string => `${stagingKey}/${number}`;

/** Size of a part, bytes. Parts count from 1. */
const partSize = ({ sizeBytes, partBytes }: Staged, number: number): number => {
  const size = partBytes ?? sizeBytes;
  return Math.min(size, sizeBytes - (number - 1) * size);
};

/** The keys under which a client can have stored bytes of an upload, in the order of the bytes. */
export const stagedKeys = (upload: Staged): string[] =>
  upload.partBytes === null
    ? [upload.stagingKey]
    : Array.from({ length: partCount(upload) }, (_, n) => partKey(upload, n + 1));

/**
 * A page of the keys below which clients can have stored bytes of a workspace: of open uploads, and unless `isOpen` of ended ones
 * that are not cleaned. `next` continues after it; null at the end.
 */
export async function stagedUploads(
  { workspace }: Pick<Context, "workspace">,
  tenantId: string,
  after: string | null,
  limit: number,
  isOpen: boolean,
): Promise<{ keys: string[]; next: string | null }> {
  const isStaged = isNull(isOpen ? uploads.finishedAt : uploads.cleanedAt);
  const rows = await workspace
    .select({ id: uploads.id, key: uploads.stagingKey })
    .from(uploads)
    .where(and(eq(uploads.tenantId, tenantId), isStaged, gt(uploads.id, after ?? "")))
    .orderBy(asc(uploads.id))
    .limit(limit);
  return { keys: rows.map(({ key }) => key), next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}

/** The sizes of the stored parts by their numbers, bytes. Reads one page of the bucket's list for 1,000 parts. */
async function storedParts(objects: ObjectStore, upload: Staged): Promise<Map<number, number>> {
  const prefix = `${upload.stagingKey}/`;
  const found = new Map<number, number>();
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<ObjectStore["list"]>> = await objects.list(prefix, cursor);
    for (const { key, sizeBytes } of page.objects) found.set(Number(key.slice(prefix.length)), sizeBytes);
    cursor = page.next;
  } while (cursor !== null);
  return found;
}

/** The numbers of the parts that have arrived, in order. */
export const receivedParts = async ({ objects }: Pick<Context, "objects">, upload: Staged): Promise<number[]> =>
  [...(await storedParts(objects, upload)).keys()].sort((a, b) => a - b);

/** Whether all bytes of an upload have arrived. */
export async function hasArrived({ objects }: Pick<Context, "objects">, upload: Staged): Promise<boolean> {
  if (upload.partBytes === null) return (await objects.head(upload.stagingKey)) !== null;
  return (await storedParts(objects, upload)).size === partCount(upload);
}

/**
 * Opens the received bytes of an upload as one stream. Null if some have not arrived.
 * @throws UploadRejection if their number differs from the announced one
 */
export async function openStaged(objects: ObjectStore, upload: Staged): Promise<ReadableStream<Uint8Array> | null> {
  if (upload.partBytes === null) {
    const staged = await objects.head(upload.stagingKey);
    if (staged === null) return null;
    requireSize(upload.sizeBytes, staged.sizeBytes);
    return (await objects.read(upload.stagingKey))?.body ?? null;
  }
  const stored = await storedParts(objects, upload);
  if (stored.size !== partCount(upload)) return null;
  for (const [number, size] of stored) requireSize(partSize(upload, number), size);
  return inOrder(objects, stagedKeys(upload));
}

function requireSize(announced: number, sent: number): void {
  if (sent !== announced)
    throw new UploadRejection(
      "size-mismatch",
      `You announced ${announced} bytes and sent ${sent}. Start the upload again with the right size.`,
    );
}

/** The bytes of objects, one object after the other. It holds one chunk in memory at a time. */
function inOrder(objects: ObjectStore, keys: readonly string[]): ReadableStream<Uint8Array> {
  const left = [...keys];
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        if (reader === null) {
          const key = left.shift();
          if (key === undefined) return controller.close();
          const part = await objects.read(key);
          if (part === null) throw new Error("a part of an upload is missing");
          reader = part.body.getReader();
        }
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        reader = null;
      }
    },
    cancel: (reason) => reader?.cancel(reason),
  });
}

/** A part that a client will send. */
interface AnnouncedPart {
  /** Counts from 1. */
  number: number;
  /** 64 lower-case hex characters. */
  checksumSha256: string;
}

/** The type of the object of a part. */
const PART_TYPE = "application/octet-stream";

/**
 * Signs an address for the PUT of each part. The reservation of the upload starts again.
 * @throws DomainError validation-failed for a number that the upload does not have, conflict if it is not sent in parts,
 * upload-ended if it does not wait for bytes.
 */
export async function signParts(
  context: Context,
  upload: UploadRow,
  parts: readonly AnnouncedPart[],
): Promise<(SignedUpload & { number: number })[]> {
  const { workspace, now, objects } = context;
  if (upload.partBytes === null) throw new DomainError("conflict", "This upload is not sent in parts.");
  const count = partCount(upload);
  if (parts.some(({ number }) => number > count))
    throw new DomainError("validation-failed", `The upload has ${count} parts.`, {
      errors: [{ path: "parts", message: `must have numbers from 1 to ${count}` }],
    });
  const signed = await Promise.all(
    parts.map(async ({ number, checksumSha256 }) => ({
      number,
      ...(await objects.signUpload(
        partKey(upload, number),
        { contentType: PART_TYPE, sizeBytes: partSize(upload, number), checksumSha256 },
        UPLOAD_URL_LIFETIME_MS / SECOND,
      )),
    })),
  );
  const last = Math.max(...signed.map(({ expiresAt }) => expiresAt));
  // New addresses do no harm, so a repeat gets them under the same Idempotency-Key.
  await beginChange({ ...context, idempotency: null }, upload.tenantId)
    .add(
      workspace
        .update(uploads)
        .set({ expiresAt: now + UPLOAD_LIFETIME_MS, urlExpiresAt: sql`max(${uploads.urlExpiresAt}, ${last})` })
        .where(and(eq(uploads.id, upload.id), eq(uploads.status, "pending"), gt(uploads.expiresAt, now))),
    )
    .guardChanged(new DomainError("upload-ended", "The upload has ended. Start it again."))
    .commit();
  return signed;
}
