import type { Pieces } from "../pace";
import { plainProfile } from "./colour-profile";
import { type DecodedJpeg, traceJpeg } from "./decode";
import { huffmanBytes } from "./encode";
import type { FileTrace, ScanTrace } from "./frame";
import { entryOf, type HuffmanSpec } from "./huffman";
import { JFIF_SEGMENT, MARKER, type Orientation, type Segment, segmentBytes } from "./markers";

/** An EXIF segment with the orientation alone: TIFF header, one directory, one entry (Exif 2.32, 4.6.2). */
const orientationSegment = (orientation: Orientation): number[] =>
  segmentBytes(MARKER.APP1, [
    ...[0x45, 0x78, 0x69, 0x66, 0, 0],
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1],
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0],
    ...[0, 0, 0, 0],
  ]);

/** An Adobe segment with the transform alone (T.872 6.5.3). */
const adobeSegment = (transform: number): number[] =>
  segmentBytes(MARKER.APP14, [0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, transform]);

const PROFILE_NAME = [...new TextEncoder().encode("ICC_PROFILE\0")];

/** Bytes of a profile beyond which it is not read. RGB profiles of cameras have a few hundred to some thousand. */
const MAX_PROFILE_BYTES = 512 * 1024;

/** The profile of the parts of a file, which name their place and count (ICC.1 B.4); null without a whole one. */
function joinedProfile(bytes: Uint8Array, parts: readonly Segment[]): Uint8Array | null {
  const head = PROFILE_NAME.length;
  const placed = parts
    .map(({ start, end }) => ({ place: bytes[start + head], data: bytes.subarray(start + head + 2, end) }))
    .sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
  const length = placed.reduce((sum, { data }) => sum + data.length, 0);
  if (length > MAX_PROFILE_BYTES || placed.some(({ place }, i) => place !== i + 1)) return null;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const { data } of placed) {
    whole.set(data, at);
    at += data.length;
  }
  return whole;
}

function profileSegment(bytes: Uint8Array, parts: readonly Segment[]): number[] {
  const whole = joinedProfile(bytes, parts);
  const profile = whole && plainProfile(whole);
  return profile === null ? [] : segmentBytes(MARKER.APP2, [...PROFILE_NAME, 1, 1, ...profile]);
}

/** What decoders need to know of the picture beside its pixels. */
function headerOf(bytes: Uint8Array, { metadata }: DecodedJpeg, { profile }: FileTrace): number[] {
  const { orientation = 1, jfif, adobeTransform } = metadata;
  return [
    ...[0xff, MARKER.SOI],
    ...(jfif ? JFIF_SEGMENT : []),
    ...(orientation === 1 ? [] : orientationSegment(orientation)),
    ...profileSegment(bytes, profile),
    ...(adobeTransform === undefined ? [] : adobeSegment(adobeTransform)),
  ];
}

function quantizationSegment(index: number, table: Uint16Array): number[] {
  const isWide = table.some((step) => step > 255);
  const steps = Array.from(table).flatMap((step) => (isWide ? [step >> 8, step & 255] : [step]));
  return segmentBytes(MARKER.DQT, [(isWide ? 0x10 : 0) | index, ...steps]);
}

/** A Huffman table in which the symbols of unused codes are zero: they can be any text. */
function huffmanSegment(slot: number, spec: HuffmanSpec, used: Uint8Array): number[] {
  const lengths = [...spec.counts].flatMap((count, i) => Array<number>(count).fill(i + 1));
  const symbols = spec.symbols.map((symbol, i) => (used[entryOf(symbol, lengths[i] ?? 0)] === 1 ? symbol : 0));
  return segmentBytes(MARKER.DHT, huffmanBytes(slot, { counts: spec.counts, symbols }));
}

/** By table: the entries that any scan decoded with it. */
function usedEntries(scans: readonly ScanTrace[]): Map<HuffmanSpec, Uint8Array> {
  const used = new Map<HuffmanSpec, Uint8Array>();
  for (const { decoder } of scans.flatMap(({ huffman }) => huffman)) {
    const before = used.get(decoder.spec);
    used.set(
      decoder.spec,
      decoder.used.map((flag, entry) => flag | (before?.[entry] ?? 0)),
    );
  }
  return used;
}

/** The entropy-coded segments of a scan, with their restart markers. */
function scanData(bytes: Uint8Array, { starts, ends }: ScanTrace): Uint8Array {
  const lengths = starts.map((start, i) => (ends[i] ?? start) - start);
  const data = new Uint8Array(lengths.reduce((sum, length) => sum + length + 2, -2));
  let at = 0;
  starts.forEach((start, i) => {
    if (i > 0) {
      data.set([0xff, MARKER.RST0 + ((i - 1) & 7)], at);
      at += 2;
    }
    data.set(bytes.subarray(start, ends[i]), at);
    at += lengths[i] ?? 0;
  });
  return data;
}

/**
 * The picture of a JPEG file: its pixels, orientation and colours alone. Every segment is written again: the tables
 * that are used, JFIF without a thumbnail, the Adobe transform, the orientation, and a profile of the same colours. So
 * no comment, application data, unused table, or byte beside a scan or after the end comes out. Decodes the file in pieces.
 * @returns its parts in order
 * @throws JpegError for a file that `verifyJpeg` rejects
 */
export function* withoutMetadata(bytes: Uint8Array): Pieces<Uint8Array[]> {
  const { decoded, trace } = yield* traceJpeg(bytes);
  const { frame, scans } = trace;
  if (frame === null) throw new Error("a decoded file has a frame");
  const copy = ({ start, end }: Segment) => Array.from(bytes.subarray(start, end));
  const parts: Uint8Array[] = [];
  const write = (of: readonly number[]) => parts.push(Uint8Array.from(of));
  write(headerOf(bytes, decoded, trace));

  const quantization = new Map<number, Uint16Array>();
  const writeQuantization = (index: number, table: Uint16Array) => {
    if (quantization.get(index) !== table) write(quantizationSegment(index, table));
    quantization.set(index, table);
  };
  // Some decoders read the quantization tables at the frame header. So the first of each index comes before it.
  const first = new Map(scans.toReversed().flatMap((scan) => [...scan.quantization]));
  for (const [index, table] of first) writeQuantization(index, table);
  write(segmentBytes(frame.marker, copy(frame.segment)));

  const used = usedEntries(scans);
  const huffman = new Map<number, HuffmanSpec>();
  let restartInterval = 0;
  for (const scan of scans) {
    for (const [index, table] of scan.quantization) writeQuantization(index, table);
    for (const { slot, decoder } of scan.huffman) {
      const { spec } = decoder;
      if (huffman.get(slot) !== spec) write(huffmanSegment(slot, spec, used.get(spec) ?? decoder.used));
      huffman.set(slot, spec);
    }
    if (scan.restartInterval !== restartInterval)
      write(segmentBytes(MARKER.DRI, [scan.restartInterval >> 8, scan.restartInterval & 255]));
    restartInterval = scan.restartInterval;
    write(segmentBytes(MARKER.SOS, copy(scan.header)));
    parts.push(scanData(bytes, scan));
    yield scan.starts.length;
  }
  write([0xff, MARKER.EOI]);
  return parts;
}
