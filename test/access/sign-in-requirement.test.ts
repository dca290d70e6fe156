import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, codeOf, expectJson, problem } from "../support/call";
import {
  addMember,
  mintGrant,
  mintLocation,
  mintOrganization,
  mintPerson,
  mintToken,
  type Person,
} from "../support/factories";
import { HubClient } from "../support/hub";
import { issue, keyOf } from "../support/issuer";
import { mintSession } from "../support/sessions";

const organization = z.object({ id: z.string(), signInRequirement: z.string(), revision: z.int() });
const list = z.object({ items: z.array(z.object({ id: z.string() })) });
const membership = z.object({ organizationId: z.string(), organizationName: z.string(), role: z.string() });
const profile = z.object({ memberships: z.array(membership), needsSecondFactor: z.array(membership) });
const made = z.object({ id: z.string(), token: z.string(), hasSecondFactor: z.boolean() });

type Requirement = "none" | "admins" | "members";
const withPasskey = async ({ userId }: Pick<Person, "userId">) =>
  (await mintSession(userId, { method: "passkey" })).token;
const withCode = async ({ userId }: Pick<Person, "userId">) =>
  (await mintSession(userId, { secondFactor: "recovery-code" })).token;
const withPassword = async ({ userId }: Pick<Person, "userId">) => (await mintSession(userId)).token;

const require = (id: string, token: string, signInRequirement: Requirement, more: object = {}) =>
  call("PATCH", `/v1/orgs/${id}`, { token, body: { signInRequirement, ...more } });
const listed = async (token: string, path = "/v1/orgs") =>
  (await expectJson(list, 200, "GET", path, { token })).items.map(({ id }) => id);
const me = (token: string) => expectJson(profile, 200, "GET", "/v1/auth/me", { token });

/** An organization with a location, an admin, a member, and a guest of the location. */
async function mintSite(requirement: Requirement = "none") {
  const { id, owner } = await mintOrganization({ signInRequirement: requirement });
  const { id: locationId } = await mintLocation({ organizationId: id });
  const [admin, member, guest] = [await mintPerson(), await mintPerson(), await mintPerson()];
  await addMember(id, admin.userId, "admin");
  await addMember(id, member.userId, "member");
  await mintGrant({ organizationId: id }, guest.userId, "location", locationId, { Documents: "Read" });
  return { id, owner, admin, member, guest, locationId };
}

/** Whether a credential has anything of the organization: each of these answers as for what is absent, or none does. */
async function sees(token: string, { id, locationId }: { id: string; locationId: string }): Promise<boolean> {
  const reads = [`/v1/spatial/locations/${locationId}`, `/v1/spatial/locations/${locationId}/documents`];
  const statuses = await Promise.all(reads.map(async (path) => (await call("GET", path, { token })).status));
  const locations = (await listed(token, "/v1/spatial/locations")).includes(locationId);
  const all = [...statuses.map((status) => status === 200), locations];
  if (new Set(all).size !== 1) throw new Error(`some of it is visible: ${all}`);
  if (!locations) {
    const hidden = await call("GET", `/v1/orgs/${id}`, { token });
    expect(hidden.status).toBe(404);
  }
  return locations;
}

describe("who changes what an organization requires of a sign-in", () => {
  test("is an owner who has signed in with it, and can take it back", async () => {
    const { id, owner } = await mintSite();
    const refused = await expectJson(problem, 422, "PATCH", `/v1/orgs/${id}`, {
      token: await withPassword(owner),
      body: { signInRequirement: "members" },
    });
    expect(refused.detail).toContain("Sign in with a passkey");
    expect(await listed(await withPassword(owner))).toEqual([id]);
    for (const token of [await withPasskey(owner), await withCode(owner)]) {
      const changed = await require(id, token, "members");
      expect(organization.parse(await changed.json())).toMatchObject({ signInRequirement: "members" });
      expect(await listed(token)).toEqual([id]);
      expect(await listed(await withPassword(owner))).toEqual([]);
      expect((await require(id, token, "none")).status).toBe(200);
      expect(await listed(await withPassword(owner))).toEqual([id]);
    }
  });

  test("is no admin, and nobody with an old revision", async () => {
    const { id, owner, admin, member } = await mintSite();
    expect((await require(id, await withPasskey(admin), "admins")).status).toBe(403);
    expect((await require(id, await withPasskey(member), "admins")).status).toBe(403);
    expect((await require(id, await withPasskey(await mintPerson()), "admins")).status).toBe(404);
    expect(await codeOf(await require(id, await withPasskey(owner), "admins", { baseRevision: 7 }))).toBe(
      "409 stale-revision",
    );
  });

  test("is in the audit trail, with the requirement before", async () => {
    const { id, owner } = await mintSite();
    await require(id, await withPasskey(owner), "admins");
    const row = await env.DB.prepare("SELECT details FROM audit_entries WHERE organization_id = ? AND action = ?")
      .bind(id, "organization.sign-in-requirement-changed")
      .first<{ details: string }>();
    expect(JSON.parse(row?.details ?? "null")).toEqual({ from: "none", to: "admins" });
  });
});

