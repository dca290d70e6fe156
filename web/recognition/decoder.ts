import {
  ColorSpace,
  FilterType,
  type IMagickImage,
  initializeImageMagick,
  MagickFormat,
  MagickImage,
  MagickReadSettings,
  ResourceLimits,
} from "@imagemagick/magick-wasm";

/*
 * The worker that decodes pictures which browsers do not: HEIC and TIFF. It gets the file once, and decodes one page at a
 * time.
 */

interface First {
  wasm: ArrayBuffer;
  file: ArrayBuffer;
  format: "heic" | "tiff";
  /** Maximum length of an edge and maximum number of pixels. The Worker has checked what the file declares. */
  maxEdge: number;
  maxPixels: number;
}

interface Asked {
  /** Where the directory of the page begins in a TIFF. */
  offset: number;
  /** A picture with more pixels is made smaller. */
  most: number;
}

/** A decoded page. */
export interface Decoded {
  pixels: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
  colorSpace: PredefinedColorSpace;
  /** Size at which it is shown: the pixels of a fax are not square. */
  shown: { width: number; height: number };
  /** How much smaller it is than in the file. */
  scale: number;
}

/** Bytes of memory for each pixel, beside the file. */
const BYTES_PER_PIXEL = 16n;
/** Resolutions whose quotient is larger belong to no scanner. */
const MAX_STRETCH = 4;

let file: Uint8Array<ArrayBuffer>;
let format: First["format"];

async function start(first: First): Promise<void> {
  await initializeImageMagick(new Uint8Array(first.wasm));
  ResourceLimits.width = BigInt(first.maxEdge);
  ResourceLimits.height = BigInt(first.maxEdge);
  ResourceLimits.area = BigInt(first.maxPixels);
  ResourceLimits.memory = BigInt(first.maxPixels) * BYTES_PER_PIXEL;
  ResourceLimits.disk = 0n;
  file = new Uint8Array(first.file);
  format = first.format;
}

/** Lets a TIFF begin with the page at an offset, so that the decoder reads exactly the directory that was checked. */
function beginAt(offset: number): void {
  const view = new DataView(file.buffer);
  const isLittle = view.getUint8(0) === 0x49;
  if (view.getUint16(2, isLittle) === 43) view.setBigUint64(8, BigInt(offset), isLittle);
  else view.setUint32(4, offset, isLittle);
}

function decode({ offset, most }: Asked): Decoded {
  if (format === "tiff") beginAt(offset);
  const settings = new MagickReadSettings({
    format: format === "tiff" ? MagickFormat.Tiff : MagickFormat.Heic,
    frameIndex: 0,
    frameCount: 1,
  });
  settings.setDefine(MagickFormat.Tiff, "ignore-layers", true);
  const image = MagickImage.create(file, settings);
  try {
    // The decoder of HEIC has turned the picture. Its EXIF data says the same once more.
    if (format === "tiff") image.autoOrient();
    const scale = Math.min(1, Math.sqrt(most / (image.width * image.height)));
    if (scale < 1) shrink(image, scale);
    if (image.colorSpace === ColorSpace.CMYK) image.colorSpace = ColorSpace.sRGB;
    const { width, height } = image;
    const pixels = image.getPixels((all) => all.toByteArray(0, 0, width, height, "RGBA"));
    if (pixels === null) throw new Error("no pixels");
    const { x, y } = image.density;
    const stretch = x > 0 && y > 0 && Math.max(x / y, y / x) < MAX_STRETCH ? x / y : 1;
    const shown = stretch > 1 ? { width, height: height * stretch } : { width: width / stretch, height };
    const colorSpace = isWide(image.getColorProfile()?.description) ? "display-p3" : "srgb";
    return { pixels: new Uint8ClampedArray(pixels), width, height, shown, scale, colorSpace };
  } finally {
    image.dispose();
  }
}

/** Makes a picture smaller. Each new pixel is the mean of those that it covers, so letters in black and white stay legible. */
function shrink(image: IMagickImage, scale: number): void {
  image.filterType = FilterType.Box;
  image.resize(Math.max(1, Math.floor(image.width * scale)), Math.max(1, Math.floor(image.height * scale)));
}

/** Telephones write the colours of their displays, which have a wider range than the web's. */
const isWide = (description: string | null | undefined): boolean => /display p3/i.test(description ?? "");

/** The page's error for a file that is whole but of a kind that the decoder does not know. */
const UNSUPPORTED = /unsupported|not (?:supported|configured|implemented|enabled)|no decode delegate|codec/i;

globalThis.onmessage = async ({ data: { id, first, page } }: MessageEvent) => {
  try {
    if (first) postMessage({ id, result: await start(first) });
    else {
      const result = decode(page);
      postMessage({ id, result }, { transfer: [result.pixels.buffer] });
    }
  } catch (thrown) {
    const message = String((thrown as Error)?.message ?? thrown).slice(0, 300);
    postMessage({ id, error: `${UNSUPPORTED.test(message) ? "unsupported" : "damaged"}: ${message}` });
  }
};
