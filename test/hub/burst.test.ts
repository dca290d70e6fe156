import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { CONNECTION_HEADER } from "../../src/hub/connection";
import { newConnectionId } from "../../src/hub/connection-token";
import { MAX_AUTHORIZED_AT_ONCE, MAX_BATCH_EVENTS, MAX_LISTENERS } from "../../src/hub/limits";
import { shardOf } from "../../src/hub/live";
import { Batcher } from "../../src/platform/concurrency";
import { HubShard, LocationChannel } from "../../src/worker";
import { call } from "../support/call";
import { mintLocation, mintMember, mintOrganization, mintToken } from "../support/factories";
import { HubClient } from "../support/hub";
import { closeSocket, negotiate, socketAt } from "../support/hub-requests";
import { systemContext } from "../support/jobs";
import { mintSignedIn } from "../support/sessions";
import { countStatements, fewestRoundTrips, fewestStatements } from "../support/statements";

const EVENTS = 200;
const CONNECTIONS = 40;

/** Runs a function inside an object, where many calls can begin in one turn on a busy machine too. */
const within = <T>(channel: DurableObjectStub<LocationChannel>, work: (channel: LocationChannel) => Promise<T>) =>
  runInDurableObject(channel, (instance) => {
    if (!(instance instanceof LocationChannel)) throw new Error("another object");
    return work(instance);
  });

test("a burst reaches every connection whole and in one order", async () => {
  const { id: organizationId } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, n) => {
      const { token } = await mintMember(organizationId);
      const client = await HubClient.connect(token, n % 2 === 0 ? "json" : "messagepack");
      expect(await client.join(locationId)).toBeNull();
      return client;
    }),
  );
  const publish = (mark: number) =>
    systemContext().live.publish(locationId, [
      { target: "StateUpdated", payload: { mark }, requires: "LocationView", documentId: null, subject: null },
    ]);
  const marks = Array.from({ length: EVENTS }, (_, n) => n);
  await Promise.all(marks.map(publish));
  const orders = await Promise.all(
    clients.map(async (client) => {
      await client.invoke("Settle");
      return client.events("StateUpdated").map(({ arguments: [, payload] }) => (payload as { mark: number }).mark);
    }),
  );
  for (const order of orders) expect(order).toEqual(orders[0]);
  expect(orders[0]?.toSorted((a, b) => a - b)).toEqual(marks);
  for (const client of clients) client.close();
  await Promise.all(clients.map((client) => client.expectClosed()));
  // The requests to leave are in the location's queue before this request.
  await publish(-1);
});

test("events that arrive during a batch are authorized together", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const client = await HubClient.connect(owner.token);
  expect(await client.join(locationId)).toBeNull();
  const publish = (channel: LocationChannel, mark: number) =>
    channel.publish([
      { target: "StateUpdated", payload: { mark }, requires: "LocationView", documentId: null, subject: null },
    ]);
  const [ofOne, ofAll] = await within(env.HUB_LOCATION.getByName(locationId), async (channel) => [
    await fewestStatements(() => publish(channel, -1)),
    await fewestStatements(() => Promise.all(Array.from({ length: EVENTS }, (_, mark) => publish(channel, mark)))),
  ]);
  expect(ofOne).toBeGreaterThan(0);
  // The first one alone, then as many as a batch takes.
  expect(ofAll).toBe((1 + Math.ceil((EVENTS - 1) / MAX_BATCH_EVENTS)) * ofOne);
  client.close();
});

