import { type Channel, coefficientsOf } from "./channel";
import { type EntropyReader, extend } from "./entropy-reader";
import type { HuffmanDecoder } from "./huffman";
import { JpegError } from "./limits";
import type { BlockDecoder, Scan } from "./scan";

/** Decodes the first DC scan: differences, shifted left by Al (T.81 G.1.2.1). */
export class DcFirstDecoder implements BlockDecoder {
  readonly #predictions: Int32Array;
  readonly #targets;

  constructor(
    private readonly scan: Scan,
    private readonly tables: HuffmanDecoder[],
    private readonly entropy: EntropyReader,
    private readonly area: number,
  ) {
    this.#predictions = new Int32Array(scan.components.length);
    this.#targets = targetsOf(scan);
  }

  reset(): void {
    this.#predictions.fill(0);
  }

  decode(index: number, x: number, y: number): void {
    const { entropy } = this;
    const size = entropy.symbol(this.tables[index]!);
    const dc = (this.#predictions[index]! + extend(entropy.receive(size), size)) | 0;
    this.#predictions[index] = dc;
    const { values, across } = this.#targets[index]!;
    values[(y * across + x) * this.area] = dc << this.scan.low;
  }
}

/** Decodes a DC refinement: one bit for each block (G.1.2.1). */
export class DcRefinementDecoder implements BlockDecoder {
  readonly #targets;

  constructor(
    private readonly scan: Scan,
    private readonly entropy: EntropyReader,
    private readonly area: number,
  ) {
    this.#targets = targetsOf(scan);
  }

  reset(): void {}

  decode(index: number, x: number, y: number): void {
    const { values, across } = this.#targets[index]!;
    if (this.entropy.receive(1) === 1) values[(y * across + x) * this.area]! |= 1 << this.scan.low;
  }
}

const targetsOf = (scan: Scan) =>
  scan.components.map(({ channel }) => ({
    values: coefficientsOf(channel).values,
    across: channel.component.blocksAcross,
  }));

/** Decodes the first scan of a band of AC coefficients (G.1.2.2). */
export class AcFirstDecoder implements BlockDecoder {
  /** EOBRUN: the remaining blocks of the current end-of-band run. */
  #endOfBandRun = 0;
  readonly #coefficients;
  readonly #area: number;

  constructor(
    private readonly scan: Scan,
    private readonly channel: Channel,
    private readonly table: HuffmanDecoder,
    private readonly entropy: EntropyReader,
    private readonly kept: Int8Array,
    scale: number,
  ) {
    this.#coefficients = coefficientsOf(channel);
    this.#area = scale * scale;
  }

  reset(): void {
    this.#endOfBandRun = 0;
  }

  decode(_index: number, x: number, y: number): void {
    if (this.#endOfBandRun > 0) {
      this.#endOfBandRun--;
      return;
    }
    const { entropy, kept, table } = this;
    const { spectralEnd, low } = this.scan;
    const { values, nonZeroLow, nonZeroHigh } = this.#coefficients;
    const block = y * this.channel.component.blocksAcross + x;
    for (let k = this.scan.spectralStart; k <= spectralEnd; k++) {
      const symbol = entropy.symbol(table);
      const size = symbol & 15;
      const run = symbol >> 4;
      if (size === 0 && run !== 15) {
        this.#endOfBandRun = (1 << run) - 1 + entropy.receive(run);
        return;
      }
      k += run;
      if (k > spectralEnd) throw new JpegError("coefficient-overflow", `a run past coefficient ${spectralEnd}`);
      if (size === 0) continue;
      if (k < 32) nonZeroLow[block]! |= 1 << k;
      else nonZeroHigh[block]! |= 1 << (k - 32);
      const place = kept[k]!;
      if (place >= 0) values[block * this.#area + place] = extend(entropy.receive(size), size) << low;
      else entropy.bit += size;
    }
  }
}
