import { describe, expect, test } from "vitest";
import {
  encodeJpeg,
  fitPreview,
  MAX_PREVIEW_BYTES,
  type Picture,
  pictureOf,
  pictureOfRgba,
  shrink,
  thumbnailOf,
  verifyJpeg,
} from "../../../src/platform/jpeg";
import { atOnce } from "../../../src/platform/pace";
import { exifSegment, jpegFixture, noise, scene, scenePicture, splice } from "../../support/pictures";
import fc from "../../support/properties";

function decode(bytes: Uint8Array, minimumEdge = 10_000) {
  const verdict = atOnce(verifyJpeg(bytes, { minimumEdge }));
  if (verdict.verdict === "rejected") throw new Error(`${verdict.code}: ${verdict.detail}`);
  return verdict.decoded;
}

const lumaAt = (picture: Picture, x: number, y: number) => picture.luma.samples[y * picture.luma.stride + x] ?? -1;

describe("EXIF orientation", () => {
  /** The stored positions of the picture's top left and top right corners (Exif 2.32, tag 0112), as [right, bottom]. */
  const corners: Record<number, [[number, number], [number, number]]> = {
    1: [
      [0, 0],
      [1, 0],
    ],
    2: [
      [1, 0],
      [0, 0],
    ],
    3: [
      [1, 1],
      [0, 1],
    ],
    4: [
      [0, 1],
      [1, 1],
    ],
    5: [
      [0, 0],
      [0, 1],
    ],
    6: [
      [0, 1],
      [0, 0],
    ],
    7: [
      [1, 1],
      [1, 0],
    ],
    8: [
      [1, 0],
      [1, 1],
    ],
  };
  /** Quarters of 24, 88, 152 and 216 by [right, bottom]. */
  const quarters = (right: number, bottom: number) => 24 + 64 * right + 128 * bottom;
  const stored = encodeJpeg(
    pictureOfRgba(
      Uint8Array.from({ length: 4 * 64 * 32 }, (_, i) => {
        const pixel = Math.floor(i / 4);
        return i % 4 === 3 ? 255 : quarters(pixel % 64 < 32 ? 0 : 1, pixel < 64 * 16 ? 0 : 1);
      }),
      64,
      32,
    ),
    95,
  );

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("%i gives an upright picture", (orientation) => {
    for (const little of [true, false]) {
      const picture = pictureOf(decode(splice(stored, 2, 0, exifSegment(orientation, little))), 64);
      const upright = orientation <= 4 ? [64, 32] : [32, 64];
      expect([picture.width, picture.height]).toEqual(upright);
      const [topLeft, topRight] = corners[orientation] ?? [];
      if (topLeft === undefined || topRight === undefined) throw new Error("no such orientation");
      expect(Math.abs(lumaAt(picture, 4, 4) - quarters(...topLeft))).toBeLessThan(4);
      expect(Math.abs(lumaAt(picture, picture.width - 5, 4) - quarters(...topRight))).toBeLessThan(4);
    }
  });

  test.each([0, 9, 60_000])("a value of %i is ignored", (orientation) => {
    expect(decode(splice(stored, 2, 0, exifSegment(orientation, true))).metadata.orientation).toBeUndefined();
  });

  test("no EXIF segment causes an exception", () => {
    const segment = exifSegment(6, true);
    fc.assert(
      fc.property(fc.nat(segment.length - 11), fc.nat(255), (at, value) => {
        const broken = segment.with(10 + at, value);
        expect(decode(splice(stored, 2, 0, broken)).width).toBe(64);
      }),
    );
  });
});

