/**
 * Computes N × N samples of one block (T.81 A.3.3, A.3.4: dequantization, inverse DCT, level shift). The block begins
 * at `at` of `coefficients`. It and `quantization` have N × N values, row by row.
 */
type InverseDct = (
  coefficients: Int16Array,
  at: number,
  quantization: Int32Array,
  samples: Uint8Array,
  offset: number,
  stride: number,
) => void;

const clamp = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value | 0);

/** √(1/8), the weight of the DC basis function of eight points. It is the same with fewer points. */
const DC = Math.SQRT1_2 / 2;
const EVEN_2 = 0.5 * Math.cos(Math.PI / 8);
const EVEN_6 = 0.5 * Math.cos((3 * Math.PI) / 8);
/** ½ cos((2x + 1) u π / 16) for the odd u. */
const ODD_1 = 0.5 * Math.cos(Math.PI / 16);
const ODD_3 = 0.5 * Math.cos((3 * Math.PI) / 16);
const ODD_5 = 0.5 * Math.cos((5 * Math.PI) / 16);
const ODD_7 = 0.5 * Math.cos((7 * Math.PI) / 16);

const work = new Float64Array(64);

/** The mean of the block in integers, equal to libjpeg's 1 × 1 transform. */
const inverse1: InverseDct = (coefficients, at, quantization, samples, offset) => {
  samples[offset] = clamp(128 + ((coefficients[at]! * quantization[0]! + 4) >> 3));
};

const inverse2: InverseDct = (coefficients, at, quantization, samples, offset, stride) => {
  const mean = (coefficients[at]! * quantization[0]!) / 8 + 128.5;
  const across = (coefficients[at + 1]! * quantization[1]!) / 8;
  const down = (coefficients[at + 2]! * quantization[2]!) / 8;
  const both = (coefficients[at + 3]! * quantization[3]!) / 8;
  samples[offset] = clamp(mean + across + down + both);
  samples[offset + 1] = clamp(mean - across + down - both);
  samples[offset + stride] = clamp(mean + across - down - both);
  samples[offset + stride + 1] = clamp(mean - across - down + both);
};

/**
 * The four-point transform over columns and then rows. It is written out, because a camera's picture has half a million blocks, and
 * almost every preview is made from them at this scale.
 */
const inverse4: InverseDct = (coefficients, at, quantization, samples, offset, stride) => {
  for (let column = 0; column < 4; column++) {
    const x0 = coefficients[at + column]! * quantization[column]!;
    const x1 = coefficients[at + 4 + column]! * quantization[4 + column]!;
    const x2 = coefficients[at + 8 + column]! * quantization[8 + column]!;
    const x3 = coefficients[at + 12 + column]! * quantization[12 + column]!;
    const even = (x0 + x2) * DC;
    const even2 = (x0 - x2) * DC;
    const odd = EVEN_2 * x1 + EVEN_6 * x3;
    const odd2 = EVEN_6 * x1 - EVEN_2 * x3;
    work[column] = even + odd;
    work[4 + column] = even2 + odd2;
    work[8 + column] = even2 - odd2;
    work[12 + column] = even - odd;
  }
  for (let row = 0, line = offset; row < 16; row += 4, line += stride) {
    const x1 = work[row + 1]!;
    const x3 = work[row + 3]!;
    const mean = work[row]! * DC + 128.5;
    const third = work[row + 2]! * DC;
    const odd = EVEN_2 * x1 + EVEN_6 * x3;
    const odd2 = EVEN_6 * x1 - EVEN_2 * x3;
    samples[line] = clamp(mean + third + odd);
    samples[line + 1] = clamp(mean - third + odd2);
    samples[line + 2] = clamp(mean - third - odd2);
    samples[line + 3] = clamp(mean + third - odd);
  }
};

