import { seeded } from "../../support/random";

/** The fault of one request. */
export type Fault = "none" | "request-lost" | "response-lost" | "doubled";
/** The fault of the bytes of a PUT during the transfer. */
export type Damage = "none" | "truncated" | "wrong";

/** The kind of a frame, from its capture on. */
export const FRAME_KINDS = ["good", "cut-off", "no-image", "rotten", "future", "too-old"] as const;
export type FrameKind = (typeof FRAME_KINDS)[number];

/** Probabilities in percent during the faults. */
const CHANCE = { lostRequest: 10, lostResponse: 14, doubled: 10, restart: 7, truncated: 6, wrong: 6, dawdles: 8 };
const KINDS: readonly [FrameKind, number][] = [
  ["good", 68],
  ["cut-off", 8],
  ["no-image", 6],
  ["rotten", 4],
  ["future", 9],
  ["too-old", 5],
];

/** All faults of one device. They are the same for the same seed. */
export class FaultPlan {
  readonly random: () => number;
  constructor(
    readonly seed: number,
    private readonly isOver: () => boolean,
  ) {
    this.random = seeded(seed);
  }

  private happens(chance: number): boolean {
    return this.random() * 100 < chance && !this.isOver();
  }

  exchange(): Fault {
    if (this.happens(CHANCE.lostRequest)) return "request-lost";
    if (this.happens(CHANCE.lostResponse)) return "response-lost";
    return this.happens(CHANCE.doubled) ? "doubled" : "none";
  }

  damage(): Damage {
    if (this.happens(CHANCE.truncated)) return "truncated";
    return this.happens(CHANCE.wrong) ? "wrong" : "none";
  }

  restarts = (): boolean => this.happens(CHANCE.restart);
  /** Whether the device sleeps in its next step, for longer than an address is valid. */
  dawdles = (): boolean => this.happens(CHANCE.dawdles);

  frameKind(): FrameKind {
    let left = this.random() * 100;
    for (const [kind, chance] of KINDS) {
      left -= chance;
      if (left < 0) return kind;
    }
    return "good";
  }
}
