import { z } from "@hono/zod-openapi";
import { MAX_REMEMBERED_JOINS, MAX_SUBSCRIPTIONS } from "../limits";
import type { Asking, JoinResult } from "../location";

const joinRow = z.object({ connection_id: z.string(), location_id: z.string() });
const connectionRow = joinRow.pick({ connection_id: true });

/**
 * The result for a connection that asks to join: a new subscription, an existing one, too many, or the connection is
 * gone.
 */
type NoteResult = "new" | "existing" | "full" | "gone";

/** The locations that each connection of a shard has joined, in its SQLite, so that they survive hibernation. */
export class Subscriptions {
  /** Locations that connections ask to join, until their batch runs. The requests end with the object's memory. */
  readonly #asking = new Map<string, Set<string>>();
  /** Joins that were read for a delivery, by location. Each deletion of a join deletes it here, too. */
  readonly #remembered = new Map<string, Set<string>>();
  #rememberedSize = 0;

  constructor(private readonly sql: SqlStorage) {
    sql.exec(`CREATE TABLE IF NOT EXISTS joins (
      connection_id TEXT NOT NULL, location_id TEXT NOT NULL, ends_at INTEGER,
      PRIMARY KEY (connection_id, location_id)) WITHOUT ROWID`);
    sql.exec("CREATE INDEX IF NOT EXISTS joins_ending ON joins (ends_at) WHERE ends_at IS NOT NULL");
  }

  /** Records that a connection asks to join. `note` follows, in one transaction with others. */
  ask(connectionId: string, locationId: string): void {
    const asking = this.#asking.get(connectionId) ?? new Set();
    this.#asking.set(connectionId, asking.add(locationId));
  }

  /** Adds a subscription, unless the connection is gone, has joined already, or has reached MAX_SUBSCRIPTIONS. */
  note(connectionId: string, locationId: string): NoteResult {
    const asking = this.#asking.get(connectionId);
    if (asking?.delete(locationId) !== true) return "gone";
    if (asking.size === 0) this.#asking.delete(connectionId);
    const joined = this.locationsOf(connectionId);
    if (joined.includes(locationId)) return "existing";
    if (joined.length >= MAX_SUBSCRIPTIONS) return "full";
    this.sql.exec("INSERT INTO joins VALUES (?, ?, NULL)", connectionId, locationId);
    return "new";
  }

  remove(connectionId: string, locationId: string): boolean {
    this.#forget(connectionId, locationId);
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

  /** Connections that have joined the location: all of the given ones that have, and perhaps others. */
  joinedOf(connectionIds: readonly string[], locationId: string): ReadonlySet<string> {
    const known = this.#remembered.get(locationId) ?? new Set<string>();
    const unknown = connectionIds.filter((connectionId) => !known.has(connectionId));
    if (unknown.length === 0) return known;
    const which = "WHERE location_id = ? AND connection_id IN (SELECT value FROM json_each(?))";
    const found = this.#connections(which, locationId, JSON.stringify(unknown));
    if (this.#rememberedSize + found.length > MAX_REMEMBERED_JOINS) {
      // A delivery that runs goes on with its set.
      this.#remembered.clear();
      this.#rememberedSize = known.size;
    }
    if (found.length === 0) return known;
    for (const connectionId of found) known.add(connectionId);
    this.#remembered.set(locationId, known);
    this.#rememberedSize += found.length;
    return known;
  }

  #forget(connectionId: string, locationId: string): void {
    const known = this.#remembered.get(locationId);
    if (known?.delete(connectionId) !== true) return;
    this.#rememberedSize -= 1;
    if (known.size === 0) this.#remembered.delete(locationId);
  }

  locationsOf(connectionId: string): string[] {
    return this.#read("SELECT * FROM joins WHERE connection_id = ?", connectionId).map((row) => row.location_id);
  }

  /** Connections that joined any of these locations. */
  connectionsAt(locationIds: readonly string[]): string[] {
    return this.#connections("WHERE location_id IN (SELECT value FROM json_each(?))", JSON.stringify(locationIds));
  }

