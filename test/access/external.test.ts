import { env } from "cloudflare:workers";
import { UnsecuredJWT } from "jose";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { Authenticator, addPasskeyOf, beginSignIn, trySignIn } from "../support/authenticator";
import { call, expectJson, problem } from "../support/call";
import { mintPerson } from "../support/factories";
import { type IssuerKey, issue, keyOf, keySetReads, newIssuerKey, publishKeys, publishText } from "../support/issuer";
import { issuerUrl } from "../support/issuer-service";
import { stopClock } from "../support/patience";
import { mintSession, PASSWORD, register, statusOf, tryLogin } from "../support/sessions";

const profile = z.object({
  user: z.object({ id: z.string(), email: z.string(), displayName: z.string(), emailVerified: z.boolean() }),
  isAdmin: z.boolean(),
  credential: z.object({ kind: z.string(), id: z.null(), expiresAtUtc: z.string() }),
});
const me = (token: string, vars?: Record<string, string>) =>
  expectJson(profile, 200, "GET", "/v1/auth/me", { token, ...(vars && { vars }) });
const refusal = async (token: string) => (await expectJson(problem, 401, "GET", "/v1/auth/me", { token })).code;

let key: IssuerKey;
let secondKey: IssuerKey;
beforeAll(async () => {
  [key, secondKey] = [await keyOf("main"), await keyOf("second")];
  await publishKeys("partner", [key]);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Moves the clock forward without waiting. */
const pass = (ms: number) => vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });

