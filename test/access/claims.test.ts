import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { isUser } from "../../src/access";
import { callerOf } from "../../src/access/authentication/authenticate";
import { auditEntries, memberships, organizations } from "../../src/access/tables";
import type { Context } from "../../src/platform/context";
import { pageSchema } from "../../src/platform/db/cursor";
import { newIdIn } from "../../src/platform/ids";
import { parseSettings } from "../../src/platform/settings";
import { followClaims } from "../../src/workspace";
import { MAX_CLAIMED_CHANGES, SKIPPED_CLAIM_MS } from "../../src/workspace/limits";
import { memberSchema } from "../../src/workspace/members/members";
import { call, expectJson, problem } from "../support/call";
import { mintGrant, mintLocation, mintOrganization, mintPerson, type Person } from "../support/factories";
import { negotiated } from "../support/hub-requests";
import { type IssuerKey, issue, keyOf } from "../support/issuer";
import { ISSUER_AUDIENCE, issuerUrl } from "../support/issuer-service";
import { systemContext } from "../support/jobs";
import { eventually, stopClock } from "../support/patience";
import { testDatabase } from "../support/statements";

/* Memberships that the claims of an issuer bring. */

const db = testDatabase();
/** Issuers of this run alone: another one has other keys. */
const [MAIN, SECOND] = [`claims-${crypto.randomUUID()}`, `others-${crypto.randomUUID()}`];
let key: IssuerKey;
let otherKey: IssuerKey;
beforeAll(async () => {
  [key, otherKey] = [await keyOf(MAIN), await keyOf(SECOND)];
});

type GivenRole = { value: string; organizationId: string; role: "guest" | "member" | "admin" };

const issuerWith = (name: string, roles: readonly GivenRole[]) => ({
  issuer: issuerUrl(name),
  audience: ISSUER_AUDIENCE,
  jwksUrl: `${issuerUrl(name)}/jwks`,
  ...(roles.length > 0 && { memberships: { claim: "groups", roles } }),
});

let organizationId: string;
let owner: Person;
let vars: { OIDC_ISSUERS: string };
let people = 0;
let email: string;
/** The usual roles: members and admins of one organization. */
let roles: GivenRole[];

/** Takes the setting: the roles of the first issuer, and of the other. */
function set(given: readonly GivenRole[], others: readonly GivenRole[] = []): void {
  vars = { OIDC_ISSUERS: JSON.stringify([issuerWith(MAIN, given), issuerWith(SECOND, others)]) };
}

beforeEach(async () => {
  ({ id: organizationId, owner } = await mintOrganization());
  email = `claimed-${++people}-${Date.now()}@claims.test`;
  roles = [
    { value: "site", organizationId, role: "member" },
    { value: "lead", organizationId, role: "admin" },
  ];
  set(roles);
});

const seconds = () => Math.floor(Date.now() / 1_000);
const tokenOf = (groups: unknown, claims: object = {}) =>
  issue(MAIN, key, { email, ...(groups !== undefined && { groups }), ...claims });

const inbox = z.object({ items: z.array(z.object({ type: z.string() })) });
const idSchema = z.object({ user: z.object({ id: z.string() }) });
const listed = z.object({ items: z.array(z.object({ id: z.string(), role: z.string() })) });

/** What a token sees at its first request: the organizations with the role. */
const seenBy = async (token: string) =>
  (await expectJson(listed, 200, "GET", "/v1/orgs?limit=100", { token, vars })).items.map(({ id, role }) => ({
    id,
    role,
  }));
const idOf = async (token: string) => (await expectJson(idSchema, 200, "GET", "/v1/auth/me", { token, vars })).user.id;

const rowOf = async (userId: string, at = organizationId) =>
  (
    await db
      .select()
      .from(memberships)
      .where(and(eq(memberships.organizationId, at), eq(memberships.userId, userId)))
  )[0];
const auditOf = async (subjectId: string) =>
  (
    await db
      .select({ action: auditEntries.action, details: auditEntries.details, kind: auditEntries.actorKind })
      .from(auditEntries)
      .where(and(eq(auditEntries.organizationId, organizationId), eq(auditEntries.subjectId, subjectId)))
  ).sort((a, b) => (a.action < b.action ? -1 : 1));

