import { JpegError } from "./error";
import { isFrameMarker, readFrame } from "./frame";
import { MARKER, MarkerReader } from "./markers";

/** Width and height of a file, from its beginning alone; null where that holds no frame header we decode. */
export function jpegSize(head: Uint8Array): { width: number; height: number } | null {
  const reader = new MarkerReader(head);
  reader.position = 2;
  try {
    for (;;) {
      const { marker } = reader.nextMarker();
      if (marker === MARKER.TEM || (marker >= MARKER.RST0 && marker <= MARKER.EOI)) continue;
      if (isFrameMarker(marker)) {
        const { width, height } = readFrame(reader, marker, reader.segment(), Number.POSITIVE_INFINITY);
        return { width, height };
      }
      reader.segment();
    }
  } catch (thrown) {
    if (thrown instanceof JpegError) return null;
    throw thrown;
  }
}
