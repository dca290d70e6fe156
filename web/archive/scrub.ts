import type { ReadonlySignal, Signal } from "@preact/signals";
import type { Frames } from "./frames.ts";
import type { RulerView } from "./view.ts";

/** Pause of a finger that is still on the ruler after which its frame is read before all others. */
const HOLD_MS = 40;
/** Distance on the ruler between pictures while the finger moves, pixels. */
const DRAFT_PIXELS = 8;

/** Number of frames between two pictures while the finger moves. */
export const strideOf = (view: RulerView, frames: Frames): number =>
  Math.max(1, Math.floor((DRAFT_PIXELS * view.perPixel) / frames.cadence));

/** The properties of an archive that a finger changes. */
interface Scrubbed {
  readonly frames: ReadonlySignal<Frames | null>;
  /** The position of the finger; null while there is none. */
  readonly finger: Signal<number | null>;
  readonly view: RulerView;
  readonly viewVersion: Signal<number>;
  go(time: number, move: { draft?: boolean; held?: boolean; push?: boolean }): void;
}

/** Moves an archive with a finger that is on the ruler. */
export class Scrubber {
  #holding: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly archive: Scrubbed) {}

  /** The finger is at a moment of the ruler. */
  move(ms: number): void {
    const { archive } = this;
    const frames = archive.frames.peek();
    if (frames === null) return;
    // A finger that touches the ruler rests there until it moves: its frame is read alone, and not in a batch.
    const held = archive.finger.peek() === null;
    archive.finger.value = ms;
    archive.viewVersion.value += 1;
    const stride = strideOf(archive.view, frames);
    const exact = frames.nearest(ms);
    const index = Math.min(Math.round(exact / stride) * stride, frames.count - 1);
    // Between two frames of the coarse grid, the frame before a gap is not skipped.
    const near = Math.abs(frames.at(index) - ms) <= DRAFT_PIXELS * archive.view.perPixel ? index : exact;
    archive.go(frames.at(held ? exact : near), { draft: true, held });
    clearTimeout(this.#holding);
    this.#holding = setTimeout(() => archive.go(frames.at(exact), { draft: true, held: true }), HOLD_MS);
  }

  /** The finger left the ruler. */
  end(): void {
    const { archive } = this;
    const [frames, ms] = [archive.frames.peek(), archive.finger.peek()];
    if (frames === null || ms === null) return;
    this.stop();
    archive.finger.value = null;
    archive.go(frames.at(frames.nearest(ms)), { push: true });
    archive.viewVersion.value += 1;
  }

  /** Forgets a finger that rests. */
  stop(): void {
    clearTimeout(this.#holding);
  }
}
