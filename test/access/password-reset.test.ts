import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { mailPasswordReset } from "../../src/access/accounts/resets";
import type { Context } from "../../src/platform/context";
import type { Mail } from "../../src/platform/mail";
import { call, codeOf } from "../support/call";
import { mintPerson, mintToken } from "../support/factories";
import { systemContext } from "../support/jobs";
import { freshIp, mintReset, mintSession, PASSWORD, register, statusOf, tryLogin } from "../support/sessions";
import { fewestStatements } from "../support/statements";

const NEW_PASSWORD = "another horse battery";

/** Requests a link from a service with mail. */
const ask = (email: string, ip = freshIp()) =>
  call("POST", "/v1/auth/password-reset", {
    body: { email },
    headers: { "cf-connecting-ip": ip },
    vars: { MAIL_FROM: "workspace@people.test" },
    bindings: { MAIL: { send: async () => ({ messageId: "" }) } },
  });
const complete = (token: string, password = NEW_PASSWORD, ip = freshIp()) =>
  call("POST", "/v1/auth/password-reset/complete", {
    body: { token, password },
    headers: { "cf-connecting-ip": ip },
  });

/** Runs the job of an address like the queue, with a mail service. @returns the mails. */
async function mailsTo(email: string): Promise<Mail[]> {
  const sent: Mail[] = [];
  const context: Context = { ...systemContext(), mailer: async (mail) => sent.push(mail) > 0 };
  const job = { id: "", kind: "mail-password-reset", tenantId: null, payload: { email }, state: null } as const;
  const outcome = await mailPasswordReset.run(context, {
    ...job,
    attempts: 1,
    progress: { done: 0, total: 0 },
    requestedBy: null,
  });
  await outcome.change?.commit();
  return sent;
}
const tokenIn = ([mail]: Mail[]): string => /\/password-reset#([0-9a-f]{64})\n/.exec(mail?.text ?? "")?.[1] ?? "";

const queued = async (email: string) =>
  (
    await env.DB.prepare("SELECT payload FROM jobs WHERE kind = 'mail-password-reset' AND payload LIKE ?")
      .bind(`%${email}%`)
      .all()
  ).results.length;

beforeEach(async () => {
  await env.DB.prepare("DELETE FROM rate_windows WHERE bucket LIKE 'reset:%'").run();
});

describe("requesting a link", () => {
  test("gives the same answer after the same statements, whether the address has an account or not", async () => {
    const { user } = await register();
    const answers = await Promise.all([user.email, "nobody@people.test"].map((email) => ask(email)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(["", ""]);
    const statements = (email: string) => fewestStatements(async () => void (await ask(email)));
    expect(await statements(user.email)).toBe(await statements("nobody@people.test"));
    expect(await queued(user.email)).toBeGreaterThan(0);
    expect(await queued("nobody@people.test")).toBeGreaterThan(0);
  });

  test("is limited for a network with 429, and for an address without an error", async () => {
    const email = `${crypto.randomUUID()}@people.test`;
    for (let n = 0; n < 7; n++) expect((await ask(email)).status).toBe(202);
    expect(await queued(email)).toBe(5);
    const ip = freshIp();
    expect((await ask("x@people.test", ip)).status).toBe(202);
    await env.DB.prepare("UPDATE rate_windows SET count = 30 WHERE bucket LIKE 'reset:network:%'").run();
    expect(await codeOf(await ask("x@people.test", ip))).toBe("429 rate-limited");
  });

  test("mails nothing to unknown addresses, accounts of an issuer and unverified administrators", async () => {
    const issued = await mintPerson({ externalIssuer: "https://issuer.test/main", externalSubject: "reset" });
    const admin = await mintPerson({ isAdmin: true, emailVerifiedAt: null });
    for (const email of ["nobody@people.test", issued.email, admin.email]) expect(await mailsTo(email)).toEqual([]);
  });
});

describe("a link", () => {
  test("sets a new password once, ends every session and is audited", async () => {
    const { user, accessToken } = await register();
    const other = await mintSession(user.id);
    const sent = await mailsTo(user.email);
    expect(sent).toMatchObject([{ to: user.email }]);
    const rows = await env.DB.prepare("SELECT * FROM password_resets WHERE user_id = ?").bind(user.id).all();
    expect(JSON.stringify(rows.results)).not.toContain(tokenIn(sent));
    const [first, second] = await Promise.all([complete(tokenIn(sent)), complete(tokenIn(sent))]);
    expect([first.status, second.status].sort()).toEqual([204, 410]);
    for (const token of [accessToken, other.token]) expect(await statusOf(token)).toBe(401);
    expect((await tryLogin(user.email, PASSWORD)).status).toBe(401);
    expect((await tryLogin(user.email, NEW_PASSWORD)).status).toBe(200);
    expect(await codeOf(await complete(tokenIn(sent)))).toBe("410 reset-ended");
    const audit = await env.DB.prepare(
      "SELECT details FROM audit_entries WHERE action = 'password.reset' AND subject_id = ?",
    )
      .bind(user.id)
      .all();
    expect(audit.results).toEqual([{ details: '{"link":"mailed"}' }]);
  });

  test("that was mailed verifies the address and ends earlier tokens; a link of the operator does not", async () => {
    const mailed = await mintPerson({ emailVerifiedAt: null });
    const printed = await mintPerson({ emailVerifiedAt: null });
    const proven = await mintPerson();
    const pat = await mintToken(proven.userId);
    const verified = async (userId: string) =>
      (await env.DB.prepare("SELECT email_verified_at AS at FROM users WHERE id = ?").bind(userId).first())?.at !==
      null;
    expect((await complete(await mintReset(mailed.userId))).status).toBe(204);
    expect((await complete(await mintReset(printed.userId, { isMailed: false }))).status).toBe(204);
    expect((await complete(await mintReset(proven.userId))).status).toBe(204);
    expect([await verified(mailed.userId), await verified(printed.userId)]).toEqual([true, false]);
    // If the address was verified before, its owner created the tokens, and they stay.
    expect([await statusOf(mailed.token), await statusOf(printed.token), await statusOf(pat.token)]).toEqual([
      401, 200, 200,
    ]);
  });

  test("ends after an hour, with the use of another link, and with a change of the password", async () => {
    const { user, accessToken } = await register();
    const old = await mintReset(user.id, { expiresAt: Date.now() - 1 });
    expect(await codeOf(await complete(old))).toBe("410 reset-ended");
    expect(await codeOf(await complete("0".repeat(64)))).toBe("410 reset-ended");
    const changed = await mintReset(user.id);
    const body = { password: { current: PASSWORD, new: NEW_PASSWORD } };
    expect((await call("PATCH", "/v1/auth/me", { token: accessToken, body })).status).toBe(200);
    expect(await codeOf(await complete(changed))).toBe("410 reset-ended");
    const [one, two] = [await mintReset(user.id), await mintReset(user.id)];
    expect(await codeOf(await complete(one, "short"))).toBe("400 validation-failed");
    expect(await codeOf(await complete(one, user.email))).toBe("422 rule-violated");
    expect((await complete(one)).status).toBe(204);
    expect(await codeOf(await complete(two))).toBe("410 reset-ended");
  });
});
