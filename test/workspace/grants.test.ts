import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { grants } from "../../src/access/tables";
import { openDatabases } from "../../src/platform/db/database";
import { call, expectJson, problem } from "../support/call";
import { uploadDocument } from "../support/documents";
import {
  addMember,
  mintCluster,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  mintToken,
} from "../support/factories";

const { workspace: db } = openDatabases(env.DB);

const grant = z.object({
  id: z.string(),
  userId: z.string(),
  email: z.string(),
  capabilities: z.record(z.string(), z.string()),
  expiresAtUtc: z.string().nullable(),
  revision: z.int(),
});
const page = z.object({ items: z.array(grant), nextCursor: z.string().nullable() });
const audit = z.object({ items: z.array(z.object({ action: z.string() })) });

const onCluster = (id: string, grantId = "") => `/v1/spatial/clusters/${id}/grants${grantId && `/${grantId}`}`;
const onLocation = (id: string, grantId = "") => `/v1/spatial/locations/${id}/grants${grantId && `/${grantId}`}`;
const onDocument = (id: string, grantId = "") => `/v1/documents/${id}/grants${grantId && `/${grantId}`}`;
const statusOf = async (method: string, path: string, { token }: { token: string }, body?: object) =>
  (await call(method, path, { token, body })).status;

