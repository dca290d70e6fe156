/*
 * Colour profiles (ICC.1:2022). A profile has texts, dates and places for any data, so none is passed on. Its colours
 * are read as numbers, and a new profile is written from them.
 */

const TAG_TABLE = 128;
const MAX_TAGS = 100;
/** PCS illuminant D50 (ICC.1 7.2.16). */
const D50 = [0.9642, 1, 0.8249] as const;
/** Colorants of sRGB, adapted to D50. */
const SRGB_COLORANTS = [
  [0.4361, 0.2225, 0.0139],
  [0.3851, 0.7169, 0.0971],
  [0.1431, 0.0606, 0.7141],
] as const;
/** Greatest difference of a colour or of a curve's value that nobody sees. */
const TOLERANCE = 0.003;
/** Places at which a curve is compared. */
const CURVE_SAMPLES = 64;

type Xyz = readonly number[];
/** The tone curve of the three channels: the sRGB curve, or a power. */
type Curve = "srgb" | { gamma: number };

interface Colours {
  colorants: readonly [Xyz, Xyz, Xyz];
  curve: Curve;
}

const isNear = (a: Xyz, b: Xyz, tolerance: number): boolean =>
  a.every((value, i) => Math.abs(value - (b[i] ?? 0)) <= tolerance);

/**
 * The colour profile of a picture, written again from the colorants and the tone curve of a given profile. Null when
 * the profile is sRGB, which decoders assume without one, or no RGB matrix profile with a simple curve. The picture is
 * shown as sRGB then.
 */
export function plainProfile(profile: Uint8Array): Uint8Array | null {
  const colours = readColours(profile);
  if (colours === null) return null;
  const isSrgb =
    colours.curve === "srgb" && colours.colorants.every((xyz, i) => isNear(xyz, SRGB_COLORANTS[i] ?? [], TOLERANCE));
  return isSrgb ? null : writeProfile(colours);
}

const textAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));

