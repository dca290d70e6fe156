/** Limits of a JPEG and of accepted deviations from T.81. */
export interface JpegLimits {
  /** Width × height at the frame header, before anything is allocated. */
  maxPixels: number;
  /** Scans; each one visits every block of its components. */
  maxScans: number;
  /** Bytes between the last MCU of a scan and the next marker. */
  maxBytesAfterScan: number;
  /** Bytes between the last MCU of a restart interval and its RST marker. */
  maxBytesBeforeRestart: number;
  /** Bytes after EOI that are neither padding (00, FF, CR, LF: any length) nor another image. */
  maxTrailingBytes: number;
  /** Whether another image after EOI is rejected. Phones append gain maps and motion pictures. */
  secondImage: "reject" | "ignore";
}

/** The limits for captures. Deviations of real cameras are accepted with a flag, all others are rejected. */
export const CAPTURE_LIMITS: JpegLimits = {
  maxPixels: 24_000_000,
  maxScans: 64,
  maxBytesAfterScan: 16,
  maxBytesBeforeRestart: 32,
  maxTrailingBytes: 64 * 1024,
  secondImage: "reject",
};

/** Accepted deviations of a file. */
export type JpegFlag =
  | "standard-huffman-tables"
  | "bytes-after-scan"
  | "bytes-before-restart"
  | "stray-marker"
  | "incomplete-progression"
  | "padding-after-end"
  | "data-after-end";

/** The reason of a rejection. The codes are stable, so they can be stored and shown. */
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

/** The bytes violate ITU T.81 or a limit. Every other exception of this folder is a bug, never a verdict. */
export class JpegError extends Error {
  override readonly name = "JpegError";

  constructor(
    readonly code: JpegErrorCode,
    /** The fault and its place, for people. */
    readonly detail: string,
  ) {
    super(`${code}: ${detail}`);
  }
}
