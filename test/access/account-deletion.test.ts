import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { call, codeOf, expectJson } from "../support/call";
import { callSeveral, inEach, migrateSeveral, registerSeveral, runJobs } from "../support/databases";
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
import { HubClient } from "../support/hub";
import { issue, keyOf } from "../support/issuer";
import { eventually } from "../support/patience";
import { tablesWith } from "../support/removal";
import { mintReport } from "../support/reports";
import { freshIp, mintReset, mintSession, PASSWORD, register as registerUser, statusOf } from "../support/sessions";

/** Tables that keep the id of a deleted person, without a name or an address. */
const KEPT_IDS = new Set(
  "annotations reports audit_entries people removals workspaces rate_windows search_scopes".split(" "),
);

/** Registers a person whose name and address are in no other row. */
async function register(name = `leaver-${crypto.randomUUID()}`) {
  const email = `${name}@people.test`;
  const { accessToken, user } = await registerUser({ email, displayName: `Name of ${name}` });
  return { name, email, token: accessToken, userId: user.id };
}

const leave = (token: string, body: object = { password: PASSWORD }) =>
  call("DELETE", "/v1/auth/me", { token, body: { ...body }, headers: { "cf-connecting-ip": freshIp() } });
const invite = (token: string, id: string, email: string, role = "guest") =>
  call("POST", `/v1/orgs/${id}/members`, { token, body: { email, role } });
const isMember = async (token: string, id: string, userId: string) =>
  (await call("GET", `/v1/orgs/${id}/members/${userId}`, { token })).status === 200;

/** Fills every table in which a person can have rows. */
async function fill(person: Awaited<ReturnType<typeof register>>) {
  const { id, owner } = await mintOrganization();
  const { token, userId } = person;
  await addMember(id, userId, "admin");
  const location = await mintLocation({ organizationId: id });
  const [friend, other] = [await mintPerson(), await mintOrganization()];
  const ownCluster = await mintCluster({ ownerUserId: userId });
  const ofOther = await mintCluster({ organizationId: other.id });
  await mintGrant({ ownerUserId: userId }, friend.userId, "cluster", ownCluster, { ClusterView: "Read" });
  await mintGrant({ organizationId: other.id }, userId, "cluster", ofOther, { ClusterView: "Read" });
  const posts: [path: string, body: object, status: number][] = [
    [`/v1/spatial/locations/${location.id}/annotations`, { kind: "note", title: "Kept", body: "Text" }, 201],
    ["/v1/auth/tokens", { name: `token of ${person.name}` }, 201],
    ["/v1/auth/me/exports", {}, 202],
    ["/v1/search", { term: person.name }, 200],
    ["/v1/spatial/clusters", { organizationId: null, name: `Own of ${person.name}` }, 201],
  ];
  for (const [path, body, status] of posts) await expectJson(z.unknown(), status, "POST", path, { token, body });
  const renamed = { displayName: `Second ${person.name}` };
  await expectJson(z.unknown(), 200, "PATCH", "/v1/auth/me", { token, body: renamed });
  await mintReset(userId);
  for (const to of [other, { id, owner }]) await invite(to.owner.token, to.id, person.email);
  const reportId = await mintReport({ organizationId: id }, location, { createdBy: userId });
  return { id, owner, friend, ownCluster, reportId };
}

