import { z } from "@hono/zod-openapi";
import type { KeyedMutex } from "../../platform/concurrency";
import { describeFailure, log } from "../../platform/log";
import { type Connection, type Replayed, type ReplayRequest, replayRequestSchema } from "../connection";
import { MAX_REPLAYS_AT_ONCE, MAX_SUBSCRIPTIONS } from "../limits";
import type { Asking } from "../location";
import type { Answer } from "./receive";
import type { SubscribeResult, Subscriptions } from "./subscriptions";

const locationArguments = z.tuple([z.string()]);
/** The second argument asks for the position, and for the events after a position. */
const joinArguments = z.union([locationArguments, z.tuple([z.string(), replayRequestSchema.nullable()])]);
const asked = z.strictObject({ locationId: z.string(), position: replayRequestSchema.nullable() });
const joinsArguments = z.tuple([z.array(asked).max(MAX_SUBSCRIPTIONS)]);
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

/** Why a connection did not join. An absent and a hidden location have the same reason. */
type Refusal = "not-found" | "too-many-locations" | "too-many-listeners";
const SENTENCES: Readonly<Record<Refusal, string>> = {
  "not-found": "There is no such location, or it is not visible to you.",
  "too-many-locations": `You can join at most ${MAX_SUBSCRIPTIONS} locations. Leave one first.`,
  "too-many-listeners": "Too many connections listen to this location now. Try again later.",
};
/** `replayed` is null for a connection that asked for no position. */
type Joined = { joined: true; replayed: Replayed | null } | { joined: false; reason: Refusal };

const refusal = (target: string, reason: Refusal): Answer => ({
  error: `An unexpected error occurred invoking '${target}' on the server. HubException: ${SENTENCES[reason]}`,
});
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
  switch (target.toLowerCase()) {
    case "watchaccess": {
      const parsed = watchArguments.safeParse(args);
      if (!parsed.success) return badArguments(target);
      await shard.watchAccess(connection, parsed.data[0]);
      return {};
    }
    case "joinlocation": {
      const parsed = joinArguments.safeParse(args);
      if (!parsed.success) return badArguments(target);
      const [locationId, position] = parsed.data;
      const result = await join(shard, connection, locationId, position);
      if (!result.joined) return refusal(target, result.reason);
      return result.replayed === null ? {} : { result: result.replayed };
    }
    case "joinlocations": {
      const parsed = joinsArguments.safeParse(args);
      if (!parsed.success) return badArguments(target);
      return { result: await Promise.all(parsed.data[0].map((one) => joinOne(shard, connection, one))) };
    }
    case "leavelocation": {
      const parsed = locationArguments.safeParse(args);
      if (!parsed.success) return badArguments(target);
      const locationId = parsed.data[0].toLowerCase();
      if (!uuid.safeParse(locationId).success) return refusal(target, "not-found");
      await inOrder(shard, connection, locationId, () => leave(shard, connection, locationId));
      return {};
    }
    default:
      return { error: `Unknown hub method '${target.slice(0, 200)}'` };
  }
}

/** Joins one of many locations. A failure of one does not fail the others. */
async function joinOne(shard: ShardPort, connection: Connection, { locationId, position }: z.infer<typeof asked>) {
  try {
    const { replayed, ...result } = { replayed: null, ...(await join(shard, connection, locationId, position)) };
    return { locationId, ...result, ...replayed };
  } catch (thrown) {
    log("error", "hub.invocation-failed", { ...describeFailure(thrown) });
    return { locationId, joined: false, reason: "unavailable" };
  }
}

/** Runs the joins and leaves of one connection at one location in the order they were sent. */
const inOrder = <T>(shard: ShardPort, { id }: Connection, locationId: string, work: () => Promise<T>): Promise<T> =>
  shard.mutex.runExclusive(`${id} ${locationId}`, work);

/** @param replay null asks for the present position alone. Without it, the answer has no position. */
async function join(
  shard: ShardPort,
  connection: Connection,
  given: string,
  replay?: ReplayRequest | null,
): Promise<Joined> {
  const locationId = given.toLowerCase();
  if (!uuid.safeParse(locationId).success) return { joined: false, reason: "not-found" };
  return inOrder(shard, connection, locationId, () => subscribe(shard, connection, locationId, replay));
}

/** Joins with a replay, a few of one user at a time, and without the replay when the user has had enough of them. */
function enterWithReplay(shard: ShardPort, locationId: string, asking: Asking): Promise<SubscribeResult> {
  const { userId } = asking.credential;
  const lane = Number.parseInt(locationId.slice(-2), 16) % MAX_REPLAYS_AT_ONCE;
  return shard.mutex.runExclusive(`replay ${userId} ${lane}`, () =>
    shard.enter(locationId, shard.mayReplay(userId) ? asking : { ...asking, replay: null }),
  );
}

async function subscribe(
  shard: ShardPort,
  connection: Connection,
  locationId: string,
  replay: ReplayRequest | null | undefined,
): Promise<Joined> {
  const { id: connectionId, credential } = connection;
  const registration = { shard: shard.name, connectionId, credential };
  const { noted, joined } =
    replay == null
      ? await shard.enter(locationId, { ...registration, ...(replay === null && { replay }) })
      : await enterWithReplay(shard, locationId, { ...registration, replay });
  // A connection that has ended does not receive the answer.
  if (joined === null) return { joined: false, reason: noted === "full" ? "too-many-locations" : "not-found" };
  if (joined.allowed && shard.subscriptions.has(connectionId, locationId)) {
    if (joined.endsAt !== null) {
      shard.subscriptions.endsBy(connectionId, locationId, joined.endsAt);
      await shard.wakeBy(joined.endsAt);
    }
    return { joined: true, replayed: joined.replayed };
  }
  // A repeated request without access ends the old subscription and notifies the client.
  const wasJoined = noted === "existing";
  if (wasJoined) await shard.revoke([connectionId], locationId);
  else shard.subscriptions.remove(connectionId, locationId);
  if (wasJoined || joined.allowed) await shard.exit(locationId, connectionId);
  return { joined: false, reason: !joined.allowed && joined.full ? "too-many-listeners" : "not-found" };
}

async function leave(shard: ShardPort, connection: Connection, locationId: string): Promise<void> {
  if (!shard.subscriptions.has(connection.id, locationId)) return;
  await shard.exit(locationId, connection.id);
  shard.subscriptions.remove(connection.id, locationId);
}
