import { type Frame, frameBytes } from "../protocol";
import type { Guard } from "./connection";

/** Bytes that may wait for a slow reader before it is given up. */
export const MAX_WAITING_BYTES = 1024 * 1024;

/** A frame for a reader who comes when it likes. */
export interface Waiting {
  bytes: Uint8Array<ArrayBuffer>;
  /** What its reader must be allowed to see when it is handed out; null when it came to a reader who was there. */
  guard: Guard | null;
}

/** Of what has waited, that which its reader may see now. */
export type Review = (waiting: readonly Waiting[]) => Promise<Uint8Array<ArrayBuffer>[]>;

/**
 * Frames for a reader who comes when it likes. What is handed out the moment it comes was asked about right before;
 * what has waited is asked about again, so that nothing is handed out after the right to it was lost.
 */
export class Outbox {
  #waiting: Waiting[] = [];
  #bytes = 0;
  #ended = false;
  /** Tells the reader who is there. */
  #reader: (() => void) | null = null;

  constructor(private readonly review: Review) {}

  /** Takes a frame; false when the reader is gone or too slow. */
  add(frame: Frame, guard: Guard | undefined): boolean {
    const bytes = frameBytes(frame);
    if (this.#ended || this.#bytes + bytes.length > MAX_WAITING_BYTES) return false;
    this.#waiting.push({ bytes, guard: this.#reader === null ? (guard ?? null) : null });
    this.#bytes += bytes.length;
    this.#reader?.();
    return true;
  }

  /** Nothing more is taken; what waits may still be handed out. */
  end(): void {
    this.#ended = true;
    this.#reader?.();
  }

  /** What may be handed out, at once or when something comes; null when it has ended, or the reader has left. */
  async take(left: AbortSignal): Promise<Uint8Array<ArrayBuffer>[] | null> {
    for (;;) {
      if (this.#waiting.length === 0 && !this.#ended) await this.#something(left);
      if (left.aborted || this.#waiting.length === 0) return null;
      const taken = this.#waiting;
      this.#waiting = [];
      const allowed = await this.#allowed(taken, left);
      if (allowed.length > 0) return allowed;
    }
  }

  /** When the reader leaves meanwhile, or asking fails, all of it waits on. */
  async #allowed(taken: Waiting[], left: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    let allowed: Uint8Array<ArrayBuffer>[] | null = null;
    try {
      const isGuarded = taken.some(({ guard }) => guard !== null);
      const reviewed = isGuarded ? await this.review(taken) : taken.map(({ bytes }) => bytes);
      if (!left.aborted) allowed = reviewed;
      return allowed ?? [];
    } finally {
      if (allowed === null) this.#waiting.unshift(...taken);
      else for (const { bytes } of taken) this.#bytes -= bytes.length;
    }
  }

  async #something(left: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const tell = () => resolve();
    this.#reader = tell;
    left.addEventListener("abort", tell);
    await promise;
    left.removeEventListener("abort", tell);
    if (this.#reader === tell) this.#reader = null;
  }
}
