import { MARKER } from "./markers";

/** Begins the application segment of an embedded preview. */
const NAME = new TextEncoder().encode("preview\0");
/** Bytes of the marker and the length of a segment. */
const SEGMENT_HEAD = 4;
/** Bytes of the start of an image, and of the JFIF segment that `encodeJpeg` writes. */
const JFIF_END = 20;

/** The offset behind the start of the image and its JFIF segment, which a decoder expects first. */
function endOfHeader(bytes: Uint8Array): number {
  const hasJfif = bytes[2] === 0xff && bytes[3] === MARKER.APP0;
  return hasJfif ? SEGMENT_HEAD + ((bytes[4] ?? 0) << 8) + (bytes[5] ?? 0) : 2;
}

/**
 * A JPEG file with a small preview of it in an application segment at its beginning. Decoders skip the segment, and one read
 * of the first bytes gets the preview. The preview has at most 65,525 bytes.
 */
export function embedPreview(file: Uint8Array, preview: Uint8Array): Uint8Array {
  const at = endOfHeader(file);
  const length = 2 + NAME.length + preview.length;
  const head = [0xff, MARKER.APP15, length >> 8, length & 255, ...NAME];
  const whole = new Uint8Array(file.length + head.length + preview.length);
  whole.set(file.subarray(0, at));
  whole.set(head, at);
  whole.set(preview, at + head.length);
  whole.set(file.subarray(at), at + head.length + preview.length);
  return whole;
}

/** The first bytes of a file with a preview of at most `maxBytes`. */
export const embeddedPreviewEnd = (maxBytes: number): number => JFIF_END + SEGMENT_HEAD + NAME.length + maxBytes;

/** The preview in the first bytes of a file, or null when they do not contain a whole preview. */
export function embeddedPreview(bytes: Uint8Array): Uint8Array | null {
  const at = endOfHeader(bytes);
  if (bytes[at] !== 0xff || bytes[at + 1] !== MARKER.APP15) return null;
  const start = at + SEGMENT_HEAD + NAME.length;
  const end = at + 2 + ((bytes[at + 2] ?? 0) << 8) + (bytes[at + 3] ?? 0);
  const isNamed = NAME.every((byte, i) => bytes[at + SEGMENT_HEAD + i] === byte);
  return isNamed && end <= bytes.length ? bytes.subarray(start, end) : null;
}
