import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as hub from "../../src/hub/limits";
import { shardOf } from "../../src/hub/live";
import { AccessTimes } from "../../src/hub/shard/access-times";
import { StartedConnections } from "../../src/hub/shard/negotiated";
import { newId } from "../../src/platform/ids";
import type { LocationEvent } from "../../src/platform/ports";
import { mintLocation, mintOrganization, mintPerson } from "../support/factories";
import { HubClient } from "../support/hub";
import { END, events, HANDSHAKE, negotiate, poll, post, readerOf, readUntil, socketAt } from "../support/hub-requests";
import { systemContext } from "../support/jobs";
import { eventually, stopClock } from "../support/patience";
import { countStatements } from "../support/statements";

const shardFor = (userId: string) => env.HUB_SHARD.getByName(shardOf(userId));

/** A person with an open socket after its handshake. The client pings by itself if it has negotiated. */
async function connected(pings: boolean) {
  const { token, userId } = await mintPerson();
  if (!pings) {
    const client = await HubClient.connect(token);
    onTestFinished(() => client.close());
    return { userId };
  }
  const { webSocket } = await socketAt(token, await negotiate(token));
  let got = "";
  webSocket?.addEventListener("message", ({ data }) => {
    got += String(data);
  });
  webSocket?.accept();
  webSocket?.send(HANDSHAKE);
  await eventually(() => expect(got).toBe(`{}${END}`));
  onTestFinished(() => webSocket?.close(1000));
  return { userId };
}

describe("the sockets of a shard", () => {
  test("FIRST_PING_MS, PING_INTERVAL_MS and SOCKET_CHECK_INTERVAL_MS decide when they are looked at", async () => {
    for (const [pings, first, next] of [
      [true, hub.SOCKET_CHECK_INTERVAL_MS, hub.SOCKET_CHECK_INTERVAL_MS],
      [false, hub.FIRST_PING_MS, hub.PING_INTERVAL_MS],
    ] as const) {
      const { userId } = await connected(pings);
      const looks = await runInDurableObject(shardFor(userId), ({ connections }) => [
        connections.firstLook({ pings } as Parameters<typeof connections.firstLook>[0], 1_000),
        connections.nextLook(1_000),
      ]);
      // Another file may have sockets of clients without pings on this shard.
      expect(looks[0]).toBe(1_000 + first);
      expect([1_000 + next, 1_000 + hub.PING_INTERVAL_MS]).toContain(looks[1]);
    }
  });

  test("MAX_SILENCE_MS: a client that pings may be silent for this time, and no longer", async () => {
    const now = stopClock();
    const { userId } = await connected(true);
    const closed = await runInDurableObject(shardFor(userId), ({ connections }) =>
      [hub.MAX_SILENCE_MS, hub.MAX_SILENCE_MS + 1].map((elapsed) => {
        const own = connections.of(userId).map(({ id }) => id);
        return connections.lookAtSockets(now + elapsed).filter((id) => own.includes(id)).length;
      }),
    );
    expect(closed).toEqual([0, 1]);
  });

  test("PING_INTERVAL_MS: an event stream gets a ping after this time, and not before", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { token, userId } = await mintPerson();
    const id = await negotiate(token);
    const reader = readerOf(await events(token, id));
    await post(token, id, HANDSHAKE);
    await readUntil(reader, `{}${END}`);
    const shard = shardFor(userId);
    const told: string[] = [];
    void readUntil(reader, `{"type":6}`).then(() => told.push("ping"));
    await runInDurableObject(shard, () => vi.advanceTimersByTimeAsync(hub.PING_INTERVAL_MS - 1));
    expect(told).toEqual([]);
    await runInDurableObject(shard, () => vi.advanceTimersByTimeAsync(1));
    vi.useRealTimers();
    await eventually(() => expect(told).toEqual(["ping"]));
    await reader.cancel();
  });

  test("RECORD_TIMEOUT_MS: a socket without a handshake is closed after this time, and not before", async () => {
    const { token, userId } = await mintPerson();
    const id = await negotiate(token);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { webSocket } = await socketAt(token, id);
    webSocket?.accept();
    const shard = shardFor(userId);
    const isOpen = () => runInDurableObject(shard, ({ connections }) => connections.of(userId).length);
    await runInDurableObject(shard, () => vi.advanceTimersByTimeAsync(hub.RECORD_TIMEOUT_MS - 1));
    expect(await isOpen()).toBe(1);
    await runInDurableObject(shard, () => vi.advanceTimersByTimeAsync(1));
    vi.useRealTimers();
    await eventually(async () => expect(await isOpen()).toBe(0));
  });
});

test("MAX_NEGOTIATION_AGE_MS: a connection may start until this time after its negotiation", () => {
  const sql = { exec: () => ({ toArray: () => [] }) } as unknown as SqlStorage;
  const arrival = { id: "c", negotiatedAt: 1_000 } as Parameters<StartedConnections["mayAdmit"]>[0];
  const may = (elapsed: number) => new StartedConnections(sql).mayAdmit(arrival, 1_000 + elapsed);
  expect([may(hub.MAX_NEGOTIATION_AGE_MS - 1), may(hub.MAX_NEGOTIATION_AGE_MS)]).toEqual([true, false]);
});

