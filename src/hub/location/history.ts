import { z } from "@hono/zod-openapi";
import type { LocationEvent } from "../../platform/ports";
import type { ReplayRequest } from "../connection";
import { EVENT_RETENTION_MS, MAX_KEPT_BYTES, MAX_KEPT_EVENTS } from "../limits";
import { Journal, type StoredEvent } from "./journal";

/** An event with its number. The numbers of an epoch increase, and they are not consecutive. */
export interface NumberedEvent extends LocationEvent {
  sequence: number;
}

const stateRow = z.object({ epoch: z.string(), floor: z.number(), unheard_at: z.number().nullable() });
const measuredRow = z.object({ sequence: z.number(), key: z.string().nullable(), bytes: z.number() });
const eventRow = z.object({ sequence: z.number(), event: z.string() });
const eventSchema = z.object({
  target: z.enum(["DocumentUploaded", "StateUpdated", "PositionChanged", "CapturePublished"]),
  payload: z.record(z.string(), z.unknown()),
  requires: z.enum(["LocationView", "LocationBundles", "LocationCameras", "Documents", "Reports"]),
  documentId: z.string().nullable(),
  subject: z.object({ type: z.enum(["annotation", "document", "camera", "report"]), id: z.string() }).nullable(),
}) satisfies z.ZodType<LocationEvent>;

const encoder = new TextEncoder();

interface State {
  epoch: string;
  /** The last number that is no longer kept: later events are complete. */
  floor: number;
  /** Since when no connection listens, milliseconds; null while one does. */
  unheardAt: number | null;
}

const numbered = ({ sequence, event }: StoredEvent): NumberedEvent => ({
  ...eventSchema.parse(JSON.parse(event)),
  sequence,
});

/**
 * The last events of a location, in the object's SQLite. It keeps them while somebody listens, for EVENT_RETENTION_MS after the
 * last listener has left, and while it has a journal. Events that become too old for a replay go to the journal, if there is one.
 * Times are milliseconds since the epoch of Unix.
 */
export class History {
  #state: State | null;
  /** The kept events by number, ascending. Null until they are needed. */
  #kept: Map<number, { key: string | null; bytes: number }> | null = null;
  readonly #byKey = new Map<string, number>();
  #bytes = 0;
  readonly #journal: Journal;

  constructor(private readonly sql: SqlStorage) {
    this.#journal = new Journal(sql);
    sql.exec("CREATE TABLE IF NOT EXISTS history (epoch TEXT NOT NULL, floor INTEGER NOT NULL, unheard_at INTEGER)");
    sql.exec(
      "CREATE TABLE IF NOT EXISTS events (sequence INTEGER PRIMARY KEY, key TEXT, bytes INTEGER NOT NULL, event TEXT NOT NULL)",
    );
    const [row] = sql.exec("SELECT * FROM history").toArray();
    const read = row === undefined ? null : stateRow.parse(row);
    this.#state = read && { epoch: read.epoch, floor: read.floor, unheardAt: read.unheard_at };
  }

  /** Whether events are kept now. */
  keeps(now: number): boolean {
    const { unheardAt } = this.#state ?? { unheardAt: -Infinity };
    return unheardAt === null || unheardAt + EVENT_RETENTION_MS > now || this.#journal.isKept(now);
  }

