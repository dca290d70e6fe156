import { PhotonImage } from "@cf-wasm/photon/workerd";
import { describe, expect, test } from "vitest";
import { CAPTURE_LIMITS, decodeJpeg, verifyJpeg, withoutMetadata } from "../../src/platform/jpeg";
import { atOnce, inPieces, letOthersRun, oneAtATime, type Pieces } from "../../src/platform/pace";
import { decodePicture, encodeEach } from "../../src/platform/pictures/decode";
import { noiseJpeg, noisePixels, paethPng, tablesJpeg, ycckJpeg } from "../support/hostile-pictures";
import { decodableFixtures, jpegFixture } from "../support/pictures";

/** The units of each piece. */
function unitsOf(pieces: Pieces<unknown>): number[] {
  const units: number[] = [];
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) units.push(next.value);
  return units;
}
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Blocks of a row of MCUs of the largest picture: 65,535 pixels, ten blocks for eight of them. */
const MAX_ROW_BLOCKS = 81_920;

describe("a JPEG is decoded in pieces", () => {
  test.each<[string, () => Uint8Array]>([
    ["noise", () => noiseJpeg(400, 320)],
    ["four components", () => ycckJpeg(400, 320)],
    ["one row of pixels", () => noiseJpeg(4_000, 1)],
    ["one column of pixels", () => noiseJpeg(1, 4_000)],
    ...decodableFixtures.map((name): [string, () => Uint8Array] => [name, () => jpegFixture(name)]),
  ])("of a row of blocks each: %s", (_, make) => {
    const bytes = make();
    const { width, height, planes } = atOnce(decodeJpeg(bytes, 1, CAPTURE_LIMITS));
    for (const pieces of [verifyJpeg(bytes, { minimumEdge: 640 }), withoutMetadata(bytes)]) {
      const units = unitsOf(pieces);
      const blocksOfRow = Math.ceil(width / 8 + 4) * 10;
      expect(Math.max(...units)).toBeLessThanOrEqual(Math.min(blocksOfRow, MAX_ROW_BLOCKS));
      // Every block of every component counts, and every scan again.
      expect(sum(units)).toBeGreaterThanOrEqual(sum(planes.map((plane) => plane.width * plane.height)) / 64);
      expect(units.length).toBeGreaterThanOrEqual(height / 32);
    }
  });

  test("of at most one segment each before the picture", () => {
    const file = noiseJpeg(16, 16);
    const units = unitsOf(verifyJpeg(tablesJpeg(file, 20), { minimumEdge: 640 }));
    expect(sum(units) - sum(unitsOf(verifyJpeg(file, { minimumEdge: 640 })))).toBeGreaterThan(20 * 2_000);
    expect(Math.max(...units)).toBeLessThan(2_100);
  });

  test.each(decodableFixtures)("with the same pixels as at once: %s", async (name) => {
    const bytes = jpegFixture(name);
    expect(await inPieces(verifyJpeg(bytes, { minimumEdge: 640 }))).toEqual(
      atOnce(verifyJpeg(bytes, { minimumEdge: 640 })),
    );
    expect(await inPieces(withoutMetadata(bytes))).toEqual(atOnce(withoutMetadata(bytes)));
  });
});

/** Turns of other work while a picture is decoded and scaled. */
async function turnsBeside(work: () => Promise<unknown>): Promise<number> {
  let [ended, turns] = [false, 0];
  const other = (async () => {
    for (; !ended; turns++) await scheduler.wait(0);
  })();
  await work();
  ended = true;
  await other;
  return turns;
}

function webp(width: number, height: number): Uint8Array {
  const image = new PhotonImage(noisePixels(width, height), width, height);
  const bytes = image.get_bytes_webp();
  image.free();
  return bytes;
}

test.each([
  ["noise.jpg", 4, () => noiseJpeg(1_200, 900)],
  ["ycck.jpg", 4, () => ycckJpeg(1_200, 900)],
  ["tables.jpg", 10, () => tablesJpeg(noiseJpeg(16, 16), 200)],
  ["deep.png", 10, () => paethPng(1_000, 800, 16, 4)],
  ["tall.png", 10, () => paethPng(1, 400_000, 8, 3)],
  // Between the calls of the decoder, the conversion and each scaling.
  ["noise.webp", 4, () => webp(300, 200)],
])("other work goes on while %s is drawn", async (_, least, make) => {
  const bytes = make();
  const turns = await turnsBeside(async () =>
    encodeEach((await decodePicture(bytes, 1_024)).picture, [256, 1_024], 85),
  );
  expect(turns).toBeGreaterThanOrEqual(least);
});

test("pictures of one isolate are decoded one after another", async () => {
  const alone = oneAtATime();
  let [open, most] = [0, 0];
  const decode = async () => {
    most = Math.max(most, ++open);
    await letOthersRun();
    open--;
  };
  await Promise.all([1, 2, 3].map(() => alone(decode)));
  expect(most).toBe(1);
});