describe("sharing", () => {
  test("of a cluster shows it and the granted contents to one person until the grant ends", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId, clusterId } = await mintLocation({ organizationId });
    const reader = await mintPerson();
    const body = { email: reader.email, capabilities: { LocationView: "Read", Documents: "None" } };
    const made = await expectJson(grant, 201, "POST", onCluster(clusterId), { token: owner.token, body });
    expect(made).toMatchObject({ userId: reader.userId, capabilities: { LocationView: "Read" }, revision: 1 });
    expect(await statusOf("GET", `/v1/spatial/clusters/${clusterId}`, reader)).toBe(200);
    expect(await statusOf("GET", `/v1/spatial/locations/${locationId}`, reader)).toBe(200);
    expect(await statusOf("DELETE", onCluster(clusterId, made.id), owner)).toBe(204);
    expect(await statusOf("GET", `/v1/spatial/clusters/${clusterId}`, reader)).toBe(404);
    const { items } = await expectJson(audit, 200, "GET", `/v1/orgs/${organizationId}/audit`, owner);
    expect(items.map((e) => e.action)).toEqual(["grant.deleted", "grant.created"]);
  });

  test("of a document gives only Documents, on that document only", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const file = { fileName: "plan.txt", bytes: "the plan" };
    const [one, two] = [
      await uploadDocument(owner.token, locationId, file),
      await uploadDocument(owner.token, locationId, { ...file, fileName: "other.txt" }),
    ];
    const reader = await mintPerson();
    const share = (capabilities: object) =>
      statusOf("POST", onDocument(one.id), owner, { email: reader.email, capabilities });
    expect(await share({})).toBe(422);
    expect(await share({ Documents: "None" })).toBe(422);
    expect(await share({ Documents: "Read", LocationView: "Read" })).toBe(422);
    expect(await share({ Documents: "Read" })).toBe(201);
    expect(await statusOf("GET", `/v1/documents/${one.id}`, reader)).toBe(200);
    expect(await statusOf("GET", `/v1/documents/${two.id}`, reader)).toBe(404);
    expect(await statusOf("GET", `/v1/spatial/locations/${locationId}`, reader)).toBe(404);
    expect(await statusOf("GET", onDocument(one.id), reader)).toBe(200);
    expect(await statusOf("GET", onDocument(two.id), reader)).toBe(404);
    expect(await statusOf("DELETE", `/v1/spatial/locations/${locationId}`, owner)).toBe(204);
    expect(await statusOf("GET", onDocument(one.id), owner)).toBe(404);
  });

  test("of a personal workspace is for its owner, without capabilities that do not exist there", async () => {
    const [owner, friend] = [await mintPerson(), await mintPerson()];
    const clusterId = await mintCluster({ ownerUserId: owner.userId });
    const share = (capabilities: object) =>
      statusOf("POST", onCluster(clusterId), owner, { email: friend.email, capabilities });
    expect(await share({ LocationCameras: "Read" })).toBe(403);
    expect(await share({ ClusterView: "Write", LocationView: "Write" })).toBe(201);
    expect(await statusOf("PATCH", `/v1/spatial/clusters/${clusterId}`, friend, { name: "Ours" })).toBe(200);
    const third = { email: (await mintPerson()).email, capabilities: {} };
    expect(await statusOf("POST", onCluster(clusterId), friend, third)).toBe(403);
  });

  test("is for owners and admins who may edit the resource, up to the level that they have", async () => {
    const { id: organizationId, owner } = await mintOrganization({ cameras: false });
    const { id: locationId } = await mintLocation({ organizationId });
    const [member, limited] = [
      await mintMember(organizationId, "member", { LocationView: "Write" }),
      await mintMember(organizationId, "admin", { Documents: "Read" }),
    ];
    const { email } = await mintPerson();
    const share = (by: { token: string }, capabilities: object) =>
      statusOf("POST", onLocation(locationId), by, { email, capabilities });
    expect(await share(member, {})).toBe(403);
    expect(await share(await mintPerson(), {})).toBe(404);
    expect(await share(limited, { Documents: "Write" })).toBe(403);
    expect(await share(owner, { LocationCameras: "Read" })).toBe(403);
    const narrow = await mintToken(owner.userId, {
      capabilities: { OrganizationView: "Write", LocationView: "Write", Documents: "Read" },
    });
    expect(await share(narrow, { Documents: "Write" })).toBe(403);
    expect(await share(narrow, { Documents: "Read" })).toBe(201);
  });

  test("with yourself, with an unknown person or with an unverified address is refused", async () => {
    const owner = await mintPerson();
    const clusterId = await mintCluster({ ownerUserId: owner.userId });
    const share = (body: object) => statusOf("POST", onCluster(clusterId), owner, { capabilities: {}, ...body });
    const [unproven, proven] = [await mintPerson({ emailVerifiedAt: null }), await mintPerson()];
    expect(await share({ userId: owner.userId })).toBe(422);
    expect(await share({ userId: clusterId })).toBe(422);
    expect(await share({ email: unproven.email })).toBe(422);
    expect(await share({})).toBe(400);
    expect(await share({ userId: unproven.userId, email: unproven.email })).toBe(400);
    expect(await share({ userId: unproven.userId, capabilities: { Everything: "Write" } })).toBe(400);
    expect(await share({ email: proven.email, expiresAtUtc: new Date(Date.now() - 1_000).toISOString() })).toBe(422);
    expect(await share({ userId: unproven.userId, expiresAtUtc: "tomorrow" })).toBe(400);
  });

  test("with the same person again is refused; one of many concurrent tries wins; an expired grant is replaced", async () => {
    const owner = await mintPerson();
    const clusterId = await mintCluster({ ownerUserId: owner.userId });
    const friend = await mintPerson();
    const body = { email: friend.email, capabilities: { Documents: "Read" } };
    const answers = await Promise.all([1, 2, 3].map(() => statusOf("POST", onCluster(clusterId), owner, body)));
    expect(answers.sort()).toEqual([201, 409, 409]);
    await db.update(grants).set({ expiresAt: Date.now() }).where(eq(grants.targetId, clusterId));
    expect(await statusOf("GET", `/v1/spatial/clusters/${clusterId}`, friend)).toBe(404);
    expect(await statusOf("POST", onCluster(clusterId), owner, body)).toBe(201);
    expect(await statusOf("GET", `/v1/spatial/clusters/${clusterId}`, friend)).toBe(200);
  });
});

describe("an id", () => {
  test("works only for people that the caller may see already, so it reveals no name or address", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId, clusterId } = await mintLocation({ organizationId });
    const [member, stranger] = [await mintMember(organizationId), await mintPerson()];
    const share = (path: string, body: object) => statusOf("POST", path, owner, { capabilities: {}, ...body });
    expect(await share(onLocation(locationId), { userId: stranger.userId })).toBe(422);
    expect(await share(onLocation(locationId), { userId: crypto.randomUUID() })).toBe(422);
    expect(await share(onLocation(locationId), { userId: member.userId })).toBe(201);
    expect(await share(onLocation(locationId), { email: stranger.email })).toBe(201);
    expect(await share(onCluster(clusterId), { userId: stranger.userId })).toBe(201);
    const own = await mintCluster({ ownerUserId: owner.userId });
    expect(await share(onCluster(own), { userId: member.userId })).toBe(422);
  });

  test("an unverified address works for a member who was invited with it", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const unproven = await mintPerson({ emailVerifiedAt: null });
    const body = { email: unproven.email, capabilities: { Documents: "Read" } };
    expect(await statusOf("POST", onLocation(locationId), owner, body)).toBe(422);
    await addMember(organizationId, unproven.userId, "guest");
    expect(await statusOf("POST", onLocation(locationId), owner, body)).toBe(201);
  });
});