  /** A connection listens. If events were not kept until now, a new epoch begins. */
  heard(now: number): void {
    if (this.#state?.unheardAt === null) return;
    if (this.#state !== null && this.keeps(now)) this.#store({ ...this.#state, unheardAt: null });
    else {
      this.sql.exec("DELETE FROM events");
      this.#journal.clear();
      this.#kept = null;
      this.#store({ epoch: crypto.randomUUID(), floor: now, unheardAt: null });
    }
  }

  /** No connection listens any more. */
  unheard(now: number): void {
    if (this.#state?.unheardAt === null) this.#store({ ...this.#state, unheardAt: now });
  }

  /** A program without a connection asks: the journal is kept for CHANGE_RETENTION_MS from now on. */
  asked(now: number): void {
    if (!this.keeps(now)) {
      this.heard(now);
      this.unheard(now);
    }
    this.#journal.asked(now, this.#state?.floor ?? now);
  }

  /** The position after the last event; null if events are not kept. */
  get position(): { epoch: string; sequence: number } | null {
    if (this.#state === null) return null;
    const { epoch, floor } = this.#state;
    return { epoch, sequence: Math.max(floor, [...this.#all().keys()].at(-1) ?? 0) };
  }

  /**
   * Numbers the events and keeps them, without those that are too old or too many. An event replaces the earlier event with
   * the same key or id. A number is the time of its event or a little more: differences between numbers do not tell how
   * many events lie between them, because a reader may not see them all.
   */
  record(events: readonly LocationEvent[], now: number): NumberedEvent[] {
    const { position } = this;
    if (position === null) return [];
    const numbered = events.map((event, i) => {
      const sequence = Math.max(now, position.sequence + 1) + i;
      this.#add(sequence, event);
      return { ...event, sequence };
    });
    this.prune(now);
    return numbered;
  }

  get epoch(): string {
    return this.#state?.epoch ?? "";
  }

  /** Whether all events after a position are kept. */
  reaches({ epoch, after }: ReplayRequest, now: number): boolean {
    this.prune(now);
    const { position } = this;
    if (position === null || this.#state === null || !this.keeps(now)) return false;
    return epoch === position.epoch && after >= this.#state.floor && after <= position.sequence;
  }

  /** The kept events after a number, in order. */
  after(sequence: number): NumberedEvent[] {
    return this.#stored("sequence > ?", sequence).map(numbered);
  }

  /**
   * Reads the events after a position, in order: first those of the journal, then the kept ones, at most `limit`. The journal has the
   * last event of each kind for each subject. Returns null if a subject has changed and has no event in either of them.
   */
  changesAfter({ epoch, after }: ReplayRequest, limit: number, now: number): NumberedEvent[] | null {
    if (this.reaches({ epoch, after }, now)) return this.after(after).slice(0, limit);
    const { position } = this;
    const isKept = this.keeps(now) && epoch === position?.epoch && after <= position.sequence;
    if (!isKept || !this.#journal.reaches(after)) return null;
    const changes = this.#journal.after(after, limit);
    return [...changes.map(numbered), ...this.after(after)].slice(0, limit);
  }

  /**
   * Deletes the events that are too old or too many, or hands them to the journal.
   * @returns when this is to be done again; null if nothing is kept
   */
  prune(now: number): number | null {
    const isKept = this.#journal.isKept(now);
    if (!isKept) this.#journal.clear();
    const kept = this.#all();
    let floor: number | null = null;
    for (const [sequence, { key, bytes }] of kept) {
      const isOld = sequence <= now - EVENT_RETENTION_MS;
      if (!isOld && kept.size <= MAX_KEPT_EVENTS && this.#bytes <= MAX_KEPT_BYTES) break;
      this.#forget(sequence, key, bytes);
      floor = sequence;
    }
    if (floor !== null && this.#state !== null) {
      if (isKept) this.#journal.keep(this.#stored("sequence <= ?", floor), now);
      this.sql.exec("DELETE FROM events WHERE sequence <= ?", floor);
      this.#store({ ...this.#state, floor });
    }
    const last = [...kept.keys()].at(-1);
    return last === undefined ? this.#journal.endsAt : last + EVENT_RETENTION_MS;
  }

  /** The stored events that satisfy a condition on their number, in order. */
  #stored(condition: "sequence > ?" | "sequence <= ?", sequence: number): StoredEvent[] {
    return this.sql
      .exec(`SELECT sequence, event FROM events WHERE ${condition} ORDER BY sequence`, sequence)
      .toArray()
      .map((raw) => eventRow.parse(raw));
  }

  #add(sequence: number, event: LocationEvent): void {
    const key = event.key ?? event.id ?? null;
    const earlier = key === null ? undefined : this.#byKey.get(key);
    if (key !== null && earlier !== undefined) {
      this.sql.exec("DELETE FROM events WHERE sequence = ?", earlier);
      this.#forget(earlier, key, this.#all().get(earlier)?.bytes ?? 0);
    }
    const json = JSON.stringify(eventSchema.parse(event));
    const bytes = encoder.encode(json).length;
    this.sql.exec("INSERT INTO events VALUES (?, ?, ?, ?)", sequence, key, bytes, json);
    this.#note(sequence, key, bytes);
  }

  #note(sequence: number, key: string | null, bytes: number): void {
    this.#kept?.set(sequence, { key, bytes });
    if (key !== null) this.#byKey.set(key, sequence);
    this.#bytes += bytes;
  }

  #forget(sequence: number, key: string | null, bytes: number): void {
    this.#kept?.delete(sequence);
    if (key !== null) this.#byKey.delete(key);
    this.#bytes -= bytes;
  }

  #all(): Map<number, { key: string | null; bytes: number }> {
    if (this.#kept !== null) return this.#kept;
    const kept = new Map<number, { key: string | null; bytes: number }>();
    this.#kept = kept;
    this.#byKey.clear();
    this.#bytes = 0;
    for (const raw of this.sql.exec("SELECT sequence, key, bytes FROM events ORDER BY sequence")) {
      const { sequence, key, bytes } = measuredRow.parse(raw);
      this.#note(sequence, key, bytes);
    }
    return kept;
  }

  #store(state: State): void {
    const { epoch, floor, unheardAt } = state;
    if (this.#state === null) this.sql.exec("INSERT INTO history VALUES (?, ?, ?)", epoch, floor, unheardAt);
    else this.sql.exec("UPDATE history SET epoch = ?, floor = ?, unheard_at = ?", epoch, floor, unheardAt);
    this.#state = state;
  }
}
