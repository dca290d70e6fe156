import { crc32 } from "node:zlib";
import { PhotonImage } from "@cf-wasm/photon/workerd";
import { zlibSync } from "fflate";
import { describe, expect, test } from "vitest";
import { encodePicture, jpegSize, pictureOfRgba } from "../../src/platform/jpeg";
import { decodePicture } from "../../src/platform/pictures/decode";
import { decodePng, PngError } from "../../src/platform/pictures/png";
import fc from "../support/properties";
import { seeded } from "../support/random";

const chunk = (type: string, data: Uint8Array): Uint8Array => {
  const body = new Uint8Array(4 + data.length);
  body.set(new TextEncoder().encode(type));
  body.set(data, 4);
  const whole = new Uint8Array(body.length + 8);
  const view = new DataView(whole.buffer);
  view.setUint32(0, data.length);
  whole.set(body, 4);
  view.setUint32(4 + body.length, crc32(body));
  return whole;
};
const joined = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

interface Kind {
  colourType: number;
  depth: number;
  interlaced: boolean;
}
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

const headerOf = (width: number, height: number, { colourType, depth, interlaced }: Kind): Uint8Array => {
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, width);
  new DataView(header.buffer).setUint32(4, height);
  header.set([depth, colourType, 0, 0, interlaced ? 1 : 0], 8);
  return header;
};

/** A PNG file whose rows have random filters and samples. */
function pngOf(width: number, height: number, kind: Kind, seed: number, more: readonly Uint8Array[] = []): Uint8Array {
  const random = seeded(seed);
  const byte = () => Math.floor(random() * 256);
  const bits = kind.depth * (SAMPLES[kind.colourType] ?? 0);
  const rows: number[] = [];
  for (const [x, y, dx, dy] of kind.interlaced ? PASSES : ([[0, 0, 1, 1]] as const)) {
    const count = Math.max(0, Math.ceil((width - x) / dx));
    if (count === 0) continue;
    for (let line = y; line < height; line += dy)
      rows.push(Math.floor(random() * 5), ...Array.from({ length: Math.ceil((count * bits) / 8) }, byte));
  }
  const palette = kind.colourType === 3 ? [chunk("PLTE", Uint8Array.from({ length: 3 << kind.depth }, byte))] : [];
  return joined(
    SIGNATURE,
    chunk("IHDR", headerOf(width, height, kind)),
    ...palette,
    ...more,
    ...inChunks(zlibSync(Uint8Array.from(rows))),
    chunk("IEND", new Uint8Array()),
  );
}
const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Data in chunks of 100 bytes, because the data of a picture can be split anywhere. */
const inChunks = (data: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.ceil(data.length / 100) }, (_, i) => chunk("IDAT", data.subarray(i * 100, i * 100 + 100)));

const KINDS: Kind[] = [
  ...[1, 2, 4, 8, 16].map((depth) => ({ colourType: 0, depth })),
  ...[8, 16].map((depth) => ({ colourType: 2, depth })),
  ...[1, 2, 4, 8].map((depth) => ({ colourType: 3, depth })),
  ...[8, 16].map((depth) => ({ colourType: 4, depth })),
  ...[8, 16].map((depth) => ({ colourType: 6, depth })),
].flatMap((kind) => [
  { ...kind, interlaced: false },
  { ...kind, interlaced: true },
]);

/** The pixels of the file by another decoder. */
function asPhotonSees(file: Uint8Array) {
  const image = PhotonImage.new_from_byteslice(file);
  const picture = pictureOfRgba(image.get_raw_pixels(), image.get_width(), image.get_height(), "4:4:4");
  image.free();
  return picture;
}

/** The largest difference between two planes. */
const distance = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((most, sample, i) => Math.max(most, Math.abs(sample - (other[i] ?? Number.POSITIVE_INFINITY))), 0);

