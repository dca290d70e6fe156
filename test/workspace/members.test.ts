import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Role } from "../../src/access";
import { grants, memberships } from "../../src/access/tables";
import { openDatabases } from "../../src/platform/db/database";
import { call, expectJson, problem } from "../support/call";
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

const member = z.object({
  userId: z.string(),
  email: z.string(),
  role: z.string(),
  overrides: z.record(z.string(), z.string()),
  revision: z.int(),
});
const invited = z.object({ member: member.nullable(), invitation: z.unknown() });
const page = z.object({ items: z.array(member), nextCursor: z.string().nullable() });

const path = (organizationId: string, userId = "") =>
  `/v1/orgs/${organizationId}/members${userId === "" ? "" : `/${userId}`}`;
const invite = (organizationId: string, token: string, email: string, role: Role, overrides?: object) =>
  call("POST", path(organizationId), { token, body: { email, role, ...(overrides && { overrides }) } });
const change = (organizationId: string, token: string, userId: string, body: object) =>
  call("PATCH", path(organizationId, userId), { token, body });
const remove = (organizationId: string, token: string, userId: string) =>
  call("DELETE", path(organizationId, userId), { token });
const owners = async (organizationId: string): Promise<string[]> => {
  const rows = await db
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.role, "owner")));
  return rows.map((row) => row.userId);
};

describe("inviting a person with an account", () => {
  test("makes them a member at once, with the address in upper or lower case", async () => {
    const { id, owner } = await mintOrganization();
    const person = await mintPerson();
    const body = { email: ` ${person.email.toUpperCase()} `, role: "member", overrides: { Documents: "Read" } };
    const { member: added } = await expectJson(invited, 201, "POST", path(id), { token: owner.token, body });
    expect(added).toMatchObject({ userId: person.userId, role: "member", overrides: { Documents: "Read" } });
    expect((await call("GET", `/v1/orgs/${id}`, person)).status).toBe(200);
    const again = await invite(id, owner.token, person.email, "admin");
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ code: "already-exists" });
  });

  test("is for owners and admins; admins cannot make owners", async () => {
    const { id } = await mintOrganization();
    const [admin, plain] = [await mintMember(id, "admin"), await mintMember(id, "member")];
    const { email } = await mintPerson();
    expect((await invite(id, plain.token, email, "guest")).status).toBe(403);
    expect((await invite(id, (await mintPerson()).token, email, "guest")).status).toBe(404);
    expect((await invite(id, admin.token, email, "owner")).status).toBe(403);
    expect((await invite(id, admin.token, email, "admin")).status).toBe(201);
  });

  test("gives no higher level than the caller has through this credential", async () => {
    const { id, owner } = await mintOrganization();
    const admin = await mintMember(id, "admin", { Reports: "Read" });
    const { email } = await mintPerson();
    const refused = await invite(id, admin.token, email, "member");
    expect(refused.status).toBe(403);
    expect(problem.parse(await refused.json()).detail).toContain("Reports");
    const narrow = await mintToken(owner.userId, { capabilities: { OrganizationView: "Write", Documents: "Read" } });
    expect((await invite(id, narrow.token, email, "member")).status).toBe(403);
    const none = { ClusterView: "None", LocationView: "None", LocationBundles: "None", LocationCameras: "None" };
    const overrides = { ...none, Reports: "None", Documents: "Read" };
    expect((await invite(id, narrow.token, email, "member", overrides)).status).toBe(201);
  });
});

