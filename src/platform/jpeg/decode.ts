import type { Pieces } from "../pace";
import { type Channel, openChannel, type Plane, quantizationOf } from "./channel";
import { CodingTables } from "./coding-tables";
import { EntropyReader } from "./entropy-reader";
import { type FileTrace, type Frame, isFrameMarker, readFrame, type ScanTrace } from "./frame";
import { inverseDctFor, keptCoefficients, type Scale, scaleFor } from "./inverse-dct";
import { CAPTURE_LIMITS, JpegError, type JpegErrorCode, type JpegFlag, type JpegLimits } from "./limits";
import {
  adobeTransform,
  exifOrientation,
  isIccProfile,
  isJfif,
  judgeTrailing,
  MARKER,
  MarkerReader,
  type Metadata,
  markerName,
  type Segment,
} from "./markers";
import { AcFirstDecoder, DcFirstDecoder, DcRefinementDecoder } from "./progressive-scan";
import { AcRefinementDecoder } from "./refinement-scan";
import { Restarts } from "./restarts";
import { readScan, type Scan, walkMcus } from "./scan";
import { SequentialDecoder } from "./sequential-scan";

/** A decoded picture at the decoder's scale, in its coded components, before orientation and colour conversion. */
export interface DecodedJpeg {
  /** Pixels of the file, before orientation. */
  width: number;
  height: number;
  progressive: boolean;
  scale: Scale;
  /** Planes in the order of the frame, with their component ids. */
  planes: (Plane & { id: number })[];
  metadata: Metadata;
  scans: number;
  flags: ReadonlySet<JpegFlag>;
}

/**
 * Decodes every symbol of every scan (ITU T.81) in pieces, whose units are blocks. The samples have the smallest scale of 1/8, 1/4, 1/2 and 1 whose
 * longest edge is at least `minimumEdge` pixels.
 * @throws JpegError if the bytes violate T.81 or the limits; every other error is a bug
 */
export const decodeJpeg = (bytes: Uint8Array, minimumEdge: number, limits: JpegLimits): Pieces<DecodedJpeg> =>
  new Decoding(bytes, minimumEdge, limits, null).run();

/** Decodes a file in order to know which of its bytes are the picture. @throws JpegError as `decodeJpeg`. */
export function* traceJpeg(
  bytes: Uint8Array,
  limits = CAPTURE_LIMITS,
): Pieces<{ decoded: DecodedJpeg; trace: FileTrace }> {
  const trace: FileTrace = { frame: null, profile: [], scans: [] };
  return { decoded: yield* new Decoding(bytes, 1, limits, trace).run(), trace };
}

/** Bytes of a segment that count as one unit of work: tables of 17 bytes take longer than a block. */
const SEGMENT_BYTES_PER_UNIT = 32;

/** The frame during decoding, after its header. */
interface OpenFrame {
  header: Frame;
  scale: Scale;
  kept: Int8Array;
  /** Opened at the first scan, so a header alone allocates nothing. */
  channels: Channel[];
}

