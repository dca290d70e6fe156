import { breathe } from "../../../platform/pace";
import { MAX_ARCHIVE_ENTRIES, MAX_DIRECTORY_BYTES, MAX_SCATTERED_BLOCKS, MAX_UNPACKED_BYTES } from "../../limits";
import { BLOCK_BYTES, type ByteSource, damaged, MAX_CACHED_BLOCKS, tooLarge } from "../extracted";
import { viewOf } from "./window";

export { viewOf, Window } from "./window";

/** The first bytes of a compound file, as characters. */
export const COMPOUND_MARK = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/** A stream or a storage of a compound file. */
export interface CompoundEntry {
  name: string;
  isStorage: boolean;
  /** The first sector of a stream, and its size, bytes. */
  start: number;
  size: number;
  /** The entries within a storage, by their names in lower case. */
  children: ReadonlyMap<string, CompoundEntry>;
}

/** Finds a stream or a storage within a storage. */
export const findEntry = (storage: CompoundEntry, name: string): CompoundEntry | undefined =>
  storage.children.get(name.toLowerCase());

/** Finds a stream within a storage. */
export function findStream(storage: CompoundEntry, name: string): CompoundEntry | undefined {
  const entry = findEntry(storage, name);
  return entry?.isStorage === false ? entry : undefined;
}

const HEADER_BYTES = 512;
const DIRECTORY_ENTRY_BYTES = 128;
/** Number of FAT sectors that the header names. */
const FAT_SECTORS_IN_HEADER = 109;
/** The largest number of a sector. Greater numbers mean the end of a chain, free and other sectors. */
const MAX_SECTOR = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
/** A smaller stream is in the mini stream, whose sectors have 64 bytes. */
const MINI_STREAM_CUTOFF = 4_096;
const MINI_SECTOR_BYTES = 64;
const [STORAGE, STREAM, ROOT] = [1, 2, 5];

const cutOff = (): Error => damaged("The file ends before its text.");

interface Header {
  sectorBytes: number;
  firstDirectorySector: number;
  firstMiniFatSector: number;
  firstDifatSector: number;
  /** The FAT sectors that the header names. */
  fat: number[];
}

async function readHeader(source: ByteSource): Promise<Header> {
  const bytes = await source.read(0, HEADER_BYTES);
  if (bytes.length < HEADER_BYTES) throw cutOff();
  const look = viewOf(bytes);
  const shift = look.getUint16(30, true);
  if (shift !== 9 && shift !== 12) throw damaged("The file cannot be read.");
  return {
    sectorBytes: 2 ** shift,
    firstDirectorySector: look.getUint32(48, true),
    firstMiniFatSector: look.getUint32(60, true),
    firstDifatSector: look.getUint32(68, true),
    fat: Array.from({ length: FAT_SECTORS_IN_HEADER }, (_, n) => look.getUint32(76 + 4 * n, true)),
  };
}

/**
 * Reads a compound file (MS-CFB 3): files of Office before 2007 and of Outlook. Only the directory, and the tables of the
 * streams that are opened, are in memory. A chain of sectors has no more sectors than its stream has bytes for, and each
 * entry of the directory belongs to one storage, so loops end.
 */
export class CompoundFile {
  /** The entries of the root storage. */
  root: CompoundEntry = { name: "", isStorage: true, start: 0, size: 0, children: new Map() };
  /** The sectors of the FAT, in order, and those that were read. */
  #fatSectors: number[] = [];
  readonly #fat = new Map<number, DataView>();
  #miniFat: ByteSource | undefined;
  #miniStream: ByteSource | undefined;
  #openedBytes = 0;
  #fetchedBlocks = 0;
  readonly #recentBlocks: number[] = [];

  private constructor(
    private readonly source: ByteSource,
    private readonly header: Header,
  ) {}

  /** Opens a compound file. @throws Unreadable damaged or too-large; SourceFailure. */
  static async open(source: ByteSource): Promise<CompoundFile> {
    const file = new CompoundFile(source, await readHeader(source));
    await file.#findFat();
    await file.#readDirectory();
    return file;
  }

  /** Opens the stream of an entry. @throws Unreadable damaged, or too-large if all opened streams together are. */
  async stream(entry: CompoundEntry): Promise<ByteSource> {
    this.#openedBytes += entry.size;
    if (this.#openedBytes > MAX_UNPACKED_BYTES)
      throw tooLarge("The file unpacks to more than 128 MiB, which is the maximum.");
    return entry.size < MINI_STREAM_CUTOFF
      ? this.#openMini(entry)
      : this.#openLarge(entry.start, Math.ceil(entry.size / this.header.sectorBytes), entry.size);
  }

  /** Number of sectors that the file has room for. */
  get #sectorCount(): number {
    return Math.ceil(this.source.sizeBytes / this.header.sectorBytes);
  }

