import { createHash, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../clock";
import type { Disk } from "../disk";
import { isFull } from "../files";
import { checkFrame, tooLargeToRead } from "../jpeg/check";
import { freeImages } from "../memory";
import { type NotDue, whyNotDue } from "../schedule";
import type { Configuration } from "../service/answers";
import type { Waiting } from "../service/waiting";
import type { NightSettings } from "../settings";
import { type Shot, type Source, SourceFailure } from "../sources/source";
import type { TakenAt } from "../spool/intent";
import { idOf, type Spool } from "../spool/spool";
import type { Health } from "./health";
import type { History } from "./history";

const MINUTE_MS = 60_000;
/** Time between two checks whether an image is due. */
const TICK_MS = 1_000;
/** Delay and number of further attempts within an interval after a camera failed. */
const RETRY_MS = 20_000;
const MAX_RETRIES = 3;
/** Attempts to write an image to a full disk. Before each one, another image is deleted. */
const MAX_WRITES = 16;

export interface ShutterWork {
  source: Source;
  spool: Spool;
  clock: Clock;
  disk: Disk;
  health: Health;
  waiting: Waiting;
  history: History;
  nights: NightSettings;
  configuration: () => Configuration | null;
}

/** Takes images when they are due and stores them. It does not need the network. */
export class Shutter {
  lastShotAt: number | null;
  /** Images that failed the local check, and images that did not fit on the disk. */
  unusable = 0;
  skipped = 0;

  constructor(private readonly work: ShutterWork) {
    this.lastShotAt = work.spool.newest?.at ?? null;
  }

  /** The reason why no image is due now; null when one is due or nothing is configured. */
  get notDue(): NotDue {
    const { configuration, nights, clock } = this.work;
    const settings = configuration();
    return settings === null ? null : whyNotDue(settings, nights, clock.now());
  }

  /** Stores an image. @returns whether it was stored */
  keep(shot: Shot, configuration: Configuration): boolean {
    const { spool, clock, disk, health, waiting } = this.work;
    const { tooLarge } = shot;
    const checked = tooLarge === undefined ? checkFrame(shot.bytes, configuration.limits) : tooLargeToRead(tooLarge);
    if (!checked.isGood) {
      this.unusable++;
      health.raise(checked.code, checked.detail);
      shot.refused?.();
      return false;
    }
    const { bytes, repairs } = checked;
    const takenAt = clock.takenAgo(shot.ageMs);
    const intent = {
      captureId: shot.captureId ?? randomUUID(),
      assignmentGeneration: this.#assignmentOf(takenAt, configuration),
      takenAt,
    };
    disk.makeRoom(bytes.length);
    for (let writes = 1; ; writes++)
      try {
        const frame = spool.keep(bytes, intent);
        shot.kept?.();
        if (!Number.isNaN(frame.at)) this.lastShotAt = Math.max(this.lastShotAt ?? 0, frame.at);
        health.kept(createHash("sha256").update(bytes).digest("hex"), repairs);
        waiting.wake();
        return idOf(frame) === intent.captureId;
      } catch (thrown) {
        if (!isFull(thrown)) throw thrown;
        health.raise("disk-full", "The disk has no space for an image, even after older images were deleted.");
        if (writes < MAX_WRITES && disk.thin()) continue;
        this.skipped++;
        return false;
      }
  }

  /**
   * The assignment of an image. A late image can belong to an earlier assignment; its time decides when it is known.
   */
  #assignmentOf(takenAt: TakenAt, { assignmentGeneration }: Configuration): number {
    const { source, history } = this.work;
    if (source.pace === "interval" || takenAt.quality === "unresolved") return assignmentGeneration;
    return history.generationAt(takenAt.at) ?? assignmentGeneration;
  }

  /** Removes an image that was stored before, or is from a time at which none was due. @returns whether it is not to be stored */
  #endsHere(shot: Shot): boolean {
    const { source, spool, history, health } = this.work;
    if (shot.captureId === undefined || source.pace === "interval") return false;
    if (!spool.knows(shot.captureId)) {
      const cause = history.notDueThen(shot.ageMs);
      if (cause === null) return false;
      try {
        spool.unwanted(shot.captureId, cause);
      } catch (thrown) {
        if (!isFull(thrown)) throw thrown;
        health.raise("disk-full", "The disk has no space for the record of an image's end.");
        return true;
      }
    }
    shot.kept?.();
    return true;
  }

  /** Takes the available images. @returns whether the camera provided an image that was stored */
  async #take(configuration: Configuration, signal: AbortSignal): Promise<boolean> {
    const { source, health } = this.work;
    let isKept = true;
    try {
      for await (const shot of source.take(configuration, signal)) {
        if (!this.#endsHere(shot)) isKept = this.keep(shot, configuration) && isKept;
        if (source.pace === "arrival") await wait(0, undefined, { signal });
      }
      return isKept;
    } catch (thrown) {
      if (!(thrown instanceof SourceFailure)) throw thrown;
      health.raise(thrown.code, thrown.message);
      return false;
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { source, configuration } = this.work;
    let lastSlot: string | null = null;
    for (;;) {
      const settings = configuration();
      if (settings === null) await wait(TICK_MS, undefined, { signal });
      else if (source.pace === "arrival") {
        await this.#take(settings, signal);
        await wait(TICK_MS, undefined, { signal });
      } else {
        const slot = this.#slot(settings);
        const isDue = slot !== lastSlot && this.notDue === null && !this.#isTaken(settings);
        if (isDue) {
          lastSlot = slot;
          for (
            let tries = 0;
            !(await this.#take(configuration() ?? settings, signal)) && tries < MAX_RETRIES;
            tries++
          ) {
            await wait(RETRY_MS, undefined, { signal });
            // The settings can have changed in the meantime.
            if (this.#slot(settings) !== slot || this.notDue !== null) break;
          }
          freeImages();
        }
        await wait(TICK_MS, undefined, { signal });
      }
    }
  }

  /** The interval that gets one image: by UTC when it is known, otherwise by the time since the machine's start. */
  #slot({ captureIntervalMinutes }: Configuration): string {
    const { clock } = this.work;
    const interval = captureIntervalMinutes * MINUTE_MS;
    const now = clock.now();
    return now === null
      ? `uptime ${Math.floor(clock.reading().uptime / interval)}`
      : `utc ${Math.floor(now / interval)}`;
  }

  /** Whether this interval has its image already, for example after a restart. */
  #isTaken({ captureIntervalMinutes }: Configuration): boolean {
    const interval = captureIntervalMinutes * MINUTE_MS;
    const now = this.work.clock.now();
    return (
      now !== null && this.lastShotAt !== null && Math.floor(now / interval) === Math.floor(this.lastShotAt / interval)
    );
  }
}
