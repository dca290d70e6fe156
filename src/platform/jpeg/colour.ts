import type { Plane } from "./channel";
import type { DecodedJpeg } from "./decode";

/** What the components of a file stand for. */
export type ColourModel = "gray" | "ycbcr" | "rgb" | "cmyk" | "ycck";

/**
 * What the components stand for, as libjpeg decides: JFIF says YCbCr, else Adobe's transform, else the components'
 * names. Two components have no agreed meaning: the first is taken as gray.
 */
export function colourModel({ planes, metadata }: Pick<DecodedJpeg, "planes" | "metadata">): ColourModel {
  const { jfif, adobeTransform } = metadata;
  if (planes.length <= 2) return "gray";
  if (planes.length === 4) return adobeTransform === 2 ? "ycck" : "cmyk";
  if (jfif) return "ycbcr";
  if (adobeTransform !== undefined) return adobeTransform === 0 ? "rgb" : "ycbcr";
  return String.fromCharCode(...planes.map(({ id }) => id)) === "RGB" ? "rgb" : "ycbcr";
}

const clamp = (value: number): number => Math.max(0, Math.min(255, value));

export interface YcbcrPlanes {
  luma: Plane;
  cb: Plane;
  cr: Plane;
}

/** Makes YCbCr (T.871 section 7) of samples that `rgbAt` gives one after the other. */
export function ycbcrFrom(width: number, height: number, rgbAt: (i: number, rgb: Float64Array) => void): YcbcrPlanes {
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

/** Makes YCbCr of planes of one size in another model; Adobe stores the inks of CMYK and YCCK inverted. */
export function toYcbcr(planes: readonly Plane[], model: "rgb" | "cmyk" | "ycck", inverted: boolean): YcbcrPlanes {
  const { width, height } = planes[0]!;
  return ycbcrFrom(width, height, (i, rgb) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    const [a = 0, b = 0, c = 0, k = 255] = planes.map(({ samples, stride }) => samples[y * stride + x]!);
    rgb.set([a, b, c]);
    if (model === "rgb") return;
    // The first three of YCCK are the inks' complement in YCbCr; the inks then follow CMYK.
    if (model === "ycck") rgb.set(inksOf(a, b - 128, c - 128));
    const key = inverted ? k : 255 - k;
    for (let j = 0; j < 3; j++) rgb[j] = ((inverted ? rgb[j]! : 255 - rgb[j]!) * key) / 255;
  });
}

const inksOf = (y: number, cb: number, cr: number): [number, number, number] => [
  255 - clamp(y + 1.402 * cr),
  255 - clamp(y - 0.344136 * cb - 0.714136 * cr),
  255 - clamp(y + 1.772 * cb),
];