describe("an organization that requires a passkey or a second factor", () => {
  test("of its admins has nothing for an owner or admin who signed in without, and all for the others", async () => {
    const site = await mintSite("admins");
    for (const person of [site.owner, site.admin]) {
      expect(await sees(await withPassword(person), site)).toBe(false);
      expect(await sees(await withPasskey(person), site)).toBe(true);
      expect(await sees(await withCode(person), site)).toBe(true);
    }
    expect(await sees(await withPassword(site.member), site)).toBe(true);
    expect((await call("GET", `/v1/spatial/locations/${site.locationId}`, { token: site.guest.token })).status).toBe(
      200,
    );
  });

  test("of all members has nothing for any of them without, with their grants too", async () => {
    const site = await mintSite("members");
    await mintGrant({ organizationId: site.id }, site.member.userId, "location", site.locationId, {
      Documents: "Read",
    });
    expect(await sees(await withPassword(site.member), site)).toBe(false);
    expect(await sees(await withPasskey(site.member), site)).toBe(true);
    expect((await call("GET", `/v1/spatial/locations/${site.locationId}`, { token: site.guest.token })).status).toBe(
      200,
    );
  });

  test("is named by the profile, so that the person learns why", async () => {
    const { id, member } = await mintSite("members");
    const shut = await me(await withPassword(member));
    expect(shut.memberships).toEqual([]);
    expect(shut.needsSecondFactor).toMatchObject([{ organizationId: id, role: "member" }]);
    expect(shut.needsSecondFactor[0]?.organizationName).not.toBe("");
    const open = await me(await withPasskey(member));
    expect(open.memberships).toMatchObject([{ organizationId: id }]);
    expect(open.needsSecondFactor).toEqual([]);
  });

  test("takes the tokens that were made in a session with it, and no others", async () => {
    const site = await mintSite("members");
    const make = async (token: string) => expectJson(made, 201, "POST", "/v1/auth/tokens", { token, body: tokenBody });
    const tokenBody = { name: "Scanner", expiresAtUtc: null };
    const weak = await make(await withPassword(site.member));
    const strong = await make(await withPasskey(site.member));
    expect([weak.hasSecondFactor, strong.hasSecondFactor]).toEqual([false, true]);
    expect(await sees(weak.token, site)).toBe(false);
    expect(await sees(strong.token, site)).toBe(true);
    const { token } = await mintToken(site.member.userId, { organizationIds: [site.id] });
    expect((await me(token)).needsSecondFactor).toMatchObject([{ organizationId: site.id }]);
    const elsewhere = await mintToken(site.member.userId, { organizationIds: [crypto.randomUUID()] });
    expect((await me(elsewhere.token)).needsSecondFactor).toEqual([]);
    const named = { ...tokenBody, organizationIds: [site.id] };
    const refused = { token: await withPassword(site.member), body: named };
    expect((await call("POST", "/v1/auth/tokens", refused)).status).toBe(422);
  });

  test("leaves people of an issuer to that issuer", async () => {
    const site = await mintSite("members");
    const [email, sub] = [`${crypto.randomUUID()}@partner.test`, crypto.randomUUID()];
    const token = await issue("main", await keyOf("main"), { email, sub });
    const { user } = await expectJson(z.object({ user: z.object({ id: z.string() }) }), 200, "GET", "/v1/auth/me", {
      token,
    });
    await addMember(site.id, user.id, "member");
    expect(await sees(token, site)).toBe(true);
  });

  test("stays hidden after its deletion, and an owner with a passkey restores it", async () => {
    const { id, owner } = await mintSite("admins");
    const [weak, strong] = [await withPassword(owner), await withPasskey(owner)];
    expect((await call("DELETE", `/v1/orgs/${id}`, { token: weak })).status).toBe(404);
    expect((await call("DELETE", `/v1/orgs/${id}`, { token: strong })).status).toBe(204);
    const deleted = z.object({ items: z.array(z.object({ organizationId: z.string() })) });
    const seen = async (token: string) => (await expectJson(deleted, 200, "GET", "/v1/orgs/deleted", { token })).items;
    expect(await seen(weak)).toEqual([]);
    expect(await seen(strong)).toMatchObject([{ organizationId: id }]);
    expect((await call("POST", `/v1/orgs/${id}/restore`, { token: weak })).status).toBe(404);
    expect((await call("POST", `/v1/orgs/${id}/restore`, { token: strong })).status).toBe(204);
  });

  test("ends live subscriptions of sessions without it when it is switched on, and no others", async () => {
    const { id, owner, member, locationId } = await mintSite();
    const weak = await HubClient.connect(await withPassword(member));
    const strong = await HubClient.connect(await withPasskey(member));
    for (const client of [weak, strong]) expect(await client.join(locationId)).toBeNull();
    await require(id, await withPasskey(owner), "members");
    await weak.expectEvent("SubscriptionRevoked", ([kind, place]) => kind === "location" && place === locationId);
    expect(await weak.join(locationId)).not.toBeNull();
    expect(await strong.join(locationId)).toBeNull();
    expect(strong.events("SubscriptionRevoked")).toEqual([]);
  });
});
