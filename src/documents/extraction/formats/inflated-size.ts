import { breathe } from "../../../platform/pace";

/** Minimum copy length of the codes 257 to 285, and number of extra bits that add to it (RFC 1951, 3.2.5). */
const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163];
LENGTHS.push(195, 227, 258);
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/** Order of the lengths of the code length code (RFC 1951, 3.2.7). */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const MAX_CODE_BITS = 15;

/** The data ends too early or contains an invalid code. */
class InvalidData extends Error {}

/** A canonical Huffman code: the number of symbols of each code length, and the symbols in order (RFC 1951, 3.2.2). */
class HuffmanCode {
  readonly #counts = new Uint16Array(MAX_CODE_BITS + 1);
  readonly #symbols: Uint16Array;

  constructor(lengths: Uint8Array) {
    for (const length of lengths) if (length > 0) this.#count(length, 1);
    const next = new Uint16Array(MAX_CODE_BITS + 2);
    for (let length = 1; length <= MAX_CODE_BITS; length++)
      next[length + 1] = (next[length] ?? 0) + (this.#counts[length] ?? 0);
    this.#symbols = new Uint16Array(lengths.length);
    lengths.forEach((length, symbol) => {
      if (length === 0) return;
      const place = next[length] as number;
      this.#symbols[place] = symbol;
      next[length] = place + 1;
    });
  }

  #count(length: number, by: number): void {
    this.#counts[length] = (this.#counts[length] ?? 0) + by;
  }

  read(bits: BitReader): number {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length <= MAX_CODE_BITS; length++) {
      code |= bits.one();
      const count = this.#counts[length] as number;
      if (code - count < first) return this.#symbols[index + code - first] as number;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new InvalidData();
  }
}

class BitReader {
  #at: number;
  #held = 0;
  #left = 0;

  constructor(
    private readonly bytes: Uint8Array,
    at: number,
  ) {
    this.#at = at;
  }

  one(): number {
    if (this.#left === 0) {
      if (this.#at >= this.bytes.length) throw new InvalidData();
      this.#held = this.bytes[this.#at++] as number;
      this.#left = 8;
    }
    const bit = this.#held & 1;
    this.#held >>= 1;
    this.#left--;
    return bit;
  }

  many(count: number): number {
    let value = 0;
    for (let n = 0; n < count; n++) value |= this.one() << n;
    return value;
  }

  /** Skips a stored block. @returns its length, bytes. */
  stored(): number {
    this.#left = 0;
    const length = this.many(16);
    this.many(16);
    this.#at += length;
    return length;
  }
}

const FIXED = {
  literals: new HuffmanCode(Uint8Array.from({ length: 288 }, (_, n) => (n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8))),
  distances: new HuffmanCode(new Uint8Array(30).fill(5)),
};

function readCodes(bits: BitReader): typeof FIXED {
  const [literals, distances, given] = [bits.many(5) + 257, bits.many(5) + 1, bits.many(4) + 4];
  const own = new Uint8Array(ORDER.length);
  for (const symbol of ORDER.slice(0, given)) own[symbol] = bits.many(3);
  const code = new HuffmanCode(own);
  const lengths = new Uint8Array(literals + distances);
  for (let at = 0; at < lengths.length; ) {
    const symbol = code.read(bits);
    if (symbol < 16) lengths[at++] = symbol;
    else {
      const repeat = symbol === 16 ? bits.many(2) + 3 : symbol === 17 ? bits.many(3) + 3 : bits.many(7) + 11;
      lengths.fill(symbol === 16 ? (lengths[at - 1] ?? 0) : 0, at, at + repeat);
      at += repeat;
    }
  }
  return {
    literals: new HuffmanCode(lengths.subarray(0, literals)),
    distances: new HuffmanCode(lengths.subarray(literals)),
  };
}

/** Whether bytes begin with a zlib header (RFC 1950). */
export const isZlib = (bytes: Uint8Array): boolean => {
  const [method = 0, flags = 0] = bytes;
  return bytes.length > 2 && (method & 15) === 8 && ((method << 8) | flags) % 31 === 0;
};

/** Minimum average number of bytes in a block. Data with smaller blocks counts as too large. */
const MIN_BYTES_PER_BLOCK = 256;

/** Number of symbols that are counted at once. */
const SYMBOLS_PER_TURN = 32 * 1024;

/**
 * Counts the bytes that zlib data (RFC 1950, 1951) unpacks to, without unpacking it: it keeps only two code tables.
 * Counting stops above `limit`, and where the data ends early or is invalid.
 */
export async function inflatedSize(bytes: Uint8Array, limit: number): Promise<number> {
  if (!isZlib(bytes)) return 0;
  const bits = new BitReader(bytes, 2);
  let [size, blocks, symbols] = [0, 0, 0];
  try {
    for (let last = 0; last === 0 && size <= limit; ) {
      // Real blocks have thousands of bytes. Many empty blocks would cost time without adding to the size.
      if (++blocks * MIN_BYTES_PER_BLOCK > Math.max(size, limit)) return limit + 1;
      last = bits.one();
      const type = bits.many(2);
      if (type === 3) return size;
      if (type === 0) size += bits.stored();
      else {
        const { literals, distances } = type === 1 ? FIXED : readCodes(bits);
        for (let symbol = literals.read(bits); symbol !== 256 && size <= limit; symbol = literals.read(bits)) {
          if (++symbols % SYMBOLS_PER_TURN === 0) await breathe(SYMBOLS_PER_TURN);
          if (symbol < 256) size++;
          else {
            size += (LENGTHS[symbol - 257] ?? 0) + bits.many(LENGTH_BITS[symbol - 257] ?? 0);
            const distance = distances.read(bits);
            if (distance > 3) bits.many((distance >> 1) - 1);
          }
        }
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof InvalidData)) throw thrown;
  }
  return size;
}