  /** Reads a range, which may end after the end of the file. Ranges far from each other cost a request each. */
  async #read(offset: number, length: number): Promise<Uint8Array> {
    for (let block = Math.floor(offset / BLOCK_BYTES); block * BLOCK_BYTES < offset + length; block++) {
      if (this.#recentBlocks.includes(block)) continue;
      this.#recentBlocks.push(block);
      if (this.#recentBlocks.length > MAX_CACHED_BLOCKS) this.#recentBlocks.shift();
      if (++this.#fetchedBlocks > MAX_SCATTERED_BLOCKS)
        throw tooLarge("The parts of the file are too scattered. Save it under another name and upload that.");
    }
    await breathe(length);
    return this.source.read(offset, length);
  }

  #sector(number: number): Promise<Uint8Array> {
    return this.#read((number + 1) * this.header.sectorBytes, this.header.sectorBytes);
  }

  /** Finds the sectors of the FAT: of the header, then of a chain of further sectors. */
  async #findFat(): Promise<void> {
    const perSector = this.header.sectorBytes / 4;
    const most = Math.ceil(this.#sectorCount / perSector);
    const found = this.header.fat;
    for (let next = this.header.firstDifatSector; found.length < most && next <= MAX_SECTOR; ) {
      const sector = await this.#sector(next);
      if (sector.length < this.header.sectorBytes) break;
      const look = viewOf(sector);
      for (let n = 0; n < perSector - 1; n++) found.push(look.getUint32(4 * n, true));
      next = look.getUint32(4 * (perSector - 1), true);
    }
    this.#fatSectors = found.slice(0, most);
  }

  /** The sector after another one of a chain. */
  async #after(sector: number): Promise<number> {
    const perSector = this.header.sectorBytes / 4;
    const index = Math.floor(sector / perSector);
    let part = this.#fat.get(index);
    if (part === undefined) {
      const at = this.#fatSectors[index];
      if (at === undefined || at > MAX_SECTOR) throw cutOff();
      const bytes = await this.#sector(at);
      if (bytes.length < this.header.sectorBytes) throw cutOff();
      part = viewOf(bytes.slice());
      this.#fat.set(index, part);
    }
    return part.getUint32(4 * (sector % perSector), true);
  }

  /** The sectors of a chain, up to `most`. @throws Unreadable damaged if the chain is a loop. */
  async #chain(start: number, most: number): Promise<Uint32Array> {
    const sectors = new Uint32Array(Math.min(most, this.#sectorCount));
    const seen = new Uint8Array(Math.ceil(this.#sectorCount / 8));
    let [count, sector] = [0, start];
    while (count < sectors.length && sector <= MAX_SECTOR) {
      const [byte, bit] = [sector >>> 3, 1 << (sector & 7)];
      if (byte >= seen.length || ((seen[byte] ?? 0) & bit) !== 0) throw cutOff();
      seen[byte] = (seen[byte] ?? 0) | bit;
      sectors[count++] = sector;
      // The last sector needs no successor.
      if (count < sectors.length) sector = await this.#after(sector);
      if (count % 1_024 === 0) await breathe(4_096);
    }
    return sectors.subarray(0, count);
  }

  async #openLarge(start: number, sectorCount: number, size: number): Promise<ByteSource> {
    const { sectorBytes } = this.header;
    const chain = await this.#chain(start, sectorCount);
    if (chain.length < sectorCount) throw cutOff();
    return pieceSource(
      size,
      sectorBytes,
      (n) => (chain[n] ?? MAX_SECTOR) + 1,
      (offset, length) => this.#read(offset, length),
    );
  }

  async #openMini({ start, size }: CompoundEntry): Promise<ByteSource> {
    const count = Math.ceil(size / MINI_SECTOR_BYTES);
    if (count === 0)
      return pieceSource(
        0,
        MINI_SECTOR_BYTES,
        () => 0,
        async () => new Uint8Array(),
      );
    const { root, header } = this;
    if (this.#miniStream === undefined || this.#miniFat === undefined) {
      const sectors = Math.ceil(root.size / header.sectorBytes);
      this.#miniStream = await this.#openLarge(root.start, sectors, root.size);
      const entries = Math.ceil(root.size / MINI_SECTOR_BYTES);
      const fatChain = await this.#chain(header.firstMiniFatSector, Math.ceil((4 * entries) / header.sectorBytes));
      const fatBytes = fatChain.length * header.sectorBytes;
      this.#miniFat = await this.#openLarge(header.firstMiniFatSector, fatChain.length, fatBytes);
    }
    const [stream, fat] = [this.#miniStream, this.#miniFat];
    const chain: number[] = [];
    for (let sector = start; chain.length < count; ) {
      if (sector > MAX_SECTOR) throw cutOff();
      chain.push(sector);
      const next = await fat.read(4 * sector, 4);
      // The last sector of a stream needs no successor.
      if (chain.length < count) sector = next.length < 4 ? NO_ENTRY : viewOf(next).getUint32(0, true);
    }
    return pieceSource(
      size,
      MINI_SECTOR_BYTES,
      (n) => chain[n] ?? MAX_SECTOR,
      (offset, length) => stream.read(offset, length),
    );
  }

  async #readDirectory(): Promise<void> {
    const { sectorBytes, firstDirectorySector } = this.header;
    const most = Math.floor(MAX_DIRECTORY_BYTES / sectorBytes);
    const chain = await this.#chain(firstDirectorySector, most + 1);
    if (chain.length > most) throw tooLarge(`The file contains more than ${MAX_ARCHIVE_ENTRIES} parts.`);
    const raw: RawEntry[] = [];
    for (const sector of chain) {
      const bytes = await this.#sector(sector);
      for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= bytes.length; at += DIRECTORY_ENTRY_BYTES)
        raw.push(readEntry(bytes.subarray(at, at + DIRECTORY_ENTRY_BYTES), sectorBytes === 512));
    }
    const root = raw[0];
    if (root === undefined || root.type !== ROOT) throw cutOff();
    this.root = plant(raw, root);
  }
}

