import { expect, test } from "vitest";
import { newId } from "../../../src/platform/ids";
import { call } from "../../support/call";
import { mintCamera } from "../../support/cameras";
import {
  addMember,
  mintCluster,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  mintToken,
  type Person,
} from "../../support/factories";
import { announceEvent, HubClient } from "../../support/hub";
import { beforeItEnds } from "../../support/patience";
import { mintSession } from "../../support/sessions";

/*
 * Tests every route that takes a location away from a person: the live subscription ends without an event, and the
 * next event does not arrive.
 */

interface Site {
  organizationId: string;
  owner: Person;
  locationId: string;
  clusterId: string;
}

interface Loss {
  /** The person who loses access, with the credential that connects. */
  listener(site: Site): Promise<{ token: string; take: () => Promise<Response> }>;
  /** Whether the credential itself ends, which ends the connection permanently. */
  ends?: true;
}

/** A member, and the change that the owner makes to the membership. */
const asMember =
  (method: string, body?: object): Loss["listener"] =>
  async ({ organizationId, owner }) => {
    const { userId, token } = await mintMember(organizationId);
    const path = `/v1/orgs/${organizationId}/members/${userId}`;
    return { token, take: () => call(method, path, { token: owner.token, body }) };
  };

/** A guest with a grant on the cluster, and the change that the owner makes to that grant. */
const asGuest =
  (change: (ask: (method: string, body?: object) => Promise<Response>) => Promise<Response>): Loss["listener"] =>
  async ({ organizationId, owner, clusterId }) => {
    const { userId, token } = await mintPerson();
    const id = await mintGrant({ organizationId }, userId, "cluster", clusterId, { LocationView: "Read" });
    const path = `/v1/spatial/clusters/${clusterId}/grants/${id}`;
    return { token, take: () => change((method, body) => call(method, path, { token: owner.token, body })) };
  };

/** A personal access token, and the change that its user makes to it. */
const asToken =
  (method: string, body?: (site: Site) => Promise<object>): Loss["listener"] =>
  async (site) => {
    const { userId } = site.owner;
    const { id, token } = await mintToken(userId);
    const session = await mintSession(userId);
    const path = `/v1/auth/tokens/${id}`;
    return { token, take: async () => call(method, path, { token: session.token, body: await body?.(site) }) };
  };

const asSession =
  (method: string, path: (sessionId: string) => string): Loss["listener"] =>
  async ({ owner }) => {
    const { id, token } = await mintSession(owner.userId);
    return { token, take: () => call(method, path(id), { token }) };
  };

/** A guest with a grant on the cluster, and the change that the owner makes to the location or cluster. */
const ofPlace =
  (method: string, path: (site: Site) => string, body?: (site: Site) => Promise<object>): Loss["listener"] =>
  async (site) => {
    const { organizationId, owner, clusterId } = site;
    const { userId, token } = await mintPerson();
    await mintGrant({ organizationId }, userId, "cluster", clusterId, { LocationView: "Read" });
    return { token, take: async () => call(method, path(site), { token: owner.token, body: await body?.(site) }) };
  };

const losses: Readonly<Record<string, Loss>> = {
  "a lower role": { listener: asMember("PATCH", { role: "guest" }) },
  "an override": { listener: asMember("PATCH", { overrides: { LocationView: "None" } }) },
  "a membership's end": { listener: asMember("DELETE") },
  "a narrower grant": { listener: asGuest((ask) => ask("PATCH", { capabilities: { ClusterView: "Read" } })) },
  "a grant's withdrawal": { listener: asGuest((ask) => ask("DELETE")) },
  "a grant's new end": {
    listener: asGuest((ask) =>
      // The service refuses an end if it has passed when the service reads the request.
      beforeItEnds(async (endsAt) => {
        const answer = await ask("PATCH", { expiresAtUtc: new Date(endsAt).toISOString() });
        return answer.status === 422 ? null : answer;
      }),
    ),
  },
  "a token's ceiling": { listener: asToken("PATCH", async () => ({ capabilities: { Documents: "Read" } })) },
  "a token's organizations": {
    listener: asToken("PATCH", async ({ owner }) => {
      const { id } = await mintOrganization();
      await addMember(id, owner.userId, "member");
      return { organizationIds: [id] };
    }),
  },
  "a token's revocation": { listener: asToken("DELETE"), ends: true },
  "a session's end": { listener: asSession("DELETE", (id) => `/v1/auth/sessions/${id}`), ends: true },
  "signing out": { listener: asSession("POST", () => "/v1/auth/logout"), ends: true },
  "the location's deletion": { listener: ofPlace("DELETE", ({ locationId }) => `/v1/spatial/locations/${locationId}`) },
  "the cluster's deletion": { listener: ofPlace("DELETE", ({ clusterId }) => `/v1/spatial/clusters/${clusterId}`) },
  "a move out of reach": {
    listener: ofPlace(
      "PATCH",
      ({ locationId }) => `/v1/spatial/locations/${locationId}`,
      async ({ organizationId }) => ({ clusterId: await mintCluster({ organizationId }) }),
    ),
  },
};

test.each(Object.entries(losses))("%s ends a live subscription", async (_, { listener, ends }) => {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId, clusterId } = await mintLocation({ organizationId });
  const { token, take } = await listener({ organizationId, owner, locationId, clusterId });
  const [client, another] = [await HubClient.connect(token), await HubClient.connect(token, "messagepack")];
  for (const one of [client, another]) expect(await one.join(locationId)).toBeNull();
  const taken = await take();
  expect([taken.ok, taken.ok || (await taken.text())]).toEqual([true, true]);
  const event = { subject: "location", subjectId: newId(), action: "updated", revision: 2 } as const;
  for (const one of [client, another])
    if (ends === true) {
      expect(await one.expectMessage((m) => m.type === "close")).not.toHaveProperty("allowReconnect");
      await one.expectClosed();
    } else expect(await one.expectEvent("SubscriptionRevoked")).toEqual(["location", locationId]);
  await announceEvent({ type: "state-updated", locationId, ...event });
  for (const one of [client, another]) {
    if (ends !== true) await one.invoke("Settle");
    expect(one.events("StateUpdated")).toEqual([]);
    one.close();
  }
});

test("an organization without cameras still gets events of the location, but none of cameras", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const operator = await mintPerson({ isAdmin: true });
  const client = await HubClient.connect(owner.token);
  const { id: subjectId } = await mintCamera(organizationId, locationId);
  expect(await client.join(locationId)).toBeNull();
  const cameraEvent = { type: "state-updated", locationId, subject: "camera", action: "updated", revision: 2 } as const;
  await announceEvent({ ...cameraEvent, subjectId });
  const body = {
    cameras: false,
    externalShares: true,
    documentStorageBytes: 1e9,
    jobsPerMonth: 1,
    maxRetentionDays: 1,
  };
  const { token } = await mintSession(operator.userId);
  expect((await call("PUT", `/v1/orgs/${organizationId}/entitlements`, { token, body })).status).toBe(200);
  await announceEvent({ ...cameraEvent, subjectId });
  await announceEvent({ ...cameraEvent, subject: "location", subjectId: locationId });
  await client.invoke("Settle");
  const subjects = client.events("StateUpdated").map(({ arguments: [, payload] }) => payload);
  expect(subjects).toMatchObject([{ subject: { type: "camera" } }, { subject: { type: "location" } }]);
  client.close();
});
