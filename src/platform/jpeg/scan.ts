import type { Channel } from "./channel";
import { JpegError } from "./error";
import type { Frame } from "./frame";
import type { MarkerReader, Segment } from "./markers";

/** A component of a scan, with the indices of its Huffman tables. */
export interface ScanComponent {
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
  /** Ah, Al: successive approximation bit positions, of the scan before and of this one. */
  high: number;
  low: number;
}

/** Reads a scan header and checks it against the frame and the scans before it. @throws JpegError. */
export function readScan(reader: MarkerReader, { start, end }: Segment, frame: Frame, channels: Channel[]): Scan {
  const count = reader.byte(start);
  if (count < 1 || count > 4 || end - start !== 4 + 2 * count) throw new JpegError("bad-scan-header", "length");
  const components = Array.from({ length: count }, (_, i) => readComponent(reader, start + 1 + 2 * i, channels));
  if (new Set(components.map(({ channel }) => channel)).size !== count)
    throw new JpegError("bad-scan-header", "a component named twice");
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

/** The rules of G.1.1.1: DC first and alone, AC one component at a time, each bit once and from high to low. */
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
