import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { ACCESS_TOKEN_LIFETIME_MS } from "../../src/access/limits";
import { MAX_CONNECTIONS_PER_USER } from "../../src/hub/limits";
import { shardOf } from "../../src/hub/live";
import { newId } from "../../src/platform/ids";
import { DAY, HOUR, MINUTE } from "../../src/platform/time";
import { call } from "../support/call";
import {
  mintAnnotation,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  mintToken,
} from "../support/factories";
import { announceEvent, HubClient, openSocket } from "../support/hub";
import { events, HANDSHAKE, negotiate, post } from "../support/hub-requests";
import { beforeItEnds, eventually, stopClock } from "../support/patience";
import { mintSession } from "../support/sessions";

const stateUpdated = (locationId: string, subject: "location" | "annotation" = "location", subjectId = newId()) =>
  ({ type: "state-updated", locationId, subject, subjectId, action: "updated", revision: 2 }) as const;

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  return { organizationId, owner, locationId: location.id, clusterId: location.clusterId };
}

/** The messages so far. No further message is under way. */
async function heard(client: HubClient, target?: string) {
  await client.invoke("Settle");
  return client.events(target);
}

describe.each(["json", "messagepack"] as const)("over %s", (protocol) => {
  test("a joined connection gets the events of a location in order until it leaves", async () => {
    const { owner, locationId } = await site();
    const client = await HubClient.connect(owner.token, protocol);
    expect(await client.join(locationId)).toBeNull();
    const [first, second] = [stateUpdated(locationId), stateUpdated(locationId)];
    await announceEvent(first);
    await announceEvent(second);
    await client.expectEvent("StateUpdated", ([, payload]) => JSON.stringify(payload).includes(second.subjectId));
    expect(client.events("StateUpdated").map((m) => m.arguments)).toMatchObject([
      [locationId, { subject: { type: "location", id: first.subjectId }, action: "updated", revision: 2 }],
      [locationId, { subject: { type: "location", id: second.subjectId } }],
    ]);
    expect(await client.invoke("LeaveLocation", locationId)).toBeNull();
    await announceEvent(stateUpdated(locationId));
    expect(await heard(client, "StateUpdated")).toHaveLength(2);
    client.close();
  });
});

describe("joining", () => {
  test("answers the same for a hidden location, an absent one and an invalid id", async () => {
    const { locationId } = await site();
    const stranger = await mintPerson();
    const client = await HubClient.connect(stranger.token);
    const answers = [await client.join(locationId), await client.join(newId()), await client.join("nothing")];
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain("HubException");
    client.close();
  });

  test("refuses unknown methods and bad arguments in ASP.NET Core's words", async () => {
    const { owner } = await site();
    const client = await HubClient.connect(owner.token);
    expect(await client.invoke("Dance")).toBe("Unknown hub method 'Dance'");
    expect(await client.invoke("JoinLocation", 1)).toBe(
      "Failed to invoke 'JoinLocation' due to an error on the server.",
    );
    expect(await client.invoke("JoinLocation")).toBe("Failed to invoke 'JoinLocation' due to an error on the server.");
    client.close();
  });

  test("uses the exact credential with its limits", async () => {
    const { owner, locationId } = await site();
    const narrowed = await mintToken(owner.userId, { capabilities: { Documents: "Read" } });
    const client = await HubClient.connect(narrowed.token);
    expect(await client.join(locationId)).toContain("HubException");
    client.close();
  });
});

describe("what an event needs", () => {
  test("a user with only LocationView gets no events of annotations, and stays joined", async () => {
    const { organizationId, locationId, clusterId } = await site();
    const annotationId = await mintAnnotation({ organizationId }, { id: locationId, clusterId });
    const viewer = await mintMember(organizationId, "member", { LocationBundles: "None" });
    const client = await HubClient.connect(viewer.token);
    await client.join(locationId);
    await announceEvent(stateUpdated(locationId, "annotation", annotationId));
    await announceEvent({
      type: "position-changed",
      locationId,
      annotationId,
      position: { x: 1 },
      revision: 2,
    });
    const seen = stateUpdated(locationId);
    await announceEvent(seen);
    await client.expectEvent("StateUpdated");
    expect(await heard(client)).toHaveLength(1);
    expect(JSON.stringify(client.received)).toContain(seen.subjectId);
    client.close();
  });
});

