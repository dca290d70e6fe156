import { type DecodedJpeg, decodeJpeg } from "./decode";
import { JpegError, type JpegErrorCode } from "./error";
import { CAPTURE_LIMITS, type JpegLimits } from "./limits";

export type JpegVerdict =
  | { verdict: "accepted"; decoded: DecodedJpeg }
  | { verdict: "rejected"; code: JpegErrorCode; detail: string };

/**
 * Judges a whole file by decoding every symbol of it, and gives its samples for pictures of up to `minimumEdge`
 * pixels. Only what breaks T.81 or a limit is a rejection; anything else that is thrown is no verdict on the bytes.
 */
export function verifyJpeg(
  bytes: Uint8Array,
  { minimumEdge, limits = CAPTURE_LIMITS }: { minimumEdge: number; limits?: JpegLimits },
): JpegVerdict {
  try {
    return { verdict: "accepted", decoded: decodeJpeg(bytes, minimumEdge, limits) };
  } catch (thrown) {
    if (!(thrown instanceof JpegError)) throw thrown;
    return { verdict: "rejected", code: thrown.code, detail: thrown.detail };
  }
}
