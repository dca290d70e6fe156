import {
  adobeTransform,
  exifOrientation,
  isIccProfile,
  isJfif,
  MARKER,
  MarkerReader,
  type Orientation,
} from "./markers";

const isApplication = (marker: number): boolean => marker >= MARKER.APP0 && marker <= MARKER.APP15;
const isStandalone = (marker: number): boolean =>
  marker === MARKER.TEM || (marker >= MARKER.RST0 && marker <= MARKER.SOI);

/** An EXIF segment with the orientation alone: TIFF header, one directory, one entry (Exif 2.32, 4.6.2). */
const orientationSegment = (orientation: Orientation): Uint8Array =>
  Uint8Array.from([
    ...[0xff, MARKER.APP1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0],
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1],
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0],
    ...[0, 0, 0, 0],
  ]);

/**
 * A JPEG without its metadata: without comments, application segments (EXIF with position and owner, XMP, IPTC, maker
 * notes) and the bytes after its end. It keeps what a decoder needs: JFIF, the colour profile, the Adobe transform,
 * and the orientation in a separate segment.
 * @returns its parts, which are views of `bytes`
 * @throws JpegError for a file that does not parse
 */
export function withoutMetadata(bytes: Uint8Array): Uint8Array[] {
  const reader = new MarkerReader(bytes);
  const parts: Uint8Array[] = [];
  let keptFrom = 0;
  let isTurned = false;
  for (;;) {
    const { marker } = reader.nextMarker();
    if (marker === MARKER.EOI) break;
    if (isStandalone(marker)) continue;
    const from = reader.position - 2;
    const segment = reader.segment();
    if (marker !== MARKER.COM && !isApplication(marker)) continue;
    const isNeeded =
      (marker === MARKER.APP0 && isJfif(bytes, segment)) ||
      (marker === MARKER.APP2 && isIccProfile(bytes, segment)) ||
      (marker === MARKER.APP14 && adobeTransform(bytes, segment) !== undefined);
    if (isNeeded) continue;
    parts.push(bytes.subarray(keptFrom, from));
    const orientation: Orientation | undefined =
      marker === MARKER.APP1 && !isTurned ? exifOrientation(bytes, segment) : undefined;
    if (orientation !== undefined && orientation !== 1) parts.push(orientationSegment(orientation));
    isTurned ||= orientation !== undefined;
    keptFrom = segment.end;
  }
  parts.push(bytes.subarray(keptFrom, reader.position));
  return parts;
}