describe("a grant", () => {
  test("is changed with its revision, up to the level that the caller has", async () => {
    const owner = await mintPerson();
    const clusterId = await mintCluster({ ownerUserId: owner.userId });
    const { email } = await mintPerson();
    const { token } = owner;
    const body = { email, capabilities: { Documents: "Read" } };
    const { id } = await expectJson(grant, 201, "POST", onCluster(clusterId), { token, body });
    const expiresAtUtc = new Date(Date.now() + 3_600_000).toISOString();
    const change = { capabilities: { Documents: "Write" }, expiresAtUtc, baseRevision: 1 };
    const changed = await expectJson(grant, 200, "PATCH", onCluster(clusterId, id), { token, body: change });
    expect(changed).toMatchObject({ capabilities: { Documents: "Write" }, expiresAtUtc, revision: 2 });
    expect(await statusOf("PATCH", onCluster(clusterId, id), owner, change)).toBe(409);
    const cameras = { capabilities: { LocationCameras: "Read" } };
    expect(await statusOf("PATCH", onCluster(clusterId, id), owner, cameras)).toBe(403);
    const endless = await expectJson(grant, 200, "PATCH", onCluster(clusterId, id), {
      token,
      body: { expiresAtUtc: null },
    });
    expect(endless).toMatchObject({ capabilities: { Documents: "Write" }, expiresAtUtc: null, revision: 3 });
  });

  test("is listed for callers who may share, and for its own user", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const clusterId = await mintCluster({ organizationId });
    const [one, two, member] = [await mintPerson(), await mintPerson(), await mintMember(organizationId)];
    const first = await mintGrant({ organizationId }, one.userId, "cluster", clusterId, {});
    const second = await mintGrant({ organizationId }, two.userId, "cluster", clusterId, { Documents: "Read" });
    const seenBy = async ({ token }: { token: string }) =>
      (await expectJson(page, 200, "GET", onCluster(clusterId), { token })).items.map((g) => g.id).sort();
    expect(await seenBy(owner)).toEqual([first, second].sort());
    expect(await seenBy(one)).toEqual([first]);
    expect(await seenBy(member)).toEqual([]);
    const half = await expectJson(page, 200, "GET", `${onCluster(clusterId)}?limit=1`, owner);
    const next = `${onCluster(clusterId)}?limit=1&cursor=${encodeURIComponent(half.nextCursor ?? "")}`;
    expect((await expectJson(page, 200, "GET", next, owner)).items).toHaveLength(1);
    expect(await statusOf("DELETE", onCluster(clusterId, second), one)).toBe(404);
    expect(await statusOf("PATCH", onCluster(clusterId, first), one, { capabilities: {} })).toBe(403);
    expect(await statusOf("DELETE", onCluster(clusterId, first), one)).toBe(204);
    expect(await statusOf("GET", `/v1/spatial/clusters/${clusterId}`, one)).toBe(404);
  });

  test("is found under its own resource only", async () => {
    const owner = await mintPerson();
    const [here, there] = [
      await mintCluster({ ownerUserId: owner.userId }),
      await mintCluster({ ownerUserId: owner.userId }),
    ];
    const tenant = { ownerUserId: owner.userId };
    const id = await mintGrant(tenant, (await mintPerson()).userId, "cluster", here, {});
    const wrong = await expectJson(problem, 404, "DELETE", onCluster(there, id), owner);
    expect(wrong.code).toBe("not-found");
    expect(await statusOf("DELETE", onCluster(here, id), owner)).toBe(204);
    expect(await statusOf("DELETE", onCluster(here, id), owner)).toBe(404);
  });
});
