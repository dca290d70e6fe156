import { type Channel, coefficientsOf } from "./channel";
import type { EntropyReader } from "./entropy-reader";
import type { HuffmanDecoder } from "./huffman";
import { JpegError } from "./limits";
import type { BlockDecoder, Scan } from "./scan";

/** Number of bits that are set. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** A mask of the bits `from` to `to` of a block's 64 bits, in the 32-bit word that begins at bit `base`. */
function bandMask(from: number, to: number, base: number): number {
  let mask = 0;
  for (let k = Math.max(from, base); k <= Math.min(to, base + 31); k++) mask |= 1 << (k - base);
  return mask;
}

/**
 * Decodes a refinement of a band of AC coefficients (T.81 G.1.2.3). For coefficients that are not kept, it only counts
 * the correction bits, for which it must know the coefficients that are not zero.
 */
export class AcRefinementDecoder implements BlockDecoder {
  #endOfBandRun = 0;
  readonly #coefficients;
  readonly #area: number;
  readonly #lowBand: number;
  readonly #highBand: number;

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
    this.#lowBand = bandMask(scan.spectralStart, scan.spectralEnd, 0);
    this.#highBand = bandMask(scan.spectralStart, scan.spectralEnd, 32);
  }

  reset(): void {
    this.#endOfBandRun = 0;
  }

  decode(_index: number, x: number, y: number): void {
    const block = y * this.channel.component.blocksAcross + x;
    const from = this.#endOfBandRun === 0 ? this.#decodeNew(block) : this.scan.spectralStart;
    if (this.#endOfBandRun > 0) {
      this.#correctRest(block, from);
      this.#endOfBandRun--;
    }
  }

  /**
   * Decodes new coefficients up to the end of the band or an end-of-band run. Returns the coefficient where it stopped.
   */
  #decodeNew(block: number): number {
    const { entropy, table, kept } = this;
    const { spectralEnd, low } = this.scan;
    const { values, nonZeroLow, nonZeroHigh } = this.#coefficients;
    let k = this.scan.spectralStart;
    for (; k <= spectralEnd; k++) {
      const symbol = entropy.symbol(table);
      const size = symbol & 15;
      const run = symbol >> 4;
      if (size > 1) throw new JpegError("bad-huffman-code", `a refinement of ${size} bits`);
      if (size === 0 && run !== 15) {
        this.#endOfBandRun = (1 << run) + entropy.receive(run);
        return k;
      }
      const value = size === 0 ? 0 : entropy.receive(1) === 1 ? 1 << low : -1 << low;
      k = this.#passZeros(block, k, run);
      if (k > spectralEnd) throw new JpegError("coefficient-overflow", `a run past coefficient ${spectralEnd}`);
      if (size === 0) continue;
      if (k < 32) nonZeroLow[block]! |= 1 << k;
      else nonZeroHigh[block]! |= 1 << (k - 32);
      const place = kept[k]!;
      if (place >= 0) values[block * this.#area + place] = value;
    }
    return k;
  }

  /** Skips `run` zero coefficients from `from` on and corrects the others. Returns the next zero coefficient. */
  #passZeros(block: number, from: number, run: number): number {
    let left = run;
    let k = from;
    for (; k <= this.scan.spectralEnd; k++)
      if (this.#isNonZero(block, k)) this.#correct(block, k);
      else if (left-- === 0) break;
    return k;
  }

  /** Corrects the non-zero coefficients from `from` to the end of the band, without new ones. */
  #correctRest(block: number, from: number): void {
    const { nonZeroLow, nonZeroHigh } = this.#coefficients;
    let low = nonZeroLow[block]! & this.#lowBand;
    let high = nonZeroHigh[block]! & this.#highBand;
    if (from < 32) low &= -1 << from;
    else {
      low = 0;
      high = from > 63 ? 0 : high & (-1 << (from - 32));
    }
    if ((low | high) === 0) return;
    if (this.#area === 1) this.entropy.bit += bitCount(low) + bitCount(high);
    else {
      for (; low !== 0; low &= low - 1) this.#correct(block, 31 - Math.clz32(low & -low));
      for (; high !== 0; high &= high - 1) this.#correct(block, 63 - Math.clz32(high & -high));
    }
  }

  #isNonZero(block: number, k: number): boolean {
    const { nonZeroLow, nonZeroHigh } = this.#coefficients;
    return ((k < 32 ? nonZeroLow[block]! >>> k : nonZeroHigh[block]! >>> (k - 32)) & 1) === 1;
  }

  /** Reads the correction bit of a non-zero coefficient and adds it, away from zero, to a kept one. */
  #correct(block: number, k: number): void {
    const correction = this.entropy.receive(1);
    const place = this.kept[k]!;
    if (correction === 0 || place < 0) return;
    const { values } = this.#coefficients;
    const at = block * this.#area + place;
    const value = values[at]!;
    const bit = 1 << this.scan.low;
    if ((value & bit) === 0) values[at] = value >= 0 ? value + bit : value - bit;
  }
}