const memberPath = (userId: string) => `/v1/orgs/${organizationId}/members/${userId}`;
const ORIGIN = issuerUrl(MAIN);

describe("a claim", () => {
  test("brings a membership at the first request, and the person is told", async () => {
    const token = await tokenOf(["other", "site"]);
    expect(await seenBy(token)).toEqual([{ id: organizationId, role: "member" }]);
    const id = await idOf(token);
    expect(await rowOf(id)).toMatchObject({ role: "member", overrides: {}, origin: ORIGIN });
    const all = await expectJson(
      pageSchema("MemberList", memberSchema),
      200,
      "GET",
      `/v1/orgs/${organizationId}/members`,
      {
        token: owner.token,
      },
    );
    expect(all.items.map(({ userId, origin }) => ({ userId, origin }))).toEqual(
      expect.arrayContaining([
        { userId: id, origin: ORIGIN },
        { userId: owner.userId, origin: null },
      ]),
    );
    expect(await auditOf(id)).toEqual([
      { action: "member.added", details: { role: "member", overrides: {}, origin: ORIGIN }, kind: "external" },
    ]);
    await eventually(async () =>
      expect((await expectJson(inbox, 200, "GET", "/v1/notifications", { token, vars })).items).toEqual([
        { type: "membership-given" },
      ]),
    );
  });

  test("with several values of one organization gives the highest role, and a text is one value", async () => {
    expect(await seenBy(await tokenOf(["site", "lead"]))).toEqual([{ id: organizationId, role: "admin" }]);
    expect(await seenBy(await tokenOf("site", { email: `text-${email}` }))).toEqual([
      { id: organizationId, role: "member" },
    ]);
  });

  test("that changes changes the role, and ends the membership with grants and invitations", async () => {
    const id = await idOf(await tokenOf(["lead"]));
    const location = await mintLocation({ organizationId });
    await mintGrant({ organizationId }, id, "location", location.id, { LocationView: "Read" });
    const admin = await tokenOf(["lead"]);
    const invited = { token: admin, vars, body: { email: `friend-${email}`, role: "member" } };
    expect((await call("POST", `/v1/orgs/${organizationId}/members`, invited)).status).toBe(201);
    expect(await seenBy(await tokenOf(["site"]))).toEqual([{ id: organizationId, role: "member" }]);
    const open = z.object({ items: z.array(z.unknown()) });
    const invitations = () =>
      expectJson(open, 200, "GET", `/v1/orgs/${organizationId}/invitations`, { token: owner.token });
    expect((await invitations()).items).toEqual([]);
    expect(await seenBy(await tokenOf([]))).toEqual([]);
    expect(await rowOf(id)).toBeUndefined();
    const reached = await call("GET", `/v1/spatial/locations/${location.id}`, { token: await tokenOf([]), vars });
    expect(reached.status).toBe(404);
    expect((await auditOf(id)).map(({ action, details }) => ({ action, details }))).toEqual([
      { action: "member.added", details: { role: "admin", overrides: {}, origin: ORIGIN } },
      {
        action: "member.changed",
        details: {
          from: { role: "admin", overrides: {}, origin: ORIGIN },
          to: { role: "member", overrides: {}, origin: ORIGIN },
        },
      },
      { action: "member.removed", details: { role: "member", origin: ORIGIN } },
    ]);
  });

  test("of an older token changes nothing after a newer one", async () => {
    const now = seconds();
    const id = await idOf(await tokenOf(["lead"], { iat: now - 60 }));
    expect(await seenBy(await tokenOf(["site"], { iat: now - 30 }))).toEqual([{ id: organizationId, role: "member" }]);
    const older = await tokenOf(["lead"], { iat: now - 60 });
    expect(await seenBy(older)).toEqual([{ id: organizationId, role: "member" }]);
    expect(await seenBy(await tokenOf([], { iat: now - 10 }))).toEqual([]);
    expect(await seenBy(older)).toEqual([]);
    expect(await rowOf(id)).toBeUndefined();
  });

  test("of a token without its time changes nothing", async () => {
    expect(await seenBy(await tokenOf(["site"], { iat: undefined }))).toEqual([]);
  });

  test("leaves a membership that a person gave, and one that a person changed", async () => {
    await idOf(await tokenOf([]));
    const given = { token: owner.token, body: { email, role: "guest" } };
    expect((await call("POST", `/v1/orgs/${organizationId}/members`, given)).status).toBe(201);
    expect(await seenBy(await tokenOf(["lead"]))).toEqual([{ id: organizationId, role: "guest" }]);
    expect(await seenBy(await tokenOf([]))).toEqual([{ id: organizationId, role: "guest" }]);
    email = `taken-${email}`;
    const taken = await idOf(await tokenOf(["site"]));
    const body = { role: "guest", baseRevision: 1 };
    const changed = await expectJson(memberSchema, 200, "PATCH", memberPath(taken), { token: owner.token, body });
    expect(changed).toMatchObject({ role: "guest", origin: null });
    expect(await seenBy(await tokenOf(["lead"]))).toEqual([{ id: organizationId, role: "guest" }]);
    expect(await seenBy(await tokenOf([]))).toEqual([{ id: organizationId, role: "guest" }]);
  });

  test("ends at the issuer: a person cannot remove the membership, while the setting brings it", async () => {
    const id = await idOf(await tokenOf(["site"]));
    const refused = await expectJson(problem, 409, "DELETE", memberPath(id), { token: owner.token, vars });
    expect(refused.detail).toContain(ORIGIN);
    // Without the setting, nothing brings it again.
    expect((await call("DELETE", memberPath(id), { token: owner.token })).status).toBe(204);
    expect(await rowOf(id)).toBeUndefined();
  });

  test("ends what it brought when the setting names it no more, and touches nothing of another issuer", async () => {
    const id = await idOf(await tokenOf(["site"]));
    await db
      .update(memberships)
      .set({ origin: issuerUrl(SECOND) })
      .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, id)));
    set([], roles);
    expect(await seenBy(await tokenOf(["lead"]))).toEqual([{ id: organizationId, role: "member" }]);
    await db
      .update(memberships)
      .set({ origin: ORIGIN })
      .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, id)));
    expect(await seenBy(await tokenOf(["lead"]))).toEqual([]);
    const foreign = await issue(SECOND, otherKey, { email: `second-${email}`, groups: ["lead"] });
    expect(await seenBy(foreign)).toEqual([{ id: organizationId, role: "admin" }]);
  });

  test("is followed by the hub, too: a program that only listens loses what it may hear", async () => {
    const id = await idOf(await tokenOf(["site"]));
    const connect = async (groups: string[]) =>
      expectJson(negotiated, 200, "POST", "/sync-hub/negotiate?negotiateVersion=1", {
        token: await tokenOf(groups),
        vars,
      });
    await connect(["site"]);
    expect(await rowOf(id)).toMatchObject({ origin: ORIGIN });
    await connect([]);
    expect(await rowOf(id)).toBeUndefined();
  });

  test("of four requests at once brings one membership", async () => {
    const id = await idOf(await tokenOf([]));
    const token = await tokenOf(["site"]);
    const all = await Promise.all(Array.from({ length: 4 }, () => seenBy(token)));
    expect(all).toEqual(Array.from({ length: 4 }, () => [{ id: organizationId, role: "member" }]));
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(["member.added"]);
    const end = await tokenOf([]);
    const ended = await Promise.all(Array.from({ length: 4 }, () => seenBy(end)));
    expect(ended).toEqual([[], [], [], []]);
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(["member.added", "member.removed"]);
  });

  test.each([
    ["a number", 7],
    ["an object", { site: true }],
    ["a list of other things", [null, 7, ["site"], { value: "site" }]],
    ["null", null],
    ["much", Array.from({ length: 700 }, (_, n) => `g${n}`)],
  ])("that is %s brings nothing", async (_, groups) => {
    expect(await seenBy(await tokenOf(groups))).toEqual([]);
  });
});

