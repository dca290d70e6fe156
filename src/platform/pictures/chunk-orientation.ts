import { type Orientation, tiffOrientation } from "../jpeg";

interface Chunk {
  type: string;
  /** Offsets of its data. */
  start: number;
  end: number;
}

/** Chunks of a PNG (length, type, data, CRC) or WebP file (type, length, data padded to even); stops where broken. */
function* chunksOf(bytes: Uint8Array, format: "png" | "webp"): Generator<Chunk> {
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

/** The orientation that a PNG's eXIf or a WebP's EXIF chunk gives; 1 without one. */
export function chunkOrientation(bytes: Uint8Array, format: "png" | "webp"): Orientation {
  for (const { type, start, end } of chunksOf(bytes, format)) {
    if (type !== (format === "png" ? "eXIf" : "EXIF")) continue;
    const data = bytes.subarray(start, end);
    // Some writers of WebP keep the prefix that the data has in a JPEG segment.
    const prefixed = String.fromCharCode(...data.subarray(0, 4)) === "Exif";
    return tiffOrientation(prefixed ? data.subarray(6) : data) ?? 1;
  }
  return 1;
}