describe("the list of members", () => {
  test("shows all members to members, and a guest only themself", async () => {
    const { id, owner } = await mintOrganization();
    const [plain, guest] = [await mintMember(id), await mintMember(id, "guest")];
    const seenBy = async ({ token }: { token: string }) =>
      (await expectJson(page, 200, "GET", path(id), { token })).items.map((m) => m.userId);
    expect(await seenBy(plain)).toEqual([owner.userId, plain.userId, guest.userId].sort());
    expect(await seenBy(guest)).toEqual([guest.userId]);
    expect((await call("GET", path(id, owner.userId), guest)).status).toBe(404);
    expect((await call("GET", path(id, guest.userId), guest)).status).toBe(200);
    const first = await expectJson(page, 200, "GET", `${path(id)}?limit=2`, plain);
    const rest = await expectJson(page, 200, "GET", `${path(id)}?limit=2&cursor=${first.nextCursor}`, plain);
    expect(first.items).toHaveLength(2);
    expect(rest.items).toHaveLength(1);
    expect(rest.nextCursor).toBeNull();
  });
});

describe("changing a member", () => {
  test("takes effect at their next request", async () => {
    const { id, owner } = await mintOrganization();
    const cluster = await mintCluster({ organizationId: id });
    const person = await mintMember(id, "guest");
    const read = async () => (await call("GET", `/v1/spatial/clusters/${cluster}`, person)).status;
    expect(await read()).toBe(404);
    expect((await change(id, owner.token, person.userId, { role: "member" })).status).toBe(200);
    expect(await read()).toBe(200);
    expect((await change(id, owner.token, person.userId, { overrides: { ClusterView: "None" } })).status).toBe(200);
    expect(await read()).toBe(404);
  });

  test("follows the ranks: owners change all, admins change no owners, no person raises themself", async () => {
    const { id, owner } = await mintOrganization();
    const [admin, other, plain] = [await mintMember(id, "admin"), await mintMember(id, "admin"), await mintMember(id)];
    expect((await change(id, plain.token, plain.userId, { role: "guest" })).status).toBe(403);
    expect((await change(id, admin.token, owner.userId, { role: "admin" })).status).toBe(403);
    expect((await change(id, admin.token, plain.userId, { role: "owner" })).status).toBe(403);
    expect((await change(id, admin.token, admin.userId, { role: "owner" })).status).toBe(403);
    expect((await change(id, admin.token, admin.userId, { overrides: { Reports: "None" } })).status).toBe(403);
    expect((await remove(id, admin.token, owner.userId)).status).toBe(403);
    expect((await remove(id, plain.token, admin.userId)).status).toBe(403);
    expect((await change(id, admin.token, other.userId, { role: "member" })).status).toBe(200);
    expect((await change(id, admin.token, admin.userId, { role: "member" })).status).toBe(200);
    expect((await change(id, admin.token, other.userId, { role: "admin" })).status).toBe(403);
  });

  test("cannot be undone by the member whose overrides lower their level", async () => {
    const { id } = await mintOrganization();
    const limited = await mintMember(id, "admin", { Documents: "None" });
    const plain = await mintMember(id, "guest");
    expect((await change(id, limited.token, limited.userId, { overrides: {} })).status).toBe(403);
    expect((await change(id, limited.token, plain.userId, { role: "admin" })).status).toBe(403);
  });

  test("takes an owner's overrides away, and refuses new ones", async () => {
    const { id, owner } = await mintOrganization();
    const person = await mintMember(id, "member", { Documents: "Read" });
    const made = await expectJson(member, 200, "PATCH", path(id, person.userId), {
      token: owner.token,
      body: { role: "owner" },
    });
    expect(made).toMatchObject({ role: "owner", overrides: {}, revision: 2 });
    const overrides = { OrganizationView: "None" };
    expect((await change(id, owner.token, person.userId, { overrides })).status).toBe(422);
  });

  test("from a stale revision is refused", async () => {
    const { id, owner } = await mintOrganization();
    const { userId } = await mintMember(id);
    expect((await change(id, owner.token, userId, { role: "guest", baseRevision: 2 })).status).toBe(409);
    const options = { token: owner.token, body: { role: "guest" }, headers: { "if-match": '"7"' } };
    expect((await call("PATCH", path(id, userId), options)).status).toBe(412);
    expect((await change(id, owner.token, userId, { baseRevision: 1 })).status).toBe(400);
  });
});