test("MAX_POST_BYTES: a POST of one byte more to an open connection is refused", async () => {
  const { token } = await mintPerson();
  const id = await negotiate(token);
  expect((await poll(token, id)).status).toBe(200);
  expect((await post(token, id, HANDSHAKE)).status).toBe(200);
  const ping = `{"type":6}${END}`;
  // Spaces between two members of a message are JSON.
  const padded = (bytes: number) => {
    const count = hub.MAX_POST_BYTES / hub.MAX_MESSAGE_BYTES;
    const rest = bytes - count * ping.length;
    const spaces = (n: number) => " ".repeat(Math.floor(rest / count) + (n === 0 ? rest % count : 0));
    return Array.from({ length: count }, (_, n) => `{${spaces(n)}"type":6}${END}`).join("");
  };
  expect(padded(hub.MAX_POST_BYTES)).toHaveLength(hub.MAX_POST_BYTES);
  expect((await post(token, id, padded(hub.MAX_POST_BYTES + 1))).status).toBe(413);
  expect((await post(token, id, padded(hub.MAX_POST_BYTES))).status).toBe(200);
});

describe("ACCESS_CHANGE_RETENTION_MS", () => {
  test("a change of access is remembered for this time", async () => {
    const known = await runInDurableObject(env.HUB_SHARD.getByName(newId()), (_, { storage }) =>
      [hub.ACCESS_CHANGE_RETENTION_MS, hub.ACCESS_CHANGE_RETENTION_MS + 1].map((elapsed) => {
        const times = new AccessTimes(storage.sql);
        times.noteChange(["u"], 1_000);
        times.forgetOld(1_000 + elapsed);
        return times.isChangedSince("u", 1_000);
      }),
    );
    expect(known).toEqual([true, false]);
  });

  test("a page that is older reads again, and one of this age does not", async () => {
    const { token } = await mintPerson();
    for (const [age, times] of [
      [hub.ACCESS_CHANGE_RETENTION_MS, 0],
      [hub.ACCESS_CHANGE_RETENTION_MS + 1, 1],
    ] as const) {
      const client = await HubClient.connect(token);
      expect(await client.invoke("WatchAccess", age)).toBeNull();
      await client.invoke("Settle");
      expect(client.events("AccessChanged")).toHaveLength(times);
      client.close();
    }
  });
});

describe("a location", () => {
  const event = (payload: Record<string, unknown>, key?: string): LocationEvent => ({
    ...{ target: "StateUpdated", payload, requires: "LocationView", documentId: null, subject: null },
    ...(key === undefined ? {} : { key }),
  });
  const channelOf = (locationId: string) => env.HUB_LOCATION.getByName(locationId);

  /** A location with a client that has joined it. */
  async function listened() {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const client = await HubClient.connect(owner.token);
    onTestFinished(() => client.close());
    expect(await client.join(locationId)).toBeNull();
    return { owner, locationId, client };
  }

  /** Adds registrations of closed connections of a person who may see the location. */
  async function register(locationId: string, userId: string, count: number) {
    const absent = JSON.stringify({ kind: "user", id: userId, userId, expiresAt: null });
    await runInDurableObject(channelOf(locationId), async (_, { storage }) => {
      const add = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO registrations SELECT ?, '~' || i, ? FROM n`;
      storage.sql.exec(add, count, shardOf(userId), absent);
    });
    await evictDurableObject(channelOf(locationId));
  }

  test("MAX_BATCH_EVENTS: a frame has no more events", async () => {
    const { locationId, client } = await listened();
    const sizes: number[] = [];
    client.socket.addEventListener("message", ({ data }) => {
      sizes.push(
        String(data)
          .split(END)
          .filter((record) => record.includes("StateUpdated")).length,
      );
    });
    const count = 2 * hub.MAX_BATCH_EVENTS + 10;
    await runInDurableObject(channelOf(locationId), (channel) =>
      channel.publish(Array.from({ length: count }, (_, n) => event({ n }))),
    );
    await eventually(() => expect(client.events("StateUpdated")).toHaveLength(count));
    expect(Math.max(...sizes)).toBe(hub.MAX_BATCH_EVENTS);
  });

  test("KEYED_EVENTS_INTERVAL_MS: the next event of a key waits for this time", async () => {
    const { locationId, client } = await listened();
    const waits = await runInDurableObject(channelOf(locationId), async (channel) => {
      const wait = vi.spyOn(scheduler, "wait");
      await channel.publish([event({ n: 1 }, "k")]);
      await eventually(() => expect(wait).toHaveBeenCalled());
      const asked = wait.mock.calls.map(([ms]) => ms);
      wait.mockRestore();
      return asked;
    });
    expect(waits).toContain(hub.KEYED_EVENTS_INTERVAL_MS);
    await eventually(() => expect(client.events("StateUpdated")).toHaveLength(1));
  });

  test("MAX_LISTENERS: one listener more is refused", async () => {
    const { owner, locationId } = await listened();
    await register(locationId, owner.userId, hub.MAX_LISTENERS - 2);
    const [last, late] = [await HubClient.connect(owner.token), await HubClient.connect(owner.token)];
    for (const client of [last, late]) onTestFinished(() => client.close());
    expect(await last.join(locationId)).toBeNull();
    expect(await late.join(locationId)).toContain("Too many connections listen to this location now.");
  });

  test("MAX_AUTHORIZED_AT_ONCE: one listener more needs another check of access", async () => {
    const statementsFor = async (listeners: number) => {
      const { owner, locationId } = await listened();
      await register(locationId, owner.userId, listeners - 1);
      return (await countStatements(() => systemContext().live.publish(locationId, [event({})]))).statements;
    };
    const [one, most, more] = [
      await statementsFor(2),
      await statementsFor(hub.MAX_AUTHORIZED_AT_ONCE),
      await statementsFor(hub.MAX_AUTHORIZED_AT_ONCE + 1),
    ];
    expect([most, more]).toEqual([one, 2 * one]);
  });
});
