import { ZIGZAG } from "./zigzag";

/** Samples that are made of each 8 × 8 block: N × N, from its N × N lowest coefficients. */
export type Scale = 1 | 2 | 4 | 8;

const SCALES: readonly Scale[] = [1, 2, 4, 8];

/** The smallest scale whose longest edge is at least `minimumEdge` pixels, or full size. */
export function scaleFor(width: number, height: number, minimumEdge: number): Scale {
  const longest = Math.max(width, height);
  return SCALES.find((scale) => Math.ceil((longest * scale) / 8) >= minimumEdge) ?? 8;
}

/** For each coefficient in zig-zag order its row-major place in the N × N block, or -1 where it is not kept. */
export function keptCoefficients(scale: Scale): Int8Array {
  return Int8Array.from(ZIGZAG, (place) => {
    const [row, column] = [place >> 3, place & 7];
    return row < scale && column < scale ? row * scale + column : -1;
  });
}
