/*
 * Records of a ZIP file whose members are stored without compression (APPNOTE 6.3.10, method 0). Sizes and CRCs are
 * known in advance, so a list of the members determines every byte outside of them.
 */

/** A member of a ZIP file. */
export interface ZipMember {
  /** With `/` between folders. Its UTF-8 form has at most 65,535 bytes. */
  name: string;
  /** Under 4 GiB. */
  sizeBytes: number;
  crc32: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

const LOCAL_FIXED = 30;
const CENTRAL_FIXED = 46;
/** Extended timestamp field: the modification time in UTC seconds, for programs that read more than local DOS times. */
const TIME_EXTRA = 9;
/** ZIP64 field that contains only an offset. */
const OFFSET_EXTRA = 12;
/** A number from here on is written as this value in its field, and in full in the ZIP64 record. */
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
const STORED_VERSION = 20;
const ZIP64_VERSION = 45;
/** Made on Unix: a regular file that its owner can write. */
const MADE_BY = (3 << 8) | ZIP64_VERSION;
const PLAIN_FILE = 0o100644 * 0x1_0000;

const encoder = new TextEncoder();

const NOT_ASCII = /[^\p{ASCII}]/u;
/** Says that the name is in UTF-8, for programs that otherwise read it in their own charset. */
const UTF8_NAME = 1 << 11;
const flagsOf = (name: string): number => (NOT_ASCII.test(name) ? UTF8_NAME : 0);

/** Bytes of a name. */
const sizeOf = (name: string): number => (NOT_ASCII.test(name) ? encoder.encode(name).length : name.length);

/** Writes consecutive little-endian fields. */
class Fields {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Reserves the next field of so many bytes and returns its offset. */
  #next(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    return at;
  }

  u16(...values: number[]): this {
    for (const value of values) this.#view.setUint16(this.#next(2), value, true);
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) this.#view.setUint32(this.#next(4), value, true);
    return this;
  }

  u64(...values: number[]): this {
    for (const value of values) this.#view.setBigUint64(this.#next(8), BigInt(value), true);
    return this;
  }

  text(text: string): this {
    this.#at += encoder.encodeInto(text, this.bytes.subarray(this.#at)).written;
    return this;
  }
}

const EARLIEST_DOS = Date.UTC(1980, 0, 1);

/** DOS time and date of a moment in UTC, with a resolution of two seconds. */
function dosTime(ms: number): [time: number, date: number] {
  const at = new Date(Math.max(ms, EARLIEST_DOS));
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return [time, date];
}

/** Writes the extended timestamp. Its flag says that it contains only the modification time. */
const extendedTime = (fields: Fields, ms: number): Fields =>
  fields
    .u16(0x5455, 5)
    .text("\x01")
    .u32(Math.floor(ms / 1_000) >>> 0);

/** Size of the header before a member's content, bytes. */
export const localHeaderSize = ({ name }: Pick<ZipMember, "name">): number => LOCAL_FIXED + sizeOf(name) + TIME_EXTRA;

/** The header before a member's content. @throws RangeError for a member of 4 GiB or more. */
export function localHeader(member: ZipMember): Uint8Array<ArrayBuffer> {
  const { name, sizeBytes, crc32, modifiedAt } = member;
  if (sizeBytes >= MAX_32) throw new RangeError(`a member of ${sizeBytes} bytes`);
  const fields = new Fields(localHeaderSize(member))
    .u32(0x04034b50)
    .u16(STORED_VERSION, flagsOf(name), 0, ...dosTime(modifiedAt))
    .u32(crc32, sizeBytes, sizeBytes)
    .u16(sizeOf(name), TIME_EXTRA)
    .text(name);
  return extendedTime(fields, modifiedAt).bytes;
}

/** Whether a member at this offset needs ZIP64 in the directory. */
export const isFar = (offset: number): boolean => offset >= MAX_32;

/** Size of a member's directory entry, bytes. */
export const centralHeaderSize = ({ name }: Pick<ZipMember, "name">, far: boolean): number =>
  CENTRAL_FIXED + sizeOf(name) + TIME_EXTRA + (far ? OFFSET_EXTRA : 0);

/** The directory entry of a member whose header is at `offset`. */
export function centralHeader(member: ZipMember, offset: number): Uint8Array<ArrayBuffer> {
  const { name, sizeBytes, crc32, modifiedAt } = member;
  const far = isFar(offset);
  const fields = new Fields(centralHeaderSize(member, far))
    .u32(0x02014b50)
    .u16(MADE_BY, far ? ZIP64_VERSION : STORED_VERSION, flagsOf(name), 0, ...dosTime(modifiedAt))
    .u32(crc32, sizeBytes, sizeBytes)
    .u16(sizeOf(name), TIME_EXTRA + (far ? OFFSET_EXTRA : 0), 0, 0, 0)
    .u32(PLAIN_FILE, far ? MAX_32 : offset)
    .text(name);
  extendedTime(fields, modifiedAt);
  if (far) fields.u16(0x0001, 8).u64(offset);
  return fields.bytes;
}

export interface Directory {
  members: number;
  offset: number;
  sizeBytes: number;
}

/** The records at the end of the file. ZIP64 records come first if a number does not fit. */
export function endRecords({ members, offset, sizeBytes }: Directory): Uint8Array<ArrayBuffer> {
  const large = members >= MAX_16 || offset >= MAX_32 || sizeBytes >= MAX_32;
  const fields = new Fields(large ? 56 + 20 + 22 : 22);
  if (large)
    fields
      .u32(0x06064b50)
      .u64(44)
      .u16(MADE_BY, ZIP64_VERSION)
      .u32(0, 0)
      .u64(members, members, sizeBytes, offset)
      .u32(0x07064b50, 0)
      .u64(offset + sizeBytes)
      .u32(1);
  const [count, size, start] = [Math.min(members, MAX_16), Math.min(sizeBytes, MAX_32), Math.min(offset, MAX_32)];
  return fields.u32(0x06054b50).u16(0, 0, count, count).u32(size, start).u16(0).bytes;
}