/** An entry as the directory has it, with the numbers of its neighbours in the tree of its storage. */
interface RawEntry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
}

function readEntry(bytes: Uint8Array, isShort: boolean): RawEntry {
  const look = viewOf(bytes);
  const nameBytes = Math.max(0, Math.min(look.getUint16(64, true), 64) - 2);
  return {
    name: new TextDecoder("utf-16le").decode(bytes.subarray(0, nameBytes)),
    type: bytes[66] ?? 0,
    left: look.getUint32(68, true),
    right: look.getUint32(72, true),
    child: look.getUint32(76, true),
    start: look.getUint32(116, true),
    // In files with sectors of 512 bytes, programs leave the upper half undefined.
    size: isShort ? look.getUint32(120, true) : Number(look.getBigUint64(120, true)),
  };
}

/** Builds the storages from the trees of their entries. An entry that was seen before is skipped, so a loop ends. */
function plant(raw: readonly RawEntry[], root: RawEntry): CompoundEntry {
  const seen = new Set<RawEntry>([root]);
  const planted = (entry: RawEntry, children: Map<string, CompoundEntry>): CompoundEntry => ({
    name: entry.name,
    isStorage: entry.type !== STREAM,
    start: entry.start,
    size: entry.size,
    children,
  });
  const top = new Map<string, CompoundEntry>();
  const storages: [RawEntry, Map<string, CompoundEntry>][] = [[root, top]];
  for (let next = storages.pop(); next !== undefined; next = storages.pop()) {
    const [storage, children] = next;
    const waiting = [storage.child];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const entry = raw[at];
      if (entry === undefined || seen.has(entry) || (entry.type !== STORAGE && entry.type !== STREAM)) continue;
      seen.add(entry);
      waiting.push(entry.left, entry.right);
      const within = new Map<string, CompoundEntry>();
      children.set(entry.name.toLowerCase(), planted(entry, within));
      if (entry.type === STORAGE) storages.push([entry, within]);
    }
  }
  return planted(root, top);
}

/** A stream of pieces of one size that can be anywhere. Neighbours are read together. */
function pieceSource(
  sizeBytes: number,
  pieceBytes: number,
  /** The place of a piece, in pieces. */
  placeOf: (piece: number) => number,
  read: (offset: number, length: number) => Promise<Uint8Array>,
): ByteSource {
  return {
    sizeBytes,
    async read(offset, asked) {
      const length = Math.min(asked, sizeBytes - offset);
      if (length <= 0) return new Uint8Array(0);
      const joined = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const at = offset + done;
        const first = Math.floor(at / pieceBytes);
        let last = first;
        while ((last + 1) * pieceBytes < offset + length && placeOf(last + 1) === placeOf(last) + 1) last++;
        const run = Math.min((last + 1) * pieceBytes, offset + length) - at;
        const bytes = await read(placeOf(first) * pieceBytes + (at - first * pieceBytes), run);
        if (bytes.length < run) throw cutOff();
        joined.set(bytes, done);
        done += run;
      }
      return joined;
    },
  };
}