describe("the deletion of an account", () => {
  test("ends access at once, leaves nothing personal, and frees the address", async () => {
    const person = await register();
    const { id, owner, friend, ownCluster, reportId } = await fill(person);
    // An address that contains the address of the person stays.
    await invite(owner.token, id, `x${person.email}`);
    const tokens = [person.token, (await mintToken(person.userId)).token, (await mintSession(person.userId)).token];
    const live = await Promise.all(tokens.map((token) => HubClient.connect(token)));
    expect(await tablesWith(person.name)).toEqual(expect.arrayContaining(["audit_entries", "people", "users"]));

    expect(await codeOf(await leave(person.token, { password: "wrong" }))).toBe("422 rule-violated");
    expect(await codeOf(await leave(person.token, {}))).toBe("422 rule-violated");
    expect((await leave(person.token)).status).toBe(204);
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
    expect((await leave(person.token)).status).toBe(401);
    for (const client of live) await client.expectClosed();
    expect(await isMember(owner.token, id, person.userId)).toBe(false);
    const shared = await call("GET", `/v1/spatial/clusters/${ownCluster}`, { token: friend.token });
    expect(shared.status).toBe(404);
    const report = await call("GET", `/v1/reports/${reportId}`, { token: owner.token });
    expect(await report.json()).toMatchObject({ createdBy: person.userId, createdByName: null });
    await eventually(async () => {
      expect(await tablesWith(person.name)).toEqual(["audit_entries", "invitations"]);
      expect(await tablesWith(`"${person.email}"`)).toEqual([]);
      // The id is left of authors, in the trails of organizations, and in rows that end by themselves.
      expect((await tablesWith(person.userId)).filter((table) => !KEPT_IDS.has(table))).toEqual([]);
    });
    await env.DB.prepare("DELETE FROM invitations WHERE email = ?").bind(`x${person.email}`).run();
    expect(await tablesWith(person.name)).toEqual(["audit_entries"]);

    const again = await register(person.name);
    expect(again.userId).not.toBe(person.userId);
    const { items } = await expectJson(z.object({ items: z.array(z.unknown()) }), 200, "GET", "/v1/orgs", again);
    expect(items).toEqual([]);
  });

  test("is refused to the only owner, with the name of the organization, also when two owners leave at once", async () => {
    const [one, two] = [await register(), await register()];
    const { id, owner } = await mintOrganization({ name: "Harbour of two" });
    await addMember(id, one.userId, "owner");
    await addMember(id, two.userId, "owner");
    expect((await call("DELETE", `/v1/orgs/${id}/members/${owner.userId}`, { token: one.token })).status).toBe(204);
    const answers = await Promise.all([leave(one.token), leave(two.token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    const left = answers[0]?.status === 409 ? one : two;
    const refused = await leave(left.token);
    expect(await refused.text()).toContain("Harbour of two");
    expect((await call("DELETE", `/v1/orgs/${id}`, { token: left.token })).status).toBe(204);
    expect((await leave(left.token)).status).toBe(204);
  });

  test("happens once when it is asked for twice, and beside an invitation leaves no membership", async () => {
    const { id, owner } = await mintOrganization();
    const person = await register();
    await env.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(person.userId).run();
    const [, ...left] = await Promise.all([
      invite(owner.token, id, person.email, "member"),
      leave(person.token),
      leave(person.token),
    ]);
    expect(left.map(({ status }) => status)).toContain(204);
    for (const { status } of left) expect([204, 401]).toContain(status);
    expect(await isMember(owner.token, id, person.userId)).toBe(false);
    const late = await env.DB.prepare(
      "INSERT INTO memberships (organization_id, user_id, role, created_at) VALUES (?, ?, 'member', 0)",
    )
      .bind(id, person.userId)
      .run();
    expect(late.meta.changes).toBe(0);
  });

  test("beside a transfer of ownership leaves an owner", async () => {
    const person = await register();
    const { id, owner } = await mintOrganization();
    await addMember(id, person.userId, "owner");
    const given = { body: { role: "admin" }, token: owner.token };
    const [given_, left] = await Promise.all([
      call("PATCH", `/v1/orgs/${id}/members/${owner.userId}`, given),
      leave(person.token),
    ]);
    expect([given_.status, left.status].filter((status) => status < 300)).toHaveLength(1);
    const { results } = await env.DB.prepare(
      "SELECT user_id FROM memberships WHERE organization_id = ? AND role = 'owner'",
    )
      .bind(id)
      .all();
    expect(results).toHaveLength(1);
  });

  test("is not for tokens", async () => {
    const { id } = await mintOrganization();
    expect((await leave((await mintMember(id)).token)).status).toBe(403);
  });

  test("leaves the share links that the person made, unless they end them too", async () => {
    const made = async (revokeShareLinks: boolean) => {
      const person = await register();
      const { id } = await mintOrganization();
      await addMember(id, person.userId, "admin");
      const location = await mintLocation({ organizationId: id });
      const camera = await expectJson(
        z.object({ id: z.string() }),
        201,
        "POST",
        `/v1/spatial/locations/${location.id}/cameras`,
        {
          token: person.token,
          body: { name: "Gate" },
        },
      );
      const { token } = await expectJson(
        z.object({ token: z.string() }),
        201,
        "POST",
        `/v1/spatial/locations/${location.id}/camera-shares`,
        {
          token: person.token,
          body: { name: "Link", cameraIds: [camera.id] },
        },
      );
      expect((await leave(person.token, { password: PASSWORD, revokeShareLinks })).status).toBe(204);
      return (await call("GET", "/v1/shared-cameras", { headers: { "x-camera-share": token } })).status;
    };
    expect(await made(false)).toBe(200);
    expect(await made(true)).toBe(404);
  });

  test("of a person of an issuer needs a fresh sign-in, and tokens from before open no new account", async () => {
    const key = await keyOf("main");
    const now = Math.floor(Date.now() / 1_000);
    const claims = { email: `${crypto.randomUUID()}@partner.test`, sub: crypto.randomUUID() };
    const old = await issue("main", key, { ...claims, auth_time: now - 3_600 });
    expect(await codeOf(await leave(old, {}))).toBe("422 rule-violated");
    const fresh = await issue("main", key, claims);
    expect((await leave(fresh, {})).status).toBe(204);
    for (const token of [old, fresh]) expect(await statusOf(token)).toBe(401);
    expect(await statusOf(await issue("main", key, { ...claims, iat: now + 60 }))).toBe(200);
  });
});

describe("with several databases, the deletion of an account", () => {
  beforeAll(migrateSeveral);

  test("reaches the databases in which the person has nothing any more", async () => {
    const person = await registerSeveral();
    const body = { password: "a long enough pass phrase 7" };
    for (const name of ["first", "second"])
      await inEach(
        "INSERT OR IGNORE INTO people (id, email, display_name) VALUES (?, ?, ?)",
        person.userId,
        person.email,
        name,
      );
    expect((await callSeveral("DELETE", "/v1/auth/me", { token: person.token, body })).status).toBe(204);
    await runJobs();
    const left = await inEach<{ email: string }>("SELECT email FROM people WHERE id = ?", person.userId);
    expect(left).toEqual({ first: [{ email: "" }], second: [{ email: "" }] });
    expect((await callSeveral("GET", "/v1/auth/me", { token: person.token })).status).toBe(401);
  });
});
