import { runInDurableObject } from "cloudflare:test";
import { HubShard, JobSweeper, LocationChannel } from "../../src/durable-objects";

export interface ObjectCosts {
  objectRequests: number;
  objectRowsWritten: number;
  objectSeconds: number;
}

/**
 * The billed work of an object: requests, calls and alarms. Messages of sockets are counted separately, because 20
 * are billed as one.
 */
const BILLED = [
  [HubShard, ["fetch", "alarm", "isLive", "deliver", "revoke", "notify", "recheckUsers", "recheckLocations"]],
  [LocationChannel, ["join", "leave", "publish", "changes", "alarm"]],
  [JobSweeper, ["alarm", "wake"]],
] as const;
const AWAKE = ["webSocketMessage", "webSocketClose"] as const;

type Methods = Record<string, (...given: unknown[]) => unknown>;

/** The object that has this method among a prototype and its parents. */
function holderOf(prototype: object, name: string): Methods {
  let at = prototype;
  while (!Object.hasOwn(at, name)) at = Object.getPrototypeOf(at);
  return at as Methods;
}

function patch(holder: Methods, name: string, wrap: (real: Methods[string]) => Methods[string]): () => void {
  const real = holder[name];
  if (real === undefined) throw new Error(`no method ${name}`);
  holder[name] = wrap(real);
  return () => {
    holder[name] = real;
  };
}

/** Counts the requests, rows and active seconds of the Durable Objects while `work` runs. */
export async function objectCostsOf(
  stub: DurableObjectStub<HubShard>,
  work: () => Promise<unknown>,
): Promise<ObjectCosts> {
  const costs = { objectRequests: 0, objectRowsWritten: 0, objectSeconds: 0 };
  const timed = (isBilled: boolean) => (real: Methods[string]) =>
    async function (this: unknown, ...given: unknown[]) {
      const begun = performance.now();
      if (isBilled) costs.objectRequests++;
      try {
        return await real?.apply(this, given);
      } finally {
        costs.objectSeconds += (performance.now() - begun) / 1_000;
      }
    };
  const undo = BILLED.flatMap(([{ prototype }, names]) =>
    names.map((name) => patch(holderOf(prototype, name), name, timed(true))),
  );
  undo.push(...AWAKE.map((name) => patch(holderOf(HubShard.prototype, name), name, timed(false))));
  const storage = await runInDurableObject(stub, (_, state) => ({
    sql: Object.getPrototypeOf(state.storage.sql) as Methods,
    all: Object.getPrototypeOf(state.storage) as Methods,
  }));
  undo.push(
    patch(
      storage.sql,
      "exec",
      (real) =>
        function (this: unknown, ...given) {
          const cursor = real?.apply(this, given) as SqlStorageCursor<Record<string, SqlStorageValue>>;
          costs.objectRowsWritten += cursor.rowsWritten;
          return cursor;
        },
    ),
    // An alarm is one row.
    patch(
      storage.all,
      "setAlarm",
      (real) =>
        function (this: unknown, ...given) {
          costs.objectRowsWritten++;
          return real?.apply(this, given);
        },
    ),
  );
  try {
    await work();
    return costs;
  } finally {
    for (const one of undo) one();
  }
}