describe("an organization", () => {
  test("that is unknown is skipped, looked for again after a time, and does not keep others", async () => {
    stopClock();
    onTestFinished(() => void vi.useRealTimers());
    const later = newIdIn(organizationId);
    set([{ value: "site", organizationId: later, role: "member" }, ...roles]);
    const warn = vi.spyOn(console, "warn");
    onTestFinished(() => warn.mockRestore());
    const skips = () => warn.mock.calls.filter(([line]) => JSON.stringify(line).includes("claim.not-followed")).length;
    const token = await tokenOf(["site"], { exp: seconds() + 3_600 });
    expect(await seenBy(token)).toEqual([{ id: organizationId, role: "member" }]);
    expect(await seenBy(token)).toEqual([{ id: organizationId, role: "member" }]);
    expect(skips()).toBe(1);
    vi.setSystemTime(Date.now() + SKIPPED_CLAIM_MS - 1);
    await seenBy(token);
    expect(skips()).toBe(1);
    vi.setSystemTime(Date.now() + 1);
    await seenBy(token);
    expect(skips()).toBe(2);
  });

  test("that is deleted gets nobody, and has the people again when it is restored", async () => {
    stopClock();
    onTestFinished(() => void vi.useRealTimers());
    const id = await idOf(await tokenOf([]));
    const mine = eq(organizations.id, organizationId);
    await db.update(organizations).set({ deletedAt: Date.now() }).where(mine);
    const token = await tokenOf(["site"], { exp: seconds() + 3_600 });
    expect(await seenBy(token)).toEqual([]);
    expect(await rowOf(id)).toBeUndefined();
    await db.update(organizations).set({ deletedAt: null }).where(mine);
    vi.setSystemTime(Date.now() + SKIPPED_CLAIM_MS);
    expect(await seenBy(token)).toEqual([{ id: organizationId, role: "member" }]);
  });

  test("of many is followed by later requests", async () => {
    const many = await Promise.all(Array.from({ length: MAX_CLAIMED_CHANGES + 1 }, () => mintOrganization()));
    set(many.map(({ id }) => ({ value: "site", organizationId: id, role: "guest" })));
    const token = await tokenOf(["site"]);
    expect(await seenBy(token)).toHaveLength(MAX_CLAIMED_CHANGES);
    expect(await seenBy(token)).toHaveLength(MAX_CLAIMED_CHANGES + 1);
  });
});

