import type { Seat } from "./member";

/** Shortest time between two writes of what people send, milliseconds. */
const WRITE_EVERY = 10;

/** An update that somebody sent. */
export interface SentUpdate {
  update: Uint8Array;
  seat: Seat;
}

/**
 * Updates on their way into the document. The first after a pause is written at once; those that come right
 * after it wait a moment and are written together. Nobody is told of one before it is written: what is lost
 * with the object, its sender's provider sends again.
 */
export class Intake {
  readonly #waiting: SentUpdate[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When something was written last, milliseconds since the epoch. */
  #writtenAt = 0;
  /** Bytes that wait. */
  bytes = 0;

  constructor(private readonly write: (all: readonly SentUpdate[]) => void) {}

  add(sent: SentUpdate): void {
    this.#waiting.push(sent);
    this.bytes += sent.update.byteLength;
    const left = this.#writtenAt + WRITE_EVERY - Date.now();
    if (left <= 0) this.writeAll();
    else this.#timer ??= setTimeout(() => this.writeAll(), left);
  }

  /** Bytes that wait of one person. */
  bytesOf(userId: string): number {
    const theirs = this.#waiting.filter(({ seat }) => seat.member.credential.userId === userId);
    return theirs.reduce((sum, { update }) => sum + update.byteLength, 0);
  }

  /** Forgets what waits. @returns what it was. */
  drop(): SentUpdate[] {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.bytes = 0;
    return this.#waiting.splice(0);
  }

  /** Writes what waits, if anything does. */
  writeAll(): void {
    const all = this.drop();
    if (all.length === 0) return;
    this.#writtenAt = Date.now();
    this.write(all);
  }
}