describe("losing access", () => {
  const revoked = (client: HubClient, locationId: string) =>
    client.expectEvent("SubscriptionRevoked", ([kind, id]) => kind === "location" && id === locationId);

  test("a withdrawn grant revokes the subscription at the next check, and no event follows", async () => {
    const { organizationId, locationId } = await site();
    const guest = await mintPerson();
    const grantId = await mintGrant({ organizationId }, guest.userId, "location", locationId, { LocationView: "Read" });
    const client = await HubClient.connect(guest.token);
    expect(await client.join(locationId)).toBeNull();
    await env.DB.prepare("DELETE FROM grants WHERE id = ?").bind(grantId).run();
    await announceEvent({ type: "access-changed", userIds: [guest.userId] });
    await revoked(client, locationId);
    await announceEvent(stateUpdated(locationId));
    expect(await heard(client, "StateUpdated")).toEqual([]);
    client.close();
  });

  test("an event after the loss is not delivered, even before the next check", async () => {
    const { organizationId, locationId } = await site();
    const member = await mintMember(organizationId);
    const client = await HubClient.connect(member.token);
    await client.join(locationId);
    await env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(member.userId).run();
    await announceEvent(stateUpdated(locationId));
    await revoked(client, locationId);
    expect(await heard(client, "StateUpdated")).toEqual([]);
    client.close();
  });

  test("a deleted location is revoked for all its connections", async () => {
    const { owner, locationId } = await site();
    const client = await HubClient.connect(owner.token);
    await client.join(locationId);
    await env.DB.prepare("UPDATE locations SET deleted_at = 1 WHERE id = ?").bind(locationId).run();
    await announceEvent({ type: "location-access-changed", locationIds: [locationId] });
    await revoked(client, locationId);
    client.close();
  });

  test("a revoked token closes its connections and no others", async () => {
    const { owner, locationId } = await site();
    const doomed = await mintToken(owner.userId);
    const [dying, living] = [await HubClient.connect(doomed.token), await HubClient.connect(owner.token)];
    await dying.join(locationId);
    await living.join(locationId);
    await env.DB.prepare("UPDATE access_tokens SET revoked_at = 1 WHERE id = ?").bind(doomed.id).run();
    await announceEvent({ type: "access-changed", userIds: [owner.userId] });
    await dying.expectClosed();
    expect(await dying.expectMessage((m) => m.type === "close")).not.toHaveProperty("allowReconnect");
    await announceEvent(stateUpdated(locationId));
    await living.expectEvent("StateUpdated");
    living.close();
  });

  test("an expired credential closes its connection at its time, and the client may reconnect", async () => {
    const { owner } = await site();
    const { client, token, endsAt } = await beforeItEnds(async (endsAt) => {
      const { token } = await mintToken(owner.userId, { expiresAt: endsAt });
      const client = await HubClient.connect(token).catch(() => null);
      return client && { client, token, endsAt };
    });
    const close = await client.expectMessage((m) => m.type === "close");
    expect(close).toMatchObject({ allowReconnect: true });
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
    expect((await openSocket(token)).status).toBe(401);
  });

  test("a grant that ends revokes at its time, without any event", async () => {
    const { organizationId, locationId } = await site();
    const client = await beforeItEnds(async (endsAt) => {
      const guest = await mintPerson();
      const ends = { expiresAt: endsAt };
      await mintGrant({ organizationId }, guest.userId, "location", locationId, { LocationView: "Read" }, ends);
      const client = await HubClient.connect(guest.token);
      return (await client.join(locationId)) === null ? client : null;
    });
    await revoked(client, locationId);
    client.close();
  });

  test("a repeated join without access gets SubscriptionRevoked", async () => {
    const { organizationId, locationId } = await site();
    const member = await mintMember(organizationId);
    const client = await HubClient.connect(member.token);
    expect(await client.join(locationId)).toBeNull();
    await env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(member.userId).run();
    expect(await client.join(locationId)).toContain("HubException");
    expect(client.events("SubscriptionRevoked")).toHaveLength(1);
    await announceEvent(stateUpdated(locationId));
    expect(await heard(client)).toHaveLength(1);
    client.close();
  });
});

