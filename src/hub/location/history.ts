import { z } from "@hono/zod-openapi";
import type { LocationEvent } from "../../platform/ports";
import type { ReplayRequest } from "../connection";
import { EVENT_RETENTION_MS, MAX_KEPT_BYTES, MAX_KEPT_EVENTS } from "../limits";

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

/**
 * The last events of a location, in the object's SQLite. It keeps them while somebody listens, and for
 * EVENT_RETENTION_MS after the last listener has left. Times are milliseconds since the epoch of Unix.
 */
export class History {
  #state: State | null;
  /** The kept events by number, ascending. Null until they are needed. */
  #kept: Map<number, { key: string | null; bytes: number }> | null = null;
  readonly #byKey = new Map<string, number>();
  #bytes = 0;

  constructor(private readonly sql: SqlStorage) {
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
    return unheardAt === null || unheardAt + EVENT_RETENTION_MS > now;
  }

  /** A connection listens. If events were not kept until now, a new epoch begins. */
  heard(now: number): void {
    if (this.#state?.unheardAt === null) return;
    if (this.#state !== null && this.keeps(now)) this.#store({ ...this.#state, unheardAt: null });
    else {
      this.sql.exec("DELETE FROM events");
      this.#kept = null;
      this.#store({ epoch: crypto.randomUUID(), floor: now, unheardAt: null });
    }
  }

  /** No connection listens any more. */
  unheard(now: number): void {
    if (this.#state?.unheardAt === null) this.#store({ ...this.#state, unheardAt: now });
  }

  /** A program without a connection listens: events are kept for EVENT_RETENTION_MS after it asks. */
  asked(now: number): void {
    if (this.#state?.unheardAt === null) return;
    if (!this.keeps(now)) this.heard(now);
    if (this.#state !== null) this.#store({ ...this.#state, unheardAt: now });
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
    return this.sql
      .exec("SELECT sequence, event FROM events WHERE sequence > ? ORDER BY sequence", sequence)
      .toArray()
      .map((raw) => {
        const { sequence, event } = eventRow.parse(raw);
        return { ...eventSchema.parse(JSON.parse(event)), sequence };
      });
  }

  /** Deletes the events that are too old or too many. @returns when the last one is too old; null if none is kept */
  prune(now: number): number | null {
    const kept = this.#all();
    let floor: number | null = null;
    for (const [sequence, { key, bytes }] of kept) {
      const isOld = sequence <= now - EVENT_RETENTION_MS;
      if (!isOld && kept.size <= MAX_KEPT_EVENTS && this.#bytes <= MAX_KEPT_BYTES) break;
      this.#forget(sequence, key, bytes);
      floor = sequence;
    }
    if (floor !== null && this.#state !== null) {
      this.sql.exec("DELETE FROM events WHERE sequence <= ?", floor);
      this.#store({ ...this.#state, floor });
    }
    const last = [...kept.keys()].at(-1);
    return last === undefined ? null : last + EVENT_RETENTION_MS;
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
