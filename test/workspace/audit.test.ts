import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, expectJson } from "../support/call";
import { mintLocation, mintMember, mintOrganization, mintPerson, mintToken } from "../support/factories";

const entry = z.object({
  id: z.string(),
  action: z.string(),
  actor: z.object({ userId: z.string().nullable(), kind: z.string(), credentialId: z.string().nullable() }),
  subjectId: z.string(),
  details: z.record(z.string(), z.unknown()),
  ip: z.string().nullable(),
  requestId: z.string(),
  createdAtUtc: z.string(),
});
const page = z.object({ items: z.array(entry), nextCursor: z.string().nullable() });

const pathOf = (organizationId: string, query = "") => `/v1/orgs/${organizationId}/audit${query}`;

describe("the audit trail of an organization", () => {
  test("names who changed what, by which credential and from where, newest first", async () => {
    const person = await mintPerson();
    const { id: credentialId, token } = await mintToken(person.userId);
    const headers = { "cf-connecting-ip": "203.0.113.9", "x-request-id": "audited-request" };
    const organization = await expectJson(z.object({ id: z.string() }), 201, "POST", "/v1/orgs", {
      token,
      headers,
      body: { name: "Old" },
    });
    const { id } = organization;
    await call("PATCH", `/v1/orgs/${id}`, { token, body: { name: "New" } });
    const { items } = await expectJson(page, 200, "GET", pathOf(id), { token });
    expect(items.map((e) => e.action)).toEqual(["organization.renamed", "organization.created"]);
    expect(items[0]?.details).toEqual({ from: "Old", to: "New" });
    expect(items[1]).toMatchObject({
      actor: { userId: person.userId, kind: "pat", credentialId },
      subjectId: id,
      ip: "203.0.113.9",
      requestId: "audited-request",
    });
  });

  test("is visible to owners and admins only", async () => {
    const { id } = await mintOrganization();
    expect((await call("GET", pathOf(id), await mintMember(id, "admin"))).status).toBe(200);
    expect((await call("GET", pathOf(id), await mintMember(id, "member"))).status).toBe(403);
    expect((await call("GET", pathOf(id), await mintPerson())).status).toBe(404);
  });

  test("pages and filters by action, person and time", async () => {
    const { id, owner } = await mintOrganization();
    const admin = await mintMember(id, "admin");
    const { token } = owner;
    for (const name of ["A", "B", "C"]) await call("PATCH", `/v1/orgs/${id}`, { token, body: { name } });
    const { id: locationId } = await mintLocation({ organizationId: id });
    await call("DELETE", `/v1/spatial/locations/${locationId}`, admin);
    const all: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `?limit=2${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { items, nextCursor } = await expectJson(page, 200, "GET", pathOf(id, query), { token });
      all.push(...items.map((e) => e.action));
      cursor = nextCursor;
    } while (cursor !== null);
    expect(all).toEqual(["location.deleted", ...Array(3).fill("organization.renamed")]);
    const find = async (query: string) => (await expectJson(page, 200, "GET", pathOf(id, query), { token })).items;
    expect(await find("?action=location.deleted")).toHaveLength(1);
    expect(await find(`?actorUserId=${owner.userId}`)).toHaveLength(3);
    const [newest] = await find("?limit=1");
    const at = newest?.createdAtUtc ?? "";
    expect((await find(`?toUtc=${at}`)).map((e) => e.id)).not.toContain(newest?.id);
    expect((await find(`?fromUtc=${at}`)).map((e) => e.id)).toContain(newest?.id);
    expect((await call("GET", pathOf(id, "?fromUtc=yesterday"), { token })).status).toBe(400);
  });

  test("of a personal workspace is not in any organization's trail", async () => {
    const { id, owner } = await mintOrganization();
    const { id: locationId } = await mintLocation({ ownerUserId: owner.userId });
    await call("DELETE", `/v1/spatial/locations/${locationId}`, owner);
    expect((await expectJson(page, 200, "GET", pathOf(id), owner)).items).toEqual([]);
  });
});
