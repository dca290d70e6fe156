/** What a JPEG may cost and which departures from T.81 are let pass. */
export interface JpegLimits {
  /** Width × height at the frame header, before anything is allocated. */
  maxPixels: number;
  /** Scans; each one visits every block of its components. */
  maxScans: number;
  /** Bytes that may stand between the last MCU of a scan and the next marker. */
  maxBytesAfterScan: number;
  /** Bytes that may stand between the last MCU of a restart interval and its RST marker. */
  maxBytesBeforeRestart: number;
  /** Bytes after EOI that are neither padding (00, FF, CR, LF: any length) nor another image. */
  maxTrailingBytes: number;
  /** Whether another SOI after EOI is a rejection: phones append gain maps and motion pictures. */
  secondImage: "reject" | "ignore";
}

/** The policy for captures: what real cameras send passes and is flagged, everything else is refused. */
export const CAPTURE_LIMITS: JpegLimits = {
  maxPixels: 24_000_000,
  maxScans: 64,
  maxBytesAfterScan: 16,
  maxBytesBeforeRestart: 32,
  maxTrailingBytes: 64 * 1024,
  secondImage: "reject",
};

/** Harmless departures that were found and let pass. */
export type JpegFlag =
  | "standard-huffman-tables"
  | "bytes-after-scan"
  | "bytes-before-restart"
  | "stray-marker"
  | "incomplete-progression"
  | "padding-after-end"
  | "data-after-end";

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