class Decoding {
  readonly #markers: MarkerReader;
  readonly #entropy: EntropyReader;
  readonly #tables = new CodingTables();
  readonly #flags = new Set<JpegFlag>();
  readonly #metadata: Metadata = {};
  #frame: OpenFrame | null = null;
  #restartInterval = 0;
  #scans = 0;
  /** Directly after a scan: the number of bytes of its segment that no MCU has read. */
  #unreadAfterScan: number | null = null;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly minimumEdge: number,
    private readonly limits: JpegLimits,
    private readonly trace: FileTrace | null,
  ) {
    this.#markers = new MarkerReader(bytes);
    this.#entropy = new EntropyReader(bytes);
  }

  *run(): Pieces<DecodedJpeg> {
    const { bytes, limits } = this;
    if (bytes[0] !== 0xff || bytes[1] !== MARKER.SOI)
      throw new JpegError("not-jpeg", "the file does not begin with SOI");
    this.#markers.position = 2;
    let marker = this.#nextMarker();
    for (; marker !== MARKER.EOI; marker = this.#nextMarker())
      if (marker === MARKER.TEM || (marker >= MARKER.RST0 && marker <= MARKER.RST7)) this.#flags.add("stray-marker");
      else if (marker === MARKER.SOI) throw new JpegError("multiple-images", "SOI within the image");
      else yield* this.#readSegment(marker, this.#markers.segment());
    const decoded = yield* this.#finish();
    const trailing = judgeTrailing(bytes, this.#markers.position, limits);
    if (trailing !== null) this.#flags.add(trailing);
    return decoded;
  }

  /** The next marker. Stray bytes are accepted only after a scan, up to the limit. */
  #nextMarker(): number {
    const { marker, skipped } = this.#markers.nextMarker();
    const extra = skipped + (this.#unreadAfterScan ?? 0);
    const allowed = this.#unreadAfterScan === null ? 0 : this.limits.maxBytesAfterScan;
    if (extra > allowed) throw new JpegError("extraneous-data", `${extra} bytes before ${markerName(marker)}`);
    if (extra > 0) this.#flags.add("bytes-after-scan");
    this.#unreadAfterScan = null;
    return marker;
  }

  *#readSegment(marker: number, segment: Segment): Pieces<void> {
    if (isFrameMarker(marker)) {
      this.#openFrame(readFrame(this.#markers, marker, segment, this.limits.maxPixels));
      if (this.trace !== null) this.trace.frame = { marker, segment };
    } else if (marker === MARKER.SOS) yield* this.#decodeScan(segment);
    else if (marker === MARKER.DHT) this.#tables.readHuffman(this.#markers, segment);
    else if (marker === MARKER.DQT) this.#tables.readQuantization(this.#markers, segment);
    else if (marker === MARKER.DRI) this.#restartInterval = readRestartInterval(this.#markers, segment);
    else if (marker >= MARKER.APP0 && marker <= MARKER.APP15) this.#readApplication(marker, segment);
    else if (marker !== MARKER.COM)
      throw new JpegError(marker >= 0xc0 && marker < 0xe0 ? "unsupported-process" : "bad-marker", markerName(marker));
    yield 1 + Math.floor((segment.end - segment.start) / SEGMENT_BYTES_PER_UNIT);
  }

  #readApplication(marker: number, segment: Segment): void {
    const { bytes } = this;
    const metadata = this.#metadata;
    if (marker === MARKER.APP0 && isJfif(bytes, segment)) metadata.jfif = true;
    if (marker === MARKER.APP2 && isIccProfile(bytes, segment)) this.trace?.profile.push(segment);
    if (marker === MARKER.APP1) metadata.orientation ??= exifOrientation(bytes, segment);
    if (marker === MARKER.APP14) metadata.adobeTransform = adobeTransform(bytes, segment) ?? metadata.adobeTransform;
  }

  #openFrame(header: Frame): void {
    if (this.#frame !== null) throw new JpegError("multiple-frames", "a second frame header");
    const scale = scaleFor(header.width, header.height, this.minimumEdge);
    this.#frame = { header, scale, kept: keptCoefficients(scale), channels: [] };
  }

  *#decodeScan(segment: Segment): Pieces<void> {
    const frame = this.#frame;
    if (frame === null) throw new JpegError("missing-image", "a scan before any frame header");
    if (++this.#scans > this.limits.maxScans)
      throw new JpegError("too-many-scans", `at most ${this.limits.maxScans} are accepted`);
    const { header, scale, kept } = frame;
    if (frame.channels.length === 0)
      frame.channels = header.components.map((component) => openChannel(header, component, scale));
    const scan = readScan(this.#markers, segment, header, frame.channels);
    const trace = this.trace && this.#traceScan(scan, segment);
    for (const { channel } of scan.components)
      channel.quantization ??= this.#tables.quantization(channel.component.quantizationTable, kept);
    const entropy = this.#entropy;
    entropy.begin(segment.end);
    const walk = { frame: header, scan, restartInterval: this.#restartInterval };
    const restarts = new Restarts(entropy, this.limits, this.#flags, trace);
    yield* walkMcus(walk, entropy, restarts, this.#blockDecoder(frame, scan, trace));
    this.#unreadAfterScan = entropy.finish();
    trace?.ends.push(entropy.endOfRead(this.#unreadAfterScan));
    this.#markers.position = entropy.position;
  }

  #traceScan(scan: Scan, header: Segment): ScanTrace {
    const quantization = new Map<number, Uint16Array>();
    for (const { channel } of scan.components) {
      const index = channel.component.quantizationTable;
      if (channel.quantization === null) quantization.set(index, this.#tables.quantizationTable(index));
    }
    const restartInterval = this.#restartInterval;
    const trace = { header, quantization, huffman: [], restartInterval, starts: [header.end], ends: [] };
    this.trace?.scans.push(trace);
    return trace;
  }

  #blockDecoder({ header, scale, kept }: OpenFrame, scan: Scan, trace: ScanTrace | null) {
    const entropy = this.#entropy;
    const tables = this.#tables.decodersFor(scan, header.progressive, this.#flags);
    scan.components.forEach(({ dcTable, acTable }, i) => {
      const [dc, ac] = [tables.dc[i], tables.ac[i]];
      if (dc !== undefined) trace?.huffman.push({ slot: dcTable, decoder: dc });
      if (ac !== undefined) trace?.huffman.push({ slot: 0x10 | acTable, decoder: ac });
    });
    if (!header.progressive) return new SequentialDecoder(scan, tables, entropy, kept, scale);
    if (scan.spectralStart === 0)
      return scan.high === 0
        ? new DcFirstDecoder(scan, tables.dc, entropy, scale * scale)
        : new DcRefinementDecoder(scan, entropy, scale * scale);
    const [[component], [table]] = [scan.components, tables.ac];
    if (component === undefined || table === undefined) throw new Error("an AC scan has one component and its table");
    return scan.high === 0
      ? new AcFirstDecoder(scan, component.channel, table, entropy, kept, scale)
      : new AcRefinementDecoder(scan, component.channel, table, entropy, kept, scale);
  }

  *#finish(): Pieces<DecodedJpeg> {
    const frame = this.#frame;
    if (frame === null || this.#scans === 0) throw new JpegError("missing-image", "EOI before any scan");
    for (const { component, lowestBit } of frame.channels) {
      if (lowestBit[0] === -1) throw new JpegError("missing-component", `component ${component.id} was never coded`);
      if (lowestBit.some((bit) => bit !== 0)) this.#flags.add("incomplete-progression");
    }
    if (frame.header.progressive) for (const channel of frame.channels) yield* reconstruct(channel, frame.scale);
    return {
      width: frame.header.width,
      height: frame.header.height,
      progressive: frame.header.progressive,
      scale: frame.scale,
      planes: frame.channels.map(({ plane, component }) => ({ ...plane, id: component.id })),
      metadata: this.#metadata,
      scans: this.#scans,
      flags: this.#flags,
    };
  }
}

/** Reads a DRI segment (T.81 B.2.4.4): MCUs between restart markers, 0 for none. */
function readRestartInterval(reader: MarkerReader, { start, end }: Segment): number {
  if (end - start !== 2) throw new JpegError("bad-length", "restart interval");
  return reader.uint16(start);
}

/** Computes the samples of a progressive channel after all its scans, a row of blocks in each piece. */
function* reconstruct(channel: Channel, scale: Scale): Pieces<void> {
  const { component, plane, coefficients } = channel;
  if (coefficients === null) return;
  const inverse = inverseDctFor(scale);
  const quantization = quantizationOf(channel);
  const area = scale * scale;
  const computeRow = (y: number): void => {
    let at = y * component.blocksAcross * area;
    for (let x = 0; x < component.blocksAcross; x++, at += area)
      inverse(coefficients.values, at, quantization, plane.samples, (y * plane.stride + x) * scale, plane.stride);
  };
  for (let y = 0; y < component.blocksDown; y++) {
    computeRow(y);
    yield component.blocksAcross;
  }
}

export type JpegVerdict =
  | { verdict: "accepted"; decoded: DecodedJpeg }
  | { verdict: "rejected"; code: JpegErrorCode; detail: string };

/**
 * Verifies a whole file: decodes every symbol of it, and returns samples for pictures of up to `minimumEdge` pixels. A
 * file is rejected only if it violates T.81 or a limit.
 * @throws every other error, which does not reject the bytes
 */
export function* verifyJpeg(
  bytes: Uint8Array,
  { minimumEdge, limits = CAPTURE_LIMITS }: { minimumEdge: number; limits?: JpegLimits },
): Pieces<JpegVerdict> {
  try {
    return { verdict: "accepted", decoded: yield* decodeJpeg(bytes, minimumEdge, limits) };
  } catch (thrown) {
    if (!(thrown instanceof JpegError)) throw thrown;
    return { verdict: "rejected", code: thrown.code, detail: thrown.detail };
  }
}
