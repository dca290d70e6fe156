/** Why bytes are not an acceptable JPEG; stable words that may be stored and shown. */
export type JpegErrorCode =
  | "not-jpeg"
  | "bad-marker"
  | "bad-length"
  | "bad-huffman-table"
  | "bad-quantization-table"
  | "bad-frame-header"
  | "bad-scan-header"
  | "bad-progression"
  | "bad-huffman-code"
  | "coefficient-overflow"
  | "missing-table"
  | "restart-mismatch"
  | "extraneous-data"
  | "premature-end"
  | "missing-end"
  | "missing-image"
  | "missing-component"
  | "repeated-component"
  | "multiple-frames"
  | "multiple-images"
  | "trailing-data"
  | "unsupported-process"
  | "unsupported-precision"
  | "too-many-pixels"
  | "too-many-scans";

/** The bytes break ITU T.81 or a limit. Any other exception out of this folder is a bug, never a verdict. */
export class JpegError extends Error {
  override readonly name = "JpegError";

  constructor(
    readonly code: JpegErrorCode,
    /** What was found where, for the person who looks into it. */
    readonly detail: string,
  ) {
    super(`${code}: ${detail}`);
  }
}
