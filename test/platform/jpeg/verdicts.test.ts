import { describe, expect, test } from "vitest";
import { CAPTURE_LIMITS, type JpegLimits, type JpegVerdict, verifyJpeg } from "../../../src/platform/jpeg";
import { atOnce } from "../../../src/platform/pace";
import { decodableFixtures, jpegFixture, markerAt, segmentLength, splice } from "../../support/pictures";

const SOF0 = 0xc0;
const SOF2 = 0xc2;
const [DHT, RST1, SOI, EOI, SOS, DQT, DRI, APP0] = [0xc4, 0xd1, 0xd8, 0xd9, 0xda, 0xdb, 0xdd, 0xe0];

const verify = (bytes: Uint8Array, limits: JpegLimits = CAPTURE_LIMITS): JpegVerdict =>
  atOnce(verifyJpeg(bytes, { minimumEdge: 640, limits }));

const outcome = (verdict: JpegVerdict) =>
  verdict.verdict === "rejected" ? verdict.code : ["accepted", ...verdict.decoded.flags].join(" ");

const baseline = () => jpegFixture("baseline-420");
const progressive = () => jpegFixture("progressive-420");
const restarts = () => jpegFixture("baseline-restart");

/** The file with `value` written `offset` bytes after the n-th marker. */
const patched = (bytes: Uint8Array, marker: number, offset: number, value: number, n = 0) =>
  splice(bytes, markerAt(bytes, marker, n) + offset, 1, [value]);
const inserted = (bytes: Uint8Array, marker: number, insert: number[], n = 0) =>
  splice(bytes, markerAt(bytes, marker, n), 0, insert);
/** The file without any segment of a kind. */
function without(bytes: Uint8Array, marker: number): Uint8Array {
  let left = bytes;
  for (;;) {
    try {
      const at = markerAt(left, marker);
      left = splice(left, at, segmentLength(left, at));
    } catch {
      return left;
    }
  }
}
const appended = (bytes: Uint8Array, tail: ArrayLike<number>) => Uint8Array.from([...bytes, ...Array.from(tail)]);
const zeros = (length: number) => new Array<number>(length).fill(0);

test.each(decodableFixtures)("%s is accepted without a flag", (name) => {
  expect(outcome(verify(jpegFixture(name)))).toBe("accepted");
});

describe("accepted with a flag", () => {
  test.each<[string, () => Uint8Array, string]>([
    ["no Huffman tables: the standard ones", () => without(baseline(), DHT), "standard-huffman-tables"],
    ["16 bytes after a scan", () => inserted(baseline(), EOI, zeros(16)), "bytes-after-scan"],
    ["32 bytes before a restart", () => inserted(restarts(), RST1, zeros(32)), "bytes-before-restart"],
    ["padding after the end, however long", () => appended(baseline(), zeros(200_000)), "padding-after-end"],
    ["line ends after the end", () => appended(baseline(), [13, 10, 0xff, 0xff]), "padding-after-end"],
    [
      "64 KiB of other data after the end",
      () => appended(baseline(), new Uint8Array(65_536).fill(7)),
      "data-after-end",
    ],
    ["a restart marker between segments", () => inserted(baseline(), DQT, [0xff, RST1]), "stray-marker"],
  ])("%s", (_, make, flag) => {
    expect(outcome(verify(make()))).toBe(`accepted ${flag}`);
  });

  test("fill bytes before a marker need no flag", () => {
    expect(outcome(verify(inserted(baseline(), SOS, [0xff, 0xff, 0xff])))).toBe("accepted");
  });

  test("a progressive picture that was never refined", () => {
    const bytes = progressive();
    const second = markerAt(bytes, SOS, 1);
    expect(outcome(verify(appended(bytes.slice(0, second), [0xff, EOI])))).toBe("accepted incomplete-progression");
  });
});

