import type { Plane } from "./channel";

/** ½ c(u) cos((2x + 1) u π / 16) at 8u + x (T.81 A.3.3). */
const BASIS = Float64Array.from({ length: 64 }, (_, i) => {
  const [u, x] = [i >> 3, i & 7];
  return (u === 0 ? Math.SQRT1_2 / 2 : 0.5) * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
});

const rows = new Float64Array(64);

/** One eight-point transform, by the symmetry of even and odd basis functions. */
function points8(from: Float64Array, at: number, fromStep: number, to: Float64Array, toAt: number, toStep: number) {
  const s0 = from[at]! + from[at + 7 * fromStep]!;
  const s1 = from[at + fromStep]! + from[at + 6 * fromStep]!;
  const s2 = from[at + 2 * fromStep]! + from[at + 5 * fromStep]!;
  const s3 = from[at + 3 * fromStep]! + from[at + 4 * fromStep]!;
  const d0 = from[at]! - from[at + 7 * fromStep]!;
  const d1 = from[at + fromStep]! - from[at + 6 * fromStep]!;
  const d2 = from[at + 2 * fromStep]! - from[at + 5 * fromStep]!;
  const d3 = from[at + 3 * fromStep]! - from[at + 4 * fromStep]!;
  for (let u = 0; u < 8; u += 2) {
    const even = 8 * u;
    const odd = even + 8;
    to[toAt + u * toStep] = BASIS[even]! * s0 + BASIS[even + 1]! * s1 + BASIS[even + 2]! * s2 + BASIS[even + 3]! * s3;
    to[toAt + (u + 1) * toStep] = BASIS[odd]! * d0 + BASIS[odd + 1]! * d1 + BASIS[odd + 2]! * d2 + BASIS[odd + 3]! * d3;
  }
}

const block = new Float64Array(64);

/** Transforms the 8 × 8 samples at block coordinates; past the plane's edges its last samples go on (A.2.4). */
export function forwardDct(plane: Plane, blockX: number, blockY: number, out: Float64Array): void {
  const { samples, stride, width, height } = plane;
  for (let y = 0; y < 8; y++) {
    const line = Math.min(height - 1, 8 * blockY + y) * stride;
    for (let x = 0; x < 8; x++) block[8 * y + x] = samples[line + Math.min(width - 1, 8 * blockX + x)]! - 128;
  }
  for (let y = 0; y < 8; y++) points8(block, 8 * y, 1, rows, 8 * y, 1);
  for (let x = 0; x < 8; x++) points8(rows, x, 8, out, x, 8);
}
