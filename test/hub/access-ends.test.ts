import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { ACCESS_CHANGE_RETENTION_MS } from "../../src/hub/limits";
import { shardOf } from "../../src/hub/live";
import { HOUR, MINUTE, SECOND } from "../../src/platform/time";
import { call } from "../support/call";
import { mintCluster, mintGrant, mintLocation, mintMember, mintOrganization, mintPerson } from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";
import { beforeItEnds, eventually, stopClock } from "../support/patience";
import { mintSession } from "../support/sessions";

/* Tests how a client that has joined no location learns about the end of its access. */

const VIEW = { LocationView: "Read" } as const;
/** Longer than the difference of clocks that the hub allows for. */
const A_WHILE_MS = 10 * SECOND;

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId, clusterId } = await mintLocation({ organizationId });
  return { organizationId, owner, locationId, clusterId };
}

const told = (client: HubClient) => client.events("AccessChanged").length;
/** A change is told after its commit and by its event, so once or twice. */
const isTold = (client: HubClient) => told(client) > 0;

/** A client whose page began to read some milliseconds ago. */
async function watching(token: string, elapsedMs = 0, protocol: "json" | "messagepack" = "json"): Promise<HubClient> {
  const client = await HubClient.connect(token, protocol);
  expect(await client.invoke("WatchAccess", elapsedMs)).toBeNull();
  return client;
}

test.each(["json", "messagepack"] as const)(
  "a grant that ends is told at its time over %s to each connection of its user, even after the hub slept",
  async (protocol) => {
    const { organizationId, locationId } = await site();
    const { clients, endsAt, guest } = await beforeItEnds(async (endsAt) => {
      const guest = await mintPerson();
      await mintGrant({ organizationId }, guest.userId, "location", locationId, VIEW, { expiresAt: endsAt });
      const clients = [await watching(guest.token, 0, protocol), await HubClient.connect(guest.token)];
      await evictDurableObject(env.HUB_SHARD.getByName(shardOf(guest.userId)));
      return Date.now() < endsAt && clients.every((client) => told(client) === 0) ? { clients, endsAt, guest } : null;
    });
    for (const client of clients) await client.expectEvent("AccessChanged");
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
    // The end is told once, and to nobody who comes later.
    const late = await watching(guest.token);
    for (const client of [...clients, late]) client.close();
  },
);

test("clients are told of all ends that follow each other", async () => {
  const { organizationId, locationId, clusterId } = await site();
  const client = await beforeItEnds(async (later) => {
    const guest = await mintPerson();
    const tenant = { organizationId };
    await mintGrant(tenant, guest.userId, "cluster", clusterId, VIEW, { expiresAt: later - 500 });
    await mintGrant(tenant, guest.userId, "location", locationId, VIEW, { expiresAt: later });
    const client = await watching(guest.token);
    return Date.now() < later - 500 ? client : null;
  });
  await eventually(() => expect(told(client)).toBe(2));
  client.close();
});

test("the hub knows the end of a grant that is given, changed or withdrawn while its user is connected", async () => {
  const { organizationId, owner, locationId } = await site();
  const guest = await mintMember(organizationId, "guest");
  const client = await watching(guest.token);
  const known = () =>
    runInDurableObject(env.HUB_SHARD.getByName(shardOf(guest.userId)), async (_, { storage }) => {
      const read = "SELECT ends_at AS endsAt FROM access_times WHERE user_id = ?";
      const { endsAt } = storage.sql.exec<{ endsAt: number | null }>(read, guest.userId).one();
      return [endsAt, endsAt === null || ((await storage.getAlarm()) ?? Infinity) <= endsAt];
    });
  const ask = async (method: string, path: string, endsAt?: number) => {
    const body = { capabilities: VIEW, ...(endsAt !== undefined && { expiresAtUtc: new Date(endsAt).toISOString() }) };
    const given = method === "POST" ? { ...body, userId: guest.userId } : body;
    const answer = await call(method, `/v1/spatial/locations/${locationId}/grants${path}`, {
      token: owner.token,
      ...(method !== "DELETE" && { body: given }),
    });
    expect(answer.ok).toBe(true);
    return answer;
  };
  const ends = Date.now() + HOUR;
  const { id } = await (await ask("POST", "", ends)).json<{ id: string }>();
  expect(await known()).toEqual([ends, true]);
  await ask("PATCH", `/${id}`, ends - MINUTE);
  expect(await known()).toEqual([ends - MINUTE, true]);
  await ask("DELETE", `/${id}`);
  expect(await known()).toEqual([null, true]);
  client.close();
});