test("a client with too many unanswered bytes is closed", async () => {
  const { owner, locationId } = await site();
  const client = await HubClient.connect(owner.token);
  const record = { type: 1, invocationId: "1", target: "JoinLocation", arguments: [locationId], headers: "" };
  const message = `${JSON.stringify({ ...record, headers: "x".repeat(30_000) })}\x1e`;
  for (let n = 0; n < 100; n++) client.socket.send(message);
  expect(await client.expectMessage((m) => m.type === "close")).toMatchObject({
    error: expect.stringContaining("Too many messages are unanswered."),
  });
  await client.expectClosed();
});

describe("simultaneous joins and leaves", () => {
  test("end in the state of the last one", async () => {
    const { owner, locationId } = await site();
    const [joining, leaving] = [await HubClient.connect(owner.token), await HubClient.connect(owner.token)];
    const [join, leave] = ["JoinLocation", "LeaveLocation"];
    const asked = (client: HubClient, ...targets: string[]) =>
      Promise.all(targets.map((target) => client.invoke(target, locationId)));
    const errors = [
      await asked(joining, join, leave, join, leave, join),
      await asked(leaving, join, join, leave, join, leave),
    ];
    expect(errors.flat().filter((error) => error !== null)).toEqual([]);
    await announceEvent(stateUpdated(locationId));
    expect(await heard(joining)).toHaveLength(1);
    expect(await heard(leaving)).toEqual([]);
    for (const client of [joining, leaving]) client.close();
  });
});

describe("grants that end one after the other", () => {
  test("the subscription is revoked when the last of them ends, without any event", async () => {
    const { organizationId, locationId, clusterId } = await site();
    const { client, later } = await beforeItEnds(async (later) => {
      const guest = await mintPerson();
      const tenant = { organizationId };
      const sooner = { expiresAt: later - 500 };
      await mintGrant(tenant, guest.userId, "cluster", clusterId, { LocationView: "Read" }, sooner);
      await mintGrant(tenant, guest.userId, "location", locationId, { LocationView: "Read" }, { expiresAt: later });
      const client = await HubClient.connect(guest.token);
      return (await client.join(locationId)) === null ? { client, later } : null;
    });
    await client.expectEvent("SubscriptionRevoked");
    expect(Date.now()).toBeGreaterThanOrEqual(later);
    client.close();
  });

  test("a grant that takes over from a role ends the subscription at its time", async () => {
    const { organizationId, locationId } = await site();
    const member = await mintMember(organizationId);
    const client = await HubClient.connect(member.token);
    expect(await client.join(locationId)).toBeNull();
    const ends = { expiresAt: Date.now() + 1_000 };
    await mintGrant({ organizationId }, member.userId, "location", locationId, { LocationView: "Read" }, ends);
    await env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(member.userId).run();
    await announceEvent({ type: "access-changed", userIds: [member.userId] });
    await client.expectEvent("SubscriptionRevoked");
    client.close();
  });

  test("a token with an earlier expiry closes its connection then", async () => {
    const { owner } = await site();
    const { id, token } = await mintToken(owner.userId, { expiresAt: Date.now() + 3_600_000 });
    const client = await HubClient.connect(token);
    await env.DB.prepare("UPDATE access_tokens SET expires_at = ? WHERE id = ?")
      .bind(Date.now() + 1_000, id)
      .run();
    await announceEvent({ type: "access-changed", userIds: [owner.userId] });
    await client.expectClosed();
  });
});

