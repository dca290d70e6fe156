import { release } from "../buffers";
import type { Plane } from "./channel";
import { EntropyWriter, SymbolCounter, type SymbolSink } from "./entropy-writer";
import type { HuffmanSpec } from "./huffman";
import { ZIGZAG } from "./inverse-dct";
import { JFIF_SEGMENT, MARKER, segmentBytes as segment } from "./markers";
import { type Picture, shrink } from "./picture";

/** A component during encoding: its sampling factor in both directions, and its tables (0 luminance, 1 chrominance). */
interface Coded {
  plane: Plane;
  factor: 1 | 2;
  table: 0 | 1;
}

/**
 * Encodes a baseline JFIF file (ITU T.81, T.871), gray or YCbCr, with optimal Huffman tables and without metadata.
 * `quality` is 1 to 100 on libjpeg's scale. Each side can have up to 65,535 pixels.
 */
export function encodeJpeg(picture: Picture, quality: number): Uint8Array {
  const { width, height, luma, chroma } = picture;
  const components: Coded[] = [{ plane: luma, factor: chroma?.subsampling === "4:2:0" ? 2 : 1, table: 0 }];
  for (const plane of chroma === null ? [] : [chroma.cb, chroma.cr]) components.push({ plane, factor: 1, table: 1 });
  const { luminance, chrominance } = quantizationFor(quality);
  const tables = chroma === null ? [luminance] : [luminance, chrominance];
  const blocks = quantizedBlocks(components, tables, width, height);
  const counter = new SymbolCounter();
  codeBlocks(blocks, components, counter);
  const dc = tables.map((_, i) => optimalHuffman(counter.dcCounts[i]!));
  const ac = tables.map((_, i) => optimalHuffman(counter.acCounts[i]!));
  const writer = new EntropyWriter(dc, ac);
  codeBlocks(blocks, components, writer);
  release(blocks);
  const header = [
    [0xff, MARKER.SOI],
    JFIF_SEGMENT,
    segment(
      MARKER.DQT,
      tables.flatMap((table, i) => [i, ...Array.from(ZIGZAG, (place) => table[place]!)]),
    ),
    segment(MARKER.SOF0, [
      ...[8, height >> 8, height & 255, width >> 8, width & 255, components.length],
      ...components.flatMap(({ factor, table }, i) => [i + 1, factor * 0x11, table]),
    ]),
    segment(MARKER.DHT, [
      ...dc.flatMap((spec, i) => huffmanBytes(i, spec)),
      ...ac.flatMap((spec, i) => huffmanBytes(0x10 | i, spec)),
    ]),
    segment(MARKER.SOS, [components.length, ...components.flatMap(({ table }, i) => [i + 1, table * 0x11]), 0, 63, 0]),
  ].flat();
  const data = writer.finish();
  const file = new Uint8Array(header.length + data.length + 2);
  file.set(header);
  file.set(data, header.length);
  file.set([0xff, MARKER.EOI], header.length + data.length);
  return file;
}

export const huffmanBytes = (id: number, { counts, symbols }: HuffmanSpec): number[] => [id, ...counts, ...symbols];

/** The quantized coefficients of all blocks in zig-zag order, in the order of the scan (T.81 A.2.3). */
function quantizedBlocks(components: Coded[], tables: Uint8Array[], width: number, height: number): Int16Array {
  const factor = Math.max(...components.map((component) => component.factor));
  const across = Math.ceil(width / (8 * factor));
  const down = Math.ceil(height / (8 * factor));
  const perMcu = components.reduce((sum, component) => sum + component.factor ** 2, 0);
  const blocks = new Int16Array(across * down * perMcu * 64);
  const transformed = new Float64Array(64);
  const reciprocals = tables.map((table) => Float64Array.from(ZIGZAG, (place) => 1 / table[place]!));
  let at = 0;
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++)
      for (const { plane, factor, table } of components)
        for (let i = 0; i < factor ** 2; i++, at += 64) {
          forwardDct(plane, x * factor + (i % factor), y * factor + Math.floor(i / factor), transformed);
          const shares = reciprocals[table]!;
          for (let k = 0; k < 64; k++) blocks[at + k] = Math.round(transformed[ZIGZAG[k]!]! * shares[k]!);
        }
  return blocks;
}

