import { jpegSize } from "../jpeg";
import { pictureType } from "./kind";

export interface PictureSize {
  width: number;
  height: number;
}

/** Bytes of the beginning in which the size of nearly every picture stands; JPEG has its metadata before it. */
export const SIZE_WITHIN = 64 * 1024;

const ascii = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));

/** Size of a picture as its header says, before anything is decoded; null where there is none to be read. */
export function pictureSize(head: Uint8Array): PictureSize | null {
  switch (pictureType(head)) {
    case "image/jpeg":
      return jpegSize(head);
    case "image/png":
      return head.length < 24 || ascii(head, 12) !== "IHDR" ? null : pngSize(head);
    case "image/webp":
      return head.length < 30 ? null : webpSize(head);
    default:
      return null;
  }
}

/** IHDR comes first and begins with both (PNG, third edition, 11.2.1). */
function pngSize(head: Uint8Array): PictureSize {
  const view = new DataView(head.buffer, head.byteOffset);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** The first chunk's size: canvas, lossless or lossy (WebP container specification; RFC 6386 9.1 for VP8). */
function webpSize(head: Uint8Array): PictureSize | null {
  const view = new DataView(head.buffer, head.byteOffset);
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  switch (ascii(head, 12)) {
    case "VP8X":
      return { width: 1 + uint24(24), height: 1 + uint24(27) };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case "VP8 ":
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return null;
  }
}
