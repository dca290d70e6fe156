import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, expectJson, problem } from "../support/call";
import { mintOrganization } from "../support/factories";
import { freshIp, mintSession, PASSWORD, register, sessionTokens, statusOf, tryLogin } from "../support/sessions";
import { fewestStatements } from "../support/statements";

const registration = (over: object = {}) => ({
  body: { email: "somebody@people.test", password: PASSWORD, displayName: "Some Body", ...over },
  headers: { "cf-connecting-ip": freshIp() },
});

describe("registering", () => {
  test("signs the person in, with an address that is not verified", async () => {
    const session = await register({ email: "  Ada.L@People.TEST " });
    expect(session.user).toMatchObject({ email: "ada.l@people.test", emailVerified: false, isAdmin: false });
    expect(await statusOf(session.accessToken)).toBe(200);
    expect(Date.parse(session.expiresAtUtc) - Date.now()).toBeGreaterThan(14 * 60_000);
    expect(Date.parse(session.expiresAtUtc) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
  });

  test("refuses an invalid address, password or name", async () => {
    for (const wrong of [
      { email: "nobody" },
      { displayName: "Two\nlines" },
      { displayName: "a\u0000b" },
      // The Kelvin sign, which is a k in lower case.
      { email: "\u212aate@people.test" },
      { email: `${"a".repeat(250)}@x.test` },
      { password: "short" },
      { password: "x".repeat(201) },
      { displayName: "  " },
      { isAdmin: true },
    ])
      await expectJson(problem, 400, "POST", "/v1/auth/register", registration(wrong));
    const same = registration({ email: "long.enough@people.test", password: "Long.Enough@people.test" });
    await expectJson(problem, 422, "POST", "/v1/auth/register", same);
  });

  test("refuses an address that has an account, in upper or lower case", async () => {
    const { user } = await register();
    const body = await expectJson(
      problem,
      409,
      "POST",
      "/v1/auth/register",
      registration({ email: user.email.toUpperCase() }),
    );
    expect(body.code).toBe("already-exists");
  });

  test("concurrent registrations of one address create one account", async () => {
    const email = "racer@people.test";
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call("POST", "/v1/auth/register", registration({ email }))),
    );
    expect(answers.map((a) => a.status).sort()).toEqual([201, 409, 409, 409]);
    const rows = await env.DB.prepare("SELECT count(*) AS n FROM users WHERE email = ?").bind(email).first();
    expect(rows).toEqual({ n: 1 });
  });

  test("is refused without a check of the address if it is closed or needs an invitation", async () => {
    const { user } = await register();
    for (const [vars, more] of [
      [{ REGISTRATION: "closed" }, { invitation: "x" }],
      [{ REGISTRATION: "invite" }, {}],
    ] as const)
      for (const email of [user.email, "unknown@people.test"]) {
        const answer = await expectJson(problem, 403, "POST", "/v1/auth/register", {
          ...registration({ email, ...more }),
          vars,
        });
        expect(answer.code).toBe("registration-closed");
      }
  });

  test("an unknown invitation is refused, and creates no account", async () => {
    const given = registration({ email: "uninvited@people.test", invitation: "made-up" });
    const body = await expectJson(problem, 410, "POST", "/v1/auth/register", given);
    expect(body.code).toBe("invitation-ended");
    expect((await tryLogin("uninvited@people.test", PASSWORD)).status).toBe(401);
  });

  test("the first user becomes an administrator only if the setting says so", async () => {
    expect((await register({}, { vars: { FIRST_USER_IS_ADMIN: "true" } })).user.isAdmin).toBe(false);
  });
});

describe("signing in", () => {
  test("accepts the address in any case and the password in any Unicode normalization form", async () => {
    const { user } = await register({ password: "pässwörd-über" });
    expect((await tryLogin(user.email.toUpperCase(), "pässwörd-über".normalize("NFD"))).status).toBe(200);
  });

  test("gives the same answer for a wrong password, an unknown address and an account without a password", async () => {
    const { user } = await register();
    const { owner } = await mintOrganization();
    const answers = await Promise.all(
      [user.email, "unknown@people.test", owner.email].map(async (email) => {
        const response = await tryLogin(email, "not the password");
        const { requestId, ...body } = problem.parse(await response.json());
        expect(requestId).not.toBe("");
        return { status: response.status, body };
      }),
    );
    expect(answers[0]?.status).toBe(401);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test("runs as many statements for an unknown address as for a wrong password", async () => {
    const { user } = await register();
    const statementsFor = (email: string) => fewestStatements(() => tryLogin(email, "not the password"));
    const known = await statementsFor(user.email);
    expect(known).toBeGreaterThanOrEqual(4);
    expect(await statementsFor("unknown@people.test")).toBe(known);
  });
});

const profile = z.object({
  user: z.object({ id: z.string(), displayName: z.string() }),
  isAdmin: z.boolean(),
  credential: z.object({ kind: z.string(), id: z.string().nullable(), expiresAtUtc: z.string().nullable() }),
  memberships: z.array(z.object({ organizationId: z.string(), organizationName: z.string(), role: z.string() })),
  tokenLimits: z.unknown(),
});

describe("the caller's own account", () => {
  test("shows the person, the credential and the memberships", async () => {
    const { id, owner } = await mintOrganization({ name: "Bridgeworks" });
    const session = await mintSession(owner.userId);
    const me = await expectJson(profile, 200, "GET", "/v1/auth/me", { token: session.token });
    expect(me.credential).toMatchObject({ kind: "session", id: session.id });
    expect(me.memberships).toEqual([{ organizationId: id, organizationName: "Bridgeworks", role: "owner" }]);
    expect(me.tokenLimits).toBeNull();
    const withToken = await expectJson(profile, 200, "GET", "/v1/auth/me", { token: owner.token });
    expect(withToken.credential.kind).toBe("pat");
    expect(withToken.tokenLimits).toEqual({ organizationIds: null, capabilities: null });
  });

  test("can be renamed with a session, not with a token", async () => {
    const { owner } = await mintOrganization();
    const { token } = await mintSession(owner.userId);
    const body = { displayName: "  Grace  " };
    const me = await expectJson(profile, 200, "PATCH", "/v1/auth/me", { token, body });
    expect(me.user.displayName).toBe("Grace");
    await expectJson(problem, 403, "PATCH", "/v1/auth/me", { token: owner.token, body });
    await expectJson(problem, 400, "PATCH", "/v1/auth/me", { token, body: {} });
  });

  test("a new password needs the current one and ends the other sessions", async () => {
    const first = await register();
    const second = sessionTokens.parse(await (await tryLogin(first.user.email, PASSWORD)).json());
    const next = "another good password";
    const change = (current: string, password = next) => ({
      token: second.accessToken,
      body: { password: { current, new: password } },
    });
    await expectJson(problem, 422, "PATCH", "/v1/auth/me", change("not the password"));
    await expectJson(problem, 422, "PATCH", "/v1/auth/me", change(PASSWORD, first.user.email));
    expect(await statusOf(first.accessToken)).toBe(200);
    await expectJson(profile, 200, "PATCH", "/v1/auth/me", change(PASSWORD));
    expect(await statusOf(first.accessToken)).toBe(401);
    expect(await statusOf(second.accessToken)).toBe(200);
    expect((await tryLogin(first.user.email, PASSWORD)).status).toBe(401);
    expect((await tryLogin(first.user.email, next)).status).toBe(200);
  });
});
