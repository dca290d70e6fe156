import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { readJson, writeWhole } from "./files";
import type { ClockReading, TakenAt } from "./spool/intent";

/** An answer that took longer is too inexact to set the time. */
const MAX_ROUND_TRIP_MS = 10_000;
/** An anchor is written again when it changed by more than this, or after this time. */
const ANCHOR_SHIFT_MS = 500;
const ANCHOR_EVERY_MS = 3_600_000;
/** Time between two checks whether the machine's clock is synchronized. */
const ASK_EVERY_MS = 10_000;
/** Number of starts of the machine whose anchors are kept. */
const MAX_BOOTS = 8;

/** The clocks of a machine. */
export interface Machine {
  bootId: string;
  uptimeMs(): number;
  wallMs(): number;
  /** Whether a time service of the machine synchronizes the wall clock. */
  isSynchronized(): boolean;
}

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
const TIMESYNC = "/run/systemd/timesync/synchronized";

function asksTimedatectl(): boolean {
  try {
    const options = { timeout: 2_000, stdio: ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"] };
    return (
      execFileSync("timedatectl", ["show", "-p", "NTPSynchronized", "--value"], options).toString().trim() === "yes"
    );
  } catch {
    return false;
  }
}

export const thisMachine = (): Machine => ({
  // On systems other than Linux, a start of the gateway counts as a start of the machine.
  bootId: existsSync(BOOT_ID) ? readFileSync(BOOT_ID, "utf8").trim() : randomUUID(),
  uptimeMs: () => Math.round(uptime() * 1_000),
  wallMs: () => Date.now(),
  isSynchronized: () => existsSync(TIMESYNC) || asksTimedatectl(),
});

const anchorSchema = z.object({
  bootId: z.string(),
  uptime: z.number(),
  utc: z.number(),
  /** Whether the time comes from the service. Otherwise it comes from the machine's synchronized clock. */
  isOfService: z.boolean().default(false),
});
type Anchor = z.infer<typeof anchorSchema>;

/**
 * The current time. An anchor connects the time since the machine's start, which never jumps, with UTC from the
 * service's answers. Each start of the machine has its own anchor. Without an anchor, a synchronized wall clock counts.
 */
export class Clock {
  readonly #file: string;
  readonly #anchors: Anchor[];
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(
    stateFolder: string,
    private readonly machine: Machine = thisMachine(),
  ) {
    this.#file = join(stateFolder, "clock.json");
    let kept: Anchor[] | null = null;
    try {
      kept = readJson(this.#file, z.array(anchorSchema));
    } catch {
      // The file is damaged. The next answer of the service gives the time again.
    }
    this.#anchors = kept ?? [];
  }

  reading(): ClockReading {
    return {
      bootId: this.machine.bootId,
      uptime: Math.max(0, Math.round(this.machine.uptimeMs())),
      wall: Math.max(0, Math.round(this.machine.wallMs())),
    };
  }

  /** Sets the anchor from the time in an answer of the service that took this long. */
  told(utc: number, roundTripMs: number): void {
    if (!Number.isFinite(utc) || roundTripMs > MAX_ROUND_TRIP_MS) return;
    this.#anchor(Math.round(utc + roundTripMs / 2), true);
  }

  #anchor(utc: number, isOfService: boolean): void {
    const { bootId, uptime: now } = this.reading();
    const at = this.#anchors.findIndex((anchor) => anchor.bootId === bootId);
    const before = this.#anchors[at];
    if (before !== undefined) {
      const shift = Math.abs(before.utc + now - before.uptime - utc);
      const isSame = shift < ANCHOR_SHIFT_MS && before.isOfService === isOfService;
      if (isSame && now - before.uptime < ANCHOR_EVERY_MS) return;
      this.#anchors.splice(at, 1);
    }
    this.#anchors.push({ bootId, uptime: now, utc, isOfService });
    while (this.#anchors.length > MAX_BOOTS) this.#anchors.shift();
    try {
      writeWhole(this.#file, JSON.stringify(this.#anchors));
    } catch {
      // The disk is full. The anchor is in memory, and the next answer gives the time again.
    }
  }

  /** UTC now, or null while it is unknown. */
  now(): number | null {
    const reading = this.reading();
    const anchored = this.#convert(reading);
    if (anchored !== null) return anchored;
    if (reading.uptime - this.#askedAt < ASK_EVERY_MS) return null;
    this.#askedAt = reading.uptime;
    if (!this.machine.isSynchronized()) return null;
    this.#anchor(reading.wall, false);
    return reading.wall;
  }

  /** UTC now by the service, or null until the service has answered since the machine's start. */
  serviceTime(): number | null {
    return this.#convert(this.reading(), ({ isOfService }) => isOfService);
  }

  #convert({ bootId, uptime: then }: ClockReading, isUsable = (_: Anchor) => true): number | null {
    const anchor = this.#anchors.find((known) => known.bootId === bootId && isUsable(known));
    return anchor === undefined ? null : Math.max(0, Math.round(anchor.utc + then - anchor.uptime));
  }

  /** The capture time of an image that was taken this long ago. */
  takenAgo(ms: number): TakenAt {
    const { bootId, uptime: now, wall } = this.reading();
    const reading = { bootId, uptime: Math.round(now - ms), wall: Math.max(0, Math.round(wall - ms)) };
    const at = this.now() === null ? null : this.#convert(reading);
    return at === null ? { quality: "unresolved", reading } : { quality: "synchronized", at };
  }

  /**
   * Resolves a reading to a time, or null while the time may still become known. A reading from an earlier start without an
   * anchor is estimated by its wall clock, limited to the time between the last known time and now.
   */
  resolve(reading: ClockReading): Exclude<TakenAt, { quality: "unresolved" }> | null {
    const at = this.#convert(reading);
    if (at !== null) return { quality: "synchronized", at };
    const now = this.now();
    if (now === null || reading.bootId === this.machine.bootId) return null;
    const past = this.#anchors.filter(({ bootId }) => bootId !== this.machine.bootId).map(({ utc }) => utc);
    const [from, to] = [Math.max(0, ...past), now - this.reading().uptime];
    return { quality: "estimated", at: Math.max(0, Math.min(Math.max(reading.wall, Math.min(from, to)), to)) };
  }
}
