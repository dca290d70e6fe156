import { z } from "@hono/zod-openapi";

const joinRow = z.object({ connection_id: z.string(), location_id: z.string() });
const connectionRow = joinRow.pick({ connection_id: true });

/** Locations one connection may have joined at a time. */
export const MOST_JOINED = 200;

/** How a connection stands that asks to join: for the first time, once more, with too many joined, or gone meanwhile. */
type Noted = "new" | "again" | "full" | "gone";

/** Which connections of a shard joined which locations: in its SQLite, so that it outlives hibernation. */
export class Joins {
  /** Locations that connections ask to join and wait for others that ask: with the object's memory their questions end. */
  readonly #asking = new Map<string, Set<string>>();

  constructor(private readonly sql: SqlStorage) {
    sql.exec(`CREATE TABLE IF NOT EXISTS joins (
      connection_id TEXT NOT NULL, location_id TEXT NOT NULL, ends_at INTEGER,
      PRIMARY KEY (connection_id, location_id)) WITHOUT ROWID`);
    sql.exec("CREATE INDEX IF NOT EXISTS joins_ending ON joins (ends_at) WHERE ends_at IS NOT NULL");
  }

  /** A connection asks to join; `note` follows, in one transaction with others. */
  ask(connectionId: string, locationId: string): void {
    const asking = this.#asking.get(connectionId) ?? new Set();
    this.#asking.set(connectionId, asking.add(locationId));
  }

  /** Notes that a connection joins, unless it went away since it asked, has joined already, or as many as one may. */
  note(connectionId: string, locationId: string): Noted {
    const asking = this.#asking.get(connectionId);
    if (asking?.delete(locationId) !== true) return "gone";
    if (asking.size === 0) this.#asking.delete(connectionId);
    const joined = this.locationsOf(connectionId);
    if (joined.includes(locationId)) return "again";
    if (joined.length >= MOST_JOINED) return "full";
    this.sql.exec("INSERT INTO joins VALUES (?, ?, NULL)", connectionId, locationId);
    return "new";
  }

  remove(connectionId: string, locationId: string): boolean {
    return (
      this.sql.exec("DELETE FROM joins WHERE connection_id = ? AND location_id = ?", connectionId, locationId)
        .rowsWritten > 0
    );
  }

  has(connectionId: string, locationId: string): boolean {
    return (
      this.sql
        .exec("SELECT 1 FROM joins WHERE connection_id = ? AND location_id = ?", connectionId, locationId)
        .toArray().length > 0
    );
  }

  locationsOf(connectionId: string): string[] {
    return this.#read("SELECT * FROM joins WHERE connection_id = ?", connectionId).map((row) => row.location_id);
  }

  /** Connections that joined any of these locations. */
  connectionsAt(locationIds: readonly string[]): string[] {
    return this.#connections("WHERE location_id IN (SELECT value FROM json_each(?))", JSON.stringify(locationIds));
  }

  /** Everything a closed connection had joined, and forgets it. */
  drop(connectionId: string): string[] {
    this.#asking.delete(connectionId);
    const locations = this.locationsOf(connectionId);
    if (locations.length > 0) this.sql.exec("DELETE FROM joins WHERE connection_id = ?", connectionId);
    return locations;
  }

  /** What these connections had joined, by location; forgets it. */
  dropAll(connectionIds: readonly string[]): Map<string, string[]> {
    for (const connectionId of connectionIds) this.#asking.delete(connectionId);
    const given = JSON.stringify(connectionIds);
    const which = "WHERE connection_id IN (SELECT value FROM json_each(?))";
    const found = Map.groupBy(this.#read(`SELECT * FROM joins ${which}`, given), (row) => row.location_id);
    if (found.size > 0) this.sql.exec(`DELETE FROM joins ${which}`, given);
    return new Map([...found].map(([locationId, rows]) => [locationId, rows.map((row) => row.connection_id)]));
  }

  /** Connections that have joined something. */
  connectionIds(): string[] {
    return this.#connections("");
  }

  /**
   * Notes when the grant ends that a join was just allowed by. What is known to end sooner stays: whoever noted that
   * may have looked later, and at that time it is looked at once more.
   */
  endsBy(connectionId: string, locationId: string, endsAt: number): void {
    this.sql.exec(
      "UPDATE joins SET ends_at = ?1 WHERE connection_id = ?2 AND location_id = ?3 AND (ends_at IS NULL OR ends_at > ?1)",
      endsAt,
      connectionId,
      locationId,
    );
  }

  /** Notes when the grant that carries a join ends; of a join that is gone by now, nothing. */
  setEnd(connectionId: string, locationId: string, endsAt: number | null): void {
    this.sql.exec(
      "UPDATE joins SET ends_at = ?1 WHERE connection_id = ?2 AND location_id = ?3 AND ends_at IS NOT ?1",
      endsAt,
      connectionId,
      locationId,
    );
  }

  /** Connections with a join whose grant has ended by now. */
  ended(now: number): string[] {
    return this.#connections("WHERE ends_at <= ?", now);
  }

  /** When the first join ends after now, milliseconds; null when none does. */
  firstEnd(now: number): number | null {
    return z
      .object({ at: z.number().nullable() })
      .parse(this.sql.exec("SELECT min(ends_at) AS at FROM joins WHERE ends_at > ?", now).one()).at;
  }

  /** Each once, however much it has joined: of a full shard the joins themselves would not fit in memory. */
  #connections(which: string, ...bindings: (string | number)[]): string[] {
    return this.sql
      .exec(`SELECT DISTINCT connection_id FROM joins ${which}`, ...bindings)
      .toArray()
      .map((row) => connectionRow.parse(row).connection_id);
  }

  #read(query: string, ...bindings: (string | number)[]) {
    return this.sql
      .exec(query, ...bindings)
      .toArray()
      .map((row) => joinRow.parse(row));
  }
}
