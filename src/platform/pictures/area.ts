import { fitWithin, type Picture, pictureOfRgba } from "../jpeg";

/** Red, green and blue. */
const CHANNELS = 3;

/**
 * Scales a picture down by area, on white, while its pixels arrive in any order. It holds 12 bytes for each pixel of the
 * result, however large the picture is.
 */
export class AreaScaler {
  readonly #width: number;
  readonly #height: number;
  /** Size of the result divided by the size of the picture, for columns and for rows; at most 1. */
  readonly #acrossScale: number;
  readonly #downScale: number;
  readonly #row: Float32Array;
  #sums: Float32Array;

  constructor(width: number, height: number, edge: number) {
    const size = fitWithin(width, height, edge);
    [this.#width, this.#height] = [size.width, size.height];
    [this.#acrossScale, this.#downScale] = [size.width / width, size.height / height];
    this.#row = new Float32Array(CHANNELS * size.width);
    this.#sums = new Float32Array(CHANNELS * size.width * size.height);
  }

  /** Adds `count` pixels of row `y`, as RGBA: the first at column `first`, each further one `step` columns to the right. */
  add(rgba: Uint8Array, count: number, y: number, first: number, step: number): void {
    const row = this.#row.fill(0);
    const last = this.#width - 1;
    for (let n = 0; n < count; n++) {
      const begins = (first + n * step) * this.#acrossScale;
      const column = Math.min(last, Math.floor(begins));
      const share = column === last ? 1 : Math.min(1, (column + 1 - begins) / this.#acrossScale);
      const alpha = rgba[4 * n + 3]! / 255;
      for (let channel = 0; channel < CHANNELS; channel++) {
        const value = rgba[4 * n + channel]! * alpha + 255 * (1 - alpha);
        row[CHANNELS * column + channel]! += value * share;
        if (share < 1) row[CHANNELS * (column + 1) + channel]! += value * (1 - share);
      }
    }
    const begins = y * this.#downScale;
    const line = Math.min(this.#height - 1, Math.floor(begins));
    const share = line === this.#height - 1 ? 1 : Math.min(1, (line + 1 - begins) / this.#downScale);
    this.#addRow(line, share);
    if (share < 1) this.#addRow(line + 1, 1 - share);
  }

  #addRow(line: number, share: number): void {
    const at = line * this.#row.length;
    for (let i = 0; i < this.#row.length; i++) this.#sums[at + i]! += this.#row[i]! * share;
  }

  /** The scaled picture, once. Colour keeps its full resolution. */
  picture(): Picture {
    const weight = this.#acrossScale * this.#downScale;
    const rgba = new Uint8Array(4 * this.#width * this.#height).fill(255);
    for (let n = 0; n < this.#width * this.#height; n++)
      for (let channel = 0; channel < CHANNELS; channel++)
        rgba[4 * n + channel] = Math.min(255, this.#sums[CHANNELS * n + channel]! * weight + 0.5);
    // The sums are not held while the planes of the picture are made.
    this.#sums = new Float32Array(0);
    return pictureOfRgba(rgba, this.#width, this.#height, "4:4:4");
  }
}
