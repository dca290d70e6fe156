import { Inflate } from "fflate";
import {
  INFLATE_CHUNK_BYTES,
  MAX_ARCHIVE_ENTRIES,
  MAX_DIRECTORY_BYTES,
  MAX_UNPACKED_BYTES,
  MAX_UNPACKED_RATIO,
  MIN_RATIO_BYTES,
} from "../../limits";
import { type ByteSource, chunks, damaged, SourceFailure, tooLarge, Unreadable } from "../extracted";

/** One file of an archive, from the central directory. */
interface ZipEntry {
  name: string;
  /** 0: stored, 8: deflated. Other methods are refused. */
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
/** Size of the end record with the longest possible comment, bytes. */
const END_SEARCH_BYTES = 22 + 65_535;

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const broken = (cause?: unknown) => damaged("The file is not a complete archive.", cause);

/**
 * Reads only the central directory of an archive (APPNOTE 4.3.12, with ZIP64). Names are converted to lower case, because
 * the names of office parts are not case-sensitive.
 */
async function readDirectory(source: ByteSource): Promise<Map<string, ZipEntry>> {
  const { offset, length, count } = await findDirectory(source);
  if (count > MAX_ARCHIVE_ENTRIES || length > MAX_DIRECTORY_BYTES)
    throw tooLarge(`The file contains more than ${MAX_ARCHIVE_ENTRIES} parts.`);
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
  const start = Math.max(0, source.sizeBytes - END_SEARCH_BYTES);
  const tail = await source.read(start, END_SEARCH_BYTES);
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

/** Replaces the fields that do not fit 32 bits with the fields of the ZIP64 extra record. */
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

const LOCAL_HEADER_BYTES = 30;

/** An archive whose entries are streamed one at a time, by ranges of the object. */
export class Archive {
  #unpacked = 0;

  private constructor(
    private readonly source: ByteSource,
    private readonly entries: ReadonlyMap<string, ZipEntry>,
  ) {}

  static async open(source: ByteSource): Promise<Archive> {
    return new Archive(source, await readDirectory(source));
  }

  has(name: string): boolean {
    return this.entries.has(name.toLowerCase());
  }

  names(): string[] {
    return [...this.entries.keys()];
  }

  /**
   * Reads the bytes of an entry in chunks. A missing entry has no chunks.
   * @throws Unreadable encrypted, unsupported, damaged, or too-large above `MAX_UNPACKED_BYTES`; SourceFailure.
   */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.entries.get(name.toLowerCase());
    if (entry === undefined) return;
    if (entry.encrypted) throw new Unreadable("encrypted", "The file is protected with a password.");
    if (entry.method !== 0 && entry.method !== 8)
      throw new Unreadable("unsupported", "The file uses an unsupported compression method.");
    try {
      for await (const piece of this.#stored(entry, entry.method === 8)) {
        this.#unpacked += piece.length;
        if (this.#unpacked > MAX_UNPACKED_BYTES)
          throw tooLarge("The file unpacks to more than 128 MiB, which is the maximum.");
        if (this.#unpacked > Math.max(MIN_RATIO_BYTES, MAX_UNPACKED_RATIO * this.source.sizeBytes))
          throw tooLarge("The file unpacks to more than 200 times its size, which is the maximum.");
        yield piece;
      }
    } catch (thrown) {
      if (thrown instanceof Unreadable || thrown instanceof SourceFailure) throw thrown;
      throw damaged("A part of the file cannot be unpacked.", thrown);
    }
  }

  /** Reads a small entry as text. @throws Unreadable too-large above `limit` bytes. */
  async text(name: string, limit: number): Promise<string> {
    const decoder = new TextDecoder();
    let [text, bytes] = ["", 0];
    for await (const piece of this.read(name)) {
      bytes += piece.length;
      if (bytes > limit) throw tooLarge("A part that describes the file is too large.");
      text += decoder.decode(piece, { stream: true });
    }
    return text + decoder.decode();
  }

  async *#stored(entry: ZipEntry, inflate: boolean): AsyncGenerator<Uint8Array> {
    const header = await this.source.read(entry.headerOffset, LOCAL_HEADER_BYTES);
    if (header.length < LOCAL_HEADER_BYTES || header[0] !== 0x50 || header[1] !== 0x4b)
      throw new Error("no local header");
    const look = new DataView(header.buffer, header.byteOffset, LOCAL_HEADER_BYTES);
    const start = entry.headerOffset + LOCAL_HEADER_BYTES + look.getUint16(26, true) + look.getUint16(28, true);
    if (start + entry.compressedSize > this.source.sizeBytes) throw new Error("the entry is cut off");
    const stored = chunks(this.source, start, entry.compressedSize);
    yield* inflate ? inflated(stored, entry.compressedSize) : stored;
  }
}

async function* inflated(compressed: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const inflater = new Inflate((bytes) => {
    if (bytes.length > 0) ready.push(bytes);
  });
  let given = 0;
  for await (const piece of compressed)
    for (let at = 0; at < piece.length; at += INFLATE_CHUNK_BYTES) {
      const part = piece.subarray(at, at + INFLATE_CHUNK_BYTES);
      given += part.length;
      inflater.push(part, given === length);
      yield* ready.splice(0);
    }
}
