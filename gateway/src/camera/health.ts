import type { Repair } from "../jpeg/normalise";

/** Error codes of a heartbeat, the most serious first. */
export const CONDITIONS = [
  "disk-read-only",
  "disk-full",
  "credential-revoked",
  "identity-shared",
  "camera-unreachable",
  "camera-unauthorized",
  "camera-failed",
  "camera-timeout",
  "folder-unreadable",
  "frame-not-jpeg",
  "frame-damaged",
  "frame-too-large",
  "camera-frozen",
  "local-file-damaged",
  "receipt-mismatch",
  "captures-refused",
  "storage-full",
  "clock-unsynchronized",
  "frames-thinned",
  "frame-normalised",
] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Number of consecutive identical images after which the camera counts as frozen. */
export const FROZEN_AFTER = 3;

/** The health of a camera: its current faults with details. */
export class Health {
  readonly #held = new Map<Condition, string>();
  #lastHash: string | null = null;
  #sameHash = 0;

  constructor(private readonly say: (line: string) => void) {}

  raise(condition: Condition, detail: string): void {
    if (!this.#held.has(condition)) this.say(`${condition}: ${detail}`);
    this.#held.set(condition, detail);
  }
  clear(...conditions: readonly Condition[]): void {
    for (const condition of conditions) if (this.#held.delete(condition)) this.say(`${condition} is over`);
  }

  get gravest(): Condition | null {
    return CONDITIONS.find((condition) => this.#held.has(condition)) ?? null;
  }
  get all(): Record<string, string> {
    return Object.fromEntries(this.#held);
  }

  /**
   * Records that an image was stored, so the camera works. The hash shows whether the picture differs from the previous
   * one.
   */
  kept(hash: string, repairs: readonly Repair[]): void {
    this.clear("camera-unreachable", "camera-unauthorized", "camera-failed", "camera-timeout", "folder-unreadable");
    this.clear("frame-not-jpeg", "frame-damaged", "frame-too-large", "disk-full");
    this.#sameHash = hash === this.#lastHash ? this.#sameHash + 1 : 1;
    this.#lastHash = hash;
    if (this.#sameHash >= FROZEN_AFTER) this.raise("camera-frozen", `${this.#sameHash} identical images in a row`);
    else this.clear("camera-frozen");
    if (repairs.length > 0) this.raise("frame-normalised", repairs.join(", "));
    else this.clear("frame-normalised");
  }
}
