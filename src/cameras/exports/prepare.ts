import { crc32 } from "node:zlib";
import { and, asc, eq, inArray, lte } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { again, done, type JobHandler, type Outcome } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";
import { beyond, visibleInRange } from "../archive";
import type { CameraRow } from "../find";
import { cameraCaptures, cameras } from "../tables";
import { digestEvidence } from "./evidence";
import { findExport, readPage, readPageSizes } from "./find";
import { type ExportRow, layoutOf } from "./layout";
import { KEPT_FOR, PAGE_IMAGES, PAGES_A_SLICE } from "./limits";
import { EVIDENCE_TAIL, evidenceChecksum, tupleOf } from "./manifest";
import { emptyManifest, type ManifestState, manifestState, nextPage } from "./page";
import { cameraExportPages, cameraExports } from "./tables";

/** The manifest so far, and whether it is complete. */
const preparation = z.object({ manifest: manifestState, isComplete: z.boolean() });

/** Only while it is still being prepared: an image that was taken away has ended it. */
const isOpen = (id: string) => and(eq(cameraExports.id, id), inArray(cameraExports.status, ["queued", "preparing"]));

/** The next images of the set, as it was when it was asked for. */
function nextImages({ db }: Context, row: ExportRow, camera: CameraRow, after: ManifestState["after"]) {
  const archive = { camera, locationId: row.locationId };
  const range = { from: after?.capturedAt ?? row.fromAt ?? undefined, to: row.toAt ?? undefined };
  return db
    .select()
    .from(cameraCaptures)
    .where(
      and(
        visibleInRange(archive, row.createdAt, range),
        lte(cameraCaptures.completedAt, row.createdAt),
        after === null ? undefined : beyond("newer", after.capturedAt, after.id),
      ),
    )
    .orderBy(asc(cameraCaptures.capturedAt), asc(cameraCaptures.id))
    .limit(PAGE_IMAGES);
}

/** Writes some pages of the manifest. */
async function writePages(context: Context, row: ExportRow, camera: CameraRow, from: ManifestState): Promise<Outcome> {
  const change = beginChange(context);
  let [manifest, isComplete, imageCount, firstCapturedAt] = [from, false, row.imageCount, row.firstCapturedAt];
  for (let pages = 0; pages < PAGES_A_SLICE && !isComplete; pages++) {
    const rows = await nextImages(context, row, camera, manifest.after);
    isComplete = rows.length < PAGE_IMAGES;
    if (rows.length === 0) break;
    const { page, next } = nextPage(row.id, rows.map(tupleOf), manifest);
    change.add(context.db.insert(cameraExportPages).values(page));
    firstCapturedAt ??= rows[0]?.capturedAt ?? null;
    imageCount += rows.length;
    manifest = next;
  }
  const lastCapturedAt = manifest.after?.capturedAt ?? null;
  const { evidenceCrc32, checksumsCrc32 } = manifest;
  change.add(
    context.db
      .update(cameraExports)
      .set({ status: "preparing", imageCount, firstCapturedAt, lastCapturedAt, evidenceCrc32, checksumsCrc32 })
      .where(isOpen(row.id)),
  );
  const progress = { done: imageCount, total: Math.max(row.expectedCount, imageCount) };
  return again({ manifest, isComplete }, { change, progress });
}

/** Adds up the manifest: from here on the ZIP's size and every byte of it are decided. */
async function finish(context: Context, row: ExportRow, camera: CameraRow): Promise<Outcome> {
  const pages = await readPageSizes(context, row.id);
  const evidenceSha256 = await digestEvidence(row, pages, (page) => readPage(context, row.id, page));
  const evidenceCrc32 = crc32(EVIDENCE_TAIL, row.evidenceCrc32);
  const checksumsCrc32 = crc32(evidenceChecksum(evidenceSha256), row.checksumsCrc32);
  const decided = { evidenceSha256, evidenceCrc32, checksumsCrc32 };
  const { sizeBytes: totalBytes } = layoutOf({ ...row, ...decided }, pages);
  const firstExpires = (row.firstCapturedAt ?? row.createdAt) + camera.retentionDays * DAY;
  const expiresAt = Math.min(context.now + KEPT_FOR, firstExpires);
  const change = beginChange(context)
    .add(
      context.db
        .update(cameraExports)
        .set({ status: "ready", ...decided, totalBytes, readyAt: context.now, expiresAt })
        .where(isOpen(row.id)),
    )
    .announce({ type: "export-ready", exportId: row.id }, row.tenantId);
  return done(change, { done: row.imageCount, total: row.imageCount });
}

/** Prepares an export, some pages of its manifest a slice. What has expired meanwhile is left as it is. */
export const prepareExport: JobHandler<"prepare-export"> = {
  async run(context, { payload, state }) {
    const row = await findExport(context, payload.exportId);
    if (row === null || (row.status !== "queued" && row.status !== "preparing")) return done();
    const [camera] = await context.db.select().from(cameras).where(eq(cameras.id, row.cameraId));
    if (camera === undefined) return done();
    if (state === null) return writePages(context, row, camera, emptyManifest(row));
    const { manifest, isComplete } = preparation.parse(state);
    return isComplete ? finish(context, row, camera) : writePages(context, row, camera, manifest);
  },

  failed({ db }, { payload }, change, { code, detail }) {
    change.add(
      db
        .update(cameraExports)
        .set({ status: "failed", errorCode: code, errorDetail: detail })
        .where(isOpen(payload.exportId)),
    );
  },
};
