/**
 * A JPEG verifier, scaling decoder and encoder in one pass over the bytes (ITU T.81, T.871).
 *
 * This codec is written by hand, because no package decodes a 24-megapixel picture in an isolate of 128 MB: photon
 * needs 286–369 MB and fails above about 7 megapixels, jpeg-js needs 700–1,100 MB, and the wasm of mozjpeg over 200 MB.
 * None of them verifies that a file is complete. This codec decodes every symbol of every scan, so its verdict covers
 * all data. It keeps only the N × N lowest coefficients of each block (N = 1, 2, 4 or 8) for the wanted size: up to 23
 * MB beside the file at 24 megapixels, and 30 MB with four components. The measured memory of the whole job is at most
 * 25 MB; `npm run bench:jpeg` checks the limit of 40 MB.
 *
 * Reading:  markers → frame, coding-tables, scan over entropy-reader and restarts → sequential-scan, progressive-scan,
 *           refinement-scan → inverse-dct → channel (planes). `decode` joins them and verifies the file.
 * Pictures: picture converts colours, scales and turns.
 * Writing:  encode transforms, quantizes and makes Huffman tables; entropy-writer writes the symbols. embedded puts a
 *           preview into a file.
 */
export { atOnce } from "../pace";
export { type DecodedJpeg, decodeJpeg, type JpegVerdict, verifyJpeg } from "./decode";
export { embeddedPreview, embeddedPreviewEnd, embedPreview } from "./embedded";
export {
  type EncodedPicture,
  encodeJpeg,
  encodePicture,
  fitPreview,
  MAX_PREVIEW_BYTES,
  THUMBNAIL_EDGE,
  thumbnailOf,
} from "./encode";
export { jpegSize } from "./frame";
export { CAPTURE_LIMITS, type JpegErrorCode, type JpegLimits } from "./limits";
export { type Orientation, tiffOrientation } from "./markers";
export { fitWithin, type Picture, pictureOf, pictureOfRgba, type Subsampling, shrink, turn } from "./picture";
export { withoutMetadata } from "./strip";