/** Passes the symbols of all blocks to a sink (F.1.2). */
function codeBlocks(blocks: Int16Array, components: Coded[], sink: SymbolSink): void {
  const predictions = components.map(() => 0);
  const order = components.flatMap(({ factor }, i) => Array.from({ length: factor ** 2 }, () => i));
  for (let at = 0, turn = 0; at < blocks.length; at += 64, turn = (turn + 1) % order.length) {
    const index = order[turn]!;
    const { table } = components[index]!;
    const dc = blocks[at]!;
    const difference = dc - predictions[index]!;
    predictions[index] = dc;
    const category = sizeOf(difference);
    sink.dc(table, category, valueBits(difference, category));
    codeAc(blocks, at, table, sink);
  }
}

function codeAc(blocks: Int16Array, at: number, table: number, sink: SymbolSink): void {
  let last = 63;
  while (last > 0 && blocks[at + last] === 0) last--;
  let run = 0;
  for (let k = 1; k <= last; k++) {
    const value = blocks[at + k]!;
    if (value === 0) {
      run++;
      continue;
    }
    for (; run > 15; run -= 16) sink.ac(table, 0xf0, 0, 0);
    const size = sizeOf(value);
    sink.ac(table, (run << 4) | size, valueBits(value, size), size);
    run = 0;
  }
  if (last < 63) sink.ac(table, 0, 0, 0);
}

/** The number of bits of a value's magnitude (table F.1). */
const sizeOf = (value: number): number => 32 - Math.clz32(Math.abs(value));

/** The low bits that follow the category; negative values are one less (F.1.2.1). */
const valueBits = (value: number, size: number): number => (value < 0 ? value - 1 : value) & ((1 << size) - 1);

/** ½ c(u) cos((2x + 1) u π / 16) at 8u + x (T.81 A.3.3). */
const BASIS = Float64Array.from({ length: 64 }, (_, i) => {
  const [u, x] = [i >> 3, i & 7];
  return (u === 0 ? Math.SQRT1_2 / 2 : 0.5) * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
});

const rows = new Float64Array(64);

/** One eight-point transform, by the symmetry of even and odd basis functions. */
function points8(from: Float64Array, at: number, fromStep: number, to: Float64Array, toAt: number, toStep: number) {
  const s0 = from[at]! + from[at + 7 * fromStep]!;
  const s1 = from[at + fromStep]! + from[at + 6 * fromStep]!;
  const s2 = from[at + 2 * fromStep]! + from[at + 5 * fromStep]!;
  const s3 = from[at + 3 * fromStep]! + from[at + 4 * fromStep]!;
  const d0 = from[at]! - from[at + 7 * fromStep]!;
  const d1 = from[at + fromStep]! - from[at + 6 * fromStep]!;
  const d2 = from[at + 2 * fromStep]! - from[at + 5 * fromStep]!;
  const d3 = from[at + 3 * fromStep]! - from[at + 4 * fromStep]!;
  for (let u = 0; u < 8; u += 2) {
    const even = 8 * u;
    const odd = even + 8;
    to[toAt + u * toStep] = BASIS[even]! * s0 + BASIS[even + 1]! * s1 + BASIS[even + 2]! * s2 + BASIS[even + 3]! * s3;
    to[toAt + (u + 1) * toStep] = BASIS[odd]! * d0 + BASIS[odd + 1]! * d1 + BASIS[odd + 2]! * d2 + BASIS[odd + 3]! * d3;
  }
}

const block = new Float64Array(64);

/** Transforms the 8 × 8 samples at block coordinates. Outside of the plane, its last samples are repeated (A.2.4). */
function forwardDct(plane: Plane, blockX: number, blockY: number, out: Float64Array): void {
  const { samples, stride, width, height } = plane;
  for (let y = 0; y < 8; y++) {
    const line = Math.min(height - 1, 8 * blockY + y) * stride;
    for (let x = 0; x < 8; x++) block[8 * y + x] = samples[line + Math.min(width - 1, 8 * blockX + x)]! - 128;
  }
  for (let y = 0; y < 8; y++) points8(block, 8 * y, 1, rows, 8 * y, 1);
  for (let x = 0; x < 8; x++) points8(rows, x, 8, out, x, 8);
}

/** T.81 tables K.1 and K.2, row by row: luminance and chrominance. */
const LUMINANCE = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];
const CHROMINANCE = [
  17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99,
];

/** The tables for a quality of 1 to 100 on libjpeg's scale: 50 gives the tables of Annex K. */
function quantizationFor(quality: number): { luminance: Uint8Array; chrominance: Uint8Array } {
  const percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  const scaled = (table: number[]) =>
    Uint8Array.from(table, (step) => Math.max(1, Math.min(255, Math.floor((step * percent + 50) / 100))));
  return { luminance: scaled(LUMINANCE), chrominance: scaled(CHROMINANCE) };
}

/** A symbol above all others. It reserves the code of all ones (T.81 K.2). */
const RESERVED = 256;
const MAX_CODE_LENGTH = 16;

