import {
  centralHeader,
  centralHeaderSize,
  endRecords,
  isFar,
  localHeader,
  localHeaderSize,
  type ZipMember,
} from "../../platform/zip/records";
import { CHECKSUM_LINE, EVIDENCE_NAME, EVIDENCE_TAIL, evidenceChecksum, evidenceHead } from "./manifest";
import type { cameraExportPages, cameraExports } from "./tables";

export type ExportRow = typeof cameraExports.$inferSelect;
/** What of a page decides where everything lies. */
export type PageSize = Omit<typeof cameraExportPages.$inferSelect, "members">;

/** A stretch of the ZIP: bytes that are known, or what is made of a page of the manifest. */
export type Stretch = { length: number } & (
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "evidence" | "checksums"; page: number }
  /** `offset` of the page's first image in the ZIP. */
  | { kind: "images" | "directory"; page: number; offset: number }
);

/** Every image's name has this length. */
const SOME_IMAGE = { name: "-".repeat(CHECKSUM_LINE - 67) };
/** Bytes of an image's header. */
export const IMAGE_HEADER = localHeaderSize(SOME_IMAGE);

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const known = (bytes: Uint8Array): Stretch => ({ kind: "bytes", bytes, length: bytes.length });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * The ZIP as a list of stretches: the images, evidence.json, SHA256SUMS and the directory. It follows from
 * the manifest alone, so that the same export gives the same bytes every time, from any offset.
 */
export function layoutOf(row: ExportRow, pages: readonly PageSize[]): { stretches: Stretch[]; sizeBytes: number } {
  const images: Stretch[] = [];
  const directory: Stretch[] = [];
  let at = 0;
  for (const { page, imageCount, imageBytes, farCount } of pages) {
    images.push({ kind: "images", page, offset: at, length: imageBytes });
    const near = (imageCount - farCount) * centralHeaderSize(SOME_IMAGE, false);
    const length = near + farCount * centralHeaderSize(SOME_IMAGE, true);
    directory.push({ kind: "directory", page, offset: at, length });
    at += imageBytes;
  }
  const [head, tail] = [known(bytesOf(evidenceHead(row))), known(bytesOf(EVIDENCE_TAIL))];
  const records = pages.map(({ page, evidenceBytes }): Stretch => ({ kind: "evidence", page, length: evidenceBytes }));
  const lines = pages.map(
    ({ page, imageCount }): Stretch => ({ kind: "checksums", page, length: imageCount * CHECKSUM_LINE }),
  );
  // Exports from before the evidence was covered keep the bytes that they have been promised to have.
  if (row.evidenceSha256 !== null) lines.push(known(bytesOf(evidenceChecksum(row.evidenceSha256))));
  const evidence = memberOf(row, EVIDENCE_NAME, [head, ...records, tail], row.evidenceCrc32, at);
  const checksums = memberOf(row, "SHA256SUMS", lines, row.checksumsCrc32, at + evidence.sizeBytes);
  const directoryAt = at + evidence.sizeBytes + checksums.sizeBytes;
  directory.push(evidence.entry, checksums.entry);
  const directoryBytes = sum(directory.map(({ length }) => length));
  const members = sum(pages.map(({ imageCount }) => imageCount)) + 2;
  const end = known(endRecords({ members, offset: directoryAt, sizeBytes: directoryBytes }));
  const stretches = [...images, ...evidence.stretches, ...checksums.stretches, ...directory, end];
  return { stretches, sizeBytes: directoryAt + directoryBytes + end.length };
}

/** A member that is made of lines: its stretches, and its entry in the directory. Its time is that of the last image. */
function memberOf(row: ExportRow, name: string, content: readonly Stretch[], crc32: number, offset: number) {
  const sizeBytes = sum(content.map(({ length }) => length));
  const member: ZipMember = { name, sizeBytes, crc32, modifiedAt: row.lastCapturedAt ?? row.createdAt };
  const header = known(localHeader(member));
  return {
    stretches: [header, ...content],
    entry: known(centralHeader(member, offset)),
    sizeBytes: header.length + sizeBytes,
  };
}

/** How many of a page's images begin too far into the ZIP, and its bytes with their headers. */
export function measureImages(sizes: readonly number[], offset: number): { imageBytes: number; farCount: number } {
  let [at, farCount] = [offset, 0];
  for (const size of sizes) {
    if (isFar(at)) farCount++;
    at += IMAGE_HEADER + size;
  }
  return { imageBytes: at - offset, farCount };
}
