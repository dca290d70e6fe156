import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { and, asc, eq, inArray, lte } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { complete, continueLater, type JobHandler, type Outcome } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";
import { isBeyond, visibleInRange } from "../archive";
import type { CameraRow } from "../find";
import { EXPORT_RETENTION, MANIFEST_IMAGES_PER_PAGE, MANIFEST_PAGES_PER_SLICE } from "../limits";
import { cameraCaptures, cameras } from "../tables";
import { findExport, readPage, readPageSizes } from "./exports";
import {
  checksumLine,
  EVIDENCE_TAIL,
  evidenceChecksum,
  evidenceHead,
  evidenceLines,
  type MemberTuple,
  membersOf,
  tupleOf,
} from "./manifest";
import { cameraExportPages, cameraExports } from "./tables";
import { type ExportRow, layoutOf, measureImages, type PageSize, type ReadPage } from "./zip";

/** The place at which the manifest continues: page, byte of the ZIP, and last image. */
const manifestState = z.object({
  page: z.int(),
  bytes: z.int(),
  after: z.object({ capturedAt: z.int(), id: z.string() }).nullable(),
  evidenceCrc32: z.int(),
  checksumsCrc32: z.int(),
});
type ManifestState = z.infer<typeof manifestState>;

export const emptyManifest = (row: Pick<ExportRow, "cameraId" | "locationId">): ManifestState => ({
  ...{ page: 0, bytes: 0, after: null },
  evidenceCrc32: crc32(evidenceHead(row)),
  checksumsCrc32: 0,
});

/** The next page of a manifest, with at least one image, and the state after it. */
export function nextPage(exportId: string, members: MemberTuple[], at: ManifestState) {
  const images = membersOf(members);
  const evidence = evidenceLines(images, at.page);
  const measured = measureImages(
    images.map(({ sizeBytes }) => sizeBytes),
    at.bytes,
  );
  const last = images.at(-1);
  const page: typeof cameraExportPages.$inferInsert = {
    ...{ exportId, page: at.page, imageCount: images.length, members },
    ...measured,
    // The evidence contains only ASCII characters, so its length is its size in bytes.
    evidenceBytes: evidence.length,
  };
  const next: ManifestState = {
    page: at.page + 1,
    bytes: at.bytes + measured.imageBytes,
    after: last === undefined ? at.after : { capturedAt: last.capturedAt, id: last.captureId },
    evidenceCrc32: crc32(evidence, at.evidenceCrc32),
    checksumsCrc32: crc32(images.map(checksumLine).join(""), at.checksumsCrc32),
  };
  return { page, next };
}

/**
 * SHA-256 of evidence.json, in lower-case hex. Unlike a CRC, a digest cannot continue in the next slice of a job. So it
 * is computed from all pages at the end, one at a time: 66 MB for the largest export.
 */
export async function digestEvidence(row: ExportRow, pages: readonly PageSize[], readPage: ReadPage): Promise<string> {
  const hash = createHash("sha256").update(evidenceHead(row));
  for (const { page } of pages) hash.update(evidenceLines(await readPage(page), page));
  return hash.update(EVIDENCE_TAIL).digest("hex");
}

/** The manifest so far, and whether it is complete. */
const preparation = z.object({ manifest: manifestState, isComplete: z.boolean() });

/** SQL that is true while the export is in preparation. The removal of one of its images ends it. */
const isUnfinished = (id: string) =>
  and(eq(cameraExports.id, id), inArray(cameraExports.status, ["queued", "preparing"]));

/** The next images of the set as it was when the export was requested. */
function nextImages({ workspace }: Context, row: ExportRow, camera: CameraRow, after: ManifestState["after"]) {
  const archive = { camera, locationId: row.locationId };
  const range = { from: after?.capturedAt ?? row.fromAt ?? undefined, to: row.toAt ?? undefined };
  return workspace
    .select()
    .from(cameraCaptures)
    .where(
      and(
        visibleInRange(archive, row.createdAt, range),
        lte(cameraCaptures.completedAt, row.createdAt),
        after === null ? undefined : isBeyond("newer", after.capturedAt, after.id),
      ),
    )
    .orderBy(asc(cameraCaptures.capturedAt), asc(cameraCaptures.id))
    .limit(MANIFEST_IMAGES_PER_PAGE);
}

