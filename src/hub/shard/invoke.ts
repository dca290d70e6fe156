import { z } from "@hono/zod-openapi";
import type { Registration } from "../location/channel";
import type { Connection } from "./connection";
import type { Entered } from "./enter";
import { type Joins, MOST_JOINED } from "./joins";
import type { Answer } from "./receive";
import type { Turns } from "./turns";

const locationArguments = z.tuple([z.string()]);
const uuid = z.uuid();

/** What the hub's methods need of their shard. */
export interface ShardPort {
  readonly name: string;
  readonly joins: Joins;
  /** Joins and leaves of one connection at one location follow each other as they were sent. */
  readonly turns: Turns;
  /** Asks a location to let a connection listen, which is noted in `joins` before. */
  enter(locationId: string, registration: Registration): Promise<Entered>;
  /** Tells a location that a connection listens no more. */
  exit(locationId: string, connectionId: string): Promise<void>;
  /** Tells these connections that they are not joined to the location any more, where they were. */
  revoke(connectionIds: string[], locationId: string): Promise<void>;
  /** Wakes the object at this time, milliseconds, to look at what has ended: a join may end before the credential does. */
  wakeBy(at: number | null): Promise<void>;
}

const refusal = (target: string, why: string): Answer => ({
  error: `An unexpected error occurred invoking '${target}' on the server. HubException: ${why}`,
});
/** The one answer for what is absent and what is hidden. */
const notFound = (target: string): Answer => refusal(target, "There is no such location, or it is not visible to you.");
const badArguments = (target: string): Answer => ({
  error: `Failed to invoke '${target}' due to an error on the server.`,
});

/** Runs a hub method; names are compared as ASP.NET Core does, without regard to case. */
export async function invokeMethod(
  shard: ShardPort,
  connection: Connection,
  target: string,
  args: readonly unknown[],
): Promise<Answer> {
  const name = target.toLowerCase();
  if (name !== "joinlocation" && name !== "leavelocation")
    return { error: `Unknown hub method '${target.slice(0, 200)}'` };
  const parsed = locationArguments.safeParse(args);
  if (!parsed.success) return badArguments(target);
  const locationId = parsed.data[0].toLowerCase();
  if (!uuid.safeParse(locationId).success) return notFound(target);
  return shard.turns.take(`${connection.id} ${locationId}`, () =>
    name === "joinlocation" ? join(shard, connection, target, locationId) : leave(shard, connection, locationId),
  );
}

async function join(shard: ShardPort, connection: Connection, target: string, locationId: string): Promise<Answer> {
  const { id: connectionId, credential } = connection;
  const { noted, joined } = await shard.enter(locationId, { shard: shard.name, connectionId, credential });
  // Nobody hears the answer to a connection that is gone.
  if (joined === null)
    return noted === "full" ? refusal(target, `At most ${MOST_JOINED} locations may be joined.`) : notFound(target);
  if (joined.allowed && shard.joins.has(connectionId, locationId)) {
    if (joined.endsAt !== null) {
      shard.joins.endsBy(connectionId, locationId, joined.endsAt);
      await shard.wakeBy(joined.endsAt);
    }
    return {};
  }
  // Who asks again and may not any more loses what was joined, and is told as at any other loss.
  const again = noted === "again";
  if (again) await shard.revoke([connectionId], locationId);
  else shard.joins.remove(connectionId, locationId);
  if (again || joined.allowed) await shard.exit(locationId, connectionId);
  const full = !joined.allowed && joined.full;
  return full ? refusal(target, "Too many listen to this location now. Try again later.") : notFound(target);
}

async function leave(shard: ShardPort, connection: Connection, locationId: string): Promise<Answer> {
  if (shard.joins.has(connection.id, locationId)) {
    await shard.exit(locationId, connection.id);
    shard.joins.remove(connection.id, locationId);
  }
  return {};
}
