import type { Plane } from "./channel";
import { colourModel, toYcbcr, type YcbcrPlanes, ycbcrFrom } from "./colour";
import type { DecodedJpeg } from "./decode";
import type { Orientation } from "./metadata";
import { orient } from "./orient";
import { resample } from "./resample";

/** Chroma at full size, or at half of it in both directions. */
export type Subsampling = "4:4:4" | "4:2:0";

/** An upright YCbCr picture, ready to be encoded. */
export interface Picture {
  width: number;
  height: number;
  luma: Plane;
  /** Null for gray pictures. */
  chroma: { cb: Plane; cr: Plane; subsampling: Subsampling } | null;
}

/** Width and height that fit a square of `edge` pixels in the same proportion; never larger than they are. */
export function fitWithin(width: number, height: number, edge: number): { width: number; height: number } {
  const factor = Math.min(1, edge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** Size of the chroma planes of a picture. */
export const chromaSize = (width: number, height: number, subsampling: Subsampling): [number, number] =>
  subsampling === "4:4:4" ? [width, height] : [(width + 1) >> 1, (height + 1) >> 1];

/**
 * Makes an upright picture of at most `edge` pixels of a decoded file, whatever its colour model and sampling.
 * It is sharp where the file was decoded with a `minimumEdge` of at least `edge`.
 */
export function pictureOf(decoded: DecodedJpeg, edge: number, subsampling: Subsampling = "4:2:0"): Picture {
  return turn(scaled(decoded, edge, subsampling), decoded.metadata.orientation ?? 1);
}

/** The picture as it lies in the file. */
function scaled(decoded: DecodedJpeg, edge: number, subsampling: Subsampling): Picture {
  const size = fitWithin(decoded.width, decoded.height, edge);
  const { width, height } = size;
  const model = colourModel(decoded);
  const [first, second, third] = decoded.planes;
  if (first === undefined) throw new Error("a decoded file has a component");
  if (model === "gray") return { ...size, luma: resample(first, width, height), chroma: null };
  const halved = ({ luma, cb, cr }: YcbcrPlanes): Picture => {
    const [w, h] = chromaSize(width, height, subsampling);
    return { ...size, luma, chroma: { cb: resample(cb, w, h), cr: resample(cr, w, h), subsampling } };
  };
  if (model === "ycbcr" && second !== undefined && third !== undefined)
    return halved({ luma: resample(first, width, height), cb: second, cr: third });
  const planes = decoded.planes.map((plane) => resample(plane, width, height));
  const inverted = decoded.metadata.adobeTransform !== undefined;
  return halved(toYcbcr(planes, model === "ycbcr" ? "rgb" : model, inverted));
}

/** Makes a smaller picture of a picture; the same one where it fits already. */
export function shrink(picture: Picture, edge: number): Picture {
  const { width, height } = fitWithin(picture.width, picture.height, edge);
  if (width === picture.width && height === picture.height) return picture;
  const luma = resample(picture.luma, width, height);
  if (picture.chroma === null) return { width, height, luma, chroma: null };
  const { cb, cr, subsampling } = picture.chroma;
  const [w, h] = chromaSize(width, height, subsampling);
  return { width, height, luma, chroma: { cb: resample(cb, w, h), cr: resample(cr, w, h), subsampling } };
}

/** Turns a picture upright that lies as EXIF says. */
export function turn(picture: Picture, orientation: Orientation): Picture {
  const upright = (plane: Plane) => orient(plane, orientation);
  const { chroma } = picture;
  const luma = upright(picture.luma);
  const turned = chroma && { ...chroma, cb: upright(chroma.cb), cr: upright(chroma.cr) };
  return { width: luma.width, height: luma.height, luma, chroma: turned };
}

/** Makes a picture of RGBA pixels, row by row, on white where they are transparent. */
export function pictureOfRgba(
  pixels: Uint8Array,
  width: number,
  height: number,
  subsampling: Subsampling = "4:2:0",
): Picture {
  const { luma, cb, cr } = ycbcrFrom(width, height, (i, rgb) => {
    const alpha = pixels[4 * i + 3]! / 255;
    for (let j = 0; j < 3; j++) rgb[j] = pixels[4 * i + j]! * alpha + 255 * (1 - alpha);
  });
  const [w, h] = chromaSize(width, height, subsampling);
  return { width, height, luma, chroma: { cb: resample(cb, w, h), cr: resample(cr, w, h), subsampling } };
}
