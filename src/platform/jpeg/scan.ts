import type { Pieces } from "../pace";
import type { Channel } from "./channel";
import type { EntropyReader } from "./entropy-reader";
import type { Frame } from "./frame";
import { JpegError } from "./limits";
import type { MarkerReader, Segment } from "./markers";
import type { Restarts } from "./restarts";

/** A component of a scan, with the indices of its Huffman tables. */
interface ScanComponent {
  channel: Channel;
  dcTable: number;
  acTable: number;
}

/** A scan header (T.81 B.2.3). */
export interface Scan {
  components: ScanComponent[];
  /** Ss, Se: first and last coefficient in zig-zag order. */
  spectralStart: number;
  spectralEnd: number;
  /** Ah, Al: successive approximation bit positions, of the scan before and of this scan. */
  high: number;
  low: number;
}

/** Reads a scan header and checks it against the frame and the scans before it. @throws JpegError. */
export function readScan(reader: MarkerReader, { start, end }: Segment, frame: Frame, channels: Channel[]): Scan {
  const count = reader.byte(start);
  if (count < 1 || count > 4 || end - start !== 4 + 2 * count) throw new JpegError("bad-scan-header", "length");
  const components = Array.from({ length: count }, (_, i) => readComponent(reader, start + 1 + 2 * i, channels));
  if (new Set(components.map(({ channel }) => channel)).size !== count)
    throw new JpegError("bad-scan-header", "a component appears twice");
  const blocks = components.reduce((sum, { channel: { component } }) => sum + component.h * component.v, 0);
  if (count > 1 && blocks > 10) throw new JpegError("bad-scan-header", `${blocks} blocks in an MCU (B.2.3)`);
  const last = reader.byte(end - 1);
  const scan: Scan = {
    components,
    spectralStart: reader.byte(end - 3),
    spectralEnd: reader.byte(end - 2),
    high: last >> 4,
    low: last & 15,
  };
  if (frame.progressive) checkProgression(scan);
  else checkSequential(scan);
  return scan;
}

function readComponent(reader: MarkerReader, at: number, channels: Channel[]): ScanComponent {
  const id = reader.byte(at);
  const channel = channels.find(({ component }) => component.id === id);
  if (channel === undefined) throw new JpegError("bad-scan-header", `component ${id} is not in the frame`);
  const tables = reader.byte(at + 1);
  return { channel, dcTable: tables >> 4, acTable: tables & 15 };
}

function checkSequential({ components, spectralStart, spectralEnd, high, low }: Scan): void {
  if (spectralStart !== 0 || spectralEnd !== 63 || high !== 0 || low !== 0)
    throw new JpegError("bad-scan-header", "a sequential scan codes all coefficients");
  for (const { channel } of components) {
    if (channel.lowestBit[0] === 0) throw new JpegError("repeated-component", `component ${channel.component.id}`);
    channel.lowestBit.fill(0);
  }
}

/**
 * Checks the rules of G.1.1.1: DC scans come first and alone, an AC scan has one component, bits come once and from
 * high to low.
 */
function checkProgression({ components, spectralStart, spectralEnd, high, low }: Scan): void {
  const bad = (why: string) => new JpegError("bad-progression", why);
  if (spectralStart === 0 && spectralEnd !== 0) throw bad("DC and AC coefficients in one scan");
  if (spectralStart > 0 && (spectralEnd < spectralStart || spectralEnd > 63)) throw bad("band of coefficients");
  if (spectralStart > 0 && components.length !== 1) throw bad("AC coefficients of several components");
  if (low > 13 || (high !== 0 && low !== high - 1)) throw bad(`bit positions ${high} and ${low}`);
  for (const { lowestBit } of components.map(({ channel }) => channel)) {
    if (spectralStart > 0 && lowestBit[0] === -1) throw bad("AC coefficients before DC");
    for (let k = spectralStart; k <= spectralEnd; k++) {
      const before = lowestBit[k]!;
      if (high === 0 ? before !== -1 : before !== high) throw bad(`coefficient ${k} comes out of order`);
      lowestBit[k] = low;
    }
  }
}

/** Decodes the blocks of one scan in their order. */
export interface BlockDecoder {
  /** Resets predictions and runs at the beginning of each restart interval (T.81 F.2.1.3.1, G.1.2.2). */
  reset(): void;
  /** Decodes the next block, of the scan's `index`-th component at block coordinates `x`, `y`. */
  decode(index: number, x: number, y: number): void;
}

/** One block of an MCU: its component, and its place among the blocks of the component in the MCU. */
interface McuBlock {
  index: number;
  dx: number;
  dy: number;
  h: number;
  v: number;
}

/** The blocks of an MCU in order (A.2.3). In a scan of one component, an MCU has one block (A.2.2). */
function mcuBlocks({ components }: Scan): McuBlock[] {
  if (components.length === 1) return [{ index: 0, dx: 0, dy: 0, h: 1, v: 1 }];
  return components.flatMap(({ channel: { component } }, index) => {
    const { h, v } = component;
    return Array.from({ length: h * v }, (_, i) => ({ index, dx: i % h, dy: Math.floor(i / h), h, v }));
  });
}

/**
 * Decodes every MCU of a scan, a row in each piece; its units are blocks. `restartInterval` is the number of MCUs in a restart
 * interval, 0 for none.
 * @throws JpegError if the data ends before the last MCU
 */
export function* walkMcus(
  { frame, scan, restartInterval }: { frame: Frame; scan: Scan; restartInterval: number },
  entropy: EntropyReader,
  restarts: Restarts,
  decoder: BlockDecoder,
): Pieces<void> {
  const blocks = mcuBlocks(scan);
  const alone = scan.components.length === 1 ? scan.components[0]?.channel.component : undefined;
  const across = alone?.ownBlocksAcross ?? frame.mcusAcross;
  const down = alone?.ownBlocksDown ?? frame.mcusDown;
  let left = restartInterval;
  // A function of its own: the compiler makes less of the body of a generator.
  const decodeRow = (y: number): void => {
    for (let x = 0; x < across; x++) {
      if (restartInterval !== 0) {
        if (left === 0) {
          restarts.advance(y * across + x);
          decoder.reset();
          left = restartInterval;
        }
        left--;
      }
      entropy.refill();
      // The loop uses an index, because iterators of all MCUs would need more memory than the picture.
      for (let i = 0; i < blocks.length; i++) {
        const { index, dx, dy, h, v } = blocks[i]!;
        decoder.decode(index, x * h + dx, y * v + dy);
      }
      if (entropy.past) throw new JpegError("premature-end", `data ends in MCU ${y * across + x} of ${across * down}`);
    }
  };
  for (let y = 0; y < down; y++) {
    decodeRow(y);
    yield across * blocks.length;
  }
}
