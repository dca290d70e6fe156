import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  PASSKEY_CHALLENGE_LIFETIME_MS,
  RECOVERY_CODES_PER_USER,
  SIGN_INS_PER_ACCOUNT_AND_NETWORK,
} from "../../src/access/limits";
import { mailSecondFactor } from "../../src/access/second-factor/notices";
import type { Context } from "../../src/platform/context";
import type { Mail } from "../../src/platform/mail";
import {
  Authenticator,
  addPasskeyOf,
  beginAdding,
  beginSecondStep,
  beginSignIn,
  confirmSignIn,
  type Lies,
  passkey,
  signInWith,
  withSecondFactor,
} from "../support/authenticator";
import { call, codeOf, expectJson } from "../support/call";
import { mintToken } from "../support/factories";
import { systemContext } from "../support/jobs";
import {
  freshIp,
  mintReset,
  mintSession,
  PASSWORD,
  register,
  sessionTokens,
  statusOf,
  tryLogin,
} from "../support/sessions";

const PATH = "/v1/auth/second-factor";
const state = z.object({ isOn: z.boolean(), sinceUtc: z.string().nullable(), recoveryCodesLeft: z.int() });
const read = (token: string) => expectJson(state, 200, "GET", PATH, { token });
/** A queue that keeps its messages, so that the jobs wait. */
const waiting = { JOBS: { send: async () => undefined, sendBatch: async () => undefined } };
const ask = (method: string, path: string, token: string, password = PASSWORD) =>
  call(method, path, { token, body: { password }, headers: { "cf-connecting-ip": freshIp() }, bindings: waiting });

const refusedAgain = "401 invalid-credentials";

/** Confirms a sign-in with a passkey, as another one may lie. */
async function withPasskey(authenticator: Authenticator, email: string, lies: Lies = {}) {
  const { ticket, passkey } = await beginSecondStep(email);
  return confirmSignIn({ ticket, response: await authenticator.get(passkey, lies) });
}
const withCode = async (email: string, recoveryCode: string | undefined) =>
  confirmSignIn({ ticket: (await beginSecondStep(email)).ticket, recoveryCode });

const audited = async (userId: string) => {
  const rows = await env.DB.prepare(
    "SELECT action, details FROM audit_entries WHERE actor_user_id = ? ORDER BY id DESC",
  )
    .bind(userId)
    .all<{ action: string; details: string }>();
  return rows.results.map(({ action, details }): [string, unknown] => [action, JSON.parse(details)]);
};
const allTold = async (userId: string) => {
  const rows = await env.DB.prepare(
    "SELECT payload FROM jobs WHERE kind = 'mail-second-factor' AND payload LIKE ? ORDER BY id",
  )
    .bind(`%${userId}%`)
    .all<{ payload: string }>();
  return rows.results.map(({ payload }) => z.looseObject({ about: z.string() }).parse(JSON.parse(payload)).about);
};
/** Without the mails about passkeys. */
const told = async (userId: string) => (await allTold(userId)).filter((about) => !about.startsWith("passkey-"));

test("a person is told of a passkey that is added or removed", async () => {
  const { accessToken: token, user } = await register();
  const authenticator = await Authenticator.create();
  const body = { name: "Phone", response: await authenticator.create(await beginAdding(token)) };
  const options = { token, body, bindings: waiting };
  const { id } = await expectJson(passkey, 201, "POST", "/v1/auth/passkeys", options);
  expect((await ask("DELETE", `/v1/auth/passkeys/${id}`, token)).status).toBe(204);
  expect(await allTold(user.id)).toEqual(["passkey-added", "passkey-removed"]);
});

