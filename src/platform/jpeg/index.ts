/**
 * A JPEG verifier, scaling decoder and encoder in one pass over the bytes (ITU T.81, T.871).
 *
 * It is the one codec written by hand here, because no package takes a 24-megapixel picture through an isolate of
 * 128 MB: photon needs 286–369 MB and fails above about 7 megapixels, jpeg-js 700–1,100 MB, mozjpeg's wasm over
 * 200 MB; and none of them says whether a file is whole. This one decodes every symbol of every scan, so that its
 * verdict covers all of the data, but keeps of each block only the N × N lowest coefficients (N = 1, 2, 4 or 8)
 * that the wanted picture needs: up to 23 MB beside the file at 24 megapixels, 30 MB with four components. What a
 * process takes for the whole job was measured as 25 MB at most; 40 is the limit that `npm run bench:jpeg` holds it to.
 *
 * Reading:  markers → frame, coding-tables, scan → mcu-walk over entropy-reader, restarts → sequential-scan,
 *           progressive-scan, refinement-scan → inverse-dct → channel (planes); decode ties them, verify judges.
 * Pictures: colour, resample, orient → picture.
 * Writing:  forward-dct, quantization, optimal-huffman, entropy-writer → encode → previews.
 */
export { type DecodedJpeg, decodeJpeg, type JpegVerdict, verifyJpeg } from "./decode";
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
export { CAPTURE_LIMITS, JpegError, type JpegErrorCode, type JpegFlag, type JpegLimits } from "./limits";
export { type Orientation, tiffOrientation } from "./markers";
export { fitWithin, type Picture, pictureOf, pictureOfRgba, type Subsampling, shrink, turn } from "./picture";
