import type { Picture } from "../../src/platform/jpeg";
import { pictureOfRgba } from "../../src/platform/jpeg";
import { seeded } from "./random";

const files = import.meta.glob<string>("../fixtures/jpeg/*.jpg", { query: "?inline", import: "default", eager: true });

/** The files of test/fixtures/jpeg by name, such as `baseline-420`. */
export const jpegFixtures: ReadonlyMap<string, Uint8Array> = new Map(
  Object.entries(files).map(([path, url]) => [
    path.replace(/^.*\/|\.jpg$/g, ""),
    Uint8Array.from(atob(url.slice(url.indexOf(",") + 1)), (c) => c.charCodeAt(0)),
  ]),
);

export function jpegFixture(name: string): Uint8Array {
  const bytes = jpegFixtures.get(name);
  if (bytes === undefined) throw new Error(`no fixture ${name}`);
  return bytes.slice();
}

/** The files that the decoder accepts. */
export const decodableFixtures = [...jpegFixtures.keys()].filter((name) => name !== "arithmetic");

/** RGBA pixels of a scene with gradients, edges and a little noise (`grain` from 0 to 255). */
export function scene(width: number, height: number, grain = 10, seed = 1): Uint8Array {
  const random = seeded(seed);
  const pixels = new Uint8Array(4 * width * height);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const noise = (random() - 0.5) * grain;
      const disc = (x - width * 0.6) ** 2 + (y - height * 0.4) ** 2 < (Math.min(width, height) / 4) ** 2;
      const colours = [
        disc ? 220 : 40 + (150 * x) / width,
        60 + (120 * y) / height,
        disc ? 60 : 200 - (100 * x) / width,
      ];
      for (const colour of colours) pixels[at++] = Math.max(0, Math.min(255, colour + noise));
      pixels[at++] = 255;
    }
  return pixels;
}

/** Random pixels. */
export const noise = (width: number, height: number, seed = 1): Uint8Array => {
  const random = seeded(seed);
  return Uint8Array.from({ length: 4 * width * height }, (_, i) => (i % 4 === 3 ? 255 : Math.floor(256 * random())));
};

export const scenePicture = (width: number, height: number): Picture =>
  pictureOfRgba(scene(width, height), width, height);

/** The file with bytes inserted or replaced at an offset. */
export function splice(bytes: Uint8Array, at: number, remove: number, insert: readonly number[] = []): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, at), ...insert, ...bytes.subarray(at + remove)]);
}

/** Offset of the n-th (from 0) marker FFxx of a kind. */
export function markerAt(bytes: Uint8Array, marker: number, n = 0): number {
  let left = n;
  for (let at = 0; at < bytes.length; at++)
    if (bytes[at] === 0xff && bytes[at + 1] === marker && left-- === 0) return at;
  throw new Error(`no marker ${marker.toString(16)}`);
}

/** A COM segment with a text of ASCII letters. */
export const commentSegment = (text: string): number[] => [
  ...[0xff, 0xfe, 0, text.length + 2],
  ...Array.from(text, (letter) => letter.charCodeAt(0)),
];

/** An APP1 segment with an orientation, in either byte order. */
export function exifSegment(orientation: number, little: boolean): number[] {
  const number = (value: number, bytes: number) => {
    const digits = Array.from({ length: bytes }, (_, i) => (value >> (8 * i)) & 255);
    return little ? digits : digits.reverse();
  };
  const entry = [...number(0x0112, 2), ...number(3, 2), ...number(1, 4), ...number(orientation, 2), 0, 0];
  const tiff = [
    ...(little ? [0x49, 0x49] : [0x4d, 0x4d]),
    ...number(42, 2),
    ...number(8, 4),
    ...number(1, 2),
    ...entry,
  ];
  const payload = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff, 0, 0, 0, 0];
  return [0xff, 0xe1, 0, payload.length + 2, ...payload];
}

/** Offsets of the markers of all header segments, up to the first scan. */
function headerSegments(bytes: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = 2; bytes[at] === 0xff && bytes[at + 1] !== 0xda; at += segmentLength(bytes, at)) found.push(at);
  return found;
}

/** Length of the segment whose marker is at `at`, marker included. */
export const segmentLength = (bytes: Uint8Array, at: number): number =>
  2 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0));

/** Ways to damage a file: bits, bytes, lengths, order, markers, segments, sizes and ends. */
const CHANGES: readonly ((bytes: Uint8Array, at: number, random: () => number) => Uint8Array)[] = [
  (bytes, at, random) => splice(bytes, at, 1, [(bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))]),
  (bytes, at, random) => splice(bytes, at, 1, [Math.floor(random() * 256)]),
  (bytes, at) => splice(bytes, at, 1, [0xff]),
  (bytes, at) => bytes.slice(0, at),
  (bytes, at, random) => splice(bytes, at, 1 + Math.floor(random() * 40)),
  (bytes, at, random) => splice(bytes, at, 0, [...bytes.subarray(at, at + 1 + Math.floor(random() * 40))]),
  (bytes, at, random) => splice(bytes, at, 0, [0xff, Math.floor(random() * 256)]),
  (bytes, at, random) => {
    const segments = headerSegments(bytes);
    const from = segments[Math.floor(random() * segments.length)] ?? at;
    return splice(bytes, from, segmentLength(bytes, from));
  },
  (bytes, _, random) => {
    const frame = headerSegments(bytes).find((at) => (bytes[at + 1] ?? 0) >> 4 === 0xc && bytes[at + 1] !== 0xc4) ?? 0;
    return splice(bytes, frame + 5, 4, [0, 1 + Math.floor(random() * 200), 0, 1 + Math.floor(random() * 200)]);
  },
  (bytes, _, random) => splice(bytes, bytes.length, 0, [...bytes.subarray(0, Math.floor(random() * bytes.length))]),
  (bytes, _, random) =>
    splice(
      bytes,
      bytes.length,
      0,
      Array.from({ length: Math.floor(random() * 100) }, () => Math.floor(random() * 256)),
    ),
];

/** A damaged copy with one to three random changes, most often one. */
export function mutate(bytes: Uint8Array, random: () => number): Uint8Array {
  let mutant = bytes;
  for (let changes = 1 + Math.floor(random() ** 2 * 3); changes > 0; changes--) {
    const change = CHANGES[Math.floor(random() * CHANGES.length)];
    if (change !== undefined) mutant = change(mutant, Math.floor(random() * mutant.length), random);
  }
  return mutant;
}