describe("a JWT of an external issuer", () => {
  test("creates an account for its verified address, and finds it later by the subject", async () => {
    const [email, sub] = ["Maria@Partner.TEST", "maria-1"];
    const first = await me(await issue("main", key, { email, sub, name: "Maria" }));
    expect(first.user).toMatchObject({ email: "maria@partner.test", displayName: "Maria", emailVerified: true });
    expect(first.credential.kind).toBe("external");
    const again = await me(await issue("main", key, { email, sub, name: "M." }));
    expect(again.user).toEqual(first.user);
    const renamed = await me(await issue("main", key, { email: "maria.new@partner.test", sub }));
    expect(renamed.user).toEqual(first.user);
  });

  test("of another subject or issuer does not give access to an account that is bound", async () => {
    const email = "bound@partner.test";
    await me(await issue("main", key, { email, sub: "the first" }));
    expect(await refusal(await issue("main", key, { email, sub: "who has the address now" }))).toBe("unauthenticated");
    expect(await refusal(await issue("second", secondKey, { email, sub: "the first" }))).toBe("unauthenticated");
    const both = await Promise.allSettled(
      ["one", "two"].map(async (sub) => me(await issue("main", key, { email: "race@partner.test", sub }))),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("is accepted only for the domains of its issuer", async () => {
    for (const email of ["a@partner.test", "b@Other-Partner.test"])
      expect((await me(await issue("partner", key, { email }))).user.email).toBe(email.toLowerCase());
    for (const email of ["a@people.test", "a@sub.partner.test", "a@notpartner.test"])
      expect(await refusal(await issue("partner", key, { email }))).toBe("unauthenticated");
  });

  test("in two concurrent requests creates one account", async () => {
    const token = await issue("main", key, { email: "twice@partner.test" });
    const both = await Promise.all([me(token), me(token), me(token)]);
    expect(new Set(both.map(({ user }) => user.id)).size).toBe(1);
    const audit = await env.DB.prepare("SELECT count(*) AS n FROM audit_entries WHERE subject_id = ?")
      .bind(both[0]?.user.id)
      .first();
    expect(audit).toEqual({ n: 1 });
  });

  test("is refused if any of its claims or its signature is wrong", async () => {
    const email = "wrong@partner.test";
    const other = await newIssuerKey(key.kid);
    const unsigned = new UnsecuredJWT({ email, email_verified: true })
      .setIssuer(issuerUrl("main"))
      .setAudience("workspace-tests")
      .setSubject("s")
      .setExpirationTime("5m")
      .encode();
    const past = Math.floor(Date.now() / 1_000) - 60;
    expect(await refusal(await issue("main", key, { email, exp: past }))).toBe("credential-expired");
    for (const wrong of [
      unsigned,
      await issue("main", other, { email }),
      await issue("main", { ...key, kid: "unknown" }, { email }),
      await issue("main", key, { email, aud: "another-service" }),
      await issue("main", key, { email, iss: "https://elsewhere.test" }),
      await issue("main", key, { email, iss: issuerUrl("second") }),
      await issue("main", key, { email, exp: undefined }),
      await issue("main", key, { email, sub: undefined }),
      await issue("main", key, { email, nbf: past + 3_600 }),
      await issue("main", key, {}),
      await issue("main", key, { email: "no address" }),
      await issue("main", key, { email, email_verified: false }),
      await issue("main", key, { email, email_verified: "true" }),
      await issue("main", key, { email, email_verified: undefined }),
    ])
      expect(await refusal(wrong)).toBe("unauthenticated");
    expect(await env.DB.prepare("SELECT 1 FROM users WHERE email = ?").bind(email).first()).toBeNull();
  });

  test("signed with a shared secret is refused, even when the key set offers one", async () => {
    const secret = crypto.getRandomValues(new Uint8Array(32));
    const hmac = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const k = secret.toBase64({ alphabet: "base64url", omitPadding: true });
    const symmetric = { kid: "shared", privateKey: hmac, publicJwk: { kty: "oct", k, kid: "shared", alg: "HS256" } };
    await publishKeys("symmetric", [symmetric]);
    expect(await refusal(await issue("symmetric", symmetric, { email: "x@partner.test" }, "HS256"))).toBe(
      "unauthenticated",
    );
  });
});

describe("an address in ADMIN_EMAILS", () => {
  const vars = { ADMIN_EMAILS: "root@partner.test, Boss@Partner.test" };

  test("makes an administrator of an issuer's JWT while it is listed", async () => {
    const token = await issue("main", key, { email: "boss@partner.test" });
    expect((await me(token, vars)).isAdmin).toBe(true);
    expect((await me(token)).isAdmin).toBe(false);
    const unlisted = await issue("main", key, { email: "clerk@partner.test" });
    expect((await me(unlisted, vars)).isAdmin).toBe(false);
  });

  test("does not make an administrator by registration, or of a session or token", async () => {
    const session = await register({ email: "root@partner.test" }, { vars });
    expect(session.user.isAdmin).toBe(false);
    const answer = await call("GET", "/v1/auth/me", { token: session.accessToken, vars });
    expect(await answer.json()).toMatchObject({ isAdmin: false });
  });
});

describe("an administrator's account", () => {
  test("does not accept an issuer's proof of its address, and keeps its credentials", async () => {
    const admin = await mintPerson({ email: "chief@partner.test", isAdmin: true });
    expect(await refusal(await issue("main", key, { email: admin.email }))).toBe("unauthenticated");
    expect(await statusOf(admin.token)).toBe(200);
  });

  test("accepts the proof if ADMIN_EMAILS has its address, and administers only while it is listed", async () => {
    const admin = await mintPerson({ email: "listed@partner.test", isAdmin: true });
    const token = await issue("main", key, { email: admin.email });
    const proven = await me(token, { ADMIN_EMAILS: admin.email });
    expect(proven).toMatchObject({ user: { id: admin.userId }, isAdmin: true });
    expect((await me(token)).isAdmin).toBe(false);
    expect((await call("POST", "/v1/search/index/backfill", { token })).status).toBe(403);
  });
});

describe("a person of an external issuer", () => {
  const made = z.looseObject({ id: z.string(), token: z.string(), hasSecondFactor: z.boolean() });
  const list = z.object({ items: z.array(z.looseObject({ id: z.string() })) });

  test("makes, changes and revokes personal access tokens, which cannot make more", async () => {
    const token = await issue("main", key, { email: "programs@partner.test" });
    const { user } = await me(token);
    const create = { token, body: { name: "nightly export" } };
    const one = await expectJson(made, 201, "POST", "/v1/auth/tokens", create);
    expect(one.hasSecondFactor).toBe(true);
    const own = z.object({ user: z.object({ id: z.string() }), credential: z.looseObject({ kind: z.string() }) });
    const seen = await expectJson(own, 200, "GET", "/v1/auth/me", { token: one.token });
    expect([seen.user.id, seen.credential.kind]).toEqual([user.id, "pat"]);
    await expectJson(problem, 403, "POST", "/v1/auth/tokens", { ...create, token: one.token });
    const listed = await expectJson(list, 200, "GET", "/v1/auth/tokens", { token });
    expect(listed.items.map(({ id }) => id)).toEqual([one.id]);
    const stranger = await issue("main", key, { email: "stranger@partner.test" });
    await expectJson(problem, 404, "GET", `/v1/auth/tokens/${one.id}`, { token: stranger });
    const edit = { token, body: { name: "weekly export" } };
    expect((await call("PATCH", `/v1/auth/tokens/${one.id}`, edit)).status).toBe(200);
    expect((await call("DELETE", `/v1/auth/tokens/${one.id}`, { token })).status).toBe(204);
    expect(await statusOf(one.token)).toBe(401);
  });

  test("has tokens that end with the account", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const token = await issue("main", key, { email: "leaving@partner.test", auth_time: now });
    const { token: pat } = await expectJson(made, 201, "POST", "/v1/auth/tokens", { token, body: { name: "script" } });
    expect(await statusOf(pat)).toBe(200);
    expect((await call("DELETE", "/v1/auth/me", { token, body: {} })).status).toBe(204);
    expect(await statusOf(pat)).toBe(401);
  });

  test("cannot manage sessions, passkeys and the second factor, which belong to a password", async () => {
    const token = await issue("main", key, { email: "no-session@partner.test" });
    for (const path of ["sessions", "passkeys", "second-factor"])
      expect((await call("GET", `/v1/auth/${path}`, { token })).status).toBe(403);
  });
});

describe("an account with an unverified address", () => {
  test("loses its password, passkeys, sessions and tokens at the first proof only", async () => {
    const squatter = await register({ email: "victim@partner.test" });
    const made = await expectJson(z.object({ token: z.string() }).loose(), 201, "POST", "/v1/auth/tokens", {
      token: squatter.accessToken,
      body: { name: "back door" },
    });
    const authenticator = await Authenticator.create();
    await addPasskeyOf(authenticator, squatter.accessToken);
    const owner = await me(await issue("main", key, { email: "victim@partner.test" }));
    expect((await trySignIn(await authenticator.get(await beginSignIn()))).status).toBe(401);
    expect(owner.user).toMatchObject({ id: squatter.user.id, emailVerified: true });
    expect(await statusOf(squatter.accessToken)).toBe(401);
    expect(await statusOf(made.token)).toBe(401);
    expect((await tryLogin("victim@partner.test", PASSWORD)).status).toBe(401);
    const later = await mintSession(owner.user.id);
    await me(await issue("main", key, { email: "victim@partner.test" }));
    expect(await statusOf(later.token)).toBe(200);
    const { results } = await env.DB.prepare(
      "SELECT action FROM audit_entries WHERE subject_id = ? AND actor_kind = 'external'",
    )
      .bind(owner.user.id)
      .all();
    expect(results).toEqual([{ action: "user.proven" }]);
  });

  test("loses them even if it joined through an inviter's link, because the inviter could have used it", async () => {
    const invited = await mintPerson({ email: "invited@partner.test", emailVerifiedAt: 1 });
    await me(await issue("main", key, { email: invited.email }));
    expect(await statusOf(invited.token)).toBe(401);
  });
});

describe("an issuer's keys", () => {
  test("are fetched once for many requests, and a new key is found only after the cooldown", async () => {
    stopClock();
    const old = await newIssuerKey("old", "RS256");
    await publishKeys("rotating", [old]);
    const email = "rotating@partner.test";
    for (let i = 0; i < 5; i++) await me(await issue("rotating", old, { email }, "RS256"));
    const unknown = await newIssuerKey("new", "RS256");
    for (let i = 0; i < 5; i++)
      expect(await refusal(await issue("rotating", unknown, { email }, "RS256"))).toBe("unauthenticated");
    expect(await keySetReads("rotating")).toBe(1);
    await publishKeys("rotating", [unknown]);
    pass(31_000);
    await me(await issue("rotating", unknown, { email }, "RS256"));
    expect(await refusal(await issue("rotating", old, { email }, "RS256"))).toBe("unauthenticated");
    expect(await keySetReads("rotating")).toBe(2);
  });

  test("that cannot be fetched give 503, so the caller can try again", async () => {
    stopClock();
    await publishText("garbled", "not json");
    await publishText("shapeless", '{"keys": 1}');
    await publishText("huge", `{"keys": [], "more": "${"x".repeat(300_000)}"}`);
    for (const name of ["down", "garbled", "shapeless", "huge"] as const) {
      const token = await issue(name, key, { email: "patient@partner.test" });
      for (let i = 0; i < 3; i++) {
        const response = await call("GET", "/v1/auth/me", { token });
        expect([name, response.status]).toEqual([name, 503]);
        expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      expect(await keySetReads(name)).toBe(1);
      await publishKeys(name, [key]);
    }
    pass(6_000);
    const token = await issue("down", key, { email: "patient@partner.test" });
    expect((await me(token)).user.email).toBe("patient@partner.test");
  });
});
