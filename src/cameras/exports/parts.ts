import type { BodyRange } from "../../platform/http/range";
import { centralHeader, localHeader } from "../../platform/zip/records";
import { type ExportRow, IMAGE_HEADER, type Stretch } from "./layout";
import { checksumLine, evidenceLines, keyOf, type Member, zipMemberOf } from "./manifest";

/** What is sent next: bytes, or a part of an object that must have the size it had. */
export type Part =
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "object"; key: string; sizeBytes: number; range: BodyRange };

/** Reads a page of the manifest. */
export type ReadPage = (page: number) => Promise<Member[]>;

/**
 * The parts of the ZIP that a range is made of, in order. Pages are read when they are reached, one at a time;
 * what lies before the range is passed over without reading it.
 */
export async function* partsOf(
  row: ExportRow,
  stretches: readonly Stretch[],
  range: BodyRange,
  readPage: ReadPage,
): AsyncGenerator<Part> {
  const end = range.offset + range.length;
  let at = 0;
  for (const stretch of stretches) {
    const [from, to] = [Math.max(range.offset - at, 0), Math.min(end - at, stretch.length)];
    if (from < to) {
      if (stretch.kind === "bytes") yield bytes(stretch.bytes, from, to);
      else yield* ofPage(row, stretch, await readPage(stretch.page), from, to);
    }
    at += stretch.length;
    if (at >= end) return;
  }
}

const bytes = (all: Uint8Array, from: number, to: number): Part => ({ kind: "bytes", bytes: all.subarray(from, to) });

function* ofPage(
  row: ExportRow,
  stretch: Exclude<Stretch, { kind: "bytes" }>,
  members: readonly Member[],
  from: number,
  to: number,
): Generator<Part> {
  switch (stretch.kind) {
    case "images":
      return yield* ofImages(row, members, from, to);
    case "evidence":
      return yield bytes(encoded(evidenceLines(members, stretch.page)), from, to);
    case "checksums":
      return yield bytes(encoded(members.map(checksumLine).join("")), from, to);
    case "directory":
      return yield bytes(directory(members, stretch.offset), from, to);
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
      yield { kind: "object", key: keyOf(row, member), sizeBytes, range: { offset: first, length: last - first } };
    at = next;
    if (at >= to) return;
  }
}