describe("colours", () => {
  test("RGB and YCbCr files of one scene give one picture", () => {
    const [rgb, ycc] = ["baseline-rgb", "baseline-444"].map((name) => pictureOf(decode(jpegFixture(name)), 149));
    if (rgb === undefined || ycc === undefined) throw new Error("no pictures");
    const mean = rgb.luma.samples.reduce((sum, _, i) => {
      const [x, y] = [i % rgb.width, Math.floor(i / rgb.width)];
      return sum + Math.abs(lumaAt(rgb, x, y) - lumaAt(ycc, x, y));
    }, 0);
    expect(mean / rgb.luma.samples.length).toBeLessThan(3);
  });

  /** Four gray pictures of one value each as the components of one file, each in a separate scan. */
  function fourComponents(values: number[], adobe: number | null): Uint8Array {
    const grays = values.map((value) => {
      const pixels = new Uint8Array(4 * 256).fill(value).map((v, i) => (i % 4 === 3 ? 255 : v));
      return encodeJpeg({ ...pictureOfRgba(pixels, 16, 16), chroma: null }, 95);
    });
    const marker = (bytes: Uint8Array, code: number) => bytes.findIndex((v, i) => v === 0xff && bytes[i + 1] === code);
    const [first = new Uint8Array()] = grays;
    const file = [0xff, 0xd8];
    if (adobe !== null) file.push(0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, adobe);
    file.push(...first.subarray(marker(first, 0xdb), marker(first, 0xc0)));
    file.push(0xff, 0xc0, 0, 20, 8, 0, 16, 0, 16, 4, ...[1, 2, 3, 4].flatMap((id) => [id, 0x11, 0]));
    grays.forEach((gray, i) => {
      const tail = gray.slice(marker(gray, 0xc4), -2);
      tail[tail.findIndex((v, at) => v === 0xff && tail[at + 1] === 0xda) + 5] = i + 1;
      file.push(...tail);
    });
    return Uint8Array.from([...file, 0xff, 0xd9]);
  }

  test.each<[string, number[], number | null, [number, number, number]]>([
    ["plain CMYK", [0, 255, 255, 0], null, [255, 0, 0]],
    ["Adobe's inverted CMYK", [255, 0, 0, 255], 0, [255, 0, 0]],
    ["Adobe's YCCK, whose inks come as YCbCr", [180, 128, 128, 255], 2, [75, 75, 75]],
    ["black over all inks", [10, 20, 30, 255], null, [0, 0, 0]],
  ])("%s", (_, values, adobe, [r, g, b]) => {
    const picture = pictureOf(decode(fourComponents(values, adobe)), 16, "4:4:4");
    const expected = [
      0.299 * r + 0.587 * g + 0.114 * b,
      128 - 0.168736 * r - 0.331264 * g + 0.5 * b,
      128 + 0.5 * r - 0.418688 * g - 0.081312 * b,
    ];
    const { luma, chroma } = picture;
    [luma, chroma?.cb, chroma?.cr].forEach((plane, i) => {
      expect(Math.abs((plane?.samples[40] ?? -1) - (expected[i] ?? 0))).toBeLessThanOrEqual(3);
    });
  });
});

describe("sizes", () => {
  test("a picture is never enlarged, and keeps its proportion", () => {
    const decoded = decode(jpegFixture("progressive-444"));
    expect(pictureOf(decoded, 1000)).toMatchObject({ width: 149, height: 101 });
    expect(pictureOf(decoded, 64)).toMatchObject({ width: 64, height: 43 });
    expect(shrink(pictureOf(decoded, 64), 1)).toMatchObject({ width: 1, height: 1 });
  });

  test("the mean of a picture stays in every size", () => {
    const picture = scenePicture(211, 97);
    const mean = ({ luma }: Picture) => luma.samples.reduce((sum, v) => sum + v, 0) / luma.samples.length;
    for (const edge of [200, 128, 77, 31, 8])
      expect(Math.abs(mean(shrink(picture, edge)) - mean(picture))).toBeLessThan(2);
  });

  test("a thumbnail fits 640 pixels", () => {
    const thumbnail = thumbnailOf(scenePicture(800, 333));
    expect(thumbnail).toMatchObject({ width: 640, height: 266 });
    expect(decode(thumbnail.bytes)).toMatchObject({ width: 640, height: 266 });
  });
});

describe("tiny previews", () => {
  test("a usual picture keeps 128 pixels and quality 25", () => {
    const preview = fitPreview(scenePicture(640, 480));
    expect(preview).toMatchObject({ width: 128, height: 96 });
    expect(preview.bytes).toEqual(encodeJpeg(shrink(scenePicture(640, 480), 128), 25));
  });

  test("never take more than 3,072 bytes, noise included", () => {
    const sizes = [
      [128, 128],
      [640, 640],
      [640, 427],
      [37, 640],
      [1, 1],
    ] as const;
    for (const [width, height] of sizes)
      for (const pixels of [noise(width, height), scene(width, height, 255)]) {
        const preview = fitPreview(pictureOfRgba(pixels, width, height));
        expect(preview.bytes.length).toBeLessThanOrEqual(MAX_PREVIEW_BYTES);
        expect(decode(preview.bytes)).toMatchObject({ width: preview.width, height: preview.height });
        expect(Math.max(preview.width, preview.height)).toBeLessThanOrEqual(128);
      }
  });
});