  /** Removes all subscriptions of a closed connection and returns their locations. */
  drop(connectionId: string): string[] {
    this.#asking.delete(connectionId);
    const locations = this.locationsOf(connectionId);
    for (const locationId of locations) this.#forget(connectionId, locationId);
    if (locations.length > 0) this.sql.exec("DELETE FROM joins WHERE connection_id = ?", connectionId);
    return locations;
  }

  /** Removes all subscriptions of these connections and returns the connections by location. */
  dropAll(connectionIds: readonly string[]): Map<string, string[]> {
    for (const connectionId of connectionIds) this.#asking.delete(connectionId);
    const given = JSON.stringify(connectionIds);
    const which = "WHERE connection_id IN (SELECT value FROM json_each(?))";
    const rows = this.#read(`SELECT * FROM joins ${which}`, given);
    for (const row of rows) this.#forget(row.connection_id, row.location_id);
    const found = Map.groupBy(rows, (row) => row.location_id);
    if (found.size > 0) this.sql.exec(`DELETE FROM joins ${which}`, given);
    return new Map([...found].map(([locationId, rows]) => [locationId, rows.map((row) => row.connection_id)]));
  }

  /** Connections with at least one subscription. */
  connectionIds(): string[] {
    return this.#connections("");
  }

  /**
   * Sets the end of a new subscription's grant. An earlier end stays: it may come from a later check, and access is
   * checked again at that time.
   */
  endsBy(connectionId: string, locationId: string, endsAt: number): void {
    this.sql.exec(
      "UPDATE joins SET ends_at = ?1 WHERE connection_id = ?2 AND location_id = ?3 AND (ends_at IS NULL OR ends_at > ?1)",
      endsAt,
      connectionId,
      locationId,
    );
  }

  /** Sets the end of a subscription's grant; does nothing when the subscription has ended. */
  setEnd(connectionId: string, locationId: string, endsAt: number | null): void {
    this.sql.exec(
      "UPDATE joins SET ends_at = ?1 WHERE connection_id = ?2 AND location_id = ?3 AND ends_at IS NOT ?1",
      endsAt,
      connectionId,
      locationId,
    );
  }

  /** Connections with a subscription whose grant has ended. */
  ended(now: number): string[] {
    return this.#connections("WHERE ends_at <= ?", now);
  }

  /** End of the next subscription, milliseconds; null when none ends. */
  firstEnd(now: number): number | null {
    return z
      .object({ at: z.number().nullable() })
      .parse(this.sql.exec("SELECT min(ends_at) AS at FROM joins WHERE ends_at > ?", now).one()).at;
  }

  /** Each connection once: the subscriptions of a full shard would not fit in memory. */
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

/** The result of a request to join: refused by this shard, or the location's answer. */
export type SubscribeResult =
  | { noted: "full" | "gone"; joined: null }
  | { noted: "new" | "existing"; joined: JoinResult };

/**
 * Adds connections that ask at the same time to a location, with one transaction and one call to the location. The
 * subscriptions are stored first, so that a revocation during the call finds them. They stay when the call fails,
 * because the location may have registered them.
 */
export async function subscribeTogether(
  subscriptions: Subscriptions,
  locationId: string,
  asking: readonly Asking[],
  ask: (admitted: Asking[]) => Promise<JoinResult[]>,
): Promise<SubscribeResult[]> {
  const noted = asking.map(({ connectionId }) => subscriptions.note(connectionId, locationId));
  const admitted = asking.filter((_, i) => noted[i] === "new" || noted[i] === "existing");
  const answers = admitted.length === 0 ? [] : await ask(admitted);
  const remaining = answers.values();
  return noted.map((how) => {
    if (how === "full" || how === "gone") return { noted: how, joined: null };
    return { noted: how, joined: remaining.next().value ?? { allowed: false, full: false } };
  });
}
