import type { EntropyReader } from "./entropy-reader";
import { JpegError } from "./error";
import type { Frame } from "./frame";
import type { Restarts } from "./restarts";
import type { Scan } from "./scan";

/** Decodes the blocks of one scan as they come. */
export interface BlockDecoder {
  /** Forgets predictions and runs, at the begin of every restart interval (T.81 F.2.1.3.1, G.1.2.2). */
  reset(): void;
  /** Decodes the next block: that of the scan's `index`-th component at block coordinates `x`, `y`. */
  decode(index: number, x: number, y: number): void;
}

/** One block of an MCU: its component and its place among the component's blocks there. */
interface McuBlock {
  index: number;
  dx: number;
  dy: number;
  h: number;
  v: number;
}

/** The blocks of an MCU in order (A.2.3); a scan of one component has one block an MCU (A.2.2). */
function mcuBlocks({ components }: Scan): McuBlock[] {
  if (components.length === 1) return [{ index: 0, dx: 0, dy: 0, h: 1, v: 1 }];
  return components.flatMap(({ channel: { component } }, index) => {
    const { h, v } = component;
    return Array.from({ length: h * v }, (_, i) => ({ index, dx: i % h, dy: Math.floor(i / h), h, v }));
  });
}

/**
 * Walks every MCU of a scan, restart interval by restart interval (0: none).
 * @throws JpegError when the data ends before the last MCU.
 */
export function walkMcus(
  { frame, scan, restartInterval }: { frame: Frame; scan: Scan; restartInterval: number },
  entropy: EntropyReader,
  restarts: Restarts,
  decoder: BlockDecoder,
): void {
  const blocks = mcuBlocks(scan);
  const alone = scan.components.length === 1 ? scan.components[0]?.channel.component : undefined;
  const across = alone?.ownBlocksAcross ?? frame.mcusAcross;
  const down = alone?.ownBlocksDown ?? frame.mcusDown;
  let left = restartInterval;
  for (let y = 0; y < down; y++)
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
      // By index: an iterator for each MCU would be garbage of more bytes than all that is kept of the picture.
      for (let i = 0; i < blocks.length; i++) {
        const { index, dx, dy, h, v } = blocks[i]!;
        decoder.decode(index, x * h + dx, y * v + dy);
      }
      if (entropy.past) throw new JpegError("premature-end", `data ends in MCU ${y * across + x} of ${across * down}`);
    }
}
