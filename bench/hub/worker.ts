import { AsyncLocalStorage } from "node:async_hooks";
import { openLiveDelivery } from "../../src/hub";
import { allShards } from "../../src/hub/live";
import worker, { LocationChannel as Channel, HubShard as Shard } from "../../src/worker";

/*
 * The service with objects that count their calls and can be aborted at once. One isolate runs all objects here, so one
 * table counts for all.
 */

const counts = {
  shardBoots: 0,
  channelBoots: 0,
  shardCalls: 0,
  channelCalls: 0,
  messages: 0,
  alarms: 0,
  /** Batches that locations send to the database to authorize events. */
  authorizations: 0,
  /** Rows that shards and locations write. */
  rowsWritten: 0,
};
export type Counts = typeof counts;

/** Set while a location sends events. */
const sending = new AsyncLocalStorage<true>();
let watched = false;

/** Counts the batches of the database that come from a location. */
function watch(database: D1Database): void {
  if (watched) return;
  watched = true;
  const prototype = Object.getPrototypeOf(database) as D1Database;
  const { withSession } = prototype;
  prototype.withSession = function (this: D1Database, constraint) {
    const session = withSession.call(this, constraint);
    const batch = session.batch.bind(session);
    session.batch = (statements) => {
      if (sending.getStore() === true) counts.authorizations++;
      return batch(statements);
    };
    return session;
  };
}

let isCounting = false;

/** Counts the rows that objects write. */
function countRows({ sql }: DurableObjectStorage): void {
  if (isCounting) return;
  isCounting = true;
  const prototype = Object.getPrototypeOf(sql) as SqlStorage;
  const { exec } = prototype;
  prototype.exec = function (this: SqlStorage, query, ...bindings) {
    const cursor = exec.call(this, query, ...bindings);
    counts.rowsWritten += cursor.rowsWritten;
    return cursor as ReturnType<typeof this.exec<never>>;
  };
}

/** Whether shards keep the frames of each connection until its client has acknowledged them, as a stateful reconnect needs it. */
let isKeepingFrames = false;
const MAKE_FRAMES =
  "CREATE TABLE IF NOT EXISTS frames (connection_id TEXT NOT NULL, number INTEGER NOT NULL, frame TEXT NOT NULL, PRIMARY KEY (connection_id, number)) WITHOUT ROWID";

/** A ping of SignalR with the usual length of an event. */
const PING = `${JSON.stringify({ type: 6, padding: "x".repeat(300) })}\x1e`;

// All other objects are unchanged. The two objects below replace the objects with the same name.
export * from "../../src/worker";

export class HubShard extends Shard {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    counts.shardBoots++;
    countRows(ctx.storage);
    ctx.storage.sql.exec(MAKE_FRAMES);
  }

  override fetch(request: Request): Promise<Response> {
    switch (new URL(request.url).pathname) {
      case "/bench/abort":
        this.ctx.abort("the bench aborts all shards");
        break;
      case "/bench/ping":
        // Only one frame to each socket.
        for (const socket of this.ctx.getWebSockets()) socket.send(PING);
        return Promise.resolve(new Response());
    }
    counts.shardCalls++;
    return super.fetch(request);
  }

  override webSocketMessage(...given: Parameters<Shard["webSocketMessage"]>): Promise<void> {
    counts.messages++;
    return super.webSocketMessage(...given);
  }

  override alarm(): Promise<void> {
    counts.alarms++;
    return super.alarm();
  }

  override async deliver(...given: Parameters<Shard["deliver"]>): Promise<string[]> {
    counts.shardCalls++;
    const dead = await super.deliver(...given);
    if (isKeepingFrames) this.#keep(...given);
    return dead;
  }

  /** Keeps one frame of each connection. The earlier one counts as acknowledged. */
  #keep(connectionIds: string[], { json }: Parameters<Shard["deliver"]>[1]): void {
    const { sql } = this.ctx.storage;
    const number = Date.now();
    for (const id of connectionIds) {
      sql.exec("DELETE FROM frames WHERE connection_id = ?", id);
      sql.exec("INSERT INTO frames VALUES (?, ?, ?)", id, number, json);
    }
  }
}

export class LocationChannel extends Channel {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    watch(env.DB);
    countRows(ctx.storage);
    counts.channelBoots++;
  }

  override publish(...given: Parameters<Channel["publish"]>): Promise<void> {
    counts.channelCalls++;
    return sending.run(true, () => super.publish(...given));
  }
}

/** Sends `events` events of a location at once but separately, like parallel jobs. */
async function burst(env: Cloudflare.Env, locationId: string, events: number): Promise<Response> {
  const live = openLiveDelivery(env);
  const sent = Array.from({ length: events }, (_, n) =>
    live.publish(locationId, [
      {
        target: "StateUpdated",
        payload: { subject: { type: "location", id: `burst-${n}` } },
        requires: "LocationView",
        documentId: null,
        subject: null,
      },
    ]),
  );
  await Promise.all(sent);
  return new Response();
}

export default {
  ...worker,
  async fetch(request, env, execution) {
    const { pathname, searchParams } = new URL(request.url);
    switch (pathname) {
      case "/bench/burst":
        return burst(env, searchParams.get("location") ?? "", Number(searchParams.get("events")));
      case "/bench/keep-frames":
        isKeepingFrames = true;
        return new Response();
      case "/bench/counts":
        return Response.json(counts);
      case "/bench/ping":
      case "/bench/abort":
        await Promise.allSettled(allShards().map((shard) => env.HUB_SHARD.getByName(shard).fetch(request.url)));
        return new Response();
      default:
        return worker.fetch(request, env, execution);
    }
  },
} satisfies ExportedHandler<Cloudflare.Env>;
