import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkFrame } from "../../../gateway/src/jpeg/check";
import { normaliseJpeg } from "../../../gateway/src/jpeg/normalise";
import { segmentsOf } from "../../../gateway/src/jpeg/segments";
import { CAPTURE_LIMITS, decodeJpeg } from "../../../src/platform/jpeg";
import { atOnce } from "../../../src/platform/pace";
import { drawn, fixture, LIMITS } from "./pictures";

const pixels = (bytes: Uint8Array) => atOnce(decodeJpeg(bytes, 100_000, CAPTURE_LIMITS)).planes;
const segment = (marker: number, body: Buffer) =>
  Buffer.concat([Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 0xff]), body]);
/** The image with its own segments after SOI. */
const withSegments = (image: Buffer, ...segments: Buffer[]) =>
  Buffer.concat([image.subarray(0, 2), ...segments, image.subarray(2)]);
const without = (image: Buffer, unwanted: number) => {
  const parts = [image.subarray(0, 2)];
  let at = 2;
  for (const { marker, from, to } of segmentsOf(image, 0)) {
    if (marker !== unwanted) continue;
    parts.push(image.subarray(at, from));
    at = to;
  }
  return Buffer.concat([...parts, image.subarray(at)]);
};

const WHOLE = [
  "baseline-420",
  "baseline-444",
  "baseline-restart",
  "baseline-separate-scans",
  "progressive-420",
  "progressive-restart",
];

describe("a frame", () => {
  test.each(WHOLE)("that is plain stays byte for byte: %s", (name) => {
    const given = fixture(name);
    const { bytes, repairs } = normaliseJpeg(given);
    expect(repairs).toEqual([]);
    expect(bytes).toBe(given);
  });

  test.each(WHOLE)("with a camera's habits becomes the plain one again: %s", (name) => {
    const given = fixture(name);
    const second = drawn(1);
    const cases: [Buffer, string][] = [
      [Buffer.concat([Buffer.from("\r\n"), given]), "leading-bytes"],
      [Buffer.concat([Buffer.from("Content-Type: image/jpeg\r\n\r\n"), given]), "leading-bytes"],
      [given.subarray(0, -2), "missing-end"],
      [given.subarray(0, -1), "missing-end"],
      [Buffer.concat([given, Buffer.from("\r\n--boundary")]), "trailing-bytes"],
      [Buffer.concat([given, Buffer.alloc(70_000, 1)]), "trailing-bytes"],
      [Buffer.concat([given, second]), "further-images"],
      [Buffer.concat([given, second, drawn(2)]), "further-images"],
    ];
    for (const [bytes, repair] of cases) {
      const normal = normaliseJpeg(bytes);
      expect(normal.repairs).toEqual([repair]);
      expect(Buffer.compare(Buffer.from(normal.bytes), given)).toBe(0);
      expect(checkFrame(bytes, LIMITS).isGood).toBe(true);
    }
  });

  test("of Motion JPEG gets the standard tables, and the same pixels", () => {
    const given = drawn(5);
    const bare = without(given, 0xc4);
    expect(bare.length).toBeLessThan(given.length);
    const { bytes, repairs } = normaliseJpeg(bare);
    expect(repairs).toEqual(["huffman-tables"]);
    expect(pixels(bytes)).toEqual(pixels(given));
  });

  test("of several pictures (MPO) or with a gain map (Ultra HDR) becomes one plain picture without a reference to the others", () => {
    const given = drawn(6);
    const mpf = segment(0xe2, Buffer.concat([Buffer.from("MPF\0"), Buffer.alloc(60, 3)]));
    const iso = segment(0xe2, Buffer.from("urn:iso:std:iso:ts:21496:-1\0\0\0\0\0", "latin1"));
    const xmp = segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x hdrgm:Version="1.0"/>', "latin1"));
    const plainXmp = segment(0xe1, Buffer.from("http://ns.adobe.com/xap/1.0/\0<x/>", "latin1"));
    const icc = segment(0xe2, Buffer.from("ICC_PROFILE\0\x01\x01data", "latin1"));
    const hdr = Buffer.concat([withSegments(given, xmp, icc, mpf, iso, plainXmp), drawn(7)]);
    const { bytes, repairs } = normaliseJpeg(hdr);
    expect(repairs).toEqual(["further-images"]);
    expect(Buffer.compare(Buffer.from(bytes), withSegments(given, icc, plainXmp))).toBe(0);
    expect(pixels(bytes)).toEqual(pixels(given));
  });

  test("keeps the thumbnail within its metadata", () => {
    const thumbnail = segment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), drawn(8, 16, 16)]));
    const given = withSegments(drawn(9), thumbnail);
    expect(normaliseJpeg(given)).toEqual({ bytes: given, repairs: [] });
  });

  test("that is incomplete, empty, too large or no JPEG is refused with its cause", () => {
    const whole = fixture("baseline-420");
    const code = (bytes: Uint8Array, limits = LIMITS) => {
      const checked = checkFrame(bytes, limits);
      return checked.isGood ? "good" : checked.code;
    };
    expect(code(Buffer.alloc(0))).toBe("frame-not-jpeg");
    expect(code(Buffer.from("<html>sign in</html>"))).toBe("frame-not-jpeg");
    expect(code(whole.subarray(0, whole.length / 2))).toBe("frame-damaged");
    expect(code(whole, { ...LIMITS, maxSizeBytes: 100 })).toBe("frame-too-large");
    expect(code(whole, { ...LIMITS, maxPixels: 100 })).toBe("frame-too-large");
    expect(code(fixture("arithmetic"))).toBe("frame-damaged");
  });

  test("of any bytes is checked without an exception, and a second check changes nothing", () => {
    const pieces = fc.array(
      fc
        .constantFrom(...WHOLE.map(fixture))
        .chain((image) =>
          fc
            .record({ from: fc.nat(image.length), to: fc.nat(image.length) })
            .map(({ from, to }) => image.subarray(from, to)),
        ),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          pieces.map((parts) => Buffer.concat(parts)),
          fc.uint8Array({ maxLength: 300 }),
        ),
        (given) => {
          const checked = checkFrame(given, LIMITS);
          if (!checked.isGood) return;
          expect(normaliseJpeg(checked.bytes).repairs).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
