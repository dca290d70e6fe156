import type { Plane } from "./channel";

/**
 * Averages a plane over the area of each target sample: what a sensor of that size would have seen, and no ringing.
 * Enlarging repeats samples. `width` and `height` are of the target.
 */
export function resample(plane: Plane, width: number, height: number): Plane {
  if (plane.width === width && plane.height === height) return plane;
  const { samples, stride } = plane;
  const target = new Uint8Array(width * height);
  const sums = new Float64Array(width);
  const stepX = plane.width / width;
  const stepY = plane.height / height;
  const weight = 1 / (stepX * stepY);
  for (let y = 0; y < height; y++) {
    const top = y * stepY;
    const bottom = Math.min(plane.height, top + stepY);
    sums.fill(0);
    for (let line = Math.floor(top); line < bottom; line++) {
      const share = Math.min(bottom, line + 1) - Math.max(top, line);
      // Rounding may leave a sliver of a line that is not there.
      if (share > 1e-9) addLine(samples, line * stride, plane.width, stepX, share, sums);
    }
    for (let x = 0; x < width; x++) target[y * width + x] = Math.min(255, sums[x]! * weight + 0.5);
  }
  return { samples: target, stride: width, width, height };
}

/** Adds one source line, weighed by `share`, to the sums of a target line. */
function addLine(
  samples: Uint8Array,
  offset: number,
  sourceWidth: number,
  stepX: number,
  share: number,
  sums: Float64Array,
): void {
  for (let x = 0; x < sums.length; x++) {
    const left = x * stepX;
    const right = Math.min(sourceWidth, left + stepX);
    let column = left | 0;
    let sum = samples[offset + column]! * (Math.min(right, column + 1) - left);
    for (column++; column + 1 <= right; column++) sum += samples[offset + column]!;
    if (column < right) sum += samples[offset + column]! * (right - column);
    sums[x]! += sum * share;
  }
}
