import { crc32 } from "node:zlib";
import { z } from "zod";
import { type ExportRow, measureImages } from "./layout";
import { checksumLine, evidenceHead, evidenceLines, type MemberTuple, membersOf } from "./manifest";
import type { cameraExportPages } from "./tables";

/** Where a manifest goes on: after which image, on which page, at which byte of the ZIP. */
export const manifestState = z.object({
  page: z.int(),
  bytes: z.int(),
  after: z.object({ capturedAt: z.int(), id: z.string() }).nullable(),
  evidenceCrc32: z.int(),
  checksumsCrc32: z.int(),
});
export type ManifestState = z.infer<typeof manifestState>;

export const emptyManifest = (row: Pick<ExportRow, "cameraId" | "locationId">): ManifestState => ({
  ...{ page: 0, bytes: 0, after: null },
  evidenceCrc32: crc32(evidenceHead(row)),
  checksumsCrc32: 0,
});

/** The next page of a manifest, of at least one image, and where the manifest goes on after it. */
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
    // Its lines are of ASCII characters alone.
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