describe("refused", () => {
  test.each<[string, () => Uint8Array, string]>([
    ["nothing", () => new Uint8Array(), "not-jpeg"],
    ["another format", () => new TextEncoder().encode("GIF89a and so on"), "not-jpeg"],
    ["SOI alone", () => Uint8Array.from([0xff, SOI]), "missing-end"],
    ["SOI and EOI", () => Uint8Array.from([0xff, SOI, 0xff, EOI]), "missing-image"],
    ["no EOI", () => baseline().slice(0, -2), "missing-end"],
    ["data that ends in the scan", () => baseline().slice(0, -200), "premature-end"],
    ["a header cut short", () => baseline().slice(0, 100), "premature-end"],
    ["EOI in the midst of a scan", () => appended(baseline().slice(0, -300), [0xff, EOI]), "premature-end"],
    ["17 bytes after a scan", () => inserted(baseline(), EOI, zeros(17)), "extraneous-data"],
    ["33 bytes before a restart", () => inserted(restarts(), RST1, zeros(33)), "extraneous-data"],
    ["bytes between header segments", () => inserted(baseline(), DQT, [1]), "extraneous-data"],
    ["a restart marker out of turn", () => patched(restarts(), RST1, 1, 0xd3), "restart-mismatch"],
    ["a second image after the end", () => appended(baseline(), baseline()), "multiple-images"],
    ["SOI within the image", () => inserted(baseline(), DQT, [0xff, SOI]), "multiple-images"],
    ["64 KiB and one byte of other data", () => appended(baseline(), new Uint8Array(65_537).fill(7)), "trailing-data"],
    [
      "two frame headers",
      () => {
        const bytes = baseline();
        const at = markerAt(bytes, SOF0);
        return splice(bytes, at, 0, [...bytes.subarray(at, at + segmentLength(bytes, at))]);
      },
      "multiple-frames",
    ],
    ["a scan before the frame header", () => without(baseline(), SOF0), "missing-image"],
    ["no quantization table", () => without(baseline(), DQT), "missing-table"],
    ["a progressive file without Huffman tables", () => without(progressive(), DHT), "missing-table"],
    ["arithmetic coding", () => jpegFixture("arithmetic"), "unsupported-process"],
    ["lossless coding", () => patched(baseline(), SOF0, 1, 0xc3), "unsupported-process"],
    ["hierarchical coding", () => inserted(baseline(), SOF0, [0xff, 0xde, 0, 2]), "unsupported-process"],
    ["DNL", () => inserted(baseline(), EOI, [0xff, 0xdc, 0, 4, 0, 101]), "unsupported-process"],
    ["12 bits", () => patched(baseline(), SOF0, 4, 12), "unsupported-precision"],
    ["no height", () => patched(patched(baseline(), SOF0, 5, 0), SOF0, 6, 0), "bad-frame-header"],
    ["a sampling factor of 0", () => patched(baseline(), SOF0, 11, 0x20), "bad-frame-header"],
    ["a sampling factor of 5", () => patched(baseline(), SOF0, 11, 0x51), "bad-frame-header"],
    ["components of one name", () => patched(baseline(), SOF0, 13, 1), "bad-frame-header"],
    ["eleven blocks in an MCU", () => patched(baseline(), SOF0, 11, 0x44), "bad-scan-header"],
    ["a component that no frame has", () => patched(baseline(), SOS, 5, 9), "bad-scan-header"],
    ["a scan of one component twice", () => patched(baseline(), SOS, 7, 1), "bad-scan-header"],
    ["a sequential scan of some coefficients", () => patched(baseline(), SOS, 12, 62), "bad-scan-header"],
    [
      "a component coded twice",
      () => {
        const bytes = jpegFixture("baseline-separate-scans");
        return patched(bytes, SOS, 5, 1, 1);
      },
      "repeated-component",
    ],
    [
      "a component that is never coded",
      () => {
        const bytes = jpegFixture("baseline-separate-scans");
        return appended(bytes.slice(0, markerAt(bytes, SOS, 2)), [0xff, EOI]);
      },
      "missing-component",
    ],
    ["AC before DC", () => splice(progressive(), markerAt(progressive(), SOS) + 11, 2, [1, 5]), "bad-progression"],
    ["a Huffman table of too many codes", () => patched(baseline(), DHT, 5, 3), "bad-huffman-table"],
    ["a DC category of 16", () => patched(baseline(), DHT, 21, 16), "bad-huffman-table"],
    ["a quantization table that is cut", () => patched(baseline(), DQT, 3, 66), "bad-quantization-table"],
    ["a restart interval of four bytes", () => inserted(baseline(), SOS, [0xff, DRI, 0, 6, 0, 0, 0, 0]), "bad-length"],
    ["a segment length of 1", () => splice(baseline(), markerAt(baseline(), APP0) + 2, 2, [0, 1]), "bad-length"],
    ["a reserved marker", () => inserted(baseline(), DQT, [0xff, 0x02, 0, 2]), "bad-marker"],
  ])("%s", (_, make, code) => {
    expect(outcome(verify(make()))).toBe(code);
  });

  test("a rejection names the fault and its place", () => {
    expect(verify(baseline().slice(0, -200))).toMatchObject({
      verdict: "rejected",
      detail: expect.stringMatching(/^data ends in MCU \d+ of 70$/),
    });
  });
});

