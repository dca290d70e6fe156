import type { BodyRange } from "../../platform/http/bodies";
import {
  centralHeader,
  centralHeaderSize,
  endRecords,
  isFar,
  localHeader,
  localHeaderSize,
  type ZipMember,
} from "../../platform/zip/records";
import type { Part } from "../../platform/zip/send";
import {
  CHECKSUM_LINE,
  checksumLine,
  EVIDENCE_NAME,
  EVIDENCE_TAIL,
  evidenceChecksum,
  evidenceHead,
  evidenceLines,
  type Member,
  objectKeyOf,
  zipMemberOf,
} from "./manifest";
import type { cameraExportPages, cameraExports } from "./tables";

export type ExportRow = typeof cameraExports.$inferSelect;
/** The sizes of a page, from which the layout follows. */
export type PageSize = Omit<typeof cameraExportPages.$inferSelect, "members">;

/** A segment of the ZIP: literal bytes, or bytes that are generated from a page of the manifest. */
type Segment = { length: number } & (
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "evidence" | "checksums"; page: number }
  /** `offset` of the page's first image in the ZIP. */
  | { kind: "images" | "directory"; page: number; offset: number }
);

/** Every image's name has this length. */
const SAMPLE_MEMBER = { name: "-".repeat(CHECKSUM_LINE - 67) };
/** Bytes of an image's header. */
const IMAGE_HEADER = localHeaderSize(SAMPLE_MEMBER);

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const literal = (bytes: Uint8Array): Segment => ({ kind: "bytes", bytes, length: bytes.length });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * The ZIP as a list of segments: the images, evidence.json, SHA256SUMS and the directory. It depends on
 * the manifest only, so the same export gives the same bytes every time, from any offset.
 */
export function layoutOf(row: ExportRow, pages: readonly PageSize[]): { segments: Segment[]; sizeBytes: number } {
  const images: Segment[] = [];
  const directory: Segment[] = [];
  let at = 0;
  for (const { page, imageCount, imageBytes, farCount } of pages) {
    images.push({ kind: "images", page, offset: at, length: imageBytes });
    const near = (imageCount - farCount) * centralHeaderSize(SAMPLE_MEMBER, false);
    const length = near + farCount * centralHeaderSize(SAMPLE_MEMBER, true);
    directory.push({ kind: "directory", page, offset: at, length });
    at += imageBytes;
  }
  const [head, tail] = [literal(bytesOf(evidenceHead(row))), literal(bytesOf(EVIDENCE_TAIL))];
  const records = pages.map(({ page, evidenceBytes }): Segment => ({ kind: "evidence", page, length: evidenceBytes }));
  const lines = pages.map(
    ({ page, imageCount }): Segment => ({ kind: "checksums", page, length: imageCount * CHECKSUM_LINE }),
  );
  // Exports from before SHA256SUMS covered the evidence keep their bytes.
  if (row.evidenceSha256 !== null) lines.push(literal(bytesOf(evidenceChecksum(row.evidenceSha256))));
  const evidence = memberOf(row, EVIDENCE_NAME, [head, ...records, tail], row.evidenceCrc32, at);
  const checksums = memberOf(row, "SHA256SUMS", lines, row.checksumsCrc32, at + evidence.sizeBytes);
  const directoryAt = at + evidence.sizeBytes + checksums.sizeBytes;
  directory.push(evidence.entry, checksums.entry);
  const directoryBytes = sum(directory.map(({ length }) => length));
  const members = sum(pages.map(({ imageCount }) => imageCount)) + 2;
  const end = literal(endRecords({ members, offset: directoryAt, sizeBytes: directoryBytes }));
  const segments = [...images, ...evidence.segments, ...checksums.segments, ...directory, end];
  return { segments, sizeBytes: directoryAt + directoryBytes + end.length };
}

/** A text member: its segments, and its entry in the directory. Its time is the time of the last image. */
function memberOf(row: ExportRow, name: string, content: readonly Segment[], crc32: number, offset: number) {
  const sizeBytes = sum(content.map(({ length }) => length));
  const member: ZipMember = { name, sizeBytes, crc32, modifiedAt: row.lastCapturedAt ?? row.createdAt };
  const header = literal(localHeader(member));
  return {
    segments: [header, ...content],
    entry: literal(centralHeader(member, offset)),
    sizeBytes: header.length + sizeBytes,
  };
}

/** The bytes of a page's images with their headers, and the number of images whose offset needs ZIP64. */
export function measureImages(sizes: readonly number[], offset: number): { imageBytes: number; farCount: number } {
  let [at, farCount] = [offset, 0];
  for (const size of sizes) {
    if (isFar(at)) farCount++;
    at += IMAGE_HEADER + size;
  }
  return { imageBytes: at - offset, farCount };
}

/** Reads a page of the manifest. */
export type ReadPage = (page: number) => Promise<Member[]>;

/**
 * The parts of a range of the ZIP, in order. Pages are read one at a time, when they are reached. Pages before the
 * range are not read.
 */
export async function* partsOf(
  row: ExportRow,
  segments: readonly Segment[],
  range: BodyRange,
  readPage: ReadPage,
): AsyncGenerator<Part> {
  const end = range.offset + range.length;
  let at = 0;
  for (const segment of segments) {
    const [from, to] = [Math.max(range.offset - at, 0), Math.min(end - at, segment.length)];
    if (from < to) {
      if (segment.kind === "bytes") yield bytes(segment.bytes, from, to);
      else yield* ofPage(row, segment, await readPage(segment.page), from, to);
    }
    at += segment.length;
    if (at >= end) return;
  }
}

const bytes = (all: Uint8Array, from: number, to: number): Part => ({ kind: "bytes", bytes: all.subarray(from, to) });

function* ofPage(
  row: ExportRow,
  segment: Exclude<Segment, { kind: "bytes" }>,
  members: readonly Member[],
  from: number,
  to: number,
): Generator<Part> {
  switch (segment.kind) {
    case "images":
      return yield* ofImages(row, members, from, to);
    case "evidence":
      return yield bytes(encoded(evidenceLines(members, segment.page)), from, to);
    case "checksums":
      return yield bytes(encoded(members.map(checksumLine).join("")), from, to);
    case "directory":
      return yield bytes(directory(members, segment.offset), from, to);
  }
}

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

function directory(members: readonly Member[], offset: number): Uint8Array {
  let at = offset;
  const entries = members.map((member) => {
    const entry = centralHeader(zipMemberOf(member), at);
    at += IMAGE_HEADER + member.sizeBytes;
    return entry;
  });
  const all = new Uint8Array(entries.reduce((total, entry) => total + entry.length, 0));
  let filled = 0;
  for (const entry of entries) {
    all.set(entry, filled);
    filled += entry.length;
  }
  return all;
}

function* ofImages(row: ExportRow, members: readonly Member[], from: number, to: number): Generator<Part> {
  let at = 0;
  for (const member of members) {
    const { sizeBytes } = member;
    const content = at + IMAGE_HEADER;
    const next = content + sizeBytes;
    if (at < to && from < content)
      yield bytes(localHeader(zipMemberOf(member)), Math.max(from - at, 0), Math.min(to - at, IMAGE_HEADER));
    const [first, last] = [Math.max(from - content, 0), Math.min(to - content, sizeBytes)];
    if (first < last)
      yield {
        kind: "object",
        key: objectKeyOf(row, member),
        sizeBytes,
        range: { offset: first, length: last - first },
      };
    at = next;
    if (at >= to) return;
  }
}
