import { z } from "@hono/zod-openapi";

const joinRow = z.object({ connection_id: z.string(), location_id: z.string(), ends_at: z.int().nullable() });

/**
 * Which connections of a shard joined which locations, and when the grant that carries a join ends: in its SQLite, so
 * that it outlives hibernation, and as long as the object is in memory also there.
 */
export class Joins {
  /** By connection, then by location: when the join ends, milliseconds since the epoch; null never. */
  readonly #all = new Map<string, Map<string, number | null>>();

  constructor(private readonly sql: SqlStorage) {
    sql.exec(`CREATE TABLE IF NOT EXISTS joins (
      connection_id TEXT NOT NULL, location_id TEXT NOT NULL, ends_at INTEGER,
      PRIMARY KEY (connection_id, location_id)) WITHOUT ROWID`);
    for (const row of sql.exec("SELECT * FROM joins").toArray()) {
      const { connection_id, location_id, ends_at } = joinRow.parse(row);
      this.#joinsOf(connection_id).set(location_id, ends_at);
    }
  }

  #joinsOf(connectionId: string): Map<string, number | null> {
    const known = this.#all.get(connectionId);
    if (known !== undefined) return known;
    const joins = new Map<string, number | null>();
    this.#all.set(connectionId, joins);
    return joins;
  }

  add(connectionId: string, locationId: string, endsAt: number | null): void {
    this.sql.exec("INSERT OR REPLACE INTO joins VALUES (?, ?, ?)", connectionId, locationId, endsAt);
    this.#joinsOf(connectionId).set(locationId, endsAt);
  }

  remove(connectionId: string, locationId: string): boolean {
    const joins = this.#all.get(connectionId);
    if (joins?.delete(locationId) !== true) return false;
    if (joins.size === 0) this.#all.delete(connectionId);
    this.sql.exec("DELETE FROM joins WHERE connection_id = ? AND location_id = ?", connectionId, locationId);
    return true;
  }

  has(connectionId: string, locationId: string): boolean {
    return this.#all.get(connectionId)?.has(locationId) === true;
  }

  locationsOf(connectionId: string): string[] {
    return [...(this.#all.get(connectionId)?.keys() ?? [])];
  }

  /** Connections that joined any of these locations. */
  connectionsAt(locationIds: readonly string[]): string[] {
    return this.#connectionsWhere((joins) => locationIds.some((locationId) => joins.has(locationId)));
  }

  /** Everything a closed connection had joined, and forgets it. */
  drop(connectionId: string): string[] {
    return [...this.dropAll([connectionId]).keys()];
  }

  /** What these connections had joined, by location; forgets it. */
  dropAll(connectionIds: readonly string[]): Map<string, string[]> {
    const pairs = connectionIds.flatMap((id) => this.locationsOf(id).map((locationId) => ({ id, locationId })));
    if (pairs.length === 0) return new Map();
    const which = "WHERE connection_id IN (SELECT value FROM json_each(?))";
    this.sql.exec(`DELETE FROM joins ${which}`, JSON.stringify(connectionIds));
    for (const id of connectionIds) this.#all.delete(id);
    const byLocation = Map.groupBy(pairs, ({ locationId }) => locationId);
    return new Map([...byLocation].map(([locationId, those]) => [locationId, those.map(({ id }) => id)]));
  }

  /** Connections that have joined something. */
  connectionIds(): string[] {
    return [...this.#all.keys()];
  }

  /** Notes when the grant that carries a join ends; of a join that is gone by now, nothing. */
  setEnd(connectionId: string, locationId: string, endsAt: number | null): void {
    const known = this.#all.get(connectionId)?.get(locationId);
    if (known !== undefined && known !== endsAt) this.add(connectionId, locationId, endsAt);
  }

  /** Connections with a join whose grant has ended by now. */
  ended(now: number): string[] {
    return this.#connectionsWhere((joins) => joins.values().some((endsAt) => endsAt !== null && endsAt <= now));
  }

  /** When the first join ends after now, milliseconds; null when none does. */
  firstEnd(now: number): number | null {
    let first: number | null = null;
    for (const joins of this.#all.values())
      for (const endsAt of joins.values())
        if (endsAt !== null && endsAt > now && (first === null || endsAt < first)) first = endsAt;
    return first;
  }

  #connectionsWhere(matches: (joins: ReadonlyMap<string, number | null>) => boolean): string[] {
    return [...this.#all].flatMap(([connectionId, joins]) => (matches(joins) ? [connectionId] : []));
  }
}
