import { encodeJpeg } from "./encode";
import { type Picture, shrink } from "./picture";

/** Largest tiny preview, before base64. */
export const PREVIEW_MAX_BYTES = 3072;
const PREVIEW_EDGES = [128, 112, 96, 80, 64, 48, 32] as const;
const PREVIEW_QUALITIES = [25, 20, 15, 10] as const;

/** Gallery thumbnails: longest edge in pixels, and quality. */
export const THUMBNAIL_EDGE = 640;
export const THUMBNAIL_QUALITY = 80;

export interface EncodedPicture {
  bytes: Uint8Array;
  width: number;
  height: number;
}

export function encodePicture(picture: Picture, edge: number, quality: number): EncodedPicture {
  const { width, height, ...rest } = shrink(picture, edge);
  return { bytes: encodeJpeg({ width, height, ...rest }, quality), width, height };
}

/** The thumbnail of a picture: fits 640 pixels. */
export const thumbnailOf = (picture: Picture): EncodedPicture =>
  encodePicture(picture, THUMBNAIL_EDGE, THUMBNAIL_QUALITY);

/** The best tiny preview of at most `maxBytes`: the largest edge, then the highest quality, that fits. */
export function fitPreview(picture: Picture, maxBytes = PREVIEW_MAX_BYTES): EncodedPicture {
  for (const edge of PREVIEW_EDGES)
    for (const quality of PREVIEW_QUALITIES) {
      const preview = encodePicture(picture, edge, quality);
      if (preview.bytes.length <= maxBytes) return preview;
    }
  throw new RangeError(`no preview fits ${maxBytes} bytes`);
}