describe("a sign-in with a second factor", () => {
  test("answers the right password with a ticket and no tokens", async () => {
    const { user, authenticator } = await withSecondFactor();
    const answer = await tryLogin(user.email, PASSWORD);
    expect(answer.status).toBe(403);
    const body = z
      .looseObject({ secondStep: z.looseObject({ ticket: z.string(), passkey: z.looseObject({}) }) })
      .parse(await answer.json());
    expect(JSON.stringify(body)).not.toMatch(/accessToken|refreshToken/);
    expect(body.secondStep.passkey).toMatchObject({ allowCredentials: [{ id: authenticator.id }] });
    const { results } = await env.DB.prepare("SELECT challenge_hash FROM passkey_challenges WHERE user_id = ?")
      .bind(user.id)
      .all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(body.secondStep.ticket);
  });

  test("answers a wrong password like every other account", async () => {
    const { user } = await withSecondFactor();
    expect(await codeOf(await tryLogin(user.email, "wrong horse battery"))).toBe(refusedAgain);
  });

  test("ends with a passkey, and its session says so", async () => {
    const { user, authenticator } = await withSecondFactor();
    const { accessToken: token } = sessionTokens.parse(await (await withPasskey(authenticator, user.email)).json());
    expect(await statusOf(token)).toBe(200);
    const sessions = z.object({ items: z.array(z.looseObject({ secondFactor: z.string().nullable() })) });
    const { items } = await expectJson(sessions, 200, "GET", "/v1/auth/sessions", { token });
    expect(items.map(({ secondFactor }) => secondFactor)).toEqual(["passkey", null]);
    expect((await audited(user.id))[0]).toEqual(["session.created", { method: "password", secondFactor: "passkey" }]);
  });

  test("ends with a recovery code as people type it, once each, and the person is told", async () => {
    const { user, token, recoveryCodes } = await withSecondFactor();
    const [first = "", second = ""] = recoveryCodes;
    expect(new Set(recoveryCodes).size).toBe(RECOVERY_CODES_PER_USER);
    expect((await withCode(user.email, first)).status).toBe(200);
    expect(await codeOf(await withCode(user.email, first))).toBe(refusedAgain);
    const typed = ` ${second.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
    expect((await withCode(user.email, typed)).status).toBe(200);
    expect((await read(token)).recoveryCodesLeft).toBe(RECOVERY_CODES_PER_USER - 2);
    const { ticket } = await beginSecondStep(user.email);
    const body = { ticket, recoveryCode: recoveryCodes[2] };
    const options = { body, headers: { "cf-connecting-ip": freshIp() }, bindings: waiting };
    expect((await call("POST", "/v1/auth/login/second-factor", options)).status).toBe(200);
    expect(await told(user.id)).toEqual(["code-used"]);
    expect((await audited(user.id)).slice(0, 2)).toEqual([
      ["recovery-code.used", {}],
      ["session.created", { method: "password", secondFactor: "recovery-code" }],
    ]);
  });

  test("takes one code once, of several tries at the same time", async () => {
    const { user, recoveryCodes } = await withSecondFactor();
    const tickets = [];
    for (let n = 0; n < 3; n++) tickets.push((await beginSecondStep(user.email)).ticket);
    const answers = await Promise.all(
      tickets.map((ticket) => confirmSignIn({ ticket, recoveryCode: recoveryCodes[0] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  test("takes a ticket once, also after a refusal, and not after its time", async () => {
    const { user, authenticator, recoveryCodes } = await withSecondFactor();
    const [one = "", other = ""] = recoveryCodes;
    const wrong = await beginSecondStep(user.email);
    expect(await codeOf(await confirmSignIn({ ticket: wrong.ticket, recoveryCode: "0000-0000-0000-0000" }))).toBe(
      refusedAgain,
    );
    expect((await confirmSignIn({ ticket: wrong.ticket, recoveryCode: one })).status).toBe(401);
    const lied = await beginSecondStep(user.email);
    const response = await authenticator.get(lied.passkey, { isVerified: false });
    expect((await confirmSignIn({ ticket: lied.ticket, response })).status).toBe(401);
    expect((await confirmSignIn({ ticket: lied.ticket, response: await authenticator.get(lied.passkey) })).status).toBe(
      401,
    );
    const used = await beginSecondStep(user.email);
    expect((await confirmSignIn({ ticket: used.ticket, recoveryCode: one })).status).toBe(200);
    expect((await confirmSignIn({ ticket: used.ticket, recoveryCode: other })).status).toBe(401);
    const late = await beginSecondStep(user.email);
    await env.DB.prepare("UPDATE passkey_challenges SET expires_at = expires_at - ?")
      .bind(PASSKEY_CHALLENGE_LIFETIME_MS)
      .run();
    expect((await confirmSignIn({ ticket: late.ticket, recoveryCode: other })).status).toBe(401);
    expect((await withCode(user.email, other)).status).toBe(200);
  });

  test("is bound to its person: neither the passkey nor the code of another person confirms it", async () => {
    const [one, other] = [await withSecondFactor(), await withSecondFactor()];
    expect(await codeOf(await withPasskey(other.authenticator, one.user.email))).toBe(refusedAgain);
    const handle = one.authenticator.userHandle;
    expect((await withPasskey(other.authenticator, one.user.email, { userHandle: handle })).status).toBe(401);
    expect((await withCode(one.user.email, other.recoveryCodes[0])).status).toBe(401);
    expect((await withCode(other.user.email, other.recoveryCodes[0])).status).toBe(200);
  });

  test("is not confirmed by the challenge of a sign-in without a password, nor the other way round", async () => {
    const { user, authenticator } = await withSecondFactor();
    const { ticket, passkey } = await beginSecondStep(user.email);
    const plain = await beginSignIn();
    expect((await confirmSignIn({ ticket, response: await authenticator.get(plain) })).status).toBe(401);
    const next = await beginSecondStep(user.email);
    const response = await authenticator.get(next.passkey);
    const headers = { "cf-connecting-ip": freshIp() };
    expect((await call("POST", "/v1/auth/login/passkey", { body: { response }, headers })).status).toBe(401);
    expect(passkey.challenge).toBe(ticket);
    expect((await confirmSignIn({ ticket: plain.challenge, response })).status).toBe(401);
  });

  test.each<Lies>([
    { origin: "http://evil.test" },
    { rpId: "evil.test" },
    { isPresent: false },
    { userHandle: "AAAA" },
  ])("is refused with the lie %o", async (lies) => {
    const { user, authenticator } = await withSecondFactor();
    expect(await codeOf(await withPasskey(authenticator, user.email, lies))).toBe(refusedAgain);
    expect((await withPasskey(authenticator, user.email, { userHandle: null })).status).toBe(200);
  });

  test("refuses the copy of a passkey, whose counter stands still", async () => {
    const { user, authenticator } = await withSecondFactor();
    const status = async (counter: number) => (await withPasskey(authenticator, user.email, { counter })).status;
    expect([await status(4), await status(4), await status(5)]).toEqual([200, 401, 200]);
  });

  test("counts each step, so that a stolen password opens no series of tries", async () => {
    const { user, recoveryCodes } = await withSecondFactor();
    const ip = freshIp();
    for (let n = 0; n < SIGN_INS_PER_ACCOUNT_AND_NETWORK.limit / 2; n++) {
      const { ticket } = await beginSecondStep(user.email, ip);
      expect((await confirmSignIn({ ticket, recoveryCode: "0000-0000-0000-0000" }, ip)).status).toBe(401);
    }
    expect(await codeOf(await tryLogin(user.email, PASSWORD, ip))).toBe("429 rate-limited");
    // Tickets that were got before count, too.
    const { ticket } = await beginSecondStep(user.email);
    expect((await confirmSignIn({ ticket, recoveryCode: recoveryCodes[0] }, ip)).status).toBe(429);
    expect((await confirmSignIn({ ticket, recoveryCode: recoveryCodes[0] })).status).toBe(200);
  });

  test("clears the failed tries when it has ended well", async () => {
    const { user, recoveryCodes } = await withSecondFactor();
    const ip = freshIp();
    for (let n = 0; n < SIGN_INS_PER_ACCOUNT_AND_NETWORK.limit - 2; n++) await tryLogin(user.email, "wrong horse", ip);
    const { ticket } = await beginSecondStep(user.email, ip);
    expect((await confirmSignIn({ ticket, recoveryCode: recoveryCodes[0] }, ip)).status).toBe(200);
    expect((await tryLogin(user.email, PASSWORD, ip)).status).toBe(403);
  });

  test("is not needed with a passkey instead of the password, which is two factors already", async () => {
    const { authenticator } = await withSecondFactor();
    expect(await statusOf((await signInWith(authenticator)).accessToken)).toBe(200);
  });

  test("does not concern personal access tokens", async () => {
    const { user } = await withSecondFactor();
    expect(await statusOf((await mintToken(user.id)).token)).toBe(200);
  });
});

describe("a second factor", () => {
  test("is switched on with the password and a passkey, and ends the other sessions", async () => {
    const { accessToken: token, user } = await register();
    const other = await mintSession(user.id);
    expect(await read(token)).toEqual({ isOn: false, sinceUtc: null, recoveryCodesLeft: 0 });
    expect(await codeOf(await ask("POST", PATH, token))).toBe("422 rule-violated");
    await addPasskeyOf(await Authenticator.create(), token);
    expect(await codeOf(await ask("POST", PATH, token, "wrong horse battery"))).toBe("422 rule-violated");
    expect((await tryLogin(user.email, PASSWORD)).status).toBe(200);
    expect((await ask("POST", PATH, token)).status).toBe(200);
    expect(await read(token)).toMatchObject({ isOn: true, recoveryCodesLeft: RECOVERY_CODES_PER_USER });
    expect([await statusOf(token), await statusOf(other.token)]).toEqual([200, 401]);
    expect(await codeOf(await ask("POST", PATH, token))).toBe("409 conflict");
  });

  test("keeps its codes as hashes only", async () => {
    const { user, recoveryCodes } = await withSecondFactor();
    const { results } = await env.DB.prepare("SELECT code_hash FROM recovery_codes WHERE user_id = ?")
      .bind(user.id)
      .all<{ code_hash: string }>();
    expect(results).toHaveLength(RECOVERY_CODES_PER_USER);
    for (const { code_hash: hash } of results) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (const code of recoveryCodes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  });

  test("gets new codes in place of the earlier ones", async () => {
    const { user, token, recoveryCodes } = await withSecondFactor();
    const answer = await ask("POST", `${PATH}/recovery-codes`, token);
    const next = z.object({ recoveryCodes: z.array(z.string()) }).parse(await answer.json()).recoveryCodes;
    expect((await withCode(user.email, recoveryCodes[0])).status).toBe(401);
    expect((await withCode(user.email, next[0])).status).toBe(200);
    expect(await codeOf(await ask("POST", `${PATH}/recovery-codes`, (await register()).accessToken))).toBe(
      "404 not-found",
    );
  });

  test("is switched off with the password: the codes end, waiting sign-ins too, and the person is told", async () => {
    const { user, token, authenticator, recoveryCodes } = await withSecondFactor();
    const begun = await beginSecondStep(user.email);
    expect(await codeOf(await ask("DELETE", PATH, token, "wrong horse battery"))).toBe("422 rule-violated");
    expect((await ask("DELETE", PATH, token)).status).toBe(204);
    expect(await codeOf(await ask("DELETE", PATH, token))).toBe("404 not-found");
    expect(await read(token)).toEqual({ isOn: false, sinceUtc: null, recoveryCodesLeft: 0 });
    expect((await confirmSignIn({ ticket: begun.ticket, recoveryCode: recoveryCodes[0] })).status).toBe(401);
    expect((await tryLogin(user.email, PASSWORD)).status).toBe(200);
    expect(await told(user.id)).toEqual(["off"]);
    await signInWith(authenticator);
  });

  test("keeps the last passkey, also if two are removed at once", async () => {
    const { token, passkeyId } = await withSecondFactor();
    expect(await codeOf(await ask("DELETE", `/v1/auth/passkeys/${passkeyId}`, token))).toBe("422 rule-violated");
    const second = await addPasskeyOf(await Authenticator.create(), token);
    const both = [passkeyId, second.id].map((id) => ask("DELETE", `/v1/auth/passkeys/${id}`, token));
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([204, 422]);
  });

  test.each([false, true])(
    "stays after a new password by a link (mailed: %s) of a proven address",
    async (isMailed) => {
      const { user, recoveryCodes } = await withSecondFactor();
      await env.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(user.id).run();
      const begun = await beginSecondStep(user.email);
      const body = { token: await mintReset(user.id, { isMailed }), password: PASSWORD };
      const headers = { "cf-connecting-ip": freshIp() };
      expect((await call("POST", "/v1/auth/password-reset/complete", { body, headers })).status).toBe(204);
      expect((await confirmSignIn({ ticket: begun.ticket, recoveryCode: recoveryCodes[0] })).status).toBe(401);
      expect((await withCode(user.email, recoveryCodes[0])).status).toBe(200);
    },
  );

  test("ends when a mailed link verifies the address for the first time: another person may have set it", async () => {
    const { user } = await withSecondFactor();
    const body = { token: await mintReset(user.id), password: "another horse battery" };
    const headers = { "cf-connecting-ip": freshIp() };
    await call("POST", "/v1/auth/password-reset/complete", { body, headers });
    expect((await tryLogin(user.email, "another horse battery")).status).toBe(200);
    const { results } = await env.DB.prepare("SELECT 1 FROM recovery_codes WHERE user_id = ?").bind(user.id).all();
    expect(results).toEqual([]);
  });

  test("ends with the account", async () => {
    const { user, token } = await withSecondFactor();
    expect((await ask("DELETE", "/v1/auth/me", token)).status).toBe(204);
    const { results } = await env.DB.prepare("SELECT 1 FROM recovery_codes WHERE user_id = ?").bind(user.id).all();
    expect(results).toEqual([]);
  });
});

describe("the mail about a second factor", () => {
  async function mails(userId: string): Promise<Mail[]> {
    const sent: Mail[] = [];
    const context: Context = { ...systemContext(), mailer: async (mail) => sent.push(mail) > 0 };
    const job = { id: "", kind: "mail-second-factor", tenantId: null, state: null, attempts: 1 } as const;
    const rest = { progress: { done: 0, total: 0 }, requestedBy: null };
    await mailSecondFactor.run(context, { ...job, ...rest, payload: { userId, about: "code-used" } });
    return sent;
  }

  test("goes to a proven address in the language of the person, and to no other", async () => {
    const { user } = await register();
    expect(await mails(user.id)).toEqual([]);
    await env.DB.prepare("UPDATE users SET email_verified_at = 1, language = 'de' WHERE id = ?").bind(user.id).run();
    const [mail] = await mails(user.id);
    expect(mail).toMatchObject({ to: user.email, subject: "Ein Wiederherstellungscode wurde verwendet" });
    expect(mail?.text).toContain("/console/settings/passkeys");
  });
});
