import { CAPTURE_LIMITS, type JpegLimits } from "../jpeg";

/**
 * JPEG: at 50 megapixels the decoder keeps at most 47 MB (4:4:4, progressive, near square), which
 * fits 128 MB beside a file of 40 MiB. Gain maps and motion pictures after the image are passed over.
 */
export const JPEG_LIMITS: JpegLimits = {
  ...CAPTURE_LIMITS,
  maxPixels: 50_000_000,
  maxTrailingBytes: Number.POSITIVE_INFINITY,
  secondImage: "ignore",
};
export const LARGEST_JPEG = 40 * 1024 * 1024;

/**
 * PNG and WebP: photon was measured to take 13 bytes a pixel (17 of 16-bit samples) and the file,
 * our planes 7 bytes a pixel beside it: 104 MB at these two limits together.
 */
export const PHOTON_PIXELS = 4_000_000;
export const LARGEST_PHOTON_FILE = 6 * 1024 * 1024;
