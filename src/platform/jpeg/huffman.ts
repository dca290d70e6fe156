import { JpegError } from "./error";

/** A Huffman table as a DHT segment gives it (T.81 B.2.4.2): codes of each length 1 to 16, symbols in code order. */
export interface HuffmanSpec {
  counts: Uint8Array;
  symbols: Uint8Array;
}

/** Bits that one look in the table decodes: most codes of real pictures are no longer. */
export const LOOKAHEAD = 10;

/** Fields of a table entry. Zero is no entry, since a code has at least one bit. */
export const codeLength = (entry: number): number => entry & 31;
export const symbolOf = (entry: number): number => entry >> 5;

/**
 * Decoder of one table. `lookup` is indexed with the next ten bits and gives `symbol << 5 | length`; longer codes
 * compare with the greatest code of each length (T.81 F.2.2.3, figure F.16).
 */
export class HuffmanDecoder {
  readonly lookup = new Int32Array(1 << LOOKAHEAD);
  readonly #greatest = new Int32Array(17).fill(-1);
  readonly #offset = new Int32Array(17);

  /** Throws JpegError where the lengths leave no prefix code, or use the code of all ones (C.2). */
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
      this.lookup.fill((this.spec.symbols[index + i]! << 5) | length, at, at + spread);
    }
  }

  /** The entry for codes longer than the lookup, from the next sixteen bits; 0 where they begin no code. */
  longEntry(bits: number): number {
    for (let length = LOOKAHEAD + 1; length <= 16; length++) {
      const code = bits >> (16 - length);
      if (code <= this.#greatest[length]!) {
        const symbol = this.spec.symbols[code + this.#offset[length]!];
        return symbol === undefined ? 0 : (symbol << 5) | length;
      }
    }
    return 0;
  }
}
