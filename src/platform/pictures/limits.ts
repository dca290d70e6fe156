import { CAPTURE_LIMITS, type JpegLimits } from "../jpeg";

/**
 * Limits of a JPEG. At 50 megapixels the decoder needs at most 47 MB (4:4:4, progressive, almost square), which
 * fits into 128 MB beside a file of 40 MiB. Gain maps and motion pictures after the image are ignored.
 */
export const JPEG_LIMITS: JpegLimits = {
  ...CAPTURE_LIMITS,
  maxPixels: 50_000_000,
  maxTrailingBytes: Number.POSITIVE_INFINITY,
  secondImage: "ignore",
};
/** Size of a JPEG file, bytes. */
export const MAX_JPEG_BYTES = 40 * 1024 * 1024;

/**
 * Limits of a PNG. Each row is scaled when it is unpacked. At 24 megapixels the decoder needs 51 MB beside the file, as
 * measured (square, 8 and 16 bits, interlaced or not): 91 MB at both limits together.
 */
export const MAX_PNG_PIXELS = 24_000_000;
export const MAX_PNG_BYTES = 40 * 1024 * 1024;
/** Width of a PNG, pixels: memory holds two rows. */
export const MAX_PNG_WIDTH = 65_535;

/**
 * Limits of a WebP file. Photon needs 13 bytes for each pixel and the file itself, as
 * measured; the planes need 7 more bytes for each pixel. At both limits together these are 102 MB. Photon decodes in one call, and
 * noise at both limits takes 0.47 seconds of CPU.
 */
export const MAX_PHOTON_PIXELS = 4_000_000;
export const MAX_PHOTON_FILE_BYTES = 4 * 1024 * 1024;
/** Pixels of a WebP that a browser scales while it prints. */
export const MAX_WEBP_PIXELS = 24_000_000;
