import { decode as decodeIndependently } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { encodeJpeg, pictureOf, pictureOfRgba, type Subsampling, verifyJpeg } from "../../../src/platform/jpeg";
import { optimalHuffman } from "../../../src/platform/jpeg/encode";
import { atOnce } from "../../../src/platform/pace";
import { noise, scene } from "../../support/pictures";
import fc from "../../support/properties";

/** Peak signal-to-noise ratio of two RGBA pictures over their colours, decibels. */
function psnr(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) if (i % 4 !== 3) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2;
  return 10 * Math.log10(255 ** 2 / (sum / (0.75 * a.length)));
}

function accepted(bytes: Uint8Array, minimumEdge = 100_000) {
  const verdict = atOnce(verifyJpeg(bytes, { minimumEdge }));
  if (verdict.verdict === "rejected") throw new Error(`${verdict.code}: ${verdict.detail}`);
  return verdict.decoded;
}

describe("an encoded picture", () => {
  test.each<[Subsampling, number, number]>([
    ["4:4:4", 95, 36],
    ["4:2:0", 80, 28],
    ["4:2:0", 25, 24],
  ])("%s at quality %i matches the original in an independent decoder", (subsampling, quality, decibels) => {
    const [width, height] = [203, 117];
    const pixels = scene(width, height, 4);
    const bytes = encodeJpeg(pictureOfRgba(pixels, width, height, subsampling), quality);
    const decoded = decodeIndependently(bytes, { useTArray: true });
    expect([decoded.width, decoded.height]).toEqual([width, height]);
    expect(psnr(pixels, decoded.data)).toBeGreaterThan(decibels);
  });

  test("can have any size and content, and both decoders accept it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom<Subsampling>("4:2:0", "4:4:4"),
        fc.boolean(),
        (width, height, quality, subsampling, wild) => {
          const pixels = wild ? noise(width, height, quality) : scene(width, height);
          const bytes = encodeJpeg(pictureOfRgba(pixels, width, height, subsampling), quality);
          const decoded = accepted(bytes);
          expect([decoded.width, decoded.height, decoded.flags.size]).toEqual([width, height, 0]);
          expect(decodeIndependently(bytes, { useTArray: true }).data).toHaveLength(4 * width * height);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("keeps its samples through decoding and encoding again", () => {
    const once = encodeJpeg(pictureOfRgba(scene(160, 96), 160, 96), 90);
    const twice = encodeJpeg(pictureOf(accepted(once), 1000), 90);
    const [a, b] = [once, twice].map((bytes) => accepted(bytes).planes[0]?.samples ?? new Uint8Array());
    const worst = a?.reduce((most, value, i) => Math.max(most, Math.abs(value - (b?.[i] ?? 0))), 0);
    expect(worst).toBeLessThanOrEqual(4);
  });

  test("is gray where the picture is", () => {
    const { luma } = pictureOfRgba(scene(40, 30), 40, 30);
    const bytes = encodeJpeg({ width: 40, height: 30, luma, chroma: null }, 80);
    expect(accepted(bytes).planes).toHaveLength(1);
    expect(decodeIndependently(bytes, { useTArray: true }).width).toBe(40);
  });

  test("shows transparent pixels on white", () => {
    const bytes = encodeJpeg(pictureOfRgba(new Uint8Array(4 * 64), 8, 8), 90);
    expect(decodeIndependently(bytes, { useTArray: true }).data.subarray(0, 3)).toEqual(Uint8Array.of(255, 255, 255));
  });
});

test("an optimal Huffman table is a prefix code of at most 16 bits without the code of all ones", () => {
  const fibonacci = [1, 1];
  while (fibonacci.length < 40) fibonacci.push((fibonacci.at(-1) ?? 0) + (fibonacci.at(-2) ?? 0));
  const frequencies = fc.array(fc.oneof(fc.constant(0), fc.nat(5), fc.nat(1e6)), { minLength: 1, maxLength: 256 });
  fc.assert(
    fc.property(frequencies, (given) => {
      const counted = Uint32Array.from({ length: 256 }, (_, i) => given[i] ?? 0);
      const { counts, symbols } = optimalHuffman(counted);
      const kraft = counts.reduce((sum, count, i) => sum + count * 2 ** (15 - i), 0);
      expect(kraft).toBeLessThan(2 ** 16);
      expect([...symbols].sort((a, b) => a - b)).toEqual([...counted.keys()].filter((symbol) => counted[symbol] !== 0));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(symbols.length);
    }),
    { numRuns: 300, examples: [[fibonacci]] },
  );
});
