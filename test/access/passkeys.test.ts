import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PASSKEY_CHALLENGE_LIFETIME_MS } from "../../src/access/limits";
import {
  type Algorithm,
  Authenticator,
  addPasskeyOf,
  beginAdding,
  beginSignIn,
  type Lies,
  passkey,
  signInWith,
  trySignIn,
} from "../support/authenticator";
import { call, codeOf, expectJson } from "../support/call";
import { runThrough } from "../support/jobs";
import { freshIp, mintReset, PASSWORD, register, statusOf } from "../support/sessions";

const list = z.object({ items: z.array(passkey), nextCursor: z.string().nullable() });
const listed = async (token: string) => (await expectJson(list, 200, "GET", "/v1/auth/passkeys", { token })).items;

/** A person with a passkey. */
async function withPasskey(algorithm: Algorithm = "ES256") {
  const { accessToken: token, user } = await register();
  const authenticator = await Authenticator.create(algorithm);
  const added = await addPasskeyOf(authenticator, token);
  return { token, user, authenticator, id: added.id };
}

const add = (token: string, response: unknown) =>
  call("POST", "/v1/auth/passkeys", { token, body: { name: "Phone", response } });
const remove = (token: string, id: string, password = PASSWORD) =>
  call("DELETE", `/v1/auth/passkeys/${id}`, {
    token,
    body: { password },
    headers: { "cf-connecting-ip": freshIp() },
  });

const actions = async (userId: string) => {
  const rows = await env.DB.prepare(
    "SELECT action, details FROM audit_entries WHERE actor_user_id = ? AND action <> 'user.registered' ORDER BY id",
  )
    .bind(userId)
    .all<{ action: string; details: string }>();
  return rows.results.map(({ action, details }) => [action, JSON.parse(details)]);
};

/** The lies that no answer may tell. */
const LIES: Readonly<Record<string, Lies>> = {
  "another origin": { origin: "http://evil.test" },
  "a part of the origin": { origin: "http://workspace.test.evil.test" },
  "another relying party": { rpId: "evil.test" },
  "no user verification": { isVerified: false },
  "no user presence": { isPresent: false },
  "a page in a frame of another site": { crossOrigin: true },
  "another ceremony": { type: "payment.get" },
  "a challenge of nobody": { challenge: "A".repeat(43) },
};

describe("a passkey", () => {
  test.each<Algorithm>(["ES256", "EdDSA", "RS256"])(
    "of %s signs its person in without a password",
    async (algorithm) => {
      const { user, authenticator } = await withPasskey(algorithm);
      const session = await signInWith(authenticator);
      expect(session.user.id).toBe(user.id);
      expect(await statusOf(session.accessToken)).toBe(200);
      const [only] = await listed(session.accessToken);
      expect(only).toMatchObject({ name: "Phone", lastUsedAtUtc: expect.any(String) });
    },
  );

  test("is told in the trail and in the list of sessions", async () => {
    const { user, authenticator, token, id } = await withPasskey();
    const { accessToken } = await signInWith(authenticator);
    expect((await remove(token, id)).status).toBe(204);
    expect(await actions(user.id)).toEqual([
      ["session.created", { method: "password" }],
      ["passkey.added", { name: "Phone" }],
      ["session.created", { method: "passkey" }],
      ["passkey.removed", { name: "Phone" }],
    ]);
    const methods = z.object({ items: z.array(z.object({ method: z.string() })) });
    const { items } = await expectJson(methods, 200, "GET", "/v1/auth/sessions", { token: accessToken });
    expect(items.map(({ method }) => method)).toEqual(["passkey", "password"]);
  });

  test("needs the password of the person to be added and removed, and not to be renamed", async () => {
    const { token, id } = await withPasskey();
    const headers = { "cf-connecting-ip": freshIp() };
    const wrong = { token, body: { password: "wrong horse battery" }, headers };
    expect(await codeOf(await call("POST", "/v1/auth/passkeys/options", wrong))).toBe("422 rule-violated");
    expect(await codeOf(await remove(token, id, "wrong horse battery"))).toBe("422 rule-violated");
    const renamed = await expectJson(passkey, 200, "PATCH", `/v1/auth/passkeys/${id}`, {
      token,
      body: { name: "Key" },
    });
    expect(await listed(token)).toEqual([renamed]);
  });

  test("is not visible to others", async () => {
    const { id } = await withPasskey();
    const { accessToken: token } = await register();
    expect(await codeOf(await remove(token, id))).toBe("404 not-found");
    expect(await listed(token)).toEqual([]);
  });

  test("does not sign in after its removal", async () => {
    const { token, id, authenticator } = await withPasskey();
    const signed = await authenticator.get(await beginSignIn());
    await remove(token, id);
    expect(await codeOf(await trySignIn(signed))).toBe("401 invalid-credentials");
  });

  test("is not asked for again by an authenticator that has one of the account", async () => {
    const { token, authenticator } = await withPasskey();
    expect((await beginAdding(token)).excludeCredentials.map(({ id }) => id)).toEqual([authenticator.id]);
  });

  test("of another account cannot be added", async () => {
    const { authenticator } = await withPasskey();
    const { accessToken: token } = await register();
    const response = await authenticator.create(await beginAdding(token));
    expect(await codeOf(await add(token, response))).toBe("422 rule-violated");
    expect(await listed(token)).toEqual([]);
  });
});

