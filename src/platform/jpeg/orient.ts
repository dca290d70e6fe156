import type { Plane } from "./channel";
import type { Orientation } from "./metadata";

/** Orientations whose stored rows are the picture's columns. */
const isTransposed = (orientation: Orientation): boolean => orientation >= 5;

/** Orientations whose stored columns, or rows, run against the picture's. */
const MIRRORED_X: readonly Orientation[] = [2, 3, 7, 8];
const MIRRORED_Y: readonly Orientation[] = [3, 4, 6, 7];

/** Turns a plane upright, from how EXIF says that it lies (Exif 2.32, tag 0112). */
export function orient(plane: Plane, orientation: Orientation): Plane {
  if (orientation === 1) return plane;
  const transposed = isTransposed(orientation);
  const width = transposed ? plane.height : plane.width;
  const height = transposed ? plane.width : plane.height;
  const mirrorX = MIRRORED_X.includes(orientation);
  const mirrorY = MIRRORED_Y.includes(orientation);
  const samples = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [column, row] = transposed ? [y, x] : [x, y];
      const fromX = mirrorX ? plane.width - 1 - column : column;
      const fromY = mirrorY ? plane.height - 1 - row : row;
      samples[y * width + x] = plane.samples[fromY * plane.stride + fromX]!;
    }
  return { samples, stride: width, width, height };
}
