import { computed, signal } from "@preact/signals";
import type { Archive } from "./archive.ts";

export const SPEEDS: readonly number[] = [1, 2, 5, 10, 25];
const DEFAULT_SPEED = 5;
/** Pictures that are read at the same time. */
const MAX_READS = 4;
/** Pictures that may be read in one second: the service limits the requests of a network. */
const READS_PER_SECOND = 8;
/** Weight of a new measurement. */
const SMOOTHING = 0.2;

/** Plays the visible part of the archive, frame after frame. A picture that arrives too late is dropped. */
export class Player {
  readonly playing = signal(false);
  readonly speed = signal<number>(DEFAULT_SPEED);
  /** The frames of the current film. */
  readonly length = computed(() => {
    this.archive.viewVersion.value;
    const { from, to } = this.#range();
    return to - from;
  });
  #stop = new AbortController();
  #reads = 0;
  /** Time to read one picture, milliseconds. */
  #latency = 100;

  constructor(private readonly archive: Archive) {}

  #range(): { from: number; to: number } {
    const frames = this.archive.frames.value;
    if (frames === null) return { from: 0, to: 0 };
    return { from: frames.lower(this.archive.view.from), to: frames.lower(this.archive.view.to) };
  }

  toggle(): void {
    if (this.playing.peek()) this.pause();
    else this.#play();
  }

  faster(step: number): void {
    const at = SPEEDS.indexOf(this.speed.peek());
    this.speed.value = SPEEDS[Math.min(Math.max(at + step, 0), SPEEDS.length - 1)] ?? DEFAULT_SPEED;
    if (!this.playing.peek()) return;
    this.#stop.abort();
    this.#play();
  }

  pause(): void {
    const shown = this.archive.shown.peek();
    if (this.#end() && shown !== null) this.archive.go(shown);
  }

  /** Ends the film. @returns whether one was playing. */
  #end(): boolean {
    this.#stop.abort();
    const wasPlaying = this.playing.peek();
    this.playing.value = false;
    return wasPlaying;
  }

  #play(): void {
    const frames = this.archive.frames.peek();
    const shown = this.archive.shown.peek();
    const { from, to } = this.#range();
    if (frames === null || shown === null || to - from < 2) return;
    const stop = new AbortController();
    this.#stop = stop;
    this.playing.value = true;
    const present = frames.nearest(shown);
    const first = present < from || present >= to - 1 ? from : present;
    const begun = performance.now();
    let asked = first;
    const tick = () => {
      if (stop.signal.aborted) return;
      // A person moved to another frame: the film ends.
      if (this.archive.pending.peek() !== this.#last) return void this.#end();
      const due = first + Math.floor(((performance.now() - begun) / 1000) * this.speed.peek());
      if (due >= to) {
        this.#end();
        this.archive.go(frames.at(to - 1));
        return;
      }
      this.#showDue(due);
      asked = this.#readAhead(Math.max(asked, due), due, to, stop.signal);
      requestAnimationFrame(tick);
    };
    this.#show(frames.at(first));
    requestAnimationFrame(tick);
  }
  #last: number | null = null;

  #show(time: number): void {
    this.#last = time;
    this.archive.go(time, { draft: true });
  }

  /** Shows the newest frame that is due and whose picture has arrived. */
  #showDue(due: number): void {
    const { frames, shown, pictures } = this.archive;
    const all = frames.peek();
    if (all === null) return;
    const present = all.nearest(shown.peek() ?? 0);
    for (let i = due; i > present; i--)
      if (pictures.hasThumbnail(all.at(i))) {
        this.#show(all.at(i));
        return;
      }
  }

  /** Reads pictures that become due while they arrive. @returns the frame after the last one that was requested. */
  #readAhead(asked: number, due: number, to: number, signal: AbortSignal): number {
    const frames = this.archive.frames.peek();
    if (frames === null) return asked;
    const speed = this.speed.peek();
    const perSecond = Math.min(READS_PER_SECOND, (MAX_READS * 1000) / this.#latency);
    const stride = Math.max(1, Math.ceil(speed / perSecond));
    const earliest = due + Math.ceil((speed * this.#latency) / 1000);
    let next = Math.max(asked, earliest);
    while (this.#reads < MAX_READS && next < to && next <= earliest + MAX_READS * stride) {
      void this.#read(frames.at(next), signal);
      next += stride;
    }
    return next;
  }

  async #read(time: number, signal: AbortSignal): Promise<void> {
    this.#reads += 1;
    const begun = performance.now();
    try {
      const captureId = await this.#idOf(time);
      if (captureId !== null) await this.archive.pictures.bytes(captureId, "thumbnail", signal);
      this.#latency += SMOOTHING * (performance.now() - begun - this.#latency);
    } catch {
      // A picture that does not arrive is dropped.
    } finally {
      this.#reads -= 1;
    }
  }

  /** Ids arrive with previews, 32 at a time. */
  async #idOf(time: number): Promise<string | null> {
    const { frames, previews, pictures } = this.archive;
    const all = frames.peek();
    if (all !== null && !previews.has(time)) {
      const index = all.nearest(time);
      await previews.want(Array.from({ length: 32 }, (_, i) => all.at(index + i)));
    }
    return pictures.idOf(time);
  }
}