/** One eight-point transform within `work`: even part by symmetry, odd part by its sixteen products. */
function points8(at: number, step: number): void {
  const x0 = work[at]!;
  const x1 = work[at + step]!;
  const x2 = work[at + 2 * step]!;
  const x3 = work[at + 3 * step]!;
  const x4 = work[at + 4 * step]!;
  const x5 = work[at + 5 * step]!;
  const x6 = work[at + 6 * step]!;
  const x7 = work[at + 7 * step]!;
  const sum = (x0 + x4) * DC;
  const difference = (x0 - x4) * DC;
  const outer = EVEN_2 * x2 + EVEN_6 * x6;
  const inner = EVEN_6 * x2 - EVEN_2 * x6;
  const odd0 = ODD_1 * x1 + ODD_3 * x3 + ODD_5 * x5 + ODD_7 * x7;
  const odd1 = ODD_3 * x1 - ODD_7 * x3 - ODD_1 * x5 - ODD_5 * x7;
  const odd2 = ODD_5 * x1 - ODD_1 * x3 + ODD_7 * x5 + ODD_3 * x7;
  const odd3 = ODD_7 * x1 - ODD_5 * x3 + ODD_3 * x5 - ODD_1 * x7;
  work[at] = sum + outer + odd0;
  work[at + 7 * step] = sum + outer - odd0;
  work[at + step] = difference + inner + odd1;
  work[at + 6 * step] = difference + inner - odd1;
  work[at + 2 * step] = difference - inner + odd2;
  work[at + 5 * step] = difference - inner - odd2;
  work[at + 3 * step] = sum - outer + odd3;
  work[at + 4 * step] = sum - outer - odd3;
}

/** A two-dimensional transform by rows and columns. */
const separable =
  (size: 4 | 8, points: (at: number, step: number) => void): InverseDct =>
  (coefficients, at, quantization, samples, offset, stride) => {
    const area = size * size;
    for (let i = 0; i < area; i++) work[i] = coefficients[at + i]! * quantization[i]!;
    for (let row = 0; row < area; row += size) points(row, 1);
    for (let column = 0; column < size; column++) points(column, size);
    for (let i = 0, line = offset; i < area; i += size, line += stride)
      for (let x = 0; x < size; x++) samples[line + x] = clamp(work[i + x]! + 128.5);
  };

const INVERSE: Readonly<Record<Scale, InverseDct>> = {
  1: inverse1,
  2: inverse2,
  4: inverse4,
  8: separable(8, points8),
};

export const inverseDctFor = (scale: Scale): InverseDct => INVERSE[scale];

/** Fills N × N samples of a block with only a DC coefficient. */
export function fillBlock(
  dc: number,
  quantization: Int32Array,
  samples: Uint8Array,
  offset: number,
  stride: number,
  scale: Scale,
): void {
  const value = clamp(128 + ((dc * quantization[0]! + 4) >> 3));
  for (let y = 0, line = offset; y < scale; y++, line += stride) samples.fill(value, line, line + scale);
}

/** Zig-zag order (T.81 figure A.6): for the k-th coefficient, its row-major place in the 8 × 8 block. */
export const ZIGZAG = new Uint8Array([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
]);

/** The scale N: each 8 × 8 block gives N × N samples from its N × N lowest coefficients. */
export type Scale = 1 | 2 | 4 | 8;

const SCALES: readonly Scale[] = [1, 2, 4, 8];

/** The smallest scale whose longest edge is at least `minimumEdge` pixels, or full size. */
export function scaleFor(width: number, height: number, minimumEdge: number): Scale {
  const longest = Math.max(width, height);
  return SCALES.find((scale) => Math.ceil((longest * scale) / 8) >= minimumEdge) ?? 8;
}

/** For each coefficient in zig-zag order, its row-major place in the N × N block; -1 if it is not kept. */
export function keptCoefficients(scale: Scale): Int8Array {
  return Int8Array.from(ZIGZAG, (place) => {
    const [row, column] = [place >> 3, place & 7];
    return row < scale && column < scale ? row * scale + column : -1;
  });
}
