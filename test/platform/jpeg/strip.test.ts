import { decode as decodeIndependently } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { CAPTURE_LIMITS, decodeJpeg, withoutMetadata } from "../../../src/platform/jpeg";
import { plainProfile } from "../../../src/platform/jpeg/colour-profile";
import { STANDARD_AC } from "../../../src/platform/jpeg/huffman";
import { atOnce } from "../../../src/platform/pace";
import { decodableFixtures, exifSegment, jpegFixture, markerAt, segmentLength, splice } from "../../support/pictures";
import { iccProfile } from "../../support/profiles";
import fc, { scaled } from "../../support/properties";

const SECRET = "Kepr!7";
const secret = [...new TextEncoder().encode(SECRET)];

const joined = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
const strip = (bytes: Uint8Array): Uint8Array => joined(atOnce(withoutMetadata(bytes)));
const latin = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);
const segment = (marker: number, payload: readonly number[]): number[] => {
  const length = payload.length + 2;
  return [0xff, marker, length >> 8, length & 255, ...payload];
};
const letters = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

/** The picture of a file, without how it is stored. Samples are text, which is compared quickly. */
const pictureIn = (bytes: Uint8Array) => {
  const { planes, width, height, metadata } = atOnce(decodeJpeg(bytes, 10_000, CAPTURE_LIMITS));
  const { orientation = 1, ...colours } = metadata;
  return { planes: planes.map((of) => ({ ...of, samples: latin(of.samples) })), width, height, orientation, colours };
};

/** Offsets of the segments of a file, those between scans too. */
function segmentsOf(bytes: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = 2; at < bytes.length; ) {
    const marker = bytes[at] === 0xff ? (bytes[at + 1] ?? 0) : 0;
    if (marker === 0xd9) break;
    const isSegment = marker >= 0xc0 && marker < 0xff && (marker & 0xf8) !== 0xd0;
    if (isSegment) found.push(at);
    at += isSegment ? segmentLength(bytes, at) : 1;
  }
  return found;
}

/** Offsets of the restart markers in a file. */
const restartsOf = (bytes: Uint8Array): number[] =>
  [...bytes.keys()].filter((at) => bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf8) === 0xd0);

const insert = (bytes: Uint8Array, at: number, what: readonly number[]) => splice(bytes, at, 0, what);
/** An offset between two segments; `n` chooses one. Before the frame, all of them are before the first scan too. */
const between = (bytes: Uint8Array, n: number): number => {
  const at = segmentsOf(bytes);
  return at[n % at.length] ?? 2;
};
const profile = (texts: Record<string, string> = {}) => iccProfile({ kind: "adobe", texts });

