import { describe, expect, test } from "vitest";
import { bytesSource } from "../../src/documents/extraction/extracted";
import { framesOf } from "../../src/documents/frames";
import { MAX_FRAME_EDGE, MAX_FRAMES, MAX_PHOTO_PIXELS } from "../../src/documents/limits";
import { mediaTypeOf } from "../../src/documents/uploads/uploads";
import { tiffOf } from "../support/tiff";
import { fixture } from "./extraction/read";

const page = { width: 100, height: 50 };
const tiff = (bytes: Uint8Array) => framesOf("image/tiff", bytesSource(bytes));
const sizes = async (bytes: Uint8Array, type = "image/tiff") => {
  const found = await framesOf(type, bytesSource(bytes));
  return found !== null && "frames" in found ? found.frames.map(({ width, height }) => [width, height]) : found;
};

describe("the media type", () => {
  test("comes from the bytes of a HEIC or TIFF file", () => {
    expect(mediaTypeOf(fixture("pier.heic"), "application/octet-stream")).toBe("image/heic");
    expect(mediaTypeOf(fixture("pier.heic"), "image/jpeg")).toBe("image/heic");
    expect(mediaTypeOf(fixture("scans.tif"), "image/tiff")).toBe("image/tiff");
    expect(mediaTypeOf(tiffOf([page], { isLittle: false }), "")).toBe("image/tiff");
  });

  test("of other bytes that were announced as one says nothing about them", () => {
    for (const type of ["image/heic", "image/tiff"])
      expect(mediaTypeOf(new TextEncoder().encode("no picture at all"), type)).toBe("application/octet-stream");
  });

  test("of a raw picture of a camera stays as announced", () => {
    expect(mediaTypeOf(tiffOf([page]), "image/x-nikon-nef")).toBe("image/x-nikon-nef");
  });

  test("of an AVIF picture, which has the same boxes, stays as announced", () => {
    const avif = new TextEncoder().encode("\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf");
    expect(mediaTypeOf(avif, "image/avif")).toBe("image/avif");
  });
});

describe("the pages of a TIFF", () => {
  test("are listed with their sizes, in either byte order", async () => {
    expect(await sizes(fixture("scans.tif"))).toEqual([
      [1200, 560],
      [1200, 269],
      [560, 1200],
    ]);
    expect(await sizes(tiffOf([page, page], { isLittle: false }))).toEqual([
      [100, 50],
      [100, 50],
    ]);
  });

  test("leave out smaller forms of pages and masks", async () => {
    expect(await sizes(tiffOf([{ ...page, subfile: 1 }, page, { ...page, subfile: 4 }]))).toEqual([[100, 50]]);
  });

  test("end where a directory leads back to an earlier one, or out of the file", async () => {
    expect(await sizes(tiffOf([page, page], { next: ([first = 0]) => first }))).toHaveLength(2);
    expect(await sizes(tiffOf([page], { next: () => 0x7fff_ffff }))).toHaveLength(1);
  });

  test("MAX_FRAMES: the first ones are read, and the others are counted", async () => {
    const read = await tiff(tiffOf(Array(MAX_FRAMES + 5).fill(page)));
    expect(read).toMatchObject({ pageCount: MAX_FRAMES + 5 });
    expect(read !== null && "frames" in read && read.frames).toHaveLength(MAX_FRAMES);
  });

  test("are refused before anything is decoded if they declare too many pixels", async () => {
    const width = 10_000;
    const most = { width, height: MAX_PHOTO_PIXELS / width };
    expect(await tiff(tiffOf([most]))).toHaveProperty("frames");
    expect(await tiff(tiffOf([page, { width, height: most.height + 1 }]))).toMatchObject({ status: "too-large" });
    expect(await tiff(tiffOf([{ width: MAX_FRAME_EDGE, height: 1 }]))).toHaveProperty("frames");
    expect(await tiff(tiffOf([{ width: MAX_FRAME_EDGE + 1, height: 1 }]))).toMatchObject({ status: "too-large" });
    expect(await tiff(tiffOf([{ width: 0xffff_ffff, height: 0xffff_ffff }]))).toMatchObject({ status: "too-large" });
  });

  test.each([
    ["no directory", tiffOf([])],
    ["a page without pixels", tiffOf([{ width: 0, height: 9 }])],
    ["an end within the directory", tiffOf([page]).subarray(0, 60)],
    ["a directory of 65,535 entries", tiffOf([page]).with(8, 0xff).with(9, 0xff)],
  ])("cannot be read from a file with %s", async (_, bytes) => {
    expect(await tiff(bytes)).toMatchObject({ status: "damaged" });
  });
});

describe("the picture of a HEIC file", () => {
  test("has the largest size that the file declares", async () => {
    // The picture lies on its side in the file, and a box says how to turn it.
    expect(await sizes(fixture("pier.heic"), "image/heic")).toEqual([[560, 1200]]);
  });

  test("is refused before it is decoded if it declares too many pixels", async () => {
    const bytes = Uint8Array.from(fixture("pier.heic"));
    const at = new TextDecoder("latin1").decode(bytes).indexOf("ispe");
    new DataView(bytes.buffer).setUint32(at + 8, 90_000);
    expect(await framesOf("image/heic", bytesSource(bytes))).toMatchObject({ status: "too-large" });
  });

  test("cannot be read from a file that ends within its boxes", async () => {
    expect(await framesOf("image/heic", bytesSource(fixture("pier.heic").subarray(0, 100)))).toMatchObject({
      status: "damaged",
    });
  });
});