test("a location with the maximum of listeners refuses more, and serves them in pages", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const [first, last] = [await HubClient.connect(owner.token), await HubClient.connect(owner.token, "messagepack")];
  for (const client of [first, last]) expect(await client.join(locationId)).toBeNull();
  const absent = JSON.stringify({ kind: "user", id: owner.userId, userId: owner.userId, expiresAt: null });
  const channel = env.HUB_LOCATION.getByName(locationId);
  // Registrations of closed connections of a person who may see the location, before and after the two open ones.
  await runInDurableObject(channel, async (_, state) => {
    const add = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO registrations SELECT ?, ? || i, ? FROM n`;
    const half = (MAX_LISTENERS - 2) / 2;
    state.storage.sql.exec(add, half, shardOf(owner.userId), "!", absent);
    state.storage.sql.exec(add, half, shardOf(owner.userId), "~", absent);
  });
  await evictDurableObject(channel);
  const late = await HubClient.connect(owner.token);
  expect(await late.join(locationId)).toContain("HubException: Too many connections listen to this location now.");
  expect(await first.join(locationId)).toBeNull();
  const publish = () =>
    systemContext().live.publish(locationId, [
      { target: "StateUpdated", payload: {}, requires: "LocationView", documentId: null, subject: null },
    ]);
  const { statements } = await countStatements(publish);
  expect(statements).toBeGreaterThanOrEqual(5 * (MAX_LISTENERS / MAX_AUTHORIZED_AT_ONCE));
  for (const client of [first, last]) {
    await client.invoke("Settle");
    expect(client.events("StateUpdated")).toHaveLength(1);
  }
  // The closed connections no longer take a place.
  expect(await late.join(locationId)).toBeNull();
  for (const client of [first, last, late]) client.close();
  await Promise.all([first, last, late].map((client) => client.expectClosed()));
  // The requests to leave are in the location's queue before this request.
  await publish();
});

describe("connections that arrive together", () => {
  test("are looked up together, and their joins share authorizations", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const { id } = await mintToken(owner.userId);
    const shard = shardOf(owner.userId);
    const credential = { kind: "pat", id, userId: owner.userId, expiresAt: null } as const;
    const newIds = (count: number) => Array.from({ length: count }, () => newConnectionId());
    const arrive = (instance: HubShard, connectionId: string) => {
      const arrival = {
        id: connectionId,
        credential,
        negotiatedAt: Date.now(),
        endsAt: null,
        pings: true,
        isLive: false,
      };
      const headers = { upgrade: "websocket", [CONNECTION_HEADER]: JSON.stringify(arrival) };
      return instance.fetch(new Request("http://hub.test/", { headers }));
    };
    /** The number of database queries while many connections call in one turn. */
    const roundTrips = (count: number, attempt: (connectionId: string) => Promise<boolean>) =>
      fewestRoundTrips(async () => expect(await Promise.all(newIds(count).map(attempt))).not.toContain(false));
    const arriving = await runInDurableObject(env.HUB_SHARD.getByName(shard), async (instance) => {
      if (!(instance instanceof HubShard)) throw new Error("another object");
      const attempt = async (connectionId: string) => {
        const response = await arrive(instance, connectionId);
        closeSocket(response);
        return response.status === 101;
      };
      return [await roundTrips(1, attempt), await roundTrips(CONNECTIONS, attempt)];
    });
    const joining = await within(env.HUB_LOCATION.getByName(locationId), async (channel) => {
      const attempt = async (connectionId: string) =>
        (await channel.join([{ shard, connectionId, credential }]))[0]?.allowed === true;
      return [await roundTrips(1, attempt), await roundTrips(CONNECTIONS, attempt)];
    });
    // The first one alone, then all others together.
    for (const [ofOne = 0, ofAll] of [arriving, joining]) {
      expect(ofOne).toBeGreaterThan(0);
      expect(ofAll).toBe(2 * ofOne);
    }
  });

  test("are negotiated with one statement", async () => {
    const { owner } = await mintOrganization();
    expect(await fewestStatements(() => negotiate(owner.token))).toBe(1);
  });

  test("share one query for their sessions, which their shard sends", async () => {
    const signedIn = await mintSignedIn();
    const { sessionId, userId, token } = signedIn;
    const credential = { kind: "session", id: sessionId, userId, expiresAt: null } as const;
    const [ofOne = 0, ofAll] = await runInDurableObject(env.HUB_SHARD.getByName(shardOf(userId)), async (instance) => {
      if (!(instance instanceof HubShard)) throw new Error("another object");
      const ask = (count: number) => () =>
        Promise.all(Array.from({ length: count }, async () => expect(await instance.isLive(credential)).toBe(true)));
      return [await fewestRoundTrips(ask(1)), await fewestRoundTrips(ask(CONNECTIONS))];
    });
    expect(ofOne).toBeGreaterThan(0);
    // The first one alone, then all others together.
    expect(ofAll).toBe(2 * ofOne);
    const known = await negotiate(token);
    await env.DB.prepare("UPDATE sessions SET revoked_at = 1 WHERE id = ?").bind(sessionId).run();
    expect((await call("POST", "/sync-hub/negotiate?negotiateVersion=1", { token })).status).toBe(401);
    const transports: Record<string, string>[] = [{ upgrade: "websocket" }, { accept: "text/event-stream" }, {}];
    for (const headers of transports)
      expect((await call("GET", `/sync-hub?id=${known}`, { token, headers })).status).toBe(401);
    expect((await call("GET", "/sync-hub", { token, headers: { upgrade: "websocket" } })).status).toBe(401);
  });

  test("are refused if the token names the session of another user", async () => {
    const [one, other] = [await mintSignedIn(), await mintSignedIn()];
    const mixed = { kind: "session", id: other.sessionId, userId: one.userId, expiresAt: null } as const;
    expect(await env.HUB_SHARD.getByName(shardOf(one.userId)).isLive(mixed)).toBe(false);
  });

  test("end each at its time: the alarm is set for the earlier of two ends", async () => {
    const shard = env.HUB_SHARD.getByName("shard-of-two-ends");
    const [sooner, later] = [Date.now() + 3_600_000, Date.now() + 7_200_000];
    const alarm = await runInDurableObject(shard, async (instance, state) => {
      if (instance instanceof HubShard) await Promise.all([instance.wakeBy(sooner), instance.wakeBy(later)]);
      return state.storage.getAlarm();
    });
    expect(alarm).toBe(sooner);
  });

  test("are refused when their credential has ended since they negotiated", async () => {
    const { owner } = await mintOrganization();
    const [doomed, other] = [await mintToken(owner.userId), await mintToken(owner.userId)];
    const [first, second] = [await negotiate(doomed.token), await negotiate(doomed.token)];
    await env.DB.prepare("UPDATE access_tokens SET revoked_at = 1 WHERE id = ?").bind(doomed.id).run();
    const transports: Record<string, string>[] = [{ upgrade: "websocket" }, { accept: "text/event-stream" }, {}];
    for (const headers of transports)
      expect((await call("GET", `/sync-hub?id=${first}`, { token: doomed.token, headers })).status).toBe(401);
    // Each credential of a person is judged separately.
    const opened = await socketAt(other.token, second);
    expect(opened.status).toBe(101);
    closeSocket(opened);
  });
});

test("questions during a batch are answered by the next batch, in order", async () => {
  const rounds: string[][] = [];
  const answers = new Batcher<string, string>(async (questions, key) => {
    rounds.push(questions);
    await Promise.resolve();
    if (questions.includes("bad")) throw new Error("no answer");
    return questions.map((question) => `${key}${question}`);
  }, 3);
  const asked = ["a", "b", "c", "d", "e"].map((question) => answers.ask(question, "x"));
  const [other, bad] = [answers.ask("f", "y"), answers.ask("bad", "y")];
  expect(await Promise.all(asked)).toEqual(["xa", "xb", "xc", "xd", "xe"]);
  expect(await other).toBe("yf");
  await expect(bad).rejects.toThrow("no answer");
  expect(await answers.ask("g", "y")).toBe("yg");
  expect(rounds).toEqual([["a"], ["f"], ["b", "c", "d"], ["bad"], ["e"], ["g"]]);
});

test("questions during the pause share the next batch", async () => {
  const rounds: string[][] = [];
  const answers = new Batcher<string, string>(
    async (questions) => {
      rounds.push(questions);
      await Promise.resolve();
      return questions;
    },
    3,
    1,
  );
  const late = answers.ask("a").then(() => answers.ask("c"));
  expect(await Promise.all([answers.ask("b"), late])).toEqual(["b", "c"]);
  expect(rounds).toEqual([["a"], ["b", "c"]]);
});
