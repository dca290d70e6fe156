import { STANDARD_AC, STANDARD_DC } from "../../../src/platform/jpeg/huffman";
import { MARKER } from "../../../src/platform/jpeg/markers";
import { segmentsOf } from "./segments";

/** The corrections of a picture's file. They change no pixel. */
export type Repair = "leading-bytes" | "huffman-tables" | "missing-end" | "further-images" | "trailing-bytes";

/** Maximum length of a camera's own header before the image. */
const MAX_LEADING_BYTES = 4_096;
const APP2 = 0xe2;
/** Segments that describe further images in the file. */
const MULTI_PICTURE = ["MPF\0", "urn:iso:std:iso:ts:21496:-1\0"];
const XMP = "http://ns.adobe.com/xap/1.0/\0";
const GAIN_MAP = /hdrgm:|GContainer:|Container:Directory/;

const latin = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");

const findSoi = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1))
    if (bytes[at + 1] === MARKER.SOI && bytes[at + 2] === 0xff) return at;
  return -1;
};

/** The standard tables as one segment (T.81 K.3), which Motion JPEG leaves out. */
function standardTables(): Uint8Array {
  const parts = [STANDARD_DC, STANDARD_AC].flatMap((specs, kind) =>
    specs.map(({ counts, symbols }, index) => Buffer.concat([Buffer.from([(kind << 4) | index]), counts, symbols])),
  );
  const body = Buffer.concat(parts);
  const length = body.length + 2;
  return Buffer.concat([Buffer.from([0xff, MARKER.DHT, length >> 8, length & 0xff]), body]);
}

function speaksOfOthers(bytes: Uint8Array, marker: number, body: number, to: number): boolean {
  if (marker === APP2)
    return MULTI_PICTURE.some((word) => latin(bytes, body, Math.min(to, body + word.length)) === word);
  if (marker !== MARKER.APP1 || !latin(bytes, body, Math.min(to, body + XMP.length)).startsWith(XMP)) return false;
  return GAIN_MAP.test(latin(bytes, body, to));
}

/**
 * Makes one plain JPEG of a camera's file. It removes bytes before and after the image, and the further images of a
 * multi-picture or Ultra HDR file. It adds missing standard tables and a missing end. A file that is not a JPEG is not changed:
 * the check that follows refuses it.
 */
export function normaliseJpeg(given: Uint8Array): { bytes: Uint8Array; repairs: Repair[] } {
  const start = findSoi(given.subarray(0, MAX_LEADING_BYTES + 3), 0);
  if (start === -1) return { bytes: given, repairs: [] };
  const repairs = new Set<Repair>();
  if (start > 0) repairs.add("leading-bytes");
  const parts: Uint8Array[] = [];
  let [copied, end] = [start, -1];
  let [hasTables, isSequential, scans] = [false, false, 0];
  for (const { marker, from, body, to } of segmentsOf(given, start)) {
    if (marker === MARKER.DHT) hasTables = true;
    if (marker === MARKER.SOF0 || marker === MARKER.SOF1) isSequential = true;
    if (marker === MARKER.SOS && scans++ === 0 && !hasTables && isSequential) {
      parts.push(given.subarray(copied, from), standardTables());
      copied = from;
      repairs.add("huffman-tables");
    }
    if (speaksOfOthers(given, marker, body, to)) {
      parts.push(given.subarray(copied, from));
      copied = to;
      repairs.add("further-images");
    }
    if (marker === MARKER.EOI) end = to;
  }
  if (scans === 0) return { bytes: given, repairs: [] };
  if (end === -1) {
    // A single FF at the end is the first half of the marker.
    const cut = given.at(-1) === 0xff ? given.length - 1 : given.length;
    parts.push(given.subarray(copied, cut), Uint8Array.of(0xff, MARKER.EOI));
    repairs.add("missing-end");
  } else {
    parts.push(given.subarray(copied, end));
    if (end < given.length) repairs.add(findSoi(given, end) === -1 ? "trailing-bytes" : "further-images");
  }
  return repairs.size === 0 ? { bytes: given, repairs: [] } : { bytes: Buffer.concat(parts), repairs: [...repairs] };
}
