import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { z } from "zod";
import { call, expectJson } from "../support/call";
import { PASSWORD, register, sessionTokens, tryLogin, tryRefresh } from "../support/sessions";

/** Every row of every table, as one text. */
async function everythingStored(): Promise<string> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
  ).all<{ name: string }>();
  const rows = await Promise.all(
    tables.results
      .filter(({ name }) => !name.startsWith("sqlite_"))
      .map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`).all()),
  );
  return JSON.stringify(rows.map(({ results }) => results));
}

test("no kind of secret is stored in readable form", async () => {
  const first = await register({}, { headers: { "idempotency-key": "register-once" } });
  const login = await call("POST", "/v1/auth/login", {
    body: { email: first.user.email, password: PASSWORD },
    headers: { "idempotency-key": "login-once" },
  });
  const second = sessionTokens.parse(await login.json());
  const third = sessionTokens.parse(await (await tryRefresh(second.refreshToken)).json());
  const made = await expectJson(z.object({ token: z.string() }).loose(), 201, "POST", "/v1/auth/tokens", {
    token: third.accessToken,
    body: { name: "x" },
    headers: { "idempotency-key": "token-once" },
  });
  const next = "the password after it";
  const body = { password: { current: PASSWORD, new: next } };
  expect((await call("PATCH", "/v1/auth/me", { token: third.accessToken, body })).status).toBe(200);
  expect((await tryLogin(first.user.email, "a wrong pass phrase")).status).toBe(401);

  const stored = await everythingStored();
  expect(stored).toContain(first.user.email);
  const secrets = [PASSWORD, next, "a wrong pass phrase", "register-once", "login-once", "token-once", made.token];
  for (const { accessToken, refreshToken } of [first, second, third]) secrets.push(accessToken, refreshToken);
  for (const secret of secrets) {
    expect(stored).not.toContain(secret);
    const [last = secret] = secret.split(".").slice(-1);
    expect(stored).not.toContain(last);
    expect(stored).not.toContain(btoa(secret));
  }
});
