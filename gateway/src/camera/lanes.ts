import { setTimeout as wait } from "node:timers/promises";
import { isFull } from "../files";
import type { Configuration } from "../service/answers";
import { Problem, type Service, Unanswered } from "../service/client";
import { fullJitter, type Waiting } from "../service/waiting";
import { type Frame, idOf, type Spool } from "../spool/spool";
import type { Delivery } from "./delivery";
import type { Health } from "./health";
import type { Papers } from "./identity";

const DAY_MS = 24 * 60 * 60_000;
/** Time after which an idle lane checks for images when nothing wakes it. */
const IDLE_MS = 30_000;
/** Time between two checks whether the service admits images again, while it asks to wait longer than this. */
const ADMISSION_CHECK_MS = 60_000;
const FORBIDDEN_MS = 5 * 60_000;
/** Time after which a lane tries again to record an end on a full disk. */
const FULL_DISK_MS = 10_000;
/**
 * Maximum number of images that are given up at once. Each one is recorded on the disk, and other tasks must not wait
 * for it.
 */
const MAX_DROPPED_AT_ONCE = 50;

/**
 * One lane sends the newest image first, so that people see the current picture. The other sends the oldest first,
 * before its retention ends.
 */
const LANES = ["newest", "oldest"] as const;

export interface LaneWork {
  spool: Spool;
  papers: Papers;
  service: Service;
  delivery: Delivery;
  health: Health;
  waiting: Waiting;
  configuration: () => Configuration | null;
  /** Whether the service confirmed the configuration lately: an old one does not decide that an image is outdated. */
  isConfirmed: () => boolean;
  /** UTC by the service, or null while it is unknown: no other clock may decide that an image is outdated. */
  now: () => number | null;
  say: (line: string) => void;
}

/** The two lanes of a camera. Each has one image in transfer, and keeps it until it has ended. */
export class Lanes {
  readonly #held: (string | null)[];
  readonly #aside = new Map<string, number>();
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly work: LaneWork) {
    const kept = work.papers.lanes();
    this.#held = LANES.map((_, lane) => kept[lane] ?? null);
  }

  /** Whether an image must be kept: the service may wait for its bytes. */
  holds(frame: Frame): boolean {
    return this.#held.includes(idOf(frame)) || this.#aside.has(idOf(frame));
  }

  #hold(lane: number, captureId: string | null): void {
    if (this.#held[lane] === captureId) return;
    this.#held[lane] = captureId;
    try {
      this.work.papers.setLanes([...this.#held]);
    } catch {
      // The disk is full. After a restart, the operation can take an upload slot until it expires.
    }
  }

  /** Gives up images that are older than the retention. */
  #dropOutdated(): void {
    const { spool, configuration, isConfirmed, now } = this.work;
    const [days, at] = [configuration()?.retentionDays, now()];
    if (days === undefined || at === null || !isConfirmed()) return;
    for (let dropped = 0; dropped < MAX_DROPPED_AT_ONCE; dropped++) {
      const frame = spool.oldest;
      if (frame === undefined || frame.at > at - days * DAY_MS || this.#held.includes(idOf(frame))) return;
      spool.end(frame, "dropped", "retention");
    }
  }

  #pick(lane: number): Frame | null {
    const { spool } = this.work;
    this.#dropOutdated();
    const held = this.#held[lane];
    if (held != null) {
      const frame = spool.find(held);
      if (frame !== null) return frame;
      this.#hold(lane, null);
    }
    const now = performance.now();
    for (const [captureId, until] of this.#aside) if (until <= now) this.#aside.delete(captureId);
    const isFree = (frame: Frame) => !this.holds(frame);
    return (lane === 0 ? spool.resolved.findLast(isFree) : spool.resolved.find(isFree)) ?? null;
  }

  /**
   * Ends a long postponement when an upload of the camera has ended in the meantime. The time that the service names is
   * the time of the slowest upload.
   */
  async #checkAdmission(maxPendingUploads: number): Promise<void> {
    const { budget } = this.work.service;
    const now = performance.now();
    if (budget.postponedMs === 0 || now - this.#checkedAt < ADMISSION_CHECK_MS) return;
    this.#checkedAt = now;
    if ((await this.work.service.unfinished()).length < maxPendingUploads) budget.resume();
  }

  async run(lane: number, signal: AbortSignal): Promise<void> {
    const { waiting, delivery, service, health, configuration, say } = this.work;
    for (let failures = 0; ; ) {
      const frame = this.#pick(lane);
      const limits = configuration()?.limits;
      if (frame === null || limits === undefined) {
        await waiting.rest(IDLE_MS, signal);
        continue;
      }
      const captureId = idOf(frame);
      const isNew = this.#held[lane] !== captureId;
      try {
        if (isNew) {
          const ms = service.budget.begin(limits.newUploadsPerMinute);
          if (ms > 0) {
            await this.#checkAdmission(limits.maxPendingUploads);
            await waiting.rest(Math.min(ms, IDLE_MS), signal);
            continue;
          }
          // Both lanes can have waited for the same image.
          if (this.holds(frame)) continue;
          this.#hold(lane, captureId);
        }
        const outcome = await delivery.deliver(frame);
        failures = 0;
        if (outcome.kind === "ended") this.#hold(lane, null);
        else if (outcome.kind === "aside") {
          // For a short wait, the lane keeps the image, because it has an upload slot at the service.
          if (outcome.ms <= 1_000) await waiting.rest(outcome.ms, signal);
          else {
            this.#aside.set(captureId, performance.now() + outcome.ms);
            this.#hold(lane, null);
          }
        } else await waiting.rest(outcome.ms, signal);
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        failures++;
        if (thrown instanceof Problem && thrown.status === 401) throw thrown;
        if (thrown instanceof Problem) {
          say(`${LANES[lane]}: ${thrown.message}`);
          await waiting.rest(FORBIDDEN_MS, signal);
        } else if (thrown instanceof Unanswered) {
          if (failures === 1) say(`${LANES[lane]}: ${thrown.reason}: ${thrown.message}`);
          if (thrown.reason === "limited" || thrown.reason === "postponed") failures = 0;
          if (thrown.reason === "postponed" && (isNew || thrown.retryAfterMs > ADMISSION_CHECK_MS)) {
            // The service has no operation of it. Its budget postpones the next announcement.
            this.#checkedAt = performance.now();
            this.#hold(lane, null);
            continue;
          }
          // A wait that the service requested is never shortened.
          await wait(thrown.retryAfterMs, undefined, { signal });
          await waiting.rest(fullJitter(Math.max(1, failures)), signal);
        } else if (isFull(thrown)) {
          health.raise("disk-full", "The disk has no space for the record of an image's end.");
          await waiting.rest(FULL_DISK_MS, signal);
        } else throw thrown;
      }
    }
  }
}