describe("an organization's last owner", () => {
  test("cannot be demoted or removed, and cannot leave", async () => {
    const { id, owner } = await mintOrganization();
    const demoted = await change(id, owner.token, owner.userId, { role: "admin" });
    expect(demoted.status).toBe(409);
    expect(await demoted.json()).toMatchObject({ code: "last-owner" });
    expect((await remove(id, owner.token, owner.userId)).status).toBe(409);
    expect(await owners(id)).toEqual([owner.userId]);
  });

  test("remains after owners step down, remove one another and leave concurrently", async () => {
    for (let round = 0; round < 5; round++) {
      const { id, owner } = await mintOrganization();
      const all = [owner, await mintMember(id, "owner"), await mintMember(id, "owner")];
      const moves = all.flatMap((one, i) => {
        const next = all[(i + 1) % all.length] ?? owner;
        return [
          change(id, one.token, next.userId, { role: "member" }),
          remove(id, one.token, one.userId),
          remove(id, one.token, next.userId),
        ];
      });
      for (const answer of await Promise.all(moves)) expect([200, 204, 403, 404, 409]).toContain(answer.status);
      expect((await owners(id)).length).toBeGreaterThanOrEqual(1);
    }
  });
});

describe("removing a member", () => {
  test("ends their access and their grants in the organization, and no others", async () => {
    const { id, owner } = await mintOrganization();
    const other = await mintOrganization();
    const person = await mintMember(id);
    const here = await mintLocation({ organizationId: id });
    const there = await mintLocation({ organizationId: other.id });
    await mintGrant({ organizationId: id }, person.userId, "location", here.id, { Documents: "Write" });
    await mintGrant({ organizationId: other.id }, person.userId, "location", there.id, {});
    expect((await remove(id, owner.token, person.userId)).status).toBe(204);
    expect((await call("GET", `/v1/spatial/locations/${here.id}`, person)).status).toBe(404);
    expect((await call("GET", `/v1/spatial/locations/${there.id}`, person)).status).toBe(200);
    const left = await db.select().from(grants).where(eq(grants.userId, person.userId));
    expect(left.map((grant) => grant.targetId)).toEqual([there.id]);
    const audit = await expectJson(
      z.object({ items: z.array(z.object({ action: z.string(), details: z.unknown() })) }),
      200,
      "GET",
      `/v1/orgs/${id}/audit?action=member.removed`,
      owner,
    );
    expect(audit.items).toEqual([
      {
        action: "member.removed",
        details: { role: "member", grantsEnded: 1, grants: [{ target: "location", id: here.id }] },
      },
    ]);
  });

  test("is allowed to each member for themself, with a credential that may write the organization", async () => {
    const { id } = await mintOrganization();
    const [guest, hidden] = [
      await mintMember(id, "guest"),
      await mintMember(id, "guest", { OrganizationView: "None" }),
    ];
    const readOnly = await mintToken(guest.userId, { capabilities: { OrganizationView: "Read" } });
    expect((await remove(id, readOnly.token, guest.userId)).status).toBe(403);
    const elsewhere = await mintToken(guest.userId, { organizationIds: [] });
    expect((await remove(id, elsewhere.token, guest.userId)).status).toBe(404);
    expect((await remove(id, guest.token, guest.userId)).status).toBe(204);
    expect((await remove(id, guest.token, guest.userId)).status).toBe(404);
    expect((await remove(id, hidden.token, hidden.userId)).status).toBe(204);
  });

  test("does not change another membership of the same person", async () => {
    const [one, two] = [await mintOrganization(), await mintOrganization()];
    const person = await mintMember(one.id);
    await addMember(two.id, person.userId, "member");
    expect((await remove(one.id, one.owner.token, person.userId)).status).toBe(204);
    expect((await call("GET", `/v1/orgs/${two.id}`, person)).status).toBe(200);
  });
});