describe("a PNG", () => {
  test.each(KINDS)(
    "of colour type $colourType, depth $depth, interlaced: $interlaced, decodes to the same pixels as in other decoders",
    async (kind) => {
      const transparency: Readonly<Record<number, number[]>> = { 0: [0, 1], 2: [0, 1, 0, 2, 0, 3], 3: [0, 128] };
      for (const [n, [width, height]] of (
        [
          [1, 1],
          [3, 2],
          [5, 9],
          [17, 13],
          [40, 33],
        ] as const
      ).entries()) {
        const clear = transparency[kind.colourType];
        const more = n % 2 === 1 && clear !== undefined ? [chunk("tRNS", Uint8Array.from(clear))] : [];
        const file = pngOf(width, height, kind, n + 1, more);
        const [mine, theirs] = [await decodePng(file, 100), asPhotonSees(file)];
        expect([mine.width, mine.height]).toEqual([width, height]);
        // The upper eight of 16 bits are taken, or rounded to.
        const most = kind.depth === 16 ? 2 : 1;
        expect(distance(mine.luma.samples, theirs.luma.samples)).toBeLessThanOrEqual(most);
        for (const plane of ["cb", "cr"] as const)
          expect(
            distance(
              mine.chroma?.[plane].samples ?? new Uint8Array(),
              theirs.chroma?.[plane].samples ?? new Uint8Array(),
            ),
          ).toBeLessThanOrEqual(most);
      }
    },
  );

  test("is scaled by area: each of its pixels counts as much as any other", async () => {
    const kind = { colourType: 2, depth: 8, interlaced: false };
    const file = pngOf(210, 140, kind, 7);
    const [plain, interlaced] = [await decodePng(file, 30), await decodePng(file, 210)];
    expect([plain.width, plain.height]).toEqual([30, 20]);
    const mean = (samples: Uint8Array) => samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
    expect(mean(plain.luma.samples)).toBeCloseTo(mean(interlaced.luma.samples), 0);
    for (const edge of [209, 100, 61, 7, 1]) {
      const scaled = await decodePng(file, edge);
      expect(mean(scaled.luma.samples)).toBeGreaterThan(mean(interlaced.luma.samples) - 3);
      expect(mean(scaled.luma.samples)).toBeLessThan(mean(interlaced.luma.samples) + 3);
    }
  });

  test("of 24 megapixels is drawn, row by row", async () => {
    const [width, height] = [6_000, 4_000];
    const row = new Uint8Array(1 + 3 * width).map((_, i) => (i === 0 ? 0 : Math.floor(i / 100)));
    let left = height;
    const rows = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(row) : controller.close()),
    });
    const packed = await new Response(rows.pipeThrough(new CompressionStream("deflate"))).arrayBuffer();
    const header = headerOf(width, height, { colourType: 2, depth: 8, interlaced: false });
    const end = chunk("IEND", new Uint8Array());
    const file = new Uint8Array(
      await new Blob([SIGNATURE, chunk("IHDR", header), chunk("IDAT", new Uint8Array(packed)), end]).arrayBuffer(),
    );
    const drawn = await decodePicture(file, 1_600);
    expect([drawn.width, drawn.height]).toEqual([width, height]);
    const jpeg = encodePicture(drawn.picture, 1_600, 80);
    expect(jpegSize(jpeg.bytes)).toEqual({ width: 1_600, height: 1_067 });
  });

  test("that is damaged, wherever it is, is refused or drawn, and nothing else happens", async () => {
    const files = KINDS.map((kind, n) => pngOf(12, 10, kind, n));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 5 }),
        fc.option(fc.nat()),
        async (whole, changes, cut) => {
          const file = whole.slice(0, cut === null ? whole.length : cut % whole.length);
          for (const [at, value] of changes) file[16 + (at % whole.length)] = value;
          // The size is bounded before a file is decoded.
          file.set(whole.subarray(16, 24).slice(0, Math.max(0, file.length - 16)), Math.min(16, file.length));
          try {
            const { width, height } = await decodePng(file, 20);
            expect([width, height]).toEqual([12, 10]);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(PngError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
