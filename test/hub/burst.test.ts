import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { newConnectionId } from "../../src/hub/connection-token";
import { AUTHORIZED_AT_ONCE, MOST_LISTENERS } from "../../src/hub/location/channel";
import { CONNECTION_HEADER } from "../../src/hub/shard/connection";
import { HubShard } from "../../src/hub/shard/shard";
import { shardOf } from "../../src/hub/shards";
import { Rounds } from "../../src/platform/rounds";
import { call, expectJson } from "../support/call";
import { mintLocation, mintMember, mintOrganization, mintToken } from "../support/factories";
import { HubClient } from "../support/hub";
import { systemContext } from "../support/jobs";
import { countStatements, fewestStatements } from "../support/statements";

const EVENTS = 200;
const CONNECTIONS = 40;
/** Batches that a burst may be authorized in: many fewer than events. */
const MOST_AUTHORIZATIONS = 40;

test("a burst reaches every connection whole, in one order, and is authorized in batches", async () => {
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
      { target: "StateUpdated", payload: { mark }, requires: "LocationView", documentId: null },
    ]);
  const ofOne = await fewestStatements(() => publish(-1));
  expect(ofOne).toBeGreaterThan(0);
  const marks = Array.from({ length: EVENTS }, (_, n) => n);
  const { statements } = await countStatements(() => Promise.all(marks.map(publish)));
  expect(statements / ofOne).toBeLessThanOrEqual(MOST_AUTHORIZATIONS);
  const orders = await Promise.all(
    clients.map(async (client) => {
      await client.invoke("Settle");
      return client
        .events("StateUpdated")
        .map(({ arguments: [, payload] }) => (payload as { mark: number }).mark)
        .filter((mark) => mark >= 0);
    }),
  );
  for (const order of orders) expect(order).toEqual(orders[0]);
  expect(orders[0]?.toSorted((a, b) => a - b)).toEqual(marks);
  for (const client of clients) client.close();
  await Promise.all(clients.map((client) => client.expectClosed()));
  // Their leaves are ahead of this one in the location's object.
  await publish(-1);
});

test("a location with as many listeners as it may have takes no more, and serves them in parts", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const [first, last] = [await HubClient.connect(owner.token), await HubClient.connect(owner.token, "messagepack")];
  for (const client of [first, last]) expect(await client.join(locationId)).toBeNull();
  const absent = JSON.stringify({ kind: "user", id: owner.userId, userId: owner.userId, expiresAt: null });
  const channel = env.HUB_LOCATION.getByName(locationId);
  // Connections that are not there any more, of somebody who may see the location, around the two that are.
  await runInDurableObject(channel, async (_, state) => {
    const add = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO registrations SELECT ?, ? || i, ? FROM n`;
    const half = (MOST_LISTENERS - 2) / 2;
    state.storage.sql.exec(add, half, shardOf(owner.userId), "!", absent);
    state.storage.sql.exec(add, half, shardOf(owner.userId), "~", absent);
  });
  await evictDurableObject(channel);
  const late = await HubClient.connect(owner.token);
  expect(await late.join(locationId)).toContain("HubException: Too many listen to this location now.");
  expect(await first.join(locationId)).toBeNull();
  const publish = () =>
    systemContext().live.publish(locationId, [
      { target: "StateUpdated", payload: {}, requires: "LocationView", documentId: null },
    ]);
  const { statements } = await countStatements(publish);
  expect(statements).toBeGreaterThanOrEqual(5 * (MOST_LISTENERS / AUTHORIZED_AT_ONCE));
  for (const client of [first, last]) {
    await client.invoke("Settle");
    expect(client.events("StateUpdated")).toHaveLength(1);
  }
  // Those that were gone have left room.
  expect(await late.join(locationId)).toBeNull();
  for (const client of [first, last, late]) client.close();
  await Promise.all([first, last, late].map((client) => client.expectClosed()));
  // Their leaves are ahead of this one in the location's object.
  await publish();
});

describe("connections that arrive together", () => {
  const negotiated = z.looseObject({ connectionToken: z.string() });
  const negotiate = async (token: string) =>
    (await expectJson(negotiated, 200, "POST", "/sync-hub/negotiate?negotiateVersion=1", { token })).connectionToken;
  const open = (token: string, id: string) =>
    call("GET", `/sync-hub?id=${id}`, { token, headers: { upgrade: "websocket" } });
  const close = ({ webSocket }: Response) => {
    webSocket?.accept();
    webSocket?.close(1000);
  };

  test("are looked up together, and their joins share authorizations", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const { id } = await mintToken(owner.userId);
    const credential = { kind: "pat" as const, id, userId: owner.userId, expiresAt: null };
    const ids = Array.from({ length: CONNECTIONS }, () => newConnectionId());
    const shard = shardOf(owner.userId);
    const arrive = (connectionId: string) => {
      const arrival = { id: connectionId, credential, negotiatedAt: Date.now(), isLive: false };
      const headers = { upgrade: "websocket", [CONNECTION_HEADER]: JSON.stringify(arrival) };
      return env.HUB_SHARD.getByName(shard).fetch("http://hub.test/", { headers });
    };
    const arrived = await countStatements(() => Promise.all(ids.map(arrive)));
    expect(new Set(arrived.result.map(({ status }) => status))).toEqual(new Set([101]));
    expect(arrived.roundTrips).toBeLessThan(CONNECTIONS / 2);
    const channel = env.HUB_LOCATION.getByName(locationId);
    const joined = await countStatements(() =>
      Promise.all(ids.map((connectionId) => channel.join([{ shard, connectionId, credential }]))),
    );
    expect(joined.result.flat().filter(({ allowed }) => allowed)).toHaveLength(CONNECTIONS);
    expect(joined.roundTrips).toBeLessThan(CONNECTIONS / 2);
    for (const response of arrived.result) close(response);
  });

  test("are negotiated with one statement", async () => {
    const { owner } = await mintOrganization();
    expect(await fewestStatements(() => negotiate(owner.token))).toBe(1);
  });

  test("end each at its time: of two ends that are noted at once the alarm is set for the first", async () => {
    const shard = env.HUB_SHARD.getByName("shard-of-two-ends");
    const [sooner, later] = [Date.now() + 3_600_000, Date.now() + 7_200_000];
    const alarm = await runInDurableObject(shard, async (instance, state) => {
      if (instance instanceof HubShard) await Promise.all([instance.expectEnd(sooner), instance.expectEnd(later)]);
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
    // What another credential of the same person presents is judged by that credential.
    const opened = await open(other.token, second);
    expect(opened.status).toBe(101);
    close(opened);
  });
});

test("what is asked while a round is on its way is answered by the next, in order and by itself", async () => {
  const rounds: string[][] = [];
  const answers = new Rounds<string, string>(async (questions, key) => {
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
