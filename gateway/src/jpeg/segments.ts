import { MARKER } from "../../../src/platform/jpeg/markers";

/** A marker of a JPEG with its parameters: the bytes `from` to `to` of the file. */
export interface Marked {
  marker: number;
  from: number;
  /** First byte of the parameters, after marker and length. */
  body: number;
  to: number;
}

const standsAlone = (marker: number): boolean =>
  marker === MARKER.TEM || (marker >= MARKER.RST0 && marker <= MARKER.EOI);

/** The end of the entropy-coded data that begins at `from`: the next marker that is neither stuffing nor a restart. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) return at;
    if (next !== 0 && next !== 0xff && !(next >= MARKER.RST0 && next <= MARKER.RST7)) return at;
  }
  return bytes.length;
}

/**
 * The segments of the image that begins at `start`. Their lengths are followed, so that a thumbnail inside a segment does
 * not count. A file that is cut off gives the segments that it has.
 */
export function* segmentsOf(bytes: Uint8Array, start: number): Generator<Marked> {
  for (let at = start; at + 1 < bytes.length; ) {
    if (bytes[at] !== 0xff) {
      at++;
      continue;
    }
    const marker = bytes[at + 1] as number;
    if (marker === 0xff || marker === 0) {
      at++;
      continue;
    }
    if (standsAlone(marker)) {
      yield { marker, from: at, body: at + 2, to: at + 2 };
      at += 2;
      if (marker === MARKER.EOI) return;
      continue;
    }
    if (at + 4 > bytes.length) return;
    const to = at + 2 + (((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number));
    if (to < at + 4 || to > bytes.length) return;
    yield { marker, from: at, body: at + 4, to };
    at = marker === MARKER.SOS ? endOfScan(bytes, to) : to;
  }
}
