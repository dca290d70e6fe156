import { quantizationOf } from "./channel";
import { bitsAt, type EntropyReader, extend } from "./entropy-reader";
import { type HuffmanDecoder, LOOKAHEAD } from "./huffman";
import { fillBlock, inverseDctFor, type Scale } from "./inverse-dct";
import { JpegError } from "./limits";
import type { BlockDecoder, Scan } from "./scan";

/** The Huffman decoders of a scan, by its components. */
export interface ScanTables {
  dc: HuffmanDecoder[];
  ac: HuffmanDecoder[];
}

/** Decodes baseline and extended sequential blocks (T.81 F.2.2) directly to samples, without stored coefficients. */
export class SequentialDecoder implements BlockDecoder {
  readonly #predictions: Int32Array;
  readonly #block: Int16Array;
  readonly #outputs;
  readonly #inverse;

  constructor(
    scan: Scan,
    private readonly tables: ScanTables,
    private readonly entropy: EntropyReader,
    private readonly kept: Int8Array,
    private readonly scale: Scale,
  ) {
    this.#predictions = new Int32Array(scan.components.length);
    this.#block = new Int16Array(scale * scale);
    this.#outputs = scan.components.map(({ channel }) => ({ ...channel.plane, quantization: quantizationOf(channel) }));
    this.#inverse = inverseDctFor(scale);
  }

  reset(): void {
    this.#predictions.fill(0);
  }

  decode(index: number, x: number, y: number): void {
    const { entropy, scale } = this;
    const block = this.#block;
    const size = entropy.symbol(this.tables.dc[index]!);
    const dc = (this.#predictions[index]! + extend(entropy.receive(size), size)) | 0;
    this.#predictions[index] = dc;
    block[0] = dc;
    const anyAc = this.#decodeAc(this.tables.ac[index]!);
    const { samples, stride, quantization } = this.#outputs[index]!;
    const offset = (y * stride + x) * scale;
    if (anyAc) {
      this.#inverse(block, 0, quantization, samples, offset, stride);
      block.fill(0);
    } else fillBlock(block[0]!, quantization, samples, offset, stride, scale);
  }

  /** Decodes the AC coefficients of a block (F.2.2.2) and keeps the low ones. Returns whether a kept one was coded. */
  #decodeAc(table: HuffmanDecoder): boolean {
    const { entropy, kept } = this;
    const { view } = entropy;
    const { lookup, used } = table;
    const block = this.#block;
    let bit = entropy.bit;
    let anyKept = false;
    let k = 1;
    while (k < 64) {
      const word = view.getInt32(bit >>> 3) << (bit & 7);
      const entry = lookup[word >>> (32 - LOOKAHEAD)]! || entropy.longEntry(table, word, bit);
      const size = (entry >> 5) & 15;
      const run = entry >> 9;
      used[entry] = 1;
      bit += entry & 31;
      if (size === 0) {
        if (run !== 15) break;
        k += 16;
        continue;
      }
      k += run;
      if (k > 63)
        throw new JpegError("coefficient-overflow", `a run past coefficient 63, before byte ${entropy.position}`);
      const place = kept[k]!;
      if (place >= 0) {
        block[place] = extend(bitsAt(view, bit, size), size);
        anyKept = true;
      }
      bit += size;
      k++;
    }
    if (k > 64)
      throw new JpegError("coefficient-overflow", `zeros past coefficient 63, before byte ${entropy.position}`);
    entropy.bit = bit;
    return anyKept;
  }
}
