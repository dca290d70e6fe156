import { HuffmanDecoder, type HuffmanSpec, STANDARD_AC, STANDARD_DC } from "./huffman";
import { JpegError, type JpegFlag } from "./limits";
import type { MarkerReader, Segment } from "./markers";
import type { Scan } from "./scan";
import type { ScanTables } from "./sequential-scan";

/** The tables that DQT and DHT segments have set so far; a later one replaces an earlier one of its index. */
export class CodingTables {
  readonly #quantization: (Uint16Array | undefined)[] = [];
  readonly #dc: (HuffmanSpec | undefined)[] = [];
  readonly #ac: (HuffmanSpec | undefined)[] = [];

  /** Reads a DQT segment (T.81 B.2.4.1). */
  readQuantization(reader: MarkerReader, { start, end }: Segment): void {
    for (let at = start; at < end; ) {
      const info = reader.byte(at);
      const [precision, index] = [info >> 4, info & 15];
      const width = precision + 1;
      if (precision > 1 || index > 3) throw new JpegError("bad-quantization-table", `table ${index}`);
      if (at + 1 + 64 * width > end) throw new JpegError("bad-quantization-table", "the segment is too short");
      const table = new Uint16Array(64);
      for (let k = 0; k < 64; k++) table[k] = width === 2 ? reader.uint16(at + 1 + 2 * k) : reader.byte(at + 1 + k);
      this.#quantization[index] = table;
      at += 1 + 64 * width;
    }
  }

  /** Reads a DHT segment (B.2.4.2). An invalid code is refused only when a scan uses it. */
  readHuffman(reader: MarkerReader, { start, end }: Segment): void {
    for (let at = start; at < end; ) {
      const info = reader.byte(at);
      const [kind, index] = [info >> 4, info & 15];
      if (kind > 1 || index > 3) throw new JpegError("bad-huffman-table", `table ${index} of class ${kind}`);
      if (at + 17 > end) throw new JpegError("bad-huffman-table", "the segment is too short");
      const counts = reader.bytes.subarray(at + 1, at + 17);
      const total = counts.reduce((sum, count) => sum + count, 0);
      if (total > 256 || at + 17 + total > end) throw new JpegError("bad-huffman-table", `${total} codes`);
      const spec = { counts, symbols: reader.bytes.subarray(at + 17, at + 17 + total) };
      (kind === 0 ? this.#dc : this.#ac)[index] = spec;
      at += 17 + total;
    }
  }

  /** A quantization table in zig-zag order. @throws JpegError missing-table. */
  quantizationTable(index: number): Uint16Array {
    const table = this.#quantization[index];
    if (table === undefined) throw new JpegError("missing-table", `quantization table ${index}`);
    return table;
  }

  /**
   * The quantization steps of the kept coefficients, by their place in the N × N block. @throws JpegError
   * missing-table.
   */
  quantization(index: number, kept: Int8Array): Int32Array {
    const table = this.quantizationTable(index);
    const steps = new Int32Array(kept.filter((place) => place >= 0).length);
    kept.forEach((place, k) => {
      if (place >= 0) steps[place] = table[k]!;
    });
    return steps;
  }

  /**
   * The decoders of a scan. A sequential scan can use the standard tables, as in Motion JPEG frames.
   * @throws JpegError if a table is missing or not a valid code
   */
  decodersFor(scan: Scan, progressive: boolean, flags: Set<JpegFlag>): ScanTables {
    const standard = (specs: readonly HuffmanSpec[], index: number) => {
      if (progressive || specs[index] === undefined) return undefined;
      flags.add("standard-huffman-tables");
      return specs[index];
    };
    const needDc = scan.spectralStart === 0 && scan.high === 0;
    const needAc = scan.spectralEnd > 0;
    const dc = needDc
      ? scan.components.map(({ dcTable }) => dcDecoder(this.#dc[dcTable] ?? standard(STANDARD_DC, dcTable), dcTable))
      : [];
    const ac = needAc
      ? scan.components.map(({ acTable }) => decoder(this.#ac[acTable] ?? standard(STANDARD_AC, acTable), acTable))
      : [];
    return { dc, ac };
  }
}

function decoder(spec: HuffmanSpec | undefined, index: number): HuffmanDecoder {
  if (spec === undefined) throw new JpegError("missing-table", `Huffman table ${index}`);
  return new HuffmanDecoder(spec);
}

/** A decoder of DC categories, which are at most 15 (table F.1 and its extension to 12 bits). */
function dcDecoder(spec: HuffmanSpec | undefined, index: number): HuffmanDecoder {
  if (spec?.symbols.some((symbol) => symbol > 15))
    throw new JpegError("bad-huffman-table", `DC table ${index} has a category above 15`);
  return decoder(spec, index);
}