describe("a connection of a session", () => {
  const shardFor = (userId: string) => env.HUB_SHARD.getByName(shardOf(userId));
  const endSession = "UPDATE sessions SET expires_at = ? WHERE id = ?";

  test("outlives its access token, and ends at once when the session is revoked", async () => {
    const { owner, locationId } = await site();
    const session = await mintSession(owner.userId);
    const client = await HubClient.connect(session.token);
    await client.join(locationId);
    stopClock(Date.now() + ACCESS_TOKEN_LIFETIME_MS + MINUTE);
    await runDurableObjectAlarm(shardFor(owner.userId));
    await announceEvent(stateUpdated(locationId));
    await client.expectEvent("StateUpdated");
    expect((await openSocket(session.token)).status).toBe(401);
    await env.DB.prepare("UPDATE sessions SET revoked_at = 1 WHERE id = ?").bind(session.id).run();
    await announceEvent({ type: "access-changed", userIds: [owner.userId] });
    await client.expectClosed();
    expect(await client.expectMessage((m) => m.type === "close")).not.toHaveProperty("allowReconnect");
  });

  test("ends when the session does, and stays open when the session was extended", async () => {
    const { owner } = await site();
    const [short, extended] = [await mintSession(owner.userId), await mintSession(owner.userId)];
    const endsAt = Date.now() + HOUR;
    for (const { id } of [short, extended]) await env.DB.prepare(endSession).bind(endsAt, id).run();
    const [ending, staying] = [await HubClient.connect(short.token), await HubClient.connect(extended.token)];
    await env.DB.prepare(endSession)
      .bind(endsAt + DAY, extended.id)
      .run();
    stopClock(endsAt);
    await runDurableObjectAlarm(shardFor(owner.userId));
    await ending.expectClosed();
    expect(await ending.expectMessage((m) => m.type === "close")).toMatchObject({ allowReconnect: true });
    await staying.invoke("Settle");
    expect(staying.closed).toBeNull();
    staying.close();
  });
});

describe("hibernation", () => {
  test("a connection and its subscriptions survive the loss of the object's memory", async () => {
    const { owner, locationId } = await site();
    const { token } = await mintSession(owner.userId);
    const client = await HubClient.connect(token);
    await client.join(locationId);
    await evictDurableObject(env.HUB_SHARD.getByName(shardOf(owner.userId)));
    await announceEvent(stateUpdated(locationId));
    await client.expectEvent("StateUpdated");
    await runDurableObjectAlarm(env.HUB_SHARD.getByName(shardOf(owner.userId)));
    expect(client.closed).toBeNull();
    client.close();
    await eventually(() => expect(client.closed).not.toBeNull());
  });
});

describe("a connection without a socket", () => {
  test("reads no more of a POST than the limit of its messages", async () => {
    const { owner } = await site();
    const id = await negotiate(owner.token);
    const stream = await events(owner.token, id);
    expect((await post(owner.token, id, "x".repeat(1024 * 1024))).status).toBe(413);
    expect((await post(owner.token, id, HANDSHAKE)).status).toBe(200);
    await stream.body?.cancel();
  });

  test("belongs to the credential that opened it, not to other credentials of its user", async () => {
    const { owner } = await site();
    const narrow = await mintToken(owner.userId, { capabilities: { Documents: "Read" } });
    const id = await negotiate(owner.token);
    const stream = await events(owner.token, id);
    for (const method of ["GET", "POST", "DELETE"])
      expect((await call(method, `/sync-hub?id=${id}`, { token: narrow.token })).status).toBe(404);
    await stream.body?.cancel();
  });
});

test("one user can open a limited number of connections, and other users are not affected", async () => {
  const { owner } = await site();
  const clients = await Promise.all(Array.from({ length: MAX_CONNECTIONS_PER_USER }, () => openSocket(owner.token)));
  expect(new Set(clients.map(({ status }) => status))).toEqual(new Set([101]));
  const refused = await openSocket(owner.token);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
  const other = await HubClient.connect((await mintPerson()).token);
  other.close();
  for (const { webSocket } of clients) {
    webSocket?.accept();
    webSocket?.close(1000);
  }
});
