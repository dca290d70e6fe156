import type { Segment } from "./markers";

/** EXIF orientation: 1 upright, 2 to 8 the other ways a picture can lie (Exif 2.32, tag 0112). */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** What application segments say about the picture; absent fields were not said. */
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

/** The transform of an Adobe segment (T.872 6.5.3), or undefined for other APP14 segments. */
export const adobeTransform = (bytes: Uint8Array, { start, end }: Segment): number | undefined =>
  end - start >= 12 && startsWith(bytes, start, "Adobe") ? bytes[start + 11] : undefined;

/** The orientation an EXIF segment gives; undefined where it gives none that is valid. */
export const exifOrientation = (bytes: Uint8Array, { start, end }: Segment): Orientation | undefined =>
  startsWith(bytes, start, "Exif\0") ? tiffOrientation(bytes.subarray(Math.min(start + 6, end), end)) : undefined;

/** The orientation in the first directory of EXIF data (a TIFF header and what follows), as any format carries it. */
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
