import type { HuffmanSpec } from "./huffman";

/** Receives the symbols of a scan, for the DC and AC tables of luminance (0) and chrominance (1). */
export interface SymbolSink {
  dc(table: number, category: number, value: number): void;
  ac(table: number, symbol: number, value: number, size: number): void;
}

/** Counts symbols, to make optimal tables. */
export class SymbolCounter implements SymbolSink {
  readonly dcCounts = [new Uint32Array(256), new Uint32Array(256)];
  readonly acCounts = [new Uint32Array(256), new Uint32Array(256)];

  dc(table: number, category: number): void {
    this.dcCounts[table]![category]!++;
  }

  ac(table: number, symbol: number): void {
    this.acCounts[table]![symbol]!++;
  }
}

/** Codes by symbol (T.81 C.2). */
function codesOf({ counts, symbols }: HuffmanSpec): { codes: Uint16Array; lengths: Uint8Array } {
  const codes = new Uint16Array(256);
  const lengths = new Uint8Array(256);
  let code = 0;
  let index = 0;
  counts.forEach((count, i) => {
    for (let n = 0; n < count; n++) {
      const symbol = symbols[index++]!;
      codes[symbol] = code++;
      lengths[symbol] = i + 1;
    }
    code <<= 1;
  });
  return { codes, lengths };
}

/** Writes symbols as entropy-coded data with stuffed FF bytes (F.1.2.3). */
export class EntropyWriter implements SymbolSink {
  #bytes = new Uint8Array(4096);
  #length = 0;
  #buffer = 0;
  #bits = 0;
  readonly #dc;
  readonly #ac;

  constructor(dc: readonly HuffmanSpec[], ac: readonly HuffmanSpec[]) {
    this.#dc = dc.map(codesOf);
    this.#ac = ac.map(codesOf);
  }

  dc(table: number, category: number, value: number): void {
    const { codes, lengths } = this.#dc[table]!;
    this.#write(codes[category]!, lengths[category]!);
    this.#write(value, category);
  }

  ac(table: number, symbol: number, value: number, size: number): void {
    const { codes, lengths } = this.#ac[table]!;
    this.#write(codes[symbol]!, lengths[symbol]!);
    this.#write(value, size);
  }

  /** Fills the last byte with ones and returns all data. */
  finish(): Uint8Array {
    if (this.#bits > 0) this.#write((1 << (8 - this.#bits)) - 1, 8 - this.#bits);
    return this.#bytes.subarray(0, this.#length);
  }

  #write(value: number, size: number): void {
    this.#buffer = (this.#buffer << size) | value;
    this.#bits += size;
    while (this.#bits >= 8) {
      this.#bits -= 8;
      const byte = (this.#buffer >>> this.#bits) & 255;
      this.#push(byte);
      if (byte === 255) this.#push(0);
    }
    this.#buffer &= (1 << this.#bits) - 1;
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }
}
