import { JpegError, type JpegFlag, type JpegLimits } from "./limits";

/** Marker codes, the byte after FF (T.81 table B.1). */
export const MARKER = {
  TEM: 0x01,
  SOF0: 0xc0,
  SOF1: 0xc1,
  SOF2: 0xc2,
  DHT: 0xc4,
  RST0: 0xd0,
  RST7: 0xd7,
  SOI: 0xd8,
  EOI: 0xd9,
  SOS: 0xda,
  DQT: 0xdb,
  DRI: 0xdd,
  APP0: 0xe0,
  APP1: 0xe1,
  APP2: 0xe2,
  APP14: 0xee,
  APP15: 0xef,
  COM: 0xfe,
} as const;

/** The usual name of a marker, such as `FFDA` for 0xda. */
export const markerName = (marker: number): string => `FF${marker.toString(16).toUpperCase().padStart(2, "0")}`;

/** The parameters of a marker segment, without marker and length: bytes `start` to `end` of the file. */
export interface Segment {
  start: number;
  end: number;
}

/** Reads the markers of a file. Every read is checked against the end of the file. */
export class MarkerReader {
  /** Offset of the next byte to be read. */
  position = 0;

  constructor(readonly bytes: Uint8Array) {}

  byte(at: number): number {
    const value = this.bytes[at];
    if (value === undefined) throw new JpegError("premature-end", `the file ends at byte ${this.bytes.length}`);
    return value;
  }

  /** A big-endian number, the form of all parameters (T.81 B.1.1.1). */
  uint16(at: number): number {
    return (this.byte(at) << 8) | this.byte(at + 1);
  }

  /** The next marker after fill bytes (B.1.1.2), and the number of stray bytes before it. */
  nextMarker(): { marker: number; skipped: number } {
    const { bytes } = this;
    let at = this.position;
    let skipped = 0;
    for (;;) {
      while (at < bytes.length && bytes[at] !== 0xff) {
        at++;
        skipped++;
      }
      while (at < bytes.length && bytes[at] === 0xff) at++;
      const marker = bytes[at];
      if (marker === undefined) throw new JpegError("missing-end", `no EOI in ${bytes.length} bytes`);
      at++;
      if (marker !== 0) {
        this.position = at;
        return { marker, skipped };
      }
      skipped += 2;
    }
  }

  /** Reads the parameters of the last marker and moves the position behind them. */
  segment(): Segment {
    const start = this.position;
    const length = this.uint16(start);
    if (length < 2) throw new JpegError("bad-length", `segment of length ${length} at byte ${start}`);
    const end = start + length;
    if (end > this.bytes.length) throw new JpegError("premature-end", `segment at byte ${start} passes the end`);
    this.position = end;
    return { start: start + 2, end };
  }
}

/** A segment with its marker and length (B.1.1.4). */
export const segmentBytes = (marker: number, parameters: readonly number[]): number[] => {
  const length = parameters.length + 2;
  return [0xff, marker, length >> 8, length & 255, ...parameters];
};

/** The smallest JFIF segment (T.871 10.1): version 1.1, square pixels, no thumbnail. */
export const JFIF_SEGMENT: readonly number[] = segmentBytes(
  MARKER.APP0,
  [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
);

/** EXIF orientation: 1 is upright, 2 to 8 are turned or mirrored (Exif 2.32, tag 0112). */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Facts of application segments about the picture. A field without such a segment is absent. */
export interface Metadata {
  orientation?: Orientation;
  /** A JFIF segment: three components are Y, Cb, Cr. */
  jfif?: true;
  /** Transform of an Adobe segment: 0 RGB or CMYK, 1 YCbCr, 2 YCCK. */
  adobeTransform?: number;
}

const startsWith = (bytes: Uint8Array, at: number, word: string): boolean =>
  [...word].every((letter, i) => bytes[at + i] === letter.charCodeAt(0));

/** The JFIF segment (T.871 10.1). */
export const isJfif = (bytes: Uint8Array, { start, end }: Segment): boolean =>
  end - start >= 14 && startsWith(bytes, start, "JFIF\0");

/** A part of a colour profile (ICC.1 B.4). */
export const isIccProfile = (bytes: Uint8Array, { start }: Segment): boolean =>
  startsWith(bytes, start, "ICC_PROFILE\0");

/** The transform of an Adobe segment (T.872 6.5.3), or undefined for other APP14 segments. */
export const adobeTransform = (bytes: Uint8Array, { start, end }: Segment): number | undefined =>
  end - start >= 12 && startsWith(bytes, start, "Adobe") ? bytes[start + 11] : undefined;

/** The orientation of an EXIF segment; undefined if it has no valid one. */
export const exifOrientation = (bytes: Uint8Array, { start, end }: Segment): Orientation | undefined =>
  startsWith(bytes, start, "Exif\0") ? tiffOrientation(bytes.subarray(Math.min(start + 6, end), end)) : undefined;

/**
 * The orientation in the first directory of EXIF data (which begins with a TIFF header). All picture formats use this
 * form.
 */
export function tiffOrientation(bytes: Uint8Array): Orientation | undefined {
  if (bytes.length < 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = view.getUint8(0) === 0x49;
  const directory = view.getUint32(4, little);
  if (directory + 2 > view.byteLength) return undefined;
  const entries = Math.min(view.getUint16(directory, little), Math.floor((view.byteLength - directory - 2) / 12));
  for (let i = 0; i < entries; i++) {
    const entry = directory + 2 + 12 * i;
    if (view.getUint16(entry, little) !== 0x0112) continue;
    const value = view.getUint16(entry + 8, little);
    return value >= 1 && value <= 8 ? (value as Orientation) : undefined;
  }
  return undefined;
}

const isPadding = (byte: number): boolean => byte === 0x00 || byte === 0xff || byte === 0x0a || byte === 0x0d;

/** Checks the bytes after EOI: nothing, padding, another image, or other data. @throws JpegError. */
export function judgeTrailing(bytes: Uint8Array, from: number, limits: JpegLimits): JpegFlag | null {
  let at = from;
  while (at < bytes.length && isPadding(bytes[at]!)) at++;
  if (from === bytes.length) return null;
  if (at === bytes.length) return "padding-after-end";
  if (limits.secondImage === "reject") {
    const soi = findSoi(bytes, from);
    if (soi !== -1) throw new JpegError("multiple-images", `another image begins ${soi - from} bytes after EOI`);
  }
  const length = bytes.length - from;
  if (length > limits.maxTrailingBytes) throw new JpegError("trailing-data", `${length} bytes after EOI`);
  return "data-after-end";
}

/** The offset of another image: SOI and the FF of the next marker; -1 without one. */
function findSoi(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1))
    if (bytes[at + 1] === MARKER.SOI && bytes[at + 2] === 0xff) return at;
  return -1;
}
