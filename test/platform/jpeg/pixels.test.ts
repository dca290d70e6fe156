import { decode as decodeIndependently } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { CAPTURE_LIMITS, decodeJpeg } from "../../../src/platform/jpeg";
import { atOnce } from "../../../src/platform/pace";
import { decodableFixtures, jpegFixture } from "../../support/pictures";

/** Samples as they were coded, three a pixel; jpeg-js repeats subsampled ones. */
const reference = (bytes: Uint8Array) =>
  decodeIndependently(bytes, { useTArray: true, formatAsRGBA: false, colorTransform: false });

/** Mean and greatest difference of two series. */
function difference(length: number, a: (i: number) => number, b: (i: number) => number) {
  let sum = 0;
  let greatest = 0;
  for (let i = 0; i < length; i++) {
    const d = Math.abs(a(i) - b(i));
    sum += d;
    greatest = Math.max(greatest, d);
  }
  return { mean: sum / length, greatest };
}

describe("at full size, samples agree with jpeg-js", () => {
  // jpeg-js continues end-of-band runs after restarts. That file is compared with its baseline version below.
  test.each(decodableFixtures.filter((name) => name !== "progressive-restart"))("%s", (name) => {
    const bytes = jpegFixture(name);
    const { planes, width, height } = atOnce(decodeJpeg(bytes, 10_000, CAPTURE_LIMITS));
    const { data } = reference(bytes);
    expect([width, height]).toEqual([149, 101]);
    planes.forEach((plane, component) => {
      // jpeg-js gives each sample of a subsampled component to several pixels.
      const [stepX, stepY] = [Math.round(width / plane.width), Math.round(height / plane.height)];
      const { mean, greatest } = difference(
        plane.width * plane.height,
        (i) => plane.samples[Math.floor(i / plane.width) * plane.stride + (i % plane.width)] ?? Number.NaN,
        (i) =>
          data[3 * (Math.floor(i / plane.width) * stepY * width + (i % plane.width) * stepX) + component] ?? Number.NaN,
      );
      expect(mean).toBeLessThan(0.2);
      expect(greatest).toBeLessThanOrEqual(3);
    });
  });
});

describe("a scaled decoding matches the reduced picture", () => {
  test.each(decodableFixtures)("%s", (name) => {
    const bytes = jpegFixture(name);
    const [full] = atOnce(decodeJpeg(bytes, 10_000, CAPTURE_LIMITS)).planes;
    for (const scale of [1, 2, 4]) {
      const decoded = atOnce(decodeJpeg(bytes, (149 * scale) / 8, CAPTURE_LIMITS));
      expect(decoded.scale).toBe(scale);
      const [small] = decoded.planes;
      if (full === undefined || small === undefined) throw new Error("no planes");
      expect([small.width, small.height]).toEqual([
        Math.ceil((full.width * scale) / 8),
        Math.ceil((full.height * scale) / 8),
      ]);
      const side = 8 / scale;
      // Only whole blocks: outside of the picture, a block has the values that the encoder chose.
      const [columns, rows] = [Math.floor(full.width / side), Math.floor(full.height / side)];
      const average = (x: number, y: number) => {
        let sum = 0;
        for (let i = 0; i < side * side; i++)
          sum += full.samples[(y * side + Math.floor(i / side)) * full.stride + x * side + (i % side)] ?? Number.NaN;
        return sum / (side * side);
      };
      const { mean } = difference(
        columns * rows,
        (i) => small.samples[Math.floor(i / columns) * small.stride + (i % columns)] ?? Number.NaN,
        (i) => average(i % columns, Math.floor(i / columns)),
      );
      expect(mean).toBeLessThan(2);
    }
  });
});

test("codings of one scene hold the same picture", () => {
  const luma = (name: string) => {
    const [plane] = atOnce(decodeJpeg(jpegFixture(name), 10_000, CAPTURE_LIMITS)).planes;
    if (plane === undefined) throw new Error("no planes");
    return Array.from({ length: 101 }, (_, y) => [...plane.samples.subarray(y * plane.stride, y * plane.stride + 149)]);
  };
  for (const name of ["baseline-optimized", "baseline-restart", "baseline-separate-scans", "progressive-420"])
    expect(luma(name)).toEqual(luma("baseline-420"));
  for (const name of ["progressive-restart", "progressive-deep"]) expect(luma(name)).toEqual(luma("baseline-420"));
});