describe("bombs", () => {
  test("too many pixels are refused at the header, before anything is allocated", () => {
    const huge = splice(baseline(), markerAt(baseline(), SOF0) + 5, 4, [0xff, 0xff, 0xff, 0xff]);
    expect(verify(huge)).toEqual({
      verdict: "rejected",
      code: "too-many-pixels",
      detail: "65535 × 65535 pixels, at most 24000000 are accepted",
    });
    expect(outcome(verify(baseline(), { ...CAPTURE_LIMITS, maxPixels: 149 * 101 }))).toBe("accepted");
    expect(outcome(verify(baseline(), { ...CAPTURE_LIMITS, maxPixels: 149 * 101 - 1 }))).toBe("too-many-pixels");
  });

  /** A progressive gray frame of 24 megapixels, then end-of-band runs that code every block in a few bytes. */
  function scanBomb(scans: number): Uint8Array {
    const bytes = [0xff, SOI, 0xff, DQT, 0, 67, 0, ...new Array<number>(64).fill(1)];
    bytes.push(0xff, SOF2, 0, 11, 8, 0x0f, 0xa0, 0x17, 0x70, 1, 1, 0x11, 0);
    // One code of one bit: DC category 0; and for AC an end-of-band run of 14 more bits.
    bytes.push(0xff, DHT, 0, 20, 0x00, 1, ...zeros(15), 0, 0xff, DHT, 0, 20, 0x10, 1, ...zeros(15), 0xe0);
    bytes.push(0xff, SOS, 0, 8, 1, 1, 0, 0, 0, 0, ...zeros(375_000 / 8));
    for (let scan = 1; scan < scans; scan++)
      bytes.push(0xff, SOS, 0, 8, 1, 1, 0, scan, scan, 0, ...zeros(Math.ceil((23 * 15) / 8)));
    return Uint8Array.from([...bytes, 0xff, EOI]);
  }

  test("64 scans of 24 megapixels end, and a 65th is refused", () => {
    expect(outcome(verify(scanBomb(64)))).toBe("accepted");
    const more = scanBomb(64);
    expect(outcome(verify(inserted(more, EOI, [0xff, SOS, 0, 8, 1, 1, 0, 1, 63, 0x10])))).toBe("too-many-scans");
  });

  test("a hundred thousand tables and segments cost no more than their bytes", () => {
    const tables = Array.from({ length: 50_000 }, () => [0xff, DHT, 0, 20, 0x00, 1, ...zeros(15), 0]).flat();
    const comments = Array.from({ length: 100_000 }, () => [0xff, 0xfe, 0, 2]).flat();
    const at = markerAt(baseline(), DHT);
    expect(outcome(verify(splice(baseline(), at, 0, [...tables, ...comments])))).toBe("accepted");
  });
});

test("trailing images and data can be accepted, as for documents", () => {
  const limits: JpegLimits = { ...CAPTURE_LIMITS, secondImage: "ignore", maxTrailingBytes: Number.POSITIVE_INFINITY };
  expect(outcome(verify(appended(baseline(), baseline()), limits))).toBe("accepted data-after-end");
});