test("a database that does not answer does not keep the person out, and an end is made up for at the next request", async () => {
  const signIn = async (groups: string[]) => {
    const context = systemContext();
    const OIDC_ISSUERS = parseSettings({ ...env, ...vars }).OIDC_ISSUERS;
    const own = { ...context, settings: { ...context.settings, OIDC_ISSUERS }, followClaims: async () => false };
    const caller = await callerOf(own, await tokenOf(groups));
    return isUser(caller) ? { context, caller } : expect.fail("not a person");
  };
  const away = ({ workspace, ...context }: Context): Context => {
    const none = new Proxy(workspace, {
      get(database, name) {
        if (name === "select") throw new Error("outage of the database: away");
        return Reflect.get(database, name);
      },
    });
    return { ...context, workspace: none, databases: { ...context.databases, open: () => none } };
  };
  const id = await idOf(await tokenOf(["lead"]));
  const ended = await signIn([]);
  await followClaims(away(ended.context), ended.caller);
  expect(await rowOf(id)).toMatchObject({ role: "admin" });
  await followClaims(ended.context, ended.caller);
  expect(await rowOf(id)).toBeUndefined();
  const given = await signIn(["site"]);
  await followClaims(away(given.context), given.caller);
  await followClaims(given.context, given.caller);
  expect(await rowOf(id)).toBeUndefined();
  const later = { ...given.context, now: Date.now() + SKIPPED_CLAIM_MS };
  await followClaims(later, given.caller);
  expect(await rowOf(id)).toMatchObject({ role: "member" });
});

describe("nobody else", () => {
  test("gets a membership by a claim: people of this service have no issuer", async () => {
    const { token, userId } = await mintPerson();
    expect(await seenBy(token)).toEqual([]);
    expect(await rowOf(userId)).toBeUndefined();
  });
});

test.each([
  ["an owner", { value: "site", role: "owner" }],
  ["no organization", { value: "site", role: "member", organizationId: "acme" }],
  ["an empty value", { value: "", role: "member" }],
])("the setting refuses %s", (_, wrong) => {
  const given = { organizationId, ...wrong } as GivenRole;
  const OIDC_ISSUERS = JSON.stringify([issuerWith(MAIN, [given])]);
  expect(() => parseSettings({ ...env, OIDC_ISSUERS })).toThrow("OIDC_ISSUERS");
});
