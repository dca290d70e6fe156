import { JpegError } from "./error";
import type { JpegFlag, JpegLimits } from "./limits";
import { MARKER } from "./markers";

const PADDING: ReadonlySet<number> = new Set([0x00, 0xff, 0x0a, 0x0d]);

/** Judges what follows EOI: nothing, padding, another image, or something else. @throws JpegError. */
export function judgeTrailing(bytes: Uint8Array, from: number, limits: JpegLimits): JpegFlag | null {
  let at = from;
  while (at < bytes.length && PADDING.has(bytes[at]!)) at++;
  if (from === bytes.length) return null;
  if (at === bytes.length) return "padding-after-end";
  if (limits.secondImage === "reject") {
    const soi = findSoi(bytes, from);
    if (soi !== -1) throw new JpegError("multiple-images", `another image begins ${soi - from} bytes after EOI`);
  }
  const length = bytes.length - from;
  if (length > limits.maxTrailingBytes) throw new JpegError("trailing-data", `${length} bytes after EOI`);
  return "data-after-end";
}

/** Where an image begins: SOI and the FF of the marker that must follow it. */
function findSoi(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1))
    if (bytes[at + 1] === MARKER.SOI && bytes[at + 2] === 0xff) return at;
  return -1;
}