/** Ways to hide a text in a file. Each leaves the picture as it is. */
const HIDING: Record<string, (bytes: Uint8Array, n: number) => Uint8Array> = {
  "application segments": (bytes, n) => insert(bytes, between(bytes, n), segment(0xe0 + (n % 16), secret)),
  comments: (bytes, n) => insert(bytes, between(bytes, n), segment(0xfe, secret)),
  "other uses of APP0": (bytes, n) =>
    insert(bytes, between(bytes, n), segment(0xe0, [...letters("JFXX\0"), ...secret])),
  "JFIF after 14 bytes": (bytes) =>
    insert(bytes, 2, segment(0xe0, [...letters("JFIF\0"), 1, 2, 0, 0, 1, 0, 1, 0, 0, ...secret])),
  "a JFIF thumbnail": (bytes) =>
    insert(bytes, 2, segment(0xe0, [...letters("JFIF\0"), 1, 2, 0, 0, 1, 0, 1, 2, 1, ...secret])),
  "JFIF density": (bytes) => insert(bytes, 2, segment(0xe0, [...letters("JFIF\0"), 1, 2, ...secret.slice(0, 5), 0, 0])),
  EXIF: (bytes) => insert(bytes, 2, [...exifSegment(1, true), ...segment(0xe1, [...letters("Exif\0\0"), ...secret])]),
  "a profile that is none": (bytes, n) =>
    insert(bytes, between(bytes, n), segment(0xe2, [...letters("ICC_PROFILE\0"), 1, 1, ...secret])),
  "texts of a profile": (bytes) =>
    insert(
      bytes,
      2,
      segment(0xe2, [
        ...letters("ICC_PROFILE\0"),
        1,
        1,
        ...profile({ desc: SECRET, cprt: SECRET, dmnd: SECRET, Zyxw: SECRET }),
      ]),
    ),
  "the header of a profile": (bytes) => {
    const made = profile();
    for (const at of [4, 24, 40, 44, 48, 56, 80, 84, 100]) made.set(secret.slice(0, 4), at);
    return insert(bytes, 2, segment(0xe2, [...letters("ICC_PROFILE\0"), 1, 1, ...made]));
  },
  "the end of a profile": (bytes) =>
    insert(bytes, 2, segment(0xe2, [...letters("ICC_PROFILE\0"), 1, 1, ...profile(), ...secret])),
  "between the parts of a profile": (bytes) => {
    const made = [...profile({ desc: SECRET })];
    const part = (i: number, of: number[]) => segment(0xe2, [...letters("ICC_PROFILE\0"), i, 2, ...of]);
    return insert(bytes, 2, [...part(2, made.slice(100)), ...segment(0xfe, secret), ...part(1, made.slice(0, 100))]);
  },
  "bytes after the end": (bytes) => insert(bytes, bytes.length, secret),
  "bytes after a scan": (bytes) => insert(bytes, bytes.length - 2, secret),
  "bytes before a restart marker": (bytes, n) => {
    const at = restartsOf(bytes);
    return at.length === 0 ? bytes : insert(bytes, at[n % at.length] ?? 0, [...secret, 0xff, 0x00, ...secret]);
  },
  "fill bytes": (bytes, n) => insert(bytes, between(bytes, n), Array<number>(1 + (n % 9)).fill(0xff)),
  "a stray marker": (bytes) => insert(bytes, 2, [0xff, 0x01, 0xff, 0xd3]),
  "an unused quantization table": (bytes, n) =>
    insert(bytes, between(bytes, n), segment(0xdb, [3, ...secret, ...Array<number>(64 - secret.length).fill(1)])),
  "a quantization table that another one replaces": (bytes) =>
    insert(bytes, 2, segment(0xdb, [0, ...secret, ...Array<number>(64 - secret.length).fill(1)])),
  "an unused Huffman table": (bytes, n) =>
    insert(
      bytes,
      between(bytes, n),
      segment(0xc4, [0x13, ...STANDARD_AC[0]!.counts, ...secret, ...Array<number>(156).fill(7)]),
    ),
  "symbols that no block uses": (bytes) => {
    // The fixtures have the standard tables; the last symbols of the AC table occur in none.
    const table = STANDARD_AC[0]!.symbols;
    const at = latin(bytes).indexOf(latin(table));
    return at === -1 ? bytes : splice(bytes, at + table.length - secret.length, secret.length, secret);
  },
  "the Adobe segment after 12 bytes": (bytes) => {
    const rgb = latin(bytes).includes("Adobe");
    return insert(bytes, 2, segment(0xee, [...letters("Adobe"), 0, 100, 0, 0, 0, 0, rgb ? 0 : 1, ...secret]));
  },
  "the version and flags of the Adobe segment": (bytes) => {
    const rgb = latin(bytes).includes("Adobe");
    return insert(bytes, 2, segment(0xee, [...letters("Adobe"), ...secret, rgb ? 0 : 1]));
  },
  "a restart interval that no scan uses": (bytes) => {
    const sos = markerAt(bytes, 0xda);
    const has = latin(bytes).includes("\xff\xdd\0\x04");
    return has ? bytes : insert(bytes, sos, [...segment(0xdd, secret.slice(0, 2)), ...segment(0xdd, [0, 0])]);
  },
};

