import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { readJson, writeWhole } from "./files";
import type { ClockReading, TakenAt } from "./spool/intent";

/** An answer that took longer says too little about the time. */
const MAX_ROUND_TRIP_MS = 10_000;
/** An anchor is written again when it moved by more than this, or after so long. */
const ANCHOR_SHIFT_MS = 500;
const ANCHOR_EVERY_MS = 3_600_000;
/** How often the machine is asked whether its clock is right. */
const ASK_EVERY_MS = 10_000;
/** Starts of the machine of which the time is remembered. */
const MAX_BOOTS = 8;

/** The clocks of a machine. */
export interface Machine {
  bootId: string;
  uptimeMs(): number;
  wallMs(): number;
  /** Whether a time service of the machine keeps the wall clock right. */
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
  // Elsewhere than on Linux a start of the gateway counts as a start of the machine.
  bootId: existsSync(BOOT_ID) ? readFileSync(BOOT_ID, "utf8").trim() : randomUUID(),
  uptimeMs: () => Math.round(uptime() * 1_000),
  wallMs: () => Date.now(),
  isSynchronized: () => existsSync(TIMESYNC) || asksTimedatectl(),
});

const anchorSchema = z.object({ bootId: z.string(), uptime: z.number(), utc: z.number() });
type Anchor = z.infer<typeof anchorSchema>;

/**
 * What time it is. The service's answers tie the time since the machine's start, which never jumps, to UTC; each start of
 * the machine has such an anchor of its own. Until there is one the wall clock counts if it is synchronized.
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
      // Damaged: the service will tell the time again.
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

  /** The service told the time in an answer that took so long. */
  told(utc: number, roundTripMs: number): void {
    if (!Number.isFinite(utc) || roundTripMs > MAX_ROUND_TRIP_MS) return;
    this.#anchor(Math.round(utc + roundTripMs / 2));
  }

  #anchor(utc: number): void {
    const { bootId, uptime: now } = this.reading();
    const at = this.#anchors.findIndex((anchor) => anchor.bootId === bootId);
    const before = this.#anchors[at];
    if (before !== undefined) {
      const shift = Math.abs(before.utc + now - before.uptime - utc);
      if (shift < ANCHOR_SHIFT_MS && now - before.uptime < ANCHOR_EVERY_MS) return;
      this.#anchors.splice(at, 1);
    }
    this.#anchors.push({ bootId, uptime: now, utc });
    while (this.#anchors.length > MAX_BOOTS) this.#anchors.shift();
    try {
      writeWhole(this.#file, JSON.stringify(this.#anchors));
    } catch {
      // A full disk: it is in memory, and the service will tell it again.
    }
  }

  /** UTC now; null while nobody knows. */
  now(): number | null {
    const reading = this.reading();
    const anchored = this.#convert(reading);
    if (anchored !== null) return anchored;
    if (reading.uptime - this.#askedAt < ASK_EVERY_MS) return null;
    this.#askedAt = reading.uptime;
    if (!this.machine.isSynchronized()) return null;
    this.#anchor(reading.wall);
    return reading.wall;
  }

  #convert({ bootId, uptime: then }: ClockReading): number | null {
    const anchor = this.#anchors.find((known) => known.bootId === bootId);
    return anchor === undefined ? null : Math.max(0, Math.round(anchor.utc + then - anchor.uptime));
  }

  /** When an image was taken that was taken so long ago. */
  takenAgo(ms: number): TakenAt {
    const { bootId, uptime: now, wall } = this.reading();
    const reading = { bootId, uptime: Math.round(now - ms), wall: Math.max(0, Math.round(wall - ms)) };
    const at = this.now() === null ? null : this.#convert(reading);
    return at === null ? { quality: "unresolved", reading } : { quality: "synchronized", at };
  }

  /**
   * What a reading meant, once; null while it may still become known. One of an earlier start that ended without the time is
   * estimated by its wall clock, which cannot have been before what was known to be past, nor after now.
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
