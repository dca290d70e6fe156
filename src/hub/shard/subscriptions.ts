import { z } from "@hono/zod-openapi";
import type { KeyedMutex } from "../../platform/concurrency";
import { type Connection, type ReplayRequest, replayRequestSchema } from "../connection";
import { MAX_REPLAYS_AT_ONCE, MAX_SUBSCRIPTIONS } from "../limits";
import type { Asking, JoinResult } from "../location";
import type { Answer } from "./receive";

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

  /** The given connections that have joined the location. */
  joinedOf(connectionIds: readonly string[], locationId: string): Set<string> {
    const which = "WHERE location_id = ? AND connection_id IN (SELECT value FROM json_each(?))";
    return new Set(this.#connections(which, locationId, JSON.stringify(connectionIds)));
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
    if (locations.length > 0) this.sql.exec("DELETE FROM joins WHERE connection_id = ?", connectionId);
    return locations;
  }

  /** Removes all subscriptions of these connections and returns the connections by location. */
  dropAll(connectionIds: readonly string[]): Map<string, string[]> {
    for (const connectionId of connectionIds) this.#asking.delete(connectionId);
    const given = JSON.stringify(connectionIds);
    const which = "WHERE connection_id IN (SELECT value FROM json_each(?))";
    const found = Map.groupBy(this.#read(`SELECT * FROM joins ${which}`, given), (row) => row.location_id);
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

const locationArguments = z.tuple([z.string()]);
/** The second argument asks for the position, and for the events after a position. */
const joinArguments = z.union([locationArguments, z.tuple([z.string(), replayRequestSchema.nullable()])]);
const uuid = z.uuid();
const watchArguments = z.tuple([z.number().min(0)]);

/** The part of the shard that the hub's methods use. */
export interface ShardPort {
  readonly name: string;
  readonly subscriptions: Subscriptions;
  /** Runs the joins and leaves of one connection at one location in the order they were sent. */
  readonly mutex: KeyedMutex;
  /** Asks a location to register a connection, after storing the subscription in `subscriptions`. */
  enter(locationId: string, asking: Asking): Promise<SubscribeResult>;
  /** Whether the connections of a user may be replayed more events in this minute. */
  mayReplay(userId: string): boolean;
  /** Removes a connection from a location. */
  exit(locationId: string, connectionId: string): Promise<void>;
  /** Ends these connections' subscriptions to the location and notifies their clients. */
  revoke(connectionIds: string[], locationId: string): Promise<void>;
  /**
   * Sends `AccessChanged` to a connection now if the access of its user became smaller in the last `elapsedMs`, and from now on
   * when a grant of the user ends.
   */
  watchAccess(connection: Connection, elapsedMs: number): Promise<void>;
  /**
   * Wakes the object at this time, milliseconds, to end what has expired: a subscription may end before its credential.
   */
  wakeBy(at: number | null): Promise<void>;
}

const refusal = (target: string, why: string): Answer => ({
  error: `An unexpected error occurred invoking '${target}' on the server. HubException: ${why}`,
});
/** The same answer for absent and for hidden locations. */
const notFound = (target: string): Answer => refusal(target, "There is no such location, or it is not visible to you.");
const badArguments = (target: string): Answer => ({
  error: `Failed to invoke '${target}' due to an error on the server.`,
});

/** Runs a hub method. Names are case-insensitive, as in ASP.NET Core. */
export async function invokeMethod(
  shard: ShardPort,
  connection: Connection,
  target: string,
  args: readonly unknown[],
): Promise<Answer> {
  const name = target.toLowerCase();
  if (name === "watchaccess") {
    const asked = watchArguments.safeParse(args);
    if (!asked.success) return badArguments(target);
    await shard.watchAccess(connection, asked.data[0]);
    return {};
  }
  if (name !== "joinlocation" && name !== "leavelocation")
    return { error: `Unknown hub method '${target.slice(0, 200)}'` };
  const parsed = (name === "joinlocation" ? joinArguments : locationArguments).safeParse(args);
  if (!parsed.success) return badArguments(target);
  const [given, replay] = parsed.data;
  const locationId = given.toLowerCase();
  if (!uuid.safeParse(locationId).success) return notFound(target);
  return shard.mutex.runExclusive(`${connection.id} ${locationId}`, () =>
    name === "joinlocation"
      ? join(shard, connection, target, locationId, replay)
      : leave(shard, connection, locationId),
  );
}

/** Joins with a replay, a few of one user at a time, and without the replay when the user has had enough of them. */
function enterWithReplay(shard: ShardPort, locationId: string, asking: Asking): Promise<SubscribeResult> {
  const { userId } = asking.credential;
  const lane = Number.parseInt(locationId.slice(-2), 16) % MAX_REPLAYS_AT_ONCE;
  return shard.mutex.runExclusive(`replay ${userId} ${lane}`, () =>
    shard.enter(locationId, shard.mayReplay(userId) ? asking : { ...asking, replay: null }),
  );
}

/** @param replay null asks for the present position alone. Without it, the answer has no result. */
async function join(
  shard: ShardPort,
  connection: Connection,
  target: string,
  locationId: string,
  replay?: ReplayRequest | null,
): Promise<Answer> {
  const { id: connectionId, credential } = connection;
  const registration = { shard: shard.name, connectionId, credential };
  const { noted, joined } =
    replay == null
      ? await shard.enter(locationId, { ...registration, ...(replay === null && { replay }) })
      : await enterWithReplay(shard, locationId, { ...registration, replay });
  // A connection that has ended does not receive the answer.
  if (joined === null)
    return noted === "full"
      ? refusal(target, `You can join at most ${MAX_SUBSCRIPTIONS} locations. Leave one first.`)
      : notFound(target);
  if (joined.allowed && shard.subscriptions.has(connectionId, locationId)) {
    if (joined.endsAt !== null) {
      shard.subscriptions.endsBy(connectionId, locationId, joined.endsAt);
      await shard.wakeBy(joined.endsAt);
    }
    return joined.replayed === null ? {} : { result: joined.replayed };
  }
  // A repeated request without access ends the old subscription and notifies the client.
  const wasJoined = noted === "existing";
  if (wasJoined) await shard.revoke([connectionId], locationId);
  else shard.subscriptions.remove(connectionId, locationId);
  if (wasJoined || joined.allowed) await shard.exit(locationId, connectionId);
  const full = !joined.allowed && joined.full;
  return full
    ? refusal(target, "Too many connections listen to this location now. Try again later.")
    : notFound(target);
}

async function leave(shard: ShardPort, connection: Connection, locationId: string): Promise<Answer> {
  if (shard.subscriptions.has(connection.id, locationId)) {
    await shard.exit(locationId, connection.id);
    shard.subscriptions.remove(connection.id, locationId);
  }
  return {};
}
