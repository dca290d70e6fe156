import { and, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { complete, continueLater, JobFailure, type Outcome } from "../../platform/jobs/handlers";
import { BrowsersBusy, type DrawnPage } from "../../platform/ports";
import { confirmPendingObjects, registerPendingObjects } from "../../uploads";
import type { VersionKey, VersionRow } from "../document";
import { objectSource } from "../extraction";
import { framesOf } from "../frames";
import { MAX_READ_BYTES, PENDING_OBJECT_LIFETIME_MS, SCAN_PAGES_PER_SLICE } from "../limits";
import { documentNotDeleted, documents, documentVersions } from "../tables";
import { DERIVATIVE_TYPE, derivativeKeys, pageKey, scaledPictures } from "./files";
import { isVersion } from "./publish";

const refusal = (code: string, why: string) => new JobFailure(code, `${why} The file itself is kept unchanged.`);

const DAMAGED = refusal(
  "picture-damaged",
  "The file cannot be read. Open it in the program that made it and save it again.",
);
const REFUSALS = {
  damaged: DAMAGED,
  encrypted: DAMAGED,
  unsupported: refusal(
    "picture-unsupported",
    "The picture is stored in a form that the service does not read. Save it as a JPEG or PDF.",
  ),
};

/** What the statement that publishes pages needs to know of a version. */
export interface Waiting {
  tenantId: string;
  locationId: string;
  version: VersionRow;
}

/**
 * Draws the next pages of a HEIC or TIFF file, and the derivatives with the first of them. The version counts its drawn
 * pages, so a job that runs again continues behind them. @throws JobFailure for a file that cannot be read
 */
export async function drawNextPages(context: Context, of: VersionKey, waiting: Waiting): Promise<Outcome> {
  const { recognizer } = context;
  const { contentType, objectKey, sizeBytes, pagePictures } = waiting.version;
  if (sizeBytes > MAX_READ_BYTES)
    throw refusal(
      "picture-too-large",
      `Previews of HEIC and TIFF files are made up to ${MAX_READ_BYTES / 1024 / 1024} MiB.`,
    );
  const source = objectSource(context.objects, objectKey, sizeBytes);
  const frames = await framesOf(contentType, source);
  if (frames === null) throw DAMAGED;
  if ("status" in frames)
    throw refusal(frames.status === "damaged" ? "picture-damaged" : "picture-too-large", frames.detail);
  if (!recognizer.isOn)
    throw refusal(
      "no-browser",
      "The recognition of text and the previews of such files are switched off on this service.",
    );
  const total = frames.frames.length;
  const next = Array.from(
    { length: Math.min(SCAN_PAGES_PER_SLICE, total - pagePictures) },
    (_, i) => pagePictures + 1 + i,
  );
  try {
    const drawing = await recognizer.draw({ ...source, isPdf: false, frames }, next);
    if (drawing.kind === "refused") throw REFUSALS[drawing.status];
    const last = drawing.pages.at(-1)?.page ?? total;
    const change = await publishPages(context, of, waiting, drawing.pages, last >= total);
    const progress = { done: last, total };
    return last >= total ? complete(change, progress) : continueLater(null, { change, progress });
  } catch (thrown) {
    if (!(thrown instanceof BrowsersBusy)) throw thrown;
    return continueLater(null, { delayMs: thrown.retryAfterMs });
  }
}

/** Writes the pictures of pages, and both derivatives with the first page. */
async function publishPages(
  context: Context,
  of: VersionKey,
  { tenantId, locationId, version }: Waiting,
  pages: readonly DrawnPage[],
  isLast: boolean,
) {
  const files: { key: string; bytes: Uint8Array }[] = [];
  const keys = derivativeKeys(tenantId, of);
  let derived = {};
  for (const { page, drawn } of pages) {
    if (page === 1) {
      if (drawn === null) throw DAMAGED;
      // The pixels of the page go into the file; the decoder takes the memory of what it gets.
      const { small, medium } = await scaledPictures(drawn.jpeg.slice());
      files.push({ key: keys.small, bytes: small }, { key: keys.medium, bytes: medium });
      derived = { smallKey: keys.small, mediumKey: keys.medium, width: drawn.width, height: drawn.height };
    }
    if (drawn !== null) files.push({ key: pageKey(tenantId, of, page), bytes: drawn.jpeg });
  }
  const hold = beginChange(context, tenantId);
  const held = files.map(({ key }) => ({ key, tenantId, chargedBytes: 0 }));
  registerPendingObjects(context, hold, held, PENDING_OBJECT_LIFETIME_MS);
  await hold.commit();
  for (const { key, bytes } of files)
    await context.objects.write(key, bytes, { contentType: DERIVATIVE_TYPE, sizeBytes: bytes.length });
  const isThis = isVersion(of);
  const exists = sql`EXISTS (SELECT 1 FROM ${documents} JOIN ${documentVersions}
    ON ${documentVersions.documentId} = ${documents.id} WHERE ${documentNotDeleted()} AND ${isThis}
      AND ${documentVersions.pagePictures} = ${version.pagePictures})`;
  const change = beginChange(context, tenantId);
  confirmPendingObjects(
    context,
    change,
    files.map(({ key }) => key),
    exists,
  );
  change.add(
    context.workspace
      .update(documentVersions)
      .set({
        ...derived,
        pagePictures: pages.at(-1)?.page ?? version.pagePictures,
        ...(isLast && { derivativeStatus: "ready" as const }),
      })
      .where(and(isThis, exists)),
  );
  const event = { type: "state-updated", subject: "document", subjectId: of.documentId } as const;
  return change.announce({ ...event, locationId, action: "updated", revision: null }, tenantId);
}
