import { atOnce, CAPTURE_LIMITS, verifyJpeg } from "../../../src/platform/jpeg";
import { normaliseJpeg, type Repair } from "./normalise";

export type Checked =
  | { isGood: true; bytes: Uint8Array; repairs: Repair[] }
  | { isGood: false; code: "frame-too-large" | "frame-not-jpeg" | "frame-damaged"; detail: string };

/** Whether bytes are a web page: the sign-in of a camera, or its start page. */
export const isWebPage = (bytes: Buffer): boolean =>
  /^[\s\ufeff]*<(!doctype|html|head|body|\?xml)/i.test(bytes.toString("utf8", 0, 200));

/** The finding about a file that is too large to be read. */
export const tooLargeToRead = (bytes: number): Checked => ({
  isGood: false,
  code: "frame-too-large",
  detail: `The file has ${bytes} bytes. Lower the resolution or the quality.`,
});

/** Checks an image of a camera with the same code and the same limits as the service. */
export function checkFrame(given: Uint8Array, limits: { maxSizeBytes: number; maxPixels: number }): Checked {
  const { bytes, repairs } = normaliseJpeg(given);
  if (bytes.length > limits.maxSizeBytes) {
    const detail = `It has ${bytes.length} bytes, and ${limits.maxSizeBytes} are allowed. Lower the resolution or the quality.`;
    return { isGood: false, code: "frame-too-large", detail };
  }
  const judged = atOnce(
    verifyJpeg(bytes, { minimumEdge: 1, limits: { ...CAPTURE_LIMITS, maxPixels: limits.maxPixels } }),
  );
  if (judged.verdict === "accepted") return { isGood: true, bytes, repairs };
  const { code, detail } = judged;
  if (code === "too-many-pixels") return { isGood: false, code: "frame-too-large", detail };
  return {
    isGood: false,
    code: code === "not-jpeg" ? "frame-not-jpeg" : "frame-damaged",
    detail: `${code}: ${detail}`,
  };
}