/** The Huffman table with the shortest output for 256 symbol counts, with codes of at most 16 bits (T.81 K.2). */
export function optimalHuffman(frequencies: Uint32Array): HuffmanSpec {
  const sizes = codeSizes(frequencies);
  const counts = limitLengths(sizes);
  const symbols: number[] = [];
  for (let size = 1; size <= RESERVED; size++)
    for (let symbol = 0; symbol < RESERVED; symbol++) if (sizes[symbol] === size) symbols.push(symbol);
  return { counts, symbols: Uint8Array.from(symbols) };
}

/** Code lengths: repeatedly merges the two rarest symbols (figure K.1). */
function codeSizes(given: Uint32Array): Uint16Array {
  const frequencies = Float64Array.from({ length: RESERVED + 1 }, (_, i) => given[i] ?? 1);
  const sizes = new Uint16Array(RESERVED + 1);
  const next = new Int16Array(RESERVED + 1).fill(-1);
  /** Makes every code of a chain one bit longer. Returns the last symbol of the chain. */
  const lengthen = (first: number): number => {
    let symbol = first;
    for (;;) {
      sizes[symbol]!++;
      const after = next[symbol]!;
      if (after === -1) return symbol;
      symbol = after;
    }
  };
  for (;;) {
    const least = rarest(frequencies, -1);
    const second = rarest(frequencies, least);
    if (second === -1) return sizes;
    frequencies[least]! += frequencies[second]!;
    frequencies[second] = 0;
    next[lengthen(least)] = second;
    lengthen(second);
  }
}

/** The rarest symbol except `besides`. Among equals the greatest one, so the reserved symbol has the longest code. */
function rarest(frequencies: Float64Array, besides: number): number {
  let found = -1;
  frequencies.forEach((frequency, symbol) => {
    if (frequency > 0 && symbol !== besides && (found === -1 || frequency <= frequencies[found]!)) found = symbol;
  });
  return found;
}

/**
 * The number of codes of each length 1 to 16. Longer codes are moved up the tree (figure K.3), the reserved one is
 * removed.
 */
function limitLengths(sizes: Uint16Array): Uint8Array {
  const counts = new Uint16Array(RESERVED + 2);
  for (const size of sizes) if (size > 0) counts[size]!++;
  for (let length = RESERVED + 1; length > MAX_CODE_LENGTH; length--)
    while (counts[length]! > 0) {
      let shorter = length - 2;
      while (counts[shorter] === 0) shorter--;
      counts[length]! -= 2;
      counts[length - 1]!++;
      counts[shorter + 1]! += 2;
      counts[shorter]!--;
    }
  let last = MAX_CODE_LENGTH;
  while (counts[last] === 0) last--;
  counts[last]!--;
  return Uint8Array.from(counts.subarray(1, MAX_CODE_LENGTH + 1));
}

/** Size of a tiny preview before base64, bytes. */
export const MAX_PREVIEW_BYTES = 3072;
const PREVIEW_EDGES = [128, 112, 96, 80, 64, 48, 32] as const;
const PREVIEW_QUALITIES = [25, 20, 15, 10] as const;

/** Longest edge of a thumbnail, pixels, and its quality. */
export const THUMBNAIL_EDGE = 640;
const THUMBNAIL_QUALITY = 80;

export interface EncodedPicture {
  bytes: Uint8Array;
  width: number;
  height: number;
}

/** Scales a picture down to a longest edge of `edge` pixels and encodes it. `quality` is 1 to 100. */
export function encodePicture(picture: Picture, edge: number, quality: number): EncodedPicture {
  const { width, height, ...rest } = shrink(picture, edge);
  return { bytes: encodeJpeg({ width, height, ...rest }, quality), width, height };
}

/** The thumbnail of a picture, with a longest edge of THUMBNAIL_EDGE pixels. */
export const thumbnailOf = (picture: Picture): EncodedPicture =>
  encodePicture(picture, THUMBNAIL_EDGE, THUMBNAIL_QUALITY);

/**
 * The best tiny preview of at most `maxBytes`: the largest edge that fits, then the highest quality. @throws
 * RangeError.
 */
export function fitPreview(picture: Picture, maxBytes = MAX_PREVIEW_BYTES): EncodedPicture {
  for (const edge of PREVIEW_EDGES)
    for (const quality of PREVIEW_QUALITIES) {
      const preview = encodePicture(picture, edge, quality);
      if (preview.bytes.length <= maxBytes) return preview;
    }
  throw new RangeError(`no preview fits ${maxBytes} bytes`);
}