describe("a sign-in with a passkey is refused", () => {
  test.each(Object.entries(LIES))("with %s", async (_, lies) => {
    const { authenticator } = await withPasskey();
    expect(await codeOf(await trySignIn(await authenticator.get(await beginSignIn(), lies)))).toBe(
      "401 invalid-credentials",
    );
    await signInWith(authenticator);
  });

  test("when its answer comes again", async () => {
    const { authenticator } = await withPasskey();
    const response = await authenticator.get(await beginSignIn());
    const answers = await Promise.all([trySignIn(response), trySignIn(response), trySignIn(response)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(await codeOf(await trySignIn(response))).toBe("401 invalid-credentials");
  });

  test("with a challenge that was answered wrongly before", async () => {
    const { authenticator } = await withPasskey();
    const options = await beginSignIn();
    await trySignIn(await authenticator.get(options, { isVerified: false }));
    expect((await trySignIn(await authenticator.get(options))).status).toBe(401);
  });

  test("with an expired challenge", async () => {
    const { authenticator } = await withPasskey();
    const options = await beginSignIn();
    await env.DB.prepare("UPDATE passkey_challenges SET expires_at = expires_at - ?")
      .bind(PASSKEY_CHALLENGE_LIFETIME_MS)
      .run();
    expect((await trySignIn(await authenticator.get(options))).status).toBe(401);
  });

  test("with the challenge for a new passkey", async () => {
    const { token, authenticator } = await withPasskey();
    const { challenge, rp } = await beginAdding(token);
    expect((await trySignIn(await authenticator.get({ challenge, rpId: rp.id }))).status).toBe(401);
  });

  test("with a tampered signature, another key or tampered data", async () => {
    const { authenticator } = await withPasskey();
    const stranger = await Authenticator.create();
    const forged = async () => {
      const options = await beginSignIn();
      return { mine: await authenticator.get(options), theirs: await stranger.get(options) };
    };
    const one = await forged();
    const signature = one.theirs.response.signature;
    expect((await trySignIn({ ...one.mine, response: { ...one.mine.response, signature } })).status).toBe(401);
    const other = await forged();
    const { id } = await Authenticator.create();
    expect((await trySignIn({ ...other.mine, id, rawId: id })).status).toBe(401);
    const third = await forged();
    const data = third.mine.response.authenticatorData.replace(/.{6}$/, "AAAABw");
    expect(
      (await trySignIn({ ...third.mine, response: { ...third.mine.response, authenticatorData: data } })).status,
    ).toBe(401);
  });

  test("if the handle names another person, or nobody", async () => {
    const { authenticator } = await withPasskey();
    const other = await withPasskey();
    for (const userHandle of [other.authenticator.userHandle, null])
      expect((await trySignIn(await authenticator.get(await beginSignIn(), { userHandle }))).status).toBe(401);
  });

  test("if the counter goes back or stands still", async () => {
    const { authenticator } = await withPasskey();
    const signIn = async (counter: number) =>
      (await trySignIn(await authenticator.get(await beginSignIn(), { counter }))).status;
    expect([await signIn(0), await signIn(5), await signIn(6)]).toEqual([200, 200, 200]);
    expect([await signIn(6), await signIn(5), await signIn(0)]).toEqual([401, 401, 401]);
    expect(await signIn(7)).toBe(200);
  });

  test("in the same words for an unknown passkey and a failed check", async () => {
    const { authenticator } = await withPasskey();
    const unknown = await Authenticator.create();
    unknown.userHandle = authenticator.userHandle;
    const detail = async (one: Authenticator, lies: Lies = {}) => {
      const answer = await trySignIn(await one.get(await beginSignIn(), lies));
      const { requestId: _, ...body } = z.looseObject({ requestId: z.string() }).parse(await answer.json());
      return body;
    };
    expect(await detail(unknown)).toEqual(await detail(authenticator, { isVerified: false }));
  });
});

describe("a new passkey is refused", () => {
  test.each(Object.entries(LIES))("with %s", async (_, lies) => {
    const { accessToken: token } = await register();
    const authenticator = await Authenticator.create();
    const response = await authenticator.create(await beginAdding(token), lies);
    expect(await codeOf(await add(token, response))).toBe("422 rule-violated");
    expect(await listed(token)).toEqual([]);
  });

  test("with the challenge of another account, of a sign-in, and one that was used", async () => {
    const [one, other] = [await register(), await register()];
    const authenticator = await Authenticator.create();
    const options = await beginAdding(other.accessToken);
    expect((await add(one.accessToken, await authenticator.create(options))).status).toBe(422);
    const { challenge } = await beginSignIn();
    expect((await add(one.accessToken, await authenticator.create({ ...options, challenge }))).status).toBe(422);
    expect((await add(other.accessToken, await authenticator.create(options))).status).toBe(201);
    const another = await Authenticator.create();
    expect((await add(other.accessToken, await another.create(options))).status).toBe(422);
  });

  test.each(["password", "reset"] as const)("when a new password was set meanwhile by %s", async (way) => {
    const { accessToken: token, user } = await register();
    const authenticator = await Authenticator.create();
    const response = await authenticator.create(await beginAdding(token));
    const headers = { "cf-connecting-ip": freshIp() };
    const next = "another horse battery";
    if (way === "password")
      await call("PATCH", "/v1/auth/me", { token, body: { password: { current: PASSWORD, new: next } }, headers });
    else {
      const body = { token: await mintReset(user.id), password: next };
      await call("POST", "/v1/auth/password-reset/complete", { body, headers });
    }
    expect((await add(token, response)).status).toBe(way === "password" ? 422 : 401);
    const { results } = await env.DB.prepare("SELECT 1 FROM passkey_challenges WHERE user_id = ?").bind(user.id).all();
    expect(results).toEqual([]);
  });
});

describe("the passkeys of an account", () => {
  const signsIn = async (authenticator: Authenticator) =>
    (await trySignIn(await authenticator.get(await beginSignIn()))).status;

  test("end with the account", async () => {
    const { token, authenticator } = await withPasskey();
    const headers = { "cf-connecting-ip": freshIp() };
    expect((await call("DELETE", "/v1/auth/me", { token, body: { password: PASSWORD }, headers })).status).toBe(204);
    expect(await signsIn(authenticator)).toBe(401);
  });

  test("end when a mailed link verifies the address for the first time, and stay afterwards", async () => {
    const { authenticator, user } = await withPasskey();
    const reset = async (isMailed: boolean) => {
      const body = { token: await mintReset(user.id, { isMailed }), password: "another horse battery" };
      const headers = { "cf-connecting-ip": freshIp() };
      expect((await call("POST", "/v1/auth/password-reset/complete", { body, headers })).status).toBe(204);
    };
    await reset(false);
    expect(await signsIn(authenticator)).toBe(200);
    await reset(true);
    expect(await signsIn(authenticator)).toBe(401);

    const proven = await withPasskey();
    await env.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(proven.user.id).run();
    const body = { token: await mintReset(proven.user.id), password: "another horse battery" };
    await call("POST", "/v1/auth/password-reset/complete", { body, headers: { "cf-connecting-ip": freshIp() } });
    expect(await signsIn(proven.authenticator)).toBe(200);
  });

  test("their challenges are swept when they have ended", async () => {
    await beginSignIn();
    await env.DB.prepare("UPDATE passkey_challenges SET expires_at = 1").run();
    const live = await beginSignIn();
    await runThrough("expire-credentials", [{}]);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM passkey_challenges").first<{ n: number }>();
    expect([left?.n, live.challenge.length]).toEqual([1, 43]);
  });
});
