import type { Plane } from "./channel";
import type { DecodedJpeg } from "./decode";
import type { Orientation } from "./markers";

/** Chroma at full size, or at half of it in both directions. */
export type Subsampling = "4:4:4" | "4:2:0";

/** An upright YCbCr picture for the encoder. */
export interface Picture {
  width: number;
  height: number;
  luma: Plane;
  /** Null for gray pictures. */
  chroma: { cb: Plane; cr: Plane; subsampling: Subsampling } | null;
}

/** Scales a width and height down to fit a square of `edge` pixels. They are never enlarged. */
export function fitWithin(width: number, height: number, edge: number): { width: number; height: number } {
  const factor = Math.min(1, edge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** Size of the chroma planes of a picture. */
const chromaSize = (width: number, height: number, subsampling: Subsampling): [number, number] =>
  subsampling === "4:4:4" ? [width, height] : [(width + 1) >> 1, (height + 1) >> 1];

/**
 * Converts a decoded file of any colour model and sampling to an upright picture with a longest edge of `edge` pixels.
 * For full sharpness, decode the file with a `minimumEdge` of at least `edge`.
 */
export function pictureOf(decoded: DecodedJpeg, edge: number, subsampling: Subsampling = "4:2:0"): Picture {
  return turn(scaled(decoded, edge, subsampling), decoded.metadata.orientation ?? 1);
}

/** The picture before it is turned upright. */
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

/** Scales a picture down to a longest edge of `edge` pixels. Returns the same picture if it already fits. */
export function shrink(picture: Picture, edge: number): Picture {
  const { width, height } = fitWithin(picture.width, picture.height, edge);
  if (width === picture.width && height === picture.height) return picture;
  const luma = resample(picture.luma, width, height);
  if (picture.chroma === null) return { width, height, luma, chroma: null };
  const { cb, cr, subsampling } = picture.chroma;
  const [w, h] = chromaSize(width, height, subsampling);
  return { width, height, luma, chroma: { cb: resample(cb, w, h), cr: resample(cr, w, h), subsampling } };
}

/** Turns a picture with this EXIF orientation upright. */
export function turn(picture: Picture, orientation: Orientation): Picture {
  const upright = (plane: Plane) => orient(plane, orientation);
  const { chroma } = picture;
  const luma = upright(picture.luma);
  const turned = chroma && { ...chroma, cb: upright(chroma.cb), cr: upright(chroma.cr) };
  return { width: luma.width, height: luma.height, luma, chroma: turned };
}

/** Converts RGBA pixels, row by row, to a picture. Transparent pixels get a white background. */
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

/** The meaning of the components of a file. */
type ColourModel = "gray" | "ycbcr" | "rgb" | "cmyk" | "ycck";

/**
 * The colour model by libjpeg's rules: a JFIF segment means YCbCr, else Adobe's transform decides, else the component
 * ids. Two components have no defined meaning: the first one is used as gray.
 */
function colourModel({ planes, metadata }: Pick<DecodedJpeg, "planes" | "metadata">): ColourModel {
  const { jfif, adobeTransform } = metadata;
  if (planes.length <= 2) return "gray";
  if (planes.length === 4) return adobeTransform === 2 ? "ycck" : "cmyk";
  if (jfif) return "ycbcr";
  if (adobeTransform !== undefined) return adobeTransform === 0 ? "rgb" : "ycbcr";
  return String.fromCharCode(...planes.map(({ id }) => id)) === "RGB" ? "rgb" : "ycbcr";
}

const clamp = (value: number): number => Math.max(0, Math.min(255, value));

interface YcbcrPlanes {
  luma: Plane;
  cb: Plane;
  cr: Plane;
}

/** Converts RGB samples to YCbCr (T.871 section 7). `rgbAt` writes the sample `i` to `rgb`. */
function ycbcrFrom(width: number, height: number, rgbAt: (i: number, rgb: Float64Array) => void): YcbcrPlanes {
  const plane = (): Plane => ({ samples: new Uint8Array(width * height), stride: width, width, height });
  const planes = { luma: plane(), cb: plane(), cr: plane() };
  const rgb = new Float64Array(3);
  for (let i = 0; i < width * height; i++) {
    rgbAt(i, rgb);
    const [r, g, b] = [rgb[0]!, rgb[1]!, rgb[2]!];
    planes.luma.samples[i] = clamp(0.299 * r + 0.587 * g + 0.114 * b + 0.5);
    planes.cb.samples[i] = clamp(-0.168736 * r - 0.331264 * g + 0.5 * b + 128.5);
    planes.cr.samples[i] = clamp(0.5 * r - 0.418688 * g - 0.081312 * b + 128.5);
  }
  return planes;
}

/** Converts planes of equal size in another model to YCbCr. Adobe stores the inks of CMYK and YCCK inverted. */
function toYcbcr(planes: readonly Plane[], model: "rgb" | "cmyk" | "ycck", inverted: boolean): YcbcrPlanes {
  const [first, second, third, black] = planes;
  const { width, height } = first!;
  const sample = (plane: Plane | undefined, x: number, y: number) => plane?.samples[y * plane.stride + x] ?? 0;
  // No arrays for a pixel: collecting them took most of the time.
  return ycbcrFrom(width, height, (i, rgb) => {
    const y = Math.floor(i / width);
    const x = i - y * width;
    const [a, b, c] = [sample(first, x, y), sample(second, x, y), sample(third, x, y)];
    // The first three components of YCCK are the complement of the inks in YCbCr. They are converted to CMYK first.
    if (model === "ycck") writeInks(a, b - 128, c - 128, rgb);
    else {
      rgb[0] = a;
      rgb[1] = b;
      rgb[2] = c;
    }
    if (model === "rgb") return;
    const k = black === undefined ? 255 : sample(black, x, y);
    const key = inverted ? k : 255 - k;
    for (let j = 0; j < 3; j++) rgb[j] = ((inverted ? rgb[j]! : 255 - rgb[j]!) * key) / 255;
  });
}

function writeInks(y: number, cb: number, cr: number, inks: Float64Array): void {
  inks[0] = 255 - clamp(y + 1.402 * cr);
  inks[1] = 255 - clamp(y - 0.344136 * cb - 0.714136 * cr);
  inks[2] = 255 - clamp(y + 1.772 * cb);
}

/** Whether the stored rows are the columns of the picture. */
const isTransposed = (orientation: Orientation): boolean => orientation >= 5;

/** Orientations with mirrored columns or mirrored rows. */
const MIRRORED_X: readonly Orientation[] = [2, 3, 7, 8];
const MIRRORED_Y: readonly Orientation[] = [3, 4, 6, 7];

/** Turns a plane with this EXIF orientation upright (Exif 2.32, tag 0112). */
function orient(plane: Plane, orientation: Orientation): Plane {
  if (orientation === 1) return plane;
  const transposed = isTransposed(orientation);
  const width = transposed ? plane.height : plane.width;
  const height = transposed ? plane.width : plane.height;
  const mirrorX = MIRRORED_X.includes(orientation);
  const mirrorY = MIRRORED_Y.includes(orientation);
  const samples = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [column, row] = transposed ? [y, x] : [x, y];
      const fromX = mirrorX ? plane.width - 1 - column : column;
      const fromY = mirrorY ? plane.height - 1 - row : row;
      samples[y * width + x] = plane.samples[fromY * plane.stride + fromX]!;
    }
  return { samples, stride: width, width, height };
}

/**
 * Scales a plane to `width` × `height` samples. Each target sample is the average of its area (box filter), which
 * causes no ringing. Enlarging repeats samples.
 */
function resample(plane: Plane, width: number, height: number): Plane {
  if (plane.width === width && plane.height === height) return plane;
  const { samples, stride } = plane;
  const target = new Uint8Array(width * height);
  const sums = new Float64Array(width);
  const stepX = plane.width / width;
  const stepY = plane.height / height;
  const weight = 1 / (stepX * stepY);
  for (let y = 0; y < height; y++) {
    const top = y * stepY;
    const bottom = Math.min(plane.height, top + stepY);
    sums.fill(0);
    for (let line = Math.floor(top); line < bottom; line++) {
      const share = Math.min(bottom, line + 1) - Math.max(top, line);
      // Rounding can leave a tiny share of a line outside the plane.
      if (share > 1e-9) addLine(samples, line * stride, plane.width, stepX, share, sums);
    }
    for (let x = 0; x < width; x++) target[y * width + x] = Math.min(255, sums[x]! * weight + 0.5);
  }
  return { samples: target, stride: width, width, height };
}

/** Adds one source line, multiplied by `share`, to the sums of a target line. */
function addLine(
  samples: Uint8Array,
  offset: number,
  sourceWidth: number,
  stepX: number,
  share: number,
  sums: Float64Array,
): void {
  for (let x = 0; x < sums.length; x++) {
    const left = x * stepX;
    const right = Math.min(sourceWidth, left + stepX);
    let column = left | 0;
    let sum = samples[offset + column]! * (Math.min(right, column + 1) - left);
    for (column++; column + 1 <= right; column++) sum += samples[offset + column]!;
    if (column < right) sum += samples[offset + column]! * (right - column);
    sums[x]! += sum * share;
  }
}
