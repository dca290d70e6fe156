import type { HuffmanDecoder } from "./huffman";
import type { Segment } from "./markers";

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
