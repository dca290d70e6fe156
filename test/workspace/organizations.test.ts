import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CAPABILITIES } from "../../src/platform/capabilities";
import { call, expectJson, problem } from "../support/call";
import { mintLocation, mintMember, mintOrganization, mintPerson, mintToken } from "../support/factories";

const organization = z.object({ id: z.string(), name: z.string(), role: z.string(), revision: z.int() });
const page = z.object({ items: z.array(organization), nextCursor: z.string().nullable() });

const absent = "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10";

describe("an organization", () => {
  test("belongs to its creator, with the operator's default entitlements", async () => {
    const { token } = await mintPerson();
    const created = await expectJson(organization, 201, "POST", "/v1/orgs", { token, body: { name: "  Bridges  " } });
    expect(created).toMatchObject({ name: "Bridges", role: "owner", revision: 1 });
    const { items } = await expectJson(page, 200, "GET", "/v1/orgs", { token });
    expect(items.map((o) => o.id)).toEqual([created.id]);
  });

  test("is refused without a readable name, and with unknown fields", async () => {
    const { token } = await mintPerson();
    for (const body of [
      {},
      { name: " " },
      { name: "a\u0007" },
      { name: "a\u0000b" },
      { name: "x".repeat(201) },
      { name: "A", owner: 1 },
    ])
      expect((await call("POST", "/v1/orgs", { token, body })).status).toBe(400);
  });

  test("cannot be created through a token that is restricted to organizations or may not write them", async () => {
    const { userId } = await mintPerson();
    for (const narrow of [{ organizationIds: [absent] }, { capabilities: { OrganizationView: "Read" as const } }]) {
      const { token } = await mintToken(userId, narrow);
      expect((await call("POST", "/v1/orgs", { token, body: { name: "A" } })).status).toBe(403);
    }
  });

  test("is created once by a repeated request", async () => {
    const { token } = await mintPerson();
    const options = { token, body: { name: "Once" }, headers: { "idempotency-key": "make-it-once" } };
    const first = await expectJson(organization, 201, "POST", "/v1/orgs", options);
    const again = await expectJson(organization, 201, "POST", "/v1/orgs", options);
    expect(again).toEqual(first);
    expect((await expectJson(page, 200, "GET", "/v1/orgs", { token })).items).toHaveLength(1);
  });

  test("answers other people like an absent one", async () => {
    const { id } = await mintOrganization();
    const { token } = await mintPerson();
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { name: "Mine now" } : undefined;
      const hidden = await expectJson(problem, 404, method, `/v1/orgs/${id}`, { token, body });
      const unknown = await expectJson(problem, 404, method, `/v1/orgs/${absent}`, { token, body });
      expect(hidden.detail).toBe(unknown.detail);
    }
  });

  test("can be renamed by admins only", async () => {
    const { id } = await mintOrganization();
    const [admin, member] = [await mintMember(id, "admin"), await mintMember(id, "member")];
    const body = { name: "New name" };
    expect((await call("PATCH", `/v1/orgs/${id}`, { token: member.token, body })).status).toBe(403);
    const renamed = await expectJson(organization, 200, "PATCH", `/v1/orgs/${id}`, { token: admin.token, body });
    expect(renamed).toMatchObject({ name: "New name", revision: 2, role: "admin" });
  });

  test("keeps a change from a newer revision", async () => {
    const { id, owner } = await mintOrganization();
    const { token } = owner;
    await expectJson(organization, 200, "PATCH", `/v1/orgs/${id}`, { token, body: { name: "A", baseRevision: 1 } });
    const stale = await call("PATCH", `/v1/orgs/${id}`, { token, body: { name: "B", baseRevision: 1 } });
    expect(stale.status).toBe(409);
    expect(await stale.json()).toMatchObject({ code: "stale-revision", currentRevision: 2 });
    const failed = await call("PATCH", `/v1/orgs/${id}`, {
      token,
      body: { name: "B" },
      headers: { "if-match": '"1"' },
    });
    expect(failed.status).toBe(412);
    const read = await call("GET", `/v1/orgs/${id}`, { token });
    const etag = read.headers.get("etag") ?? "";
    expect(etag).toBe(`"2.owner-${"2".repeat(CAPABILITIES.length)}"`);
    expect(await read.json()).toMatchObject({ name: "A" });
    const again = (headers: Record<string, string>) => call("GET", `/v1/orgs/${id}`, { token, headers });
    expect((await again({ "if-none-match": etag })).status).toBe(304);
    const changed = await call("PATCH", `/v1/orgs/${id}`, {
      token,
      body: { name: "C" },
      headers: { "if-match": etag },
    });
    expect(changed.status).toBe(200);
  });

  test("has a new ETag for a person whose level changed", async () => {
    const { id, owner } = await mintOrganization();
    const member = await mintMember(id, "member");
    const location = await mintLocation({ organizationId: id });
    const paths = [
      `/v1/orgs/${id}`,
      `/v1/spatial/locations/${location.id}`,
      `/v1/spatial/clusters/${location.clusterId}`,
    ];
    const read = (path: string, etag = "") =>
      call("GET", path, { token: member.token, headers: etag === "" ? {} : { "if-none-match": etag } });
    const known = await Promise.all(paths.map(async (path) => (await read(path)).headers.get("etag") ?? ""));
    for (const [n, path] of paths.entries()) expect((await read(path, known[n])).status).toBe(304);
    const change = { token: owner.token, body: { overrides: { ClusterView: "Write" } } };
    expect((await call("PATCH", `/v1/orgs/${id}/members/${member.userId}`, change)).status).toBe(200);
    for (const [n, path] of paths.entries()) {
      const answer = await read(path, known[n]);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ capabilities: { ClusterView: "Write" } });
    }
  });
});

describe("the list of organizations", () => {
  test("shows through a token only the organizations that it names and may view", async () => {
    const person = await mintPerson();
    const body = { name: "One" };
    const one = await expectJson(organization, 201, "POST", "/v1/orgs", { token: person.token, body });
    await expectJson(organization, 201, "POST", "/v1/orgs", { token: person.token, body });
    const named = await mintToken(person.userId, { organizationIds: [one.id] });
    const seen = await expectJson(page, 200, "GET", "/v1/orgs", { token: named.token });
    expect(seen.items.map((o) => o.id)).toEqual([one.id]);
    const cut = await mintToken(person.userId, { capabilities: { Documents: "Write" } });
    expect((await expectJson(page, 200, "GET", "/v1/orgs", { token: cut.token })).items).toEqual([]);
  });

  test("has pages without gaps or repeats, and refuses a forged cursor", async () => {
    const { token } = await mintPerson();
    const made: string[] = [];
    for (const name of ["A", "B", "C", "D", "E"])
      made.push((await expectJson(organization, 201, "POST", "/v1/orgs", { token, body: { name } })).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `limit=2${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { items, nextCursor } = await expectJson(page, 200, "GET", `/v1/orgs?${query}`, { token });
      seen.push(...items.map((o) => o.id));
      cursor = nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(made.sort());
    for (const bad of ["x", btoa('["no-uuid"]'), btoa("{}")])
      expect((await call("GET", `/v1/orgs?cursor=${encodeURIComponent(bad)}`, { token })).status).toBe(400);
  });
});

describe("deleting an organization", () => {
  test("is for owners only", async () => {
    const { id } = await mintOrganization();
    const admin = await mintMember(id, "admin");
    expect((await call("DELETE", `/v1/orgs/${id}`, { token: admin.token })).status).toBe(403);
  });
});
