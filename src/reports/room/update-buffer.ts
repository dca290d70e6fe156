import { describeFailure, log } from "../../platform/log";
import { SECOND } from "../../platform/time";
import type { Seat } from "./member";

/** Shortest time between two writes of updates, milliseconds. */
const WRITE_INTERVAL_MS = 10;
/** Pause after a failed access check. */
const RETRY_DELAY_MS = SECOND;

/** An update and the connection that sent it. */
export interface SentUpdate {
  update: Uint8Array;
  seat: Seat;
}

/** Returns the updates whose writers still have write access. */
export type Permit = (all: readonly SentUpdate[]) => Promise<readonly SentUpdate[]>;

/**
 * Buffers updates until they are permitted and written, in batches. Access is checked after an update arrived and
 * before it counts, so that a revocation applies from its answer on. Others receive an update only after it is
 * written. If the object loses its memory, the sender's provider sends the update again.
 */
export class UpdateBuffer {
  #waiting: SentUpdate[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The batch that is being permitted and written. */
  #batch: Promise<void> | null = null;
  /** Start of the last batch, milliseconds since the epoch. */
  #begunAt = 0;
  #hasEnded = false;
  /** Updates that are being permitted. */
  #asked: readonly SentUpdate[] = [];
  /** Bytes that are not written yet. */
  bytes = 0;

  constructor(
    private readonly permit: Permit,
    private readonly write: (all: readonly SentUpdate[]) => void,
  ) {}

  add(sent: SentUpdate): void {
    if (this.#hasEnded) return;
    this.#waiting.push(sent);
    this.bytes += sent.update.byteLength;
    this.#plan(this.#begunAt + WRITE_INTERVAL_MS - Date.now());
  }

  /** Bytes of one user that are not written yet. */
  bytesOf(userId: string): number {
    const theirs = [...this.#asked, ...this.#waiting].filter(({ seat }) => seat.member.credential.userId === userId);
    return theirs.reduce((sum, { update }) => sum + update.byteLength, 0);
  }

  /** Accepts no more updates and drops the waiting ones. */
  end(): void {
    this.#hasEnded = true;
    this.#stopTimer();
    this.#waiting = [];
    this.bytes = 0;
  }

  /** Writes all updates that have arrived. @throws when the access check fails; the updates are tried again later. */
  async writeAll(): Promise<void> {
    await this.#batch;
    if (this.#waiting.length > 0) await this.#begin();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #plan(left: number): void {
    if (this.#batch !== null || this.#timer !== null || this.#waiting.length === 0) return;
    if (left <= 0) this.#start();
    else
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.#start();
      }, left);
  }

  #start(): void {
    this.#begin().catch((thrown) => log("warn", "report-room.access-not-asked", describeFailure(thrown)));
  }

  /** One batch at a time: updates are written in the order in which they arrived. */
  #begin(): Promise<void> {
    this.#batch ??= this.#writeBatch();
    return this.#batch;
  }

  async #writeBatch(): Promise<void> {
    this.#stopTimer();
    const all = this.#waiting;
    this.#waiting = [];
    this.#asked = all;
    this.#begunAt = Date.now();
    let pause = WRITE_INTERVAL_MS;
    try {
      const permitted = await this.permit(all);
      if (this.#hasEnded) return;
      for (const { update } of all) this.bytes -= update.byteLength;
      if (permitted.length > 0) this.write(permitted);
    } catch (thrown) {
      this.#waiting = [...all, ...this.#waiting];
      pause = RETRY_DELAY_MS;
      throw thrown;
    } finally {
      this.#asked = [];
      this.#batch = null;
      if (!this.#hasEnded) this.#plan(this.#begunAt + pause - Date.now());
    }
  }
}
