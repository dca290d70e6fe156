import type { EntropyReader } from "./entropy-reader";
import type { ScanTrace } from "./frame";
import { JpegError, type JpegFlag, type JpegLimits } from "./limits";
import { MARKER, MarkerReader, markerName } from "./markers";

/** Moves from one restart interval of a scan to the next (T.81 E.1.4, F.2.2.5): markers RST0 to RST7 in turn. */
export class Restarts {
  #next = 0;

  constructor(
    private readonly entropy: EntropyReader,
    private readonly limits: JpegLimits,
    private readonly flags: Set<JpegFlag>,
    private readonly trace: ScanTrace | null,
  ) {}

  /** Ends the interval before MCU `mcu` and begins the next. @throws JpegError without its marker. */
  advance(mcu: number): void {
    const { entropy, limits } = this;
    const markers = new MarkerReader(entropy.bytes);
    const unread = entropy.finish();
    this.trace?.ends.push(entropy.endOfRead(unread));
    markers.position = entropy.position;
    const { marker, skipped } = markers.nextMarker();
    const expected = MARKER.RST0 + this.#next;
    if (marker !== expected)
      throw new JpegError("restart-mismatch", `${markerName(marker)} at MCU ${mcu}, not ${markerName(expected)}`);
    const extra = unread + skipped;
    if (extra > limits.maxBytesBeforeRestart)
      throw new JpegError("extraneous-data", `${extra} bytes before ${markerName(marker)}`);
    if (extra > 0) this.flags.add("bytes-before-restart");
    this.#next = (this.#next + 1) & 7;
    this.trace?.starts.push(markers.position);
    entropy.begin(markers.position);
  }
}
