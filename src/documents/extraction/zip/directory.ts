import { damaged, tooLarge, Unreadable } from "../ending";
import { LARGEST_DIRECTORY, MOST_ENTRIES } from "../limits";
import type { ByteSource } from "../source";

/** One file of an archive, as the central directory tells. */
export interface ZipEntry {
  name: string;
  /** 0 stored, 8 deflated; others are not read. */
  method: number;
  encrypted: boolean;
  compressedSize: number;
  size: number;
  headerOffset: number;
}

const END = 0x06054b50;
const END64_LOCATOR = 0x07064b50;
const END64 = 0x06064b50;
const CENTRAL = 0x02014b50;
/** The end record and the longest comment that may follow it, bytes. */
const END_SEARCH = 22 + 65_535;

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const broken = (cause?: unknown) => damaged("The file is not a complete archive.", cause);

/**
 * Reads an archive's central directory (APPNOTE 4.3.12, with ZIP64), and nothing else of it.
 * Names are lower-case: parts of office documents are found without regard to case.
 */
export async function readDirectory(source: ByteSource): Promise<Map<string, ZipEntry>> {
  const { offset, length, count } = await findDirectory(source);
  if (count > MOST_ENTRIES || length > LARGEST_DIRECTORY)
    throw tooLarge(`The file holds more than ${MOST_ENTRIES} parts.`);
  const bytes = await source.read(offset, length);
  if (bytes.length < length) throw broken();
  const entries = new Map<string, ZipEntry>();
  try {
    for (let at = 0, n = 0; n < count; n++) {
      const entry = readEntry(bytes, at);
      if (!entries.has(entry.found.name)) entries.set(entry.found.name, entry.found);
      at = entry.next;
    }
  } catch (cause) {
    throw cause instanceof Unreadable ? cause : broken(cause);
  }
  return entries;
}

async function findDirectory(source: ByteSource): Promise<{ offset: number; length: number; count: number }> {
  const start = Math.max(0, source.sizeBytes - END_SEARCH);
  const tail = await source.read(start, END_SEARCH);
  const look = view(tail);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (look.getUint32(at, true) !== END) continue;
    const plain = {
      count: look.getUint16(at + 10, true),
      length: look.getUint32(at + 12, true),
      offset: look.getUint32(at + 16, true),
    };
    const large = plain.count === 0xffff || plain.length === 0xffffffff || plain.offset === 0xffffffff;
    if (!large || at < 20 || look.getUint32(at - 20, true) !== END64_LOCATOR) return plain;
    const end = view(await source.read(Number(look.getBigUint64(at - 12, true)), 56));
    if (end.byteLength < 56 || end.getUint32(0, true) !== END64) throw broken();
    const number = (field: number) => Number(end.getBigUint64(field, true));
    return { count: number(32), length: number(40), offset: number(48) };
  }
  throw broken();
}

function readEntry(bytes: Uint8Array, at: number): { found: ZipEntry; next: number } {
  const look = view(bytes);
  if (look.getUint32(at, true) !== CENTRAL) throw broken();
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => look.getUint16(at + field, true)) as [
    number,
    number,
    number,
  ];
  const nameEnd = at + 46 + nameLength;
  const found: ZipEntry = {
    name: new TextDecoder().decode(bytes.subarray(at + 46, nameEnd)).toLowerCase(),
    encrypted: (look.getUint16(at + 8, true) & 1) === 1,
    method: look.getUint16(at + 10, true),
    compressedSize: look.getUint32(at + 20, true),
    size: look.getUint32(at + 24, true),
    headerOffset: look.getUint32(at + 42, true),
  };
  widen(found, view(bytes.subarray(nameEnd, nameEnd + extraLength)));
  return { found, next: nameEnd + extraLength + commentLength };
}

/** Takes the 64-bit fields of the ZIP64 extra record for those that did not fit 32 bits. */
function widen(entry: ZipEntry, extra: DataView): void {
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) !== 1) continue;
    let field = at + 4;
    for (const name of ["size", "compressedSize", "headerOffset"] as const) {
      if (entry[name] !== 0xffffffff) continue;
      entry[name] = Number(extra.getBigUint64(field, true));
      field += 8;
    }
    return;
  }
}
