import { and, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import { alone } from "../../platform/pace";
import { requireReadable } from "../../platform/pictures/decode";
import { DRAWN_TYPES } from "../../platform/pictures/drawn";
import { PICTURE_HEADER_BYTES, pictureSize } from "../../platform/pictures/headers";
import { SECOND } from "../../platform/time";
import type { VersionKey } from "../document";
import { MAX_DERIVATION_WAIT_MS, MAX_IMMEDIATE_BYTES, MAX_IMMEDIATE_PIXELS } from "../limits";
import { documentNotDeleted, documents, documentVersions } from "../tables";
import { drawCover, isPdf } from "./cover";
import { drawNextPages } from "./drawn";
import { derivativeKeys, scaledPictures } from "./files";
import { isVersion, publish } from "./publish";

export { wantsDerivatives } from "./cover";
export { DERIVATIVE_TYPE, derivativeKeys, pageKey, pageKeys } from "./files";

const POLL_INTERVAL_MS = SECOND / 10;

/**
 * Makes the small and the medium derivative of a picture. It can run any number of times. If the document was deleted in
 * the meantime, the job ends without an error and the purge deletes the objects that it wrote.
 */
export const deriveImages: JobHandler<"derive-images"> = {
  async run(context, { payload }) {
    const found = await pendingPicture(context, payload);
    if (found === null) return complete();
    const { tenantId, version } = found;
    if (DRAWN_TYPES.includes(version.contentType)) return drawNextPages(context, payload, found);
    if (isPdf(version)) return drawCover(context, payload, found);
    requireReadable(version.contentType, version.sizeBytes);
    const read = () => readObject(context, version.objectKey);
    // Only a file that may be a small picture is in memory before its turn.
    const early = version.sizeBytes <= MAX_IMMEDIATE_BYTES ? await read() : null;
    const make = async () => scaledPictures(early ?? (await read()));
    // A small picture takes some milliseconds, and a request may wait for it.
    const isSmall = early !== null && hasFewPixels(early);
    return complete(await publish(context, payload, tenantId, await (isSmall ? make() : alone(make))));
  },

  failed({ workspace }, { payload }, change, { detail }) {
    change.add(
      workspace
        .update(documentVersions)
        .set({ derivativeStatus: "failed", derivativeDetail: detail })
        .where(and(isVersion(payload), eq(documentVersions.derivativeStatus, "pending"))),
    );
  },
};

/**
 * Makes the derivatives of a picture whose job has not run yet: a report that shows it does not decode it a second time.
 * Does nothing if they are not pending.
 * @returns the key of its medium derivative; null if there is none. @throws JobFailure for a damaged or too large file
 */
export async function deriveNow(context: Context, of: VersionKey): Promise<string | null> {
  const found = await pendingPicture(context, of);
  if (found === null) {
    const [row] = await context.workspace
      .select({ key: documentVersions.mediumKey })
      .from(documentVersions)
      .where(isVersion(of));
    return row?.key ?? null;
  }
  const { tenantId, version } = found;
  requireReadable(version.contentType, version.sizeBytes);
  const made = await scaledPictures(await readObject(context, version.objectKey));
  await (await publish(context, of, tenantId, made)).commit();
  return derivativeKeys(tenantId, of).medium;
}

/**
 * Makes the derivatives of a small picture within the request, by running the queued job. The queue makes the
 * derivatives of larger pictures, and the derivatives that take too long.
 */
export async function deriveImmediately(context: Context, of: VersionKey, jobId: string): Promise<void> {
  const found = await pendingPicture(context, of);
  if (found === null || !(await isSmall(context, found.version.objectKey, found.version.sizeBytes))) return;
  await context.runNow(context.database, jobId);
  const deadline = Date.now() + MAX_DERIVATION_WAIT_MS;
  while (Date.now() < deadline && (await pendingPicture(context, of)) !== null) await scheduler.wait(POLL_INTERVAL_MS);
}

/** A picture whose derivatives are pending, with its tenant. Null if they are not, or its document was deleted. */
async function pendingPicture({ workspace }: Context, of: VersionKey) {
  const [found] = await workspace
    .select({ version: documentVersions, tenantId: documents.tenantId, locationId: documents.locationId })
    .from(documentVersions)
    .innerJoin(documents, and(eq(documents.id, documentVersions.documentId), documentNotDeleted()))
    .where(and(isVersion(of), eq(documentVersions.derivativeStatus, "pending")));
  return found ?? null;
}

/** Whether the derivatives of a picture are made within a request. It reads the head of the file. */
async function isSmall({ objects }: Context, key: string, sizeBytes: number): Promise<boolean> {
  if (sizeBytes > MAX_IMMEDIATE_BYTES) return false;
  const found = await objects.read(key, { offset: 0, length: Math.min(PICTURE_HEADER_BYTES, sizeBytes) });
  if (found === null) return false;
  return hasFewPixels(new Uint8Array(await new Response(found.body).arrayBuffer()));
}

/** Whether a picture can be decoded at once. `head` is the file, or its first `PICTURE_HEADER_BYTES`. */
function hasFewPixels(head: Uint8Array): boolean {
  const size = pictureSize(head.subarray(0, PICTURE_HEADER_BYTES));
  return size !== null && size.width * size.height <= MAX_IMMEDIATE_PIXELS;
}

/** Reads a whole object. The caller has checked its size. */
async function readObject({ objects }: Context, key: string): Promise<Uint8Array> {
  const found = await objects.read(key);
  if (found === null) throw new Error("a version's object is missing");
  return new Uint8Array(await new Response(found.body).arrayBuffer());
}
