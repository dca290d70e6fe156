import { JpegError } from "./limits";

/**
 * A Huffman table of a DHT segment (T.81 B.2.4.2): the number of codes of each length 1 to 16, and symbols in code
 * order.
 */
export interface HuffmanSpec {
  counts: Uint8Array;
  symbols: Uint8Array;
}

/** Bits of one table lookup. Most codes of real pictures are not longer. */
export const LOOKAHEAD = 10;

/** The entry of a symbol and the length of its code in bits. */
export const entryOf = (symbol: number, length: number): number => (symbol << 5) | length;
/** Fields of a table entry. Zero means no entry, because a code has at least one bit. */
export const codeLength = (entry: number): number => entry & 31;
export const symbolOf = (entry: number): number => entry >> 5;

/**
 * The decoder of one table. `lookup` maps the next ten bits to `symbol << 5 | length`. Longer codes are compared with
 * the greatest code of each length (T.81 F.2.2.3, figure F.16).
 */
export class HuffmanDecoder {
  readonly lookup = new Int32Array(1 << LOOKAHEAD);
  /** By table entry: 1 for decoded entries. */
  readonly used = new Uint8Array(256 << 5);
  readonly #greatest = new Int32Array(17).fill(-1);
  readonly #offset = new Int32Array(17);

  /** @throws JpegError if the lengths are no prefix code, or use the code of all ones (C.2) */
  constructor(readonly spec: HuffmanSpec) {
    let code = 0;
    let index = 0;
    for (let length = 1; length <= 16; length++) {
      const count = spec.counts[length - 1]!;
      this.#offset[length] = index - code;
      if (length <= LOOKAHEAD) this.#enter(length, code, index, count);
      code += count;
      index += count;
      if (count > 0 && code >= 1 << length)
        throw new JpegError("bad-huffman-table", `too many codes of ${length} bits`);
      if (count > 0) this.#greatest[length] = code - 1;
      code <<= 1;
    }
  }

  #enter(length: number, code: number, index: number, count: number): void {
    const spread = 1 << (LOOKAHEAD - length);
    for (let i = 0; i < count; i++) {
      const at = (code + i) * spread;
      this.lookup.fill(entryOf(this.spec.symbols[index + i]!, length), at, at + spread);
    }
  }

  /** The entry of a code that is longer than the lookup, by the next sixteen bits; 0 if they contain no code. */
  longEntry(bits: number): number {
    for (let length = LOOKAHEAD + 1; length <= 16; length++) {
      const code = bits >> (16 - length);
      if (code <= this.#greatest[length]!) {
        const symbol = this.spec.symbols[code + this.#offset[length]!];
        return symbol === undefined ? 0 : entryOf(symbol, length);
      }
    }
    return 0;
  }
}

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** The standard DC tables by index: luminance and chrominance (T.81 tables K.3 and K.4). */
export const STANDARD_DC: readonly HuffmanSpec[] = [
  { counts: fromHex("00010501010101010100000000000000"), symbols: fromHex("000102030405060708090a0b") },
  { counts: fromHex("00030101010101010101010000000000"), symbols: fromHex("000102030405060708090a0b") },
];

/** The standard AC tables by index: luminance and chrominance (T.81 tables K.5 and K.6). */
export const STANDARD_AC: readonly HuffmanSpec[] = [
  {
    counts: fromHex("0002010303020403050504040000017d"),
    symbols: fromHex(
      "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738" +
        "393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4" +
        "a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
    ),
  },
  {
    counts: fromHex("00020102040403040705040400010277"),
    symbols: fromHex(
      "0001020311040521310612415107617113223281081442" +
        "91a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465" +
        "666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6" +
        "c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
    ),
  },
];
