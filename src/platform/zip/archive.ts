import type { BodyRange } from "../http/bodies";
import {
  centralHeader,
  centralHeaderSize,
  endRecords,
  isFar,
  localHeader,
  localHeaderSize,
  type ZipMember,
} from "./records";
import type { Part } from "./send";

/*
 * A ZIP whose members are in the bucket. A manifest lists them in pages, and determines every byte: so a download can begin
 * anywhere, and the ZIP is never stored.
 */

/** A range of an object. */
interface Piece {
  key: string;
  /** Bytes of the whole object. */
  objectBytes: number;
  offset: number;
  length: number;
}

/** A member, whose content is the pieces one after the other. */
export interface Entry extends ZipMember {
  pieces: readonly Piece[];
}

/** The sizes of a page of the manifest, from which the layout follows; bytes. */
export interface PageSizes {
  members: number;
  /** Headers and contents of the members of the page. */
  contentBytes: number;
  /** Entries of these members in the directory of the ZIP. */
  directoryBytes: number;
}

/** Measures a page whose first member is at `offset` of the ZIP. */
export function measurePage(entries: readonly ZipMember[], offset: number): PageSizes {
  let [at, directoryBytes] = [offset, 0];
  for (const entry of entries) {
    directoryBytes += centralHeaderSize(entry, isFar(at));
    at += localHeaderSize(entry) + entry.sizeBytes;
  }
  return { members: entries.length, contentBytes: at - offset, directoryBytes };
}

const sum = (pages: readonly PageSizes[], field: keyof PageSizes): number =>
  pages.reduce((total, page) => total + page[field], 0);

const endOf = (pages: readonly PageSizes[]): Uint8Array =>
  endRecords({
    members: sum(pages, "members"),
    offset: sum(pages, "contentBytes"),
    sizeBytes: sum(pages, "directoryBytes"),
  });

/** Bytes of the whole ZIP. */
export const zipSize = (pages: readonly PageSizes[]): number =>
  sum(pages, "contentBytes") + sum(pages, "directoryBytes") + endOf(pages).length;

/** The part of `bytes` that a window of the ZIP contains. `at` is where the bytes are in it. */
function* cutBytes(bytes: Uint8Array, at: number, { offset, length }: BodyRange): Generator<Part> {
  const [from, to] = [Math.max(offset - at, 0), Math.min(offset + length - at, bytes.length)];
  if (from < to) yield { kind: "bytes", bytes: bytes.subarray(from, to) };
}

/**
 * The parts of a range of the ZIP, in order. A page is read when the range reaches it.
 * @param readPage reads the members of a page
 */
export async function* partsOf(
  pages: readonly PageSizes[],
  range: BodyRange,
  readPage: (page: number) => Promise<readonly Entry[]>,
): AsyncGenerator<Part> {
  const end = range.offset + range.length;
  const touches = (at: number, length: number) => at < end && at + length > range.offset;
  let at = 0;
  for (const [page, { contentBytes }] of pages.entries()) {
    if (touches(at, contentBytes)) yield* contents(await readPage(page), at, range);
    at += contentBytes;
  }
  let begin = 0;
  for (const [page, { contentBytes, directoryBytes }] of pages.entries()) {
    if (touches(at, directoryBytes))
      yield* cutBytes(directoryOf(await readPage(page), begin, directoryBytes), at, range);
    begin += contentBytes;
    at += directoryBytes;
  }
  yield* cutBytes(endOf(pages), at, range);
}

/** The directory entries of a page, whose first member is at `offset`. */
function directoryOf(entries: readonly Entry[], offset: number, bytes: number): Uint8Array {
  const all = new Uint8Array(bytes);
  let [at, filled] = [offset, 0];
  for (const entry of entries) {
    const record = centralHeader(entry, at);
    all.set(record, filled);
    filled += record.length;
    at += localHeaderSize(entry) + entry.sizeBytes;
  }
  return all;
}

/** Headers and contents of a page, whose first member is at `offset`, inside a range. */
function* contents(entries: readonly Entry[], offset: number, range: BodyRange): Generator<Part> {
  const end = range.offset + range.length;
  let at = offset;
  for (const entry of entries) {
    if (at >= end) return;
    const content = at + localHeaderSize(entry);
    if (content > range.offset) yield* cutBytes(localHeader(entry), at, range);
    at = content;
    for (const { key, objectBytes, offset: start, length } of entry.pieces) {
      const [from, to] = [Math.max(range.offset - at, 0), Math.min(end - at, length)];
      if (from < to)
        yield { kind: "object", key, sizeBytes: objectBytes, range: { offset: start + from, length: to - from } };
      at += length;
    }
  }
}
