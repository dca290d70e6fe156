import type { HuffmanDecoder } from "./huffman";
import { JpegError } from "./limits";
import { MARKER, MarkerReader, markerName, type Segment } from "./markers";

/** A component of the frame header (T.81 B.2.2), with its block counts. */
export interface Component {
  id: number;
  /** Horizontal and vertical sampling factors Hi and Vi. */
  h: number;
  v: number;
  /** Index of the quantization table (Tqi). */
  quantizationTable: number;
  /** Blocks across and down, padded to whole MCUs (A.2.4). */
  blocksAcross: number;
  blocksDown: number;
  /** Blocks in a scan of only this component (A.2.2). */
  ownBlocksAcross: number;
  ownBlocksDown: number;
}

export interface Frame {
  progressive: boolean;
  width: number;
  height: number;
  components: Component[];
  /** Greatest sampling factors. */
  hMax: number;
  vMax: number;
  /** MCUs of an interleaved scan. */
  mcusAcross: number;
  mcusDown: number;
}

/** The bytes of a scan that were decoded, and the tables that it used. */
export interface ScanTrace {
  /** The parameters of SOS. */
  header: Segment;
  /** By index: the quantization tables of the components whose first scan this is, in zig-zag order. */
  quantization: Map<number, Uint16Array>;
  /** `slot` is the class and the index as DHT writes them. */
  huffman: { slot: number; decoder: HuffmanDecoder }[];
  /** MCUs between restart markers, 0 for none. */
  restartInterval: number;
  /** File offsets of each restart interval, or of the one segment of a scan without them. */
  starts: number[];
  ends: number[];
}

/** Where the picture is in a file that was decoded. */
export interface FileTrace {
  frame: { marker: number; segment: Segment } | null;
  /** Parts of a colour profile, in the order of the file. */
  profile: Segment[];
  scans: ScanTrace[];
}

const PROCESSES: readonly number[] = [MARKER.SOF0, MARKER.SOF1, MARKER.SOF2];

/**
 * Whether this marker begins a frame of any coding process, including arithmetic and hierarchical coding (table B.1).
 */
export const isFrameMarker = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== MARKER.DHT;

/**
 * Reads a frame header of baseline, extended or progressive Huffman coding, with 8-bit samples and one to four
 * components.
 * @throws JpegError before anything is allocated, for example for more than `maxPixels`
 */
export function readFrame(reader: MarkerReader, marker: number, { start, end }: Segment, maxPixels: number): Frame {
  if (!PROCESSES.includes(marker))
    throw new JpegError(
      "unsupported-process",
      `${markerName(marker)}: only baseline, extended and progressive Huffman`,
    );
  if (end - start < 6) throw new JpegError("bad-length", "frame header");
  const precision = reader.byte(start);
  const height = reader.uint16(start + 1);
  const width = reader.uint16(start + 3);
  const count = reader.byte(start + 5);
  if (precision !== 8) throw new JpegError("unsupported-precision", `${precision} bits a sample, only 8 are supported`);
  if (end - start !== 6 + 3 * count) throw new JpegError("bad-length", "frame header");
  if (width === 0 || height === 0) throw new JpegError("bad-frame-header", `${width} × ${height} pixels`);
  if (count < 1 || count > 4) throw new JpegError("bad-frame-header", `${count} components`);
  if (width * height > maxPixels)
    throw new JpegError("too-many-pixels", `${width} × ${height} pixels, at most ${maxPixels} are accepted`);
  const components = Array.from({ length: count }, (_, i) => readComponent(reader, start + 6 + 3 * i));
  if (new Set(components.map(({ id }) => id)).size !== count)
    throw new JpegError("bad-frame-header", "two components with one id");
  return layOut({ progressive: marker === MARKER.SOF2, width, height, components });
}

function readComponent(reader: MarkerReader, at: number): Component {
  const sampling = reader.byte(at + 1);
  const [h, v] = [sampling >> 4, sampling & 15];
  if (h < 1 || h > 4 || v < 1 || v > 4) throw new JpegError("bad-frame-header", `sampling factors ${h} × ${v}`);
  const blocks = { blocksAcross: 0, blocksDown: 0, ownBlocksAcross: 0, ownBlocksDown: 0 };
  return { id: reader.byte(at), h, v, quantizationTable: reader.byte(at + 2), ...blocks };
}

function layOut(header: Pick<Frame, "progressive" | "width" | "height" | "components">): Frame {
  const { width, height, components } = header;
  const hMax = Math.max(...components.map(({ h }) => h));
  const vMax = Math.max(...components.map(({ v }) => v));
  const mcusAcross = Math.ceil(width / (8 * hMax));
  const mcusDown = Math.ceil(height / (8 * vMax));
  for (const component of components) {
    component.blocksAcross = mcusAcross * component.h;
    component.blocksDown = mcusDown * component.v;
    component.ownBlocksAcross = Math.ceil(Math.ceil((width * component.h) / hMax) / 8);
    component.ownBlocksDown = Math.ceil(Math.ceil((height * component.v) / vMax) / 8);
  }
  return { ...header, hMax, vMax, mcusAcross, mcusDown };
}

/** The width and height of a file by its first bytes; null if they contain no supported frame header. */
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
