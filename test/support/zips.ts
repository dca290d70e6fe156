import { crc32 } from "node:zlib";
import {
  EVIDENCE_TAIL,
  evidenceChecksum,
  type Member,
  type MemberTuple,
  membersOf,
} from "../../src/cameras/exports/manifest";
import { digestEvidence, emptyManifest, nextPage } from "../../src/cameras/exports/prepare";
import { type ExportRow, layoutOf, type PageSize } from "../../src/cameras/exports/zip";

/** A prepared export of these images, without a database, for tests of the ZIP itself. */
export async function prepared(images: readonly MemberTuple[], imagesAPage: number) {
  const [first, last] = [images[0], images.at(-1)];
  const row: ExportRow = {
    id: "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
    tenantId: "organization",
    organizationId: "organization",
    cameraId: "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a11",
    locationId: "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a12",
    userId: "user",
    fromAt: null,
    toAt: null,
    retainedAfter: 0,
    status: "ready",
    expectedCount: images.length,
    imageCount: images.length,
    totalBytes: null,
    firstCapturedAt: first?.[2] ?? null,
    lastCapturedAt: last?.[2] ?? null,
    evidenceCrc32: 0,
    evidenceSha256: null,
    checksumsCrc32: 0,
    errorCode: null,
    errorDetail: null,
    createdAt: 0,
    readyAt: 0,
    expiresAt: 0,
  };
  const pages: { size: PageSize; members: Member[] }[] = [];
  let manifest = emptyManifest(row);
  for (let at = 0; at < images.length; at += imagesAPage) {
    const made = nextPage(row.id, images.slice(at, at + imagesAPage), manifest);
    const { members, ...size } = made.page;
    pages.push({ size, members: membersOf(members) });
    manifest = made.next;
  }
  row.evidenceCrc32 = crc32(EVIDENCE_TAIL, manifest.evidenceCrc32);
  const sizes = pages.map(({ size }) => size);
  const readPage = async (page: number) => pages[page]?.members ?? [];
  row.evidenceSha256 = await digestEvidence(row, sizes, readPage);
  row.checksumsCrc32 = crc32(evidenceChecksum(row.evidenceSha256), manifest.checksumsCrc32);
  return { row, ...layoutOf(row, sizes), readPage };
}
