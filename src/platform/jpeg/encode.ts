import type { Plane } from "./channel";
import { EntropyWriter, SymbolCounter, type SymbolSink } from "./entropy-writer";
import { forwardDct } from "./forward-dct";
import type { HuffmanSpec } from "./huffman";
import { MARKER } from "./markers";
import { optimalHuffman } from "./optimal-huffman";
import type { Picture } from "./picture";
import { quantizationFor } from "./quantization";
import { ZIGZAG } from "./zigzag";

/** A component in encoding: sampling factor in both directions, and its tables (0 luminance, 1 chrominance). */
interface Coded {
  plane: Plane;
  factor: 1 | 2;
  table: 0 | 1;
}

/**
 * Encodes a baseline JFIF file, gray or YCbCr, with Huffman tables made for the picture; no metadata.
 * `quality` is 1 to 100 on libjpeg's scale. Sides go to 65,535 pixels.
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
  const header = [
    [0xff, MARKER.SOI],
    segment(MARKER.APP0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
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

const segment = (marker: number, parameters: number[]): number[] => {
  const length = parameters.length + 2;
  return [0xff, marker, length >> 8, length & 255, ...parameters];
};

const huffmanBytes = (id: number, { counts, symbols }: HuffmanSpec): number[] => [id, ...counts, ...symbols];

/** Every block's quantized coefficients in zig-zag order, in the order of the scan (T.81 A.2.3). */
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

/** Gives the symbols of all blocks to a sink (F.1.2). */
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

/** Bits that a value's magnitude takes (table F.1). */
const sizeOf = (value: number): number => 32 - Math.clz32(Math.abs(value));

/** The low bits that follow the category; negative values are one less (F.1.2.1). */
const valueBits = (value: number, size: number): number => (value < 0 ? value - 1 : value) & ((1 << size) - 1);