test("access that became smaller between the reading of a page and its connection is told", async () => {
  const { organizationId, owner } = await site();
  const { userId } = await mintMember(organizationId);
  const session = await mintSession(userId);
  const answer = await call("DELETE", `/v1/orgs/${organizationId}/members/${userId}`, { token: owner.token });
  expect(answer.status).toBe(204);
  await evictDurableObject(env.HUB_SHARD.getByName(shardOf(userId)));
  const before = await watching(session.token, A_WHILE_MS);
  expect(told(before)).toBe(1);
  before.close();
});

test("a page that began to read after the change is not told", async () => {
  const { organizationId, locationId } = await site();
  const guest = await mintPerson();
  const now = Date.now();
  const ended = { expiresAt: now - HOUR };
  await mintGrant({ organizationId }, guest.userId, "location", locationId, VIEW, ended);
  await announceEvent({ type: "access-changed", userIds: [guest.userId] });
  stopClock(now + A_WHILE_MS + HOUR);
  const after = await watching(guest.token, SECOND);
  expect(told(after)).toBe(0);
  const before = await watching(guest.token, A_WHILE_MS + HOUR);
  expect(told(before)).toBe(1);
  for (const client of [after, before]) client.close();
});

test("a grant that ended between the reading of a page and its connection is told", async () => {
  const { organizationId, locationId } = await site();
  const guest = await mintPerson();
  const ended = { expiresAt: Date.now() - A_WHILE_MS };
  await mintGrant({ organizationId }, guest.userId, "location", locationId, VIEW, ended);
  const [before, after] = [await watching(guest.token, 2 * A_WHILE_MS), await watching(guest.token)];
  expect([told(before), told(after)]).toEqual([1, 0]);
  for (const client of [before, after]) client.close();
});

test("a location that moves out of a cluster is told to the people who see it by a grant on the cluster", async () => {
  const { organizationId, owner, locationId, clusterId } = await site();
  const other = await mintCluster({ organizationId });
  const [guest, stranger] = [await mintPerson(), await mintPerson()];
  await mintGrant({ organizationId }, guest.userId, "cluster", clusterId, VIEW);
  await mintGrant({ organizationId }, stranger.userId, "cluster", other, VIEW);
  const clients = [await watching(guest.token), await watching(stranger.token)];
  const path = `/v1/spatial/locations/${locationId}`;
  expect((await call("PATCH", path, { token: owner.token, body: { clusterId: other } })).status).toBe(200);
  expect(clients.map(isTold)).toEqual([true, false]);
  for (const client of clients) client.close();
});

test.each(["location", "cluster"] as const)(
  "a deleted %s is told to its guests, even before they connect",
  async (kind) => {
    const { organizationId, owner, locationId, clusterId } = await site();
    const [near, far, late] = [await mintPerson(), await mintPerson(), await mintPerson()];
    const inner = await mintLocation({ organizationId }, { clusterId });
    const [target, id] = kind === "cluster" ? (["cluster", clusterId] as const) : (["location", locationId] as const);
    await mintGrant({ organizationId }, near.userId, target, id, VIEW);
    await mintGrant({ organizationId }, far.userId, "location", inner.id, VIEW);
    await mintGrant({ organizationId }, late.userId, target, id, VIEW);
    const clients = [await watching(near.token), await watching(far.token)];
    const answer = await call("DELETE", `/v1/spatial/${kind}s/${id}`, { token: owner.token });
    expect(answer.status).toBe(204);
    expect(clients.map(isTold)).toEqual([true, kind === "cluster"]);
    const after = await watching(late.token, A_WHILE_MS);
    expect(told(after)).toBe(1);
    for (const client of [...clients, after]) client.close();
  },
);

test("a deleted organization is told to its members", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const { userId } = await mintMember(organizationId);
  const session = await mintSession(userId);
  const clients = [await watching(owner.token), await watching(session.token)];
  const answer = await call("DELETE", `/v1/orgs/${organizationId}`, { token: owner.token });
  expect(answer.status).toBe(204);
  expect(clients.map(isTold)).toEqual([true, true]);
  for (const client of clients) client.close();
});

test("a page that is older than the hub's memory reads again", async () => {
  const guest = await mintPerson();
  const old = await watching(guest.token, ACCESS_CHANGE_RETENTION_MS + 1);
  expect(told(old)).toBe(1);
  old.close();
});

test.each([[], [-1], ["soon"], [null], [Number.MAX_VALUE, 2]])(
  "WatchAccess refuses the arguments %j",
  async (...args) => {
    const guest = await mintPerson();
    const client = await HubClient.connect(guest.token);
    expect(await client.invoke("WatchAccess", ...args)).toContain("Failed to invoke 'WatchAccess'");
    client.close();
  },
);
