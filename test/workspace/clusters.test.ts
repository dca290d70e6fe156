import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, expectJson, problem } from "../support/call";
import {
  mintCluster,
  mintGrant,
  mintMember,
  mintOrganization,
  mintPerson,
  mintToken,
  type Person,
} from "../support/factories";

const cluster = z.object({
  id: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  capabilities: z.record(z.string(), z.string()),
  revision: z.int(),
});
const page = z.object({ items: z.array(cluster), nextCursor: z.string().nullable() });
const absent = "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10";

const listed = async ({ token }: { token: string }, query = ""): Promise<string[]> =>
  (await expectJson(page, 200, "GET", `/v1/spatial/clusters?limit=100${query}`, { token })).items.map((i) => i.id);

describe("a cluster", () => {
  test("is created, read and changed in an organization", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const body = { organizationId, name: "North", metadata: { floor: 2 } };
    const created = await expectJson(cluster, 201, "POST", "/v1/spatial/clusters", { token: owner.token, body });
    expect(created).toMatchObject({ ...body, description: "", revision: 1 });
    expect(created.capabilities.ClusterView).toBe("Write");
    const path = `/v1/spatial/clusters/${created.id}`;
    const change = { description: "Two\nlines", baseRevision: 1 };
    const changed = await expectJson(cluster, 200, "PATCH", path, { token: owner.token, body: change });
    expect(changed).toMatchObject({ name: "North", description: "Two\nlines", metadata: { floor: 2 }, revision: 2 });
    expect(await expectJson(cluster, 200, "GET", path, owner)).toEqual(changed);
  });

  test("of a personal workspace is visible to its owner only", async () => {
    const [owner, other] = [await mintPerson(), await mintPerson()];
    const body = { organizationId: null, name: "Mine" };
    const created = await expectJson(cluster, 201, "POST", "/v1/spatial/clusters", { token: owner.token, body });
    expect(created.capabilities).toMatchObject({ ClusterView: "Write", LocationCameras: "None" });
    expect(await listed(owner, "&organizationId=personal")).toEqual([created.id]);
    expect(await listed(other)).toEqual([]);
    expect((await call("GET", `/v1/spatial/clusters/${created.id}`, other)).status).toBe(404);
  });

  test("cannot be created by members, in a hidden organization, or through a token restricted to others", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const member = await mintMember(organizationId, "member");
    const make = async ({ token }: { token: string }, of: string | null) =>
      (await call("POST", "/v1/spatial/clusters", { token, body: { organizationId: of, name: "A" } })).status;
    expect(await make(member, organizationId)).toBe(403);
    expect(await make(await mintPerson(), organizationId)).toBe(404);
    expect(await make(owner, absent)).toBe(404);
    const narrowed = await mintToken(owner.userId, { organizationIds: [organizationId] });
    expect(await make(narrowed, organizationId)).toBe(201);
    expect(await make(narrowed, null)).toBe(404);
    const readOnly = await mintToken(owner.userId, { capabilities: { OrganizationView: "Read", ClusterView: "Read" } });
    expect(await make(readOnly, organizationId)).toBe(403);
  });

  test("refuses metadata that is too large, too deep or reaches a prototype", async () => {
    const { token } = await mintPerson();
    const deep = JSON.parse(`${'{"a":'.repeat(9)}1${"}".repeat(9)}`);
    const bad = [
      "[]",
      '"text"',
      "null",
      JSON.stringify(deep),
      '{"__proto__":{"isAdmin":true}}',
      '{"a":[{"constructor":1}]}',
      '{"a":{"prototype":1}}',
      JSON.stringify({ a: "ä".repeat(8 * 1024) }),
    ];
    for (const metadata of bad) {
      const body = `{"organizationId":null,"name":"A","metadata":${metadata}}`;
      const answer = await expectJson(problem, 400, "POST", "/v1/spatial/clusters", { token, body });
      expect(answer.detail).toContain("metadata");
    }
    const body = { organizationId: null, name: "A", metadata: { a: "x".repeat(16_000), b: [[[[[[[]]]]]]] } };
    expect((await call("POST", "/v1/spatial/clusters", { token, body })).status).toBe(201);
  });

  test("answers 403 when it is visible and the action is not allowed, 404 when it is hidden", async () => {
    const { id: organizationId } = await mintOrganization();
    const id = await mintCluster({ organizationId });
    const member = await mintMember(organizationId, "member");
    const blind = await mintMember(organizationId, "member", { ClusterView: "None" });
    const body = { name: "B" };
    expect((await call("PATCH", `/v1/spatial/clusters/${id}`, { token: member.token, body })).status).toBe(403);
    expect((await call("DELETE", `/v1/spatial/clusters/${id}`, member)).status).toBe(403);
    for (const method of ["GET", "DELETE"]) {
      const hidden = await expectJson(problem, 404, method, `/v1/spatial/clusters/${id}`, blind);
      const unknown = await expectJson(problem, 404, method, `/v1/spatial/clusters/${absent}`, blind);
      expect(hidden.detail).toBe(unknown.detail);
    }
  });

  test("accepts one of two concurrent renames from the same revision", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const id = await mintCluster({ organizationId });
    const rename = (name: string) =>
      call("PATCH", `/v1/spatial/clusters/${id}`, { token: owner.token, body: { name, baseRevision: 1 } });
    const statuses = (await Promise.all([rename("A"), rename("B"), rename("C")])).map((r) => r.status);
    expect(statuses.sort()).toEqual([200, 409, 409]);
  });
});

describe("the list of clusters", () => {
  test("contains clusters of organizations, of the personal workspace and of grants that have not ended", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const inOrganization = await mintCluster({ organizationId });
    const hidden = await mintCluster({ organizationId });
    const guest = await mintMember(organizationId, "guest");
    const own = await mintCluster({ ownerUserId: guest.userId });
    const tenant = { organizationId };
    await mintGrant(tenant, guest.userId, "cluster", inOrganization, { Documents: "Read" });
    await mintGrant(tenant, guest.userId, "cluster", hidden, {}, { expiresAt: Date.now() - 1 });
    expect(await listed(guest)).toEqual([inOrganization, own].sort());
    expect(await listed(guest, "&includeShared=false")).toEqual([own]);
    expect(await listed(guest, `&organizationId=${organizationId}`)).toEqual([inOrganization]);
    expect(await listed(guest, "&organizationId=personal")).toEqual([own]);
    expect(await listed(guest, `&organizationId=${absent}`)).toEqual([]);
    expect(await listed(owner)).toEqual([inOrganization, hidden].sort());
    const narrowed = await mintToken(guest.userId, { organizationIds: [organizationId] });
    expect(await listed(narrowed)).toEqual([inOrganization]);
  });

  test("has pages over several sets without gaps or repeats", async () => {
    const person = await mintPerson();
    const made: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { id: organizationId } = await mintOrganization();
      const tenant = i % 2 === 0 ? { organizationId } : { ownerUserId: person.userId };
      const id = await mintCluster(tenant);
      if (i % 2 === 0) await mintGrant(tenant, person.userId, "cluster", id, {});
      made.push(id);
    }
    const walk = async ({ token }: Person, limit: number): Promise<string[]> => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query: string = `limit=${limit}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
        const { items, nextCursor } = await expectJson(page, 200, "GET", `/v1/spatial/clusters?${query}`, { token });
        seen.push(...items.map((i) => i.id));
        cursor = nextCursor;
      } while (cursor !== null);
      return seen;
    };
    for (const limit of [1, 2, 3, 4, 100]) expect(await walk(person, limit)).toEqual(made.sort());
  });
});