function readColours(bytes: Uint8Array): Colours | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (textAt(view, 36) !== "acsp" || textAt(view, 16) !== "RGB " || textAt(view, 20) !== "XYZ ") return null;
    const tags = readTags(view);
    // A table of colours takes the place of the matrix (ICC.1 8.3 and 8.4).
    if (tags.has("A2B0")) return null;
    const [r, g, b] = ["rXYZ", "gXYZ", "bXYZ"].map((tag) => readXyz(view, tags.get(tag)));
    const curves = ["rTRC", "gTRC", "bTRC"].map((tag) => readCurve(view, tags.get(tag)));
    if (r == null || g == null || b == null) return null;
    const white = D50.map((_, i) => (r[i] ?? 0) + (g[i] ?? 0) + (b[i] ?? 0));
    const [curve] = curves;
    if (curve == null || !isNear(white, D50, 0.02)) return null;
    const samples = sampled(curve);
    if (curves.some((other) => other === null || !isNear(sampled(other), samples, TOLERANCE))) return null;
    const simple = simplified(samples);
    return simple && { colorants: [r, g, b], curve: simple };
  } catch (thrown) {
    // A DataView throws this where a profile ends too early.
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

function readTags(view: DataView): Map<string, number> {
  const count = view.getUint32(TAG_TABLE);
  const tags = new Map<string, number>();
  for (let i = 0; i < Math.min(count, MAX_TAGS); i++) {
    const entry = TAG_TABLE + 4 + 12 * i;
    tags.set(textAt(view, entry), view.getUint32(entry + 4));
  }
  return tags;
}

const fixed = (view: DataView, at: number): number => view.getInt32(at) / 65536;

/** A colorant (ICC.1 10.31); null when it is none. */
function readXyz(view: DataView, at: number | undefined): Xyz | null {
  if (at === undefined || textAt(view, at) !== "XYZ ") return null;
  const xyz = [8, 12, 16].map((offset) => fixed(view, at + offset));
  return xyz.every((value) => value > -2 && value < 2) ? xyz : null;
}

/** A tone curve from 0 to 1 as a function (`curv`, ICC.1 10.6, and `para`, 10.18); null when it is none. */
function readCurve(view: DataView, at: number | undefined): ((x: number) => number) | null {
  if (at === undefined) return null;
  const kind = textAt(view, at);
  if (kind === "curv") {
    const count = view.getUint32(at + 8);
    const entry = (i: number) => view.getUint16(at + 12 + 2 * i) / 65535;
    if (count === 0) return (x) => x;
    if (count === 1) return (x) => x ** (view.getUint16(at + 12) / 256);
    return (x) => {
      const place = x * (count - 1);
      const i = Math.min(Math.floor(place), count - 2);
      return entry(i) + (entry(i + 1) - entry(i)) * (place - i);
    };
  }
  const form = kind === "para" ? view.getUint16(at + 8) : -1;
  const counts = [1, 3, 4, 5, 7];
  const count = counts[form];
  if (count === undefined) return null;
  const [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from({ length: count }, (_, i) =>
    fixed(view, at + 12 + 4 * i),
  );
  const power = (x: number) => Math.max(0, a * x + b) ** g;
  if (form === 0) return power;
  if (form === 1) return (x) => (x >= -b / a ? power(x) : 0);
  if (form === 2) return (x) => (x >= -b / a ? power(x) + c : c);
  return (x) => (x >= d ? power(x) + e : c * x + f);
}

const sampled = (curve: (x: number) => number): number[] =>
  Array.from({ length: CURVE_SAMPLES + 1 }, (_, i) => curve(i / CURVE_SAMPLES));

/** The tone curve of sRGB (IEC 61966-2-1). */
const srgbCurve = (x: number): number => (x < 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);

/** The curve that these samples are; null when it is neither the sRGB curve nor a power. */
function simplified(samples: readonly number[]): Curve | null {
  if (isNear(samples, sampled(srgbCurve), TOLERANCE)) return "srgb";
  const gamma = Math.round((100 * Math.log(samples[CURVE_SAMPLES / 2] ?? 0)) / Math.log(0.5)) / 100;
  const isPower = gamma >= 0.5 && gamma <= 4;
  return isPower &&
    isNear(
      samples,
      sampled((x) => x ** gamma),
      TOLERANCE,
    )
    ? { gamma }
    : null;
}

const uint32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const letters = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));
const fixedBytes = (value: number): number[] => uint32(Math.round(value * 65536) | 0);
/** A text of an element in English (ICC.1 10.15, multiLocalizedUnicodeType). */
const localized = (text: string): number[] => [
  ...[...letters("mluc"), ...uint32(0), ...uint32(1), ...uint32(12)],
  ...[...letters("enUS"), ...uint32(2 * text.length), ...uint32(28)],
  ...letters(text).flatMap((letter) => [0, letter]),
];
const xyzElement = (xyz: Xyz): number[] => [...letters("XYZ "), ...uint32(0), ...xyz.flatMap(fixedBytes)];
const curveElement = (curve: Curve): number[] => {
  const [form, numbers] =
    curve === "srgb" ? [3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]] : [0, [curve.gamma]];
  return [...letters("para"), ...uint32(0), 0, form, 0, 0, ...numbers.flatMap(fixedBytes)];
};

/** A display profile of version 4.3 with the required tags (ICC.1 8.3.3). The colorants are rounded to 1/10,000. */
function writeProfile({ colorants, curve }: Colours): Uint8Array {
  const elements = [
    localized("RGB"),
    localized("None"),
    xyzElement(D50),
    ...colorants.map((xyz) => xyzElement(xyz.map((value) => Math.round(value * 10_000) / 10_000))),
    curveElement(curve),
  ].map((element) => [...element, ...Array<number>(-element.length & 3).fill(0)]);
  const tags = ["desc", "cprt", "wtpt", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"];
  let at = TAG_TABLE + 4 + 12 * tags.length;
  const places = elements.map((element) => {
    at += element.length;
    return [at - element.length, element.length] as const;
  });
  const last = places.at(-1) ?? [0, 0];
  const table = tags.flatMap((tag, i) => [...letters(tag), ...(places[i] ?? last).flatMap(uint32)]);
  const header = [
    ...[...uint32(at), ...uint32(0), 4, 0x30, 0, 0, ...letters("mntrRGB XYZ ")],
    ...[...Array<number>(12).fill(0), ...letters("acsp"), ...Array<number>(28).fill(0)],
    ...[...D50.flatMap(fixedBytes), ...Array<number>(48).fill(0)],
  ];
  return Uint8Array.from([header, uint32(tags.length), table, ...elements].flat());
}
