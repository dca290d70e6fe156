import { DRAWN_TYPES, type DrawnType, type FileBytes, type Frames, readFrames } from "../platform/pictures/drawn";
import { MAX_FRAME_EDGE, MAX_FRAMES, MAX_PHOTO_PIXELS } from "./limits";

/** Why the pages of a HEIC or TIFF file are not decoded. */
export interface RefusedFrames {
  status: "damaged" | "too-large";
  detail: string;
}

export interface OpenFrames extends Frames {
  /** Number of pages of the file; `frames` has the first of them. */
  pageCount: number;
}

const isDrawn = (type: string): type is DrawnType => DRAWN_TYPES.includes(type);

/** The pages of a HEIC or TIFF file by its directory, or the reason why none is decoded. Null for other files. */
export async function framesOf(contentType: string, source: FileBytes): Promise<OpenFrames | RefusedFrames | null> {
  if (!isDrawn(contentType)) return null;
  const found = await readFrames(source, contentType);
  if (found === null) return { status: "damaged", detail: "The header of the picture cannot be read." };
  const frames = found.frames.slice(0, MAX_FRAMES);
  const most = MAX_PHOTO_PIXELS / 1_000_000;
  for (const { width, height } of frames) {
    if (width * height > MAX_PHOTO_PIXELS)
      return {
        status: "too-large",
        detail: `The picture has ${width} × ${height} pixels. Text is recognized in pictures of up to ${most} megapixels.`,
      };
    if (Math.max(width, height) > MAX_FRAME_EDGE)
      return {
        status: "too-large",
        detail: `The picture has ${width} × ${height} pixels. An edge may have up to ${MAX_FRAME_EDGE} pixels.`,
      };
  }
  return { format: found.format, frames, pageCount: found.frames.length };
}
