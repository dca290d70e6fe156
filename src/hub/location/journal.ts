import { z } from "@hono/zod-openapi";
import { CHANGE_RETENTION_MS, MAX_KEPT_CHANGES } from "../limits";

const stateRow = z.object({ floor: z.number(), asked_at: z.number() });
const countRow = z.object({ kept: z.number() });
const numberRow = z.object({ sequence: z.number() });

/** An event that is too old for a replay, as it is stored. */
export interface StoredEvent {
  sequence: number;
  /** JSON */
  event: string;
}

const storedRow = z.object({ sequence: z.number(), event: z.string() }) satisfies z.ZodType<StoredEvent>;

/** The parts of a payload that name the subject of its event. */
const subjectSchema = z.union([
  z.object({ subject: z.object({ type: z.string(), id: z.string() }) }),
  z.object({ documentId: z.string() }),
  z.object({ annotationId: z.string() }),
  z.object({ cameraId: z.string() }),
]);
const targetSchema = z.object({ target: z.string(), payload: z.unknown() });

/** Names what an event is about: a later event with the same name makes it needless. */
function nameOf({ sequence, event }: StoredEvent): string {
  const { target, payload } = targetSchema.parse(JSON.parse(event));
  const subject = subjectSchema.safeParse(payload);
  return subject.success ? JSON.stringify([target, subject.data]) : `${target} ${sequence}`;
}

/**
 * The last event of each kind for each subject of a location, for programs that ask once in a while: what changed, and what was
 * deleted. It is in the object's SQLite, and is written only while a program asks at least once in CHANGE_RETENTION_MS. Times
 * are milliseconds since the epoch of Unix; the number of an event is its time or a little more.
 */
export class Journal {
  #state: { floor: number; askedAt: number } | null;
  #size: number | null = null;

  constructor(private readonly sql: SqlStorage) {
    sql.exec("CREATE TABLE IF NOT EXISTS journal_state (floor INTEGER NOT NULL, asked_at INTEGER NOT NULL)");
    sql.exec(
      "CREATE TABLE IF NOT EXISTS journal (sequence INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, event TEXT NOT NULL)",
    );
    const [row] = sql.exec("SELECT * FROM journal_state").toArray();
    const read = row === undefined ? null : stateRow.parse(row);
    this.#state = read && { floor: read.floor, askedAt: read.asked_at };
  }

  /** When it ends if no program asks until then; null if it has ended or was never begun. */
  get endsAt(): number | null {
    return this.#state === null ? null : this.#state.askedAt + CHANGE_RETENTION_MS;
  }

  isKept(now: number): boolean {
    return this.endsAt !== null && this.endsAt > now;
  }

  /** A program has asked. @param floor the last number that is no longer kept, if the journal begins now */
  asked(now: number, floor: number): void {
    if (this.isKept(now) && this.#state !== null) this.#store({ ...this.#state, askedAt: now });
    else {
      this.clear();
      this.#store({ floor, askedAt: now });
    }
  }

  /** Deletes everything. */
  clear(): void {
    if (this.#state === null) return;
    this.sql.exec("DELETE FROM journal");
    this.sql.exec("DELETE FROM journal_state");
    this.#state = null;
    this.#size = 0;
  }

  /** Whether each subject that changed after a number has its last event here, or a later one elsewhere. */
  reaches(after: number): boolean {
    return this.#state !== null && after >= this.#state.floor;
  }

  /** Keeps events with ascending numbers, and deletes those that are too old or too many. */
  keep(events: readonly StoredEvent[], now: number): void {
    if (this.#state === null) return;
    let size = this.#count();
    for (const stored of events) {
      const name = nameOf(stored);
      size -= this.sql.exec("DELETE FROM journal WHERE name = ? RETURNING sequence", name).toArray().length;
      this.sql.exec("INSERT INTO journal VALUES (?, ?, ?)", stored.sequence, name, stored.event);
      size += 1;
    }
    const last = Math.max(now - CHANGE_RETENTION_MS, this.#lastOfFirst(size - MAX_KEPT_CHANGES));
    const deleted = this.sql.exec("DELETE FROM journal WHERE sequence <= ? RETURNING sequence", last).toArray();
    this.#size = size - deleted.length;
    if (deleted.length > 0) this.#store({ ...this.#state, floor: Math.max(this.#state.floor, last) });
  }

  /** The number of the last one of the first `count` events; -Infinity if there is none. */
  #lastOfFirst(count: number): number {
    if (count <= 0) return -Infinity;
    const found = this.sql.exec("SELECT sequence FROM journal ORDER BY sequence LIMIT 1 OFFSET ?", count - 1);
    return found.toArray().map((raw) => numberRow.parse(raw).sequence)[0] ?? -Infinity;
  }

  /** At most `limit` kept events after a number, in order. */
  after(sequence: number, limit: number): StoredEvent[] {
    return this.sql
      .exec("SELECT sequence, event FROM journal WHERE sequence > ? ORDER BY sequence LIMIT ?", sequence, limit)
      .toArray()
      .map((raw) => storedRow.parse(raw));
  }

  #count(): number {
    this.#size ??= countRow.parse(this.sql.exec("SELECT count(*) AS kept FROM journal").one()).kept;
    return this.#size;
  }

  #store(state: { floor: number; askedAt: number }): void {
    const { floor, askedAt } = state;
    if (this.#state === null) this.sql.exec("INSERT INTO journal_state VALUES (?, ?)", floor, askedAt);
    else this.sql.exec("UPDATE journal_state SET floor = ?, asked_at = ?", floor, askedAt);
    this.#state = state;
  }
}