/** Writes some pages of the manifest. */
async function writePages(context: Context, row: ExportRow, camera: CameraRow, from: ManifestState): Promise<Outcome> {
  const change = beginChange(context, row.tenantId);
  let [manifest, isComplete, imageCount, firstCapturedAt] = [from, false, row.imageCount, row.firstCapturedAt];
  for (let pages = 0; pages < MANIFEST_PAGES_PER_SLICE && !isComplete; pages++) {
    const rows = await nextImages(context, row, camera, manifest.after);
    isComplete = rows.length < MANIFEST_IMAGES_PER_PAGE;
    if (rows.length === 0) break;
    const { page, next } = nextPage(row.id, rows.map(tupleOf), manifest);
    change.add(context.workspace.insert(cameraExportPages).values(page));
    firstCapturedAt ??= rows[0]?.capturedAt ?? null;
    imageCount += rows.length;
    manifest = next;
  }
  const lastCapturedAt = manifest.after?.capturedAt ?? null;
  const { evidenceCrc32, checksumsCrc32 } = manifest;
  change.add(
    context.workspace
      .update(cameraExports)
      .set({ status: "preparing", imageCount, firstCapturedAt, lastCapturedAt, evidenceCrc32, checksumsCrc32 })
      .where(isUnfinished(row.id)),
  );
  const progress = { done: imageCount, total: Math.max(row.expectedCount, imageCount) };
  return continueLater({ manifest, isComplete }, { change, progress });
}

/** Completes the manifest. From here on the size and every byte of the ZIP are fixed. */
async function finish(context: Context, row: ExportRow, camera: CameraRow): Promise<Outcome> {
  const pages = await readPageSizes(context, row.id);
  const evidenceSha256 = await digestEvidence(row, pages, (page) => readPage(context, row.id, page));
  const evidenceCrc32 = crc32(EVIDENCE_TAIL, row.evidenceCrc32);
  const checksumsCrc32 = crc32(evidenceChecksum(evidenceSha256), row.checksumsCrc32);
  const decided = { evidenceSha256, evidenceCrc32, checksumsCrc32 };
  const { sizeBytes: totalBytes } = layoutOf({ ...row, ...decided }, pages);
  const firstExpires = (row.firstCapturedAt ?? row.createdAt) + camera.retentionDays * DAY;
  const expiresAt = Math.min(context.now + EXPORT_RETENTION, firstExpires);
  const change = beginChange(context, row.tenantId)
    .add(
      context.workspace
        .update(cameraExports)
        .set({ status: "ready", ...decided, totalBytes, readyAt: context.now, expiresAt })
        .where(isUnfinished(row.id)),
    )
    .announce({ type: "export-ready", exportId: row.id }, row.tenantId);
  return complete(change, { done: row.imageCount, total: row.imageCount });
}

/** Prepares an export, some pages of its manifest per slice. An export that has ended meanwhile is not changed. */
export const prepareExport: JobHandler<"prepare-export"> = {
  async run(context, { payload, state }) {
    const row = await findExport(context, payload.exportId);
    if (row === null || (row.status !== "queued" && row.status !== "preparing")) return complete();
    const [camera] = await context.workspace.select().from(cameras).where(eq(cameras.id, row.cameraId));
    if (camera === undefined) return complete();
    if (state === null) return writePages(context, row, camera, emptyManifest(row));
    const { manifest, isComplete } = preparation.parse(state);
    return isComplete ? finish(context, row, camera) : writePages(context, row, camera, manifest);
  },

  failed({ workspace }, { payload }, change, { code, detail }) {
    change.add(
      workspace
        .update(cameraExports)
        .set({ status: "failed", errorCode: code, errorDetail: detail })
        .where(isUnfinished(payload.exportId)),
    );
  },
};
