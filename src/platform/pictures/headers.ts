import { jpegSize, type Orientation, tiffOrientation } from "../jpeg";

const asciiOf = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/** The media types of pictures that have previews. */
export type PictureType = "image/jpeg" | "image/png" | "image/webp";
export const PICTURE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp"] satisfies PictureType[];

/** The picture type by the first bytes of a file, or null. */
export function pictureType(head: Uint8Array): PictureType | null {
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return "image/jpeg";
  if (asciiOf(head, 0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (asciiOf(head, 0, 4) === "RIFF" && asciiOf(head, 8, 12) === "WEBP") return "image/webp";
  return null;
}

interface PictureSize {
  width: number;
  height: number;
}

/** The first bytes of a file that contain the size of almost every picture. In a JPEG, metadata precedes the size. */
export const PICTURE_HEADER_BYTES = 64 * 1024;

const ascii = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));

/** The size of a picture by its header, before anything is decoded; null if the header has none. */
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

/** The size in IHDR, the first chunk (PNG, third edition, 11.2.1). */
function pngSize(head: Uint8Array): PictureSize {
  const view = new DataView(head.buffer, head.byteOffset);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** The size in the first chunk: VP8X, VP8L or VP8 (WebP container specification; RFC 6386 9.1 for VP8). */
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

interface Chunk {
  type: string;
  /** Offsets of its data. */
  start: number;
  end: number;
}

/**
 * The chunks of a PNG (length, type, data, CRC) or WebP file (type, length, data padded to even), up to a broken one.
 */
export function* chunksOf(bytes: Uint8Array, format: "png" | "webp"): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const png = format === "png";
  for (let at = png ? 8 : 12; at + 8 <= bytes.length; ) {
    const length = png ? view.getUint32(at) : view.getUint32(at + 4, true);
    const type = String.fromCharCode(...bytes.subarray(png ? at + 4 : at, png ? at + 8 : at + 4));
    const [start, end] = [at + 8, at + 8 + length];
    if (end > bytes.length) return;
    yield { type, start, end };
    at = png ? end + 4 : end + (length & 1);
  }
}

/** The orientation in the eXIf chunk of a PNG or the EXIF chunk of a WebP; 1 without such a chunk. */
export function chunkOrientation(bytes: Uint8Array, format: "png" | "webp"): Orientation {
  for (const { type, start, end } of chunksOf(bytes, format)) {
    if (type !== (format === "png" ? "eXIf" : "EXIF")) continue;
    const data = bytes.subarray(start, end);
    // Some programs write the prefix of a JPEG segment into the chunk of a WebP.
    const prefixed = String.fromCharCode(...data.subarray(0, 4)) === "Exif";
    return tiffOrientation(prefixed ? data.subarray(6) : data) ?? 1;
  }
  return 1;
}