describe("a picture without metadata", () => {
  test.each(decodableFixtures)("has the same pixels and orientation: %s", (name) => {
    const plain = jpegFixture(name);
    const bare = strip(plain);
    expect(pictureIn(bare)).toEqual(pictureIn(plain));
    const turned = insert(plain, 2, exifSegment(6, false));
    expect(pictureIn(strip(turned))).toEqual(pictureIn(turned));
    if (name !== "progressive-restart") {
      // jpeg-js does not read that file.
      const pixels = (of: Uint8Array) => latin(decodeIndependently(of, { useTArray: true }).data);
      expect(pixels(bare) === pixels(plain)).toBe(true);
    }
    // It is canonical: nothing is left to remove.
    expect(latin(strip(bare)) === latin(bare)).toBe(true);
  });

  const ways = Object.keys(HIDING);
  const cases = fc.record({
    name: fc.constantFrom(...decodableFixtures),
    hidden: fc.array(fc.record({ way: fc.constantFrom(...ways), n: fc.nat(99) }), { minLength: 1, maxLength: 4 }),
  });
  test("does not contain a text that was hidden anywhere in the file", () => {
    fc.assert(
      fc.property(cases, ({ name, hidden }) => {
        const plain = jpegFixture(name);
        const bytes = hidden.reduce((file, { way, n }) => HIDING[way]!(file, n), plain);
        let expected: ReturnType<typeof pictureIn>;
        try {
          expected = pictureIn(bytes);
        } catch {
          // Two ways can add up to a file that the service rejects. It is stored nowhere.
          fc.pre(false);
          return;
        }
        const bare = strip(bytes);
        expect(latin(bare)).not.toContain(SECRET);
        expect(pictureIn(bare)).toEqual(expected);
        // The same picture gives the same bytes, however much was hidden in it.
        if (
          !latin(bytes).includes("JFIF\0\x01\x02") &&
          !latin(bytes).includes("ICC_") &&
          !latin(bytes).includes("Adobe")
        )
          expect(latin(bare) === latin(strip(plain))).toBe(true);
      }),
      { numRuns: scaled(60) },
    );
  });

  test.each(ways)("loses what hides in %s", (way) => {
    let tried = 0;
    for (const name of decodableFixtures)
      for (const n of [0, 1, 5]) {
        const bytes = HIDING[way]!(jpegFixture(name), n);
        let expected: ReturnType<typeof pictureIn>;
        try {
          expected = pictureIn(bytes);
        } catch {
          continue;
        }
        tried++;
        const bare = strip(bytes);
        expect(latin(bare)).not.toContain(SECRET.slice(0, 4));
        expect(pictureIn(bare)).toEqual(expected);
      }
    expect(tried).toBeGreaterThan(10);
  });
});

describe("a colour profile", () => {
  const gammaOf = (bytes: Uint8Array | null) => bytes && new DataView(bytes.buffer).getInt32(bytes.length - 4) / 65536;

  test("of Adobe RGB keeps its colours, and nothing else", () => {
    const given = profile({ desc: SECRET });
    const plain = plainProfile(given);
    expect(latin(plain ?? new Uint8Array())).not.toContain(SECRET);
    expect(gammaOf(plain)).toBeCloseTo(2.2, 3);
    expect(plain?.length).toBe(new DataView(plain!.buffer).getUint32(0));
    expect(plainProfile(plain!)).toEqual(plain);
    // The same colours with other texts, or with a curve of many points, give the same profile.
    expect(plainProfile(profile())).toEqual(plain);
    expect(plainProfile(iccProfile({ kind: "adobe", points: 1024 }))).toEqual(plain);
  });

  test("of Display P3 keeps its colours", () => {
    const plain = plainProfile(iccProfile({ kind: "p3", texts: {} }));
    expect(plain).not.toBeNull();
    expect(plainProfile(plain!)).toEqual(plain);
  });

  test("of sRGB is left out, because decoders assume it", () => {
    expect(plainProfile(iccProfile({ kind: "srgb", points: 1024 }))).toBeNull();
    expect(plainProfile(iccProfile({ kind: "srgb" }))).toBeNull();
  });

  test("that is not understood is left out", () => {
    const given = profile();
    const broken = [
      new Uint8Array(),
      given.slice(0, 200),
      iccProfile({ kind: "adobe", space: "CMYK" }),
      iccProfile({ kind: "adobe", texts: { A2B0: "x" } }),
      iccProfile({ kind: "adobe", curve: (x) => (x < 0.5 ? 0 : 1), points: 64 }),
      given.map((byte, i) => (i === 131 ? 255 : byte)),
    ];
    for (const [i, bytes] of broken.entries()) if (i !== 5) expect(plainProfile(bytes)).toBeNull();
  });

  test("of any bytes ends in a profile or in none", () => {
    const given = profile();
    fc.assert(
      fc.property(fc.nat(given.length - 1), fc.uint8Array({ minLength: 1, maxLength: 8 }), (at, bytes) => {
        const mutant = given.slice();
        mutant.set(bytes.subarray(0, given.length - at), at);
        const plain = plainProfile(mutant);
        if (plain !== null) expect(plainProfile(plain)).toEqual(plain);
      }),
      { numRuns: scaled(100) },
    );
  });
});
