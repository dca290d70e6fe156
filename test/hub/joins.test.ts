import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { MAX_REMEMBERED_JOINS, MAX_SUBSCRIPTIONS } from "../../src/hub/limits";
import type { JoinResult, Registration } from "../../src/hub/location";
import { Subscriptions, subscribeTogether } from "../../src/hub/shard/subscriptions";

/** The joins of a shard that no other test uses. */
const withJoins = <T>(work: (joins: Subscriptions) => Promise<T>): Promise<T> => {
  const shard = env.HUB_SHARD.getByName(`shard-${crypto.randomUUID()}`);
  return runInDurableObject(shard, (_, state) => work(new Subscriptions(state.storage.sql)));
};

const registration = (connectionId: string): Registration => ({
  shard: "shard",
  connectionId,
  credential: { kind: "user", id: "user", userId: "user", expiresAt: null },
});
/** These connections request to join `here`. */
const asking = (joins: Subscriptions, ...connectionIds: string[]): Registration[] => {
  for (const connectionId of connectionIds) joins.ask(connectionId, "here");
  return connectionIds.map(registration);
};
const join = (joins: Subscriptions, connectionId: string, locationId: string) => {
  joins.ask(connectionId, locationId);
  return joins.note(connectionId, locationId);
};
const allowed: JoinResult = { allowed: true, endsAt: null, replayed: null };

test("simultaneous joins are stored before one call to their location", async () => {
  await withJoins(async (joins) => {
    expect(join(joins, "b", "here")).toBe("new");
    const asked: string[][] = [];
    const entered = await subscribeTogether(joins, "here", asking(joins, "a", "b", "c"), async (admitted) => {
      asked.push(admitted.map(({ connectionId }) => connectionId));
      expect(joins.connectionsAt(["here"])).toEqual(["a", "b", "c"]);
      return [allowed, allowed, { allowed: false, full: false }];
    });
    expect(asked).toEqual([["a", "b", "c"]]);
    expect(entered).toEqual([
      { noted: "new", joined: allowed },
      { noted: "existing", joined: allowed },
      { noted: "new", joined: { allowed: false, full: false } },
    ]);
  });
});

test("a connection at its limit is refused without a call, and the others join", async () => {
  await withJoins(async (joins) => {
    for (let n = 0; n < MAX_SUBSCRIPTIONS; n++) expect(join(joins, "full", `location-${n}`)).toBe("new");
    const asked: string[][] = [];
    const entered = await subscribeTogether(joins, "here", asking(joins, "full", "a"), async (admitted) => {
      asked.push(admitted.map(({ connectionId }) => connectionId));
      return [allowed];
    });
    expect(entered).toEqual([
      { noted: "full", joined: null },
      { noted: "new", joined: allowed },
    ]);
    const nobody = async () => expect.unreachable("nobody may be let in");
    expect(await subscribeTogether(joins, "here", asking(joins, "full"), nobody)).toEqual([
      { noted: "full", joined: null },
    ]);
    expect(asked).toEqual([["a"]]);
    expect(joins.has("full", "here")).toBe(false);
    expect(join(joins, "full", "location-7")).toBe("existing");
  });
});

test("a connection that closes while it waits is not registered", async () => {
  await withJoins(async (joins) => {
    const registrations = asking(joins, "a", "b", "c");
    joins.drop("a");
    joins.dropAll(["b"]);
    const asked: string[] = [];
    const entered = await subscribeTogether(joins, "here", registrations, async (admitted) => {
      asked.push(...admitted.map(({ connectionId }) => connectionId));
      return [allowed];
    });
    expect(entered.map(({ noted }) => noted)).toEqual(["gone", "gone", "new"]);
    expect(asked).toEqual(["c"]);
    expect(joins.connectionIds()).toEqual(["c"]);
  });
});

test("stored subscriptions stay when the location fails, because it may have registered them", async () => {
  await withJoins(async (joins) => {
    const fails = () => Promise.reject(new Error("the answer was lost"));
    await expect(subscribeTogether(joins, "here", asking(joins, "a"), fails)).rejects.toThrow("the answer was lost");
    expect(joins.drop("a")).toEqual(["here"]);
  });
});

test("an earlier end from another check stays; a check of the current grants replaces it", async () => {
  await withJoins(async (joins) => {
    join(joins, "a", "here");
    joins.setEnd("a", "here", 1_000);
    joins.endsBy("a", "here", 2_000);
    expect(joins.firstEnd(0)).toBe(1_000);
    joins.endsBy("a", "here", 500);
    expect(joins.ended(500)).toEqual(["a"]);
    joins.setEnd("a", "here", null);
    expect(joins.firstEnd(0)).toBeNull();
    joins.endsBy("a", "here", 700);
    expect(joins.firstEnd(0)).toBe(700);
    joins.remove("a", "here");
    joins.endsBy("a", "here", 300);
    expect(joins.firstEnd(0)).toBeNull();
  });
});

test.each(["remove", "drop", "dropAll"] as const)(
  "a join that was read for a delivery is gone for the next one after %s, and comes back with a new join",
  async (how) => {
    await withJoins(async (joins) => {
      for (const id of ["a", "b"]) join(joins, id, "here");
      const isJoined = (id: string) => joins.joinedOf(["a", "b", "c"], "here").has(id);
      expect([isJoined("a"), isJoined("b"), isJoined("c")]).toEqual([true, true, false]);
      if (how === "remove") joins.remove("a", "here");
      else if (how === "drop") joins.drop("a");
      else joins.dropAll(["a"]);
      expect([isJoined("a"), isJoined("b"), isJoined("c")]).toEqual([false, true, false]);
      for (const id of ["a", "c"]) join(joins, id, "here");
      expect([isJoined("a"), isJoined("b"), isJoined("c")]).toEqual([true, true, true]);
      expect(joins.joinedOf(["a"], "elsewhere").has("a")).toBe(false);
    });
  },
);

test("a shard remembers a limited number of joins, and a delivery that runs keeps those that it has read", async () => {
  await withJoins(async (joins) => {
    const many = Array.from({ length: MAX_REMEMBERED_JOINS }, (_, n) => `connection-${n}`);
    for (const id of many) join(joins, id, "large");
    join(joins, "one", "small");
    const running = joins.joinedOf(["one"], "small");
    expect(joins.joinedOf(many, "large").size).toBe(MAX_REMEMBERED_JOINS);
    expect(running.has("one")).toBe(true);
    joins.remove("one", "small");
    expect(joins.joinedOf(["one"], "small").has("one")).toBe(false);
    expect(joins.joinedOf(many, "large").has(many[0] ?? "")).toBe(true);
  });
});
