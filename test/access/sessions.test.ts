import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, expectJson, problem } from "../support/call";
import {
  mintSession,
  mintSignedIn,
  PASSWORD,
  register,
  sessionTokens,
  statusOf,
  tryLogin,
  tryRefresh,
} from "../support/sessions";

const refreshed = async (token: string) => {
  const response = await tryRefresh(token);
  if (response.status !== 200) throw new Error(`refresh answered ${response.status}`);
  return sessionTokens.parse(await response.json());
};

const forget = (refreshToken: string, ms: number) =>
  env.DB.prepare("UPDATE refresh_tokens SET used_at = used_at - ?2 WHERE secret_hash = ?1")
    .bind(refreshToken, ms)
    .run();

const hash = async (text: string): Promise<string> =>
  Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))), (b) =>
    b.toString(16).padStart(2, "0"),
  ).join("");

const reasons = async (subject: string) => {
  const rows = await env.DB.prepare("SELECT action, details FROM audit_entries WHERE subject_id = ? ORDER BY id")
    .bind(subject)
    .all<{ action: string; details: string }>();
  return rows.results.map(({ action, details }) => [action, JSON.parse(details).reason]);
};

const page = z.object({
  items: z.array(z.object({ id: z.string(), current: z.boolean(), ip: z.string(), userAgent: z.string() })),
  nextCursor: z.string().nullable(),
});

describe("a session", () => {
  test("continues with each refresh, and only with the newest token", async () => {
    const first = await register();
    const second = await refreshed(first.refreshToken);
    const third = await refreshed(second.refreshToken);
    expect(new Set([first, second, third].map((s) => s.refreshToken)).size).toBe(3);
    expect(await statusOf(third.accessToken)).toBe(200);
  });

  test("ends when a token is used again after its successor was used", async () => {
    const first = await register();
    const second = await refreshed(first.refreshToken);
    const third = await refreshed(second.refreshToken);
    const body = problem.parse(await (await tryRefresh(first.refreshToken)).json());
    expect(body).toMatchObject({ status: 401, code: "credential-revoked" });
    expect(await statusOf(third.accessToken)).toBe(401);
    expect((await tryRefresh(third.refreshToken)).status).toBe(401);
    const { results } = await env.DB.prepare("SELECT id FROM sessions WHERE user_id = ?")
      .bind(first.user.id)
      .all<{ id: string }>();
    expect(await reasons(results[0]?.id ?? "")).toEqual([
      ["session.created", undefined],
      ["session.ended", "refresh-token-reused"],
    ]);
  });

  test("gives a client that lost the answer the same successor again", async () => {
    const first = await register();
    const lost = await refreshed(first.refreshToken);
    const again = await refreshed(first.refreshToken);
    expect(again.refreshToken).toBe(lost.refreshToken);
    expect((await refreshed(again.refreshToken)).refreshToken).not.toBe(again.refreshToken);
  });

  test("ends after a late retry: after the grace it is a reuse", async () => {
    const first = await register();
    const second = await refreshed(first.refreshToken);
    await forget(await hash(first.refreshToken), 61_000);
    expect((await tryRefresh(first.refreshToken)).status).toBe(401);
    expect(await statusOf(second.accessToken)).toBe(401);
  });

  test("two concurrent refreshes get the same successor, which works", async () => {
    const first = await register();
    const both = await Promise.all([refreshed(first.refreshToken), refreshed(first.refreshToken)]);
    expect(both[0]?.refreshToken).toBe(both[1]?.refreshToken);
    expect(await statusOf(both[0]?.accessToken ?? "")).toBe(200);
    await refreshed(both[0]?.refreshToken ?? "");
  });

  test("gives a token for its only use to one of many, once, and the session stays", async () => {
    const { refreshToken } = await register();
    const enter = () => tryRefresh(refreshToken, { isSingleUse: true });
    const answers = await Promise.all(Array.from({ length: 4 }, enter));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const entered = sessionTokens.parse(await answers.find(({ status }) => status === 200)?.json());
    for (const isSingleUse of [true, false]) expect((await tryRefresh(refreshToken, { isSingleUse })).status).toBe(401);
    expect(await statusOf(entered.accessToken)).toBe(200);
    await refreshed(entered.refreshToken);
  });

  test("refuses the only use of a token that was used, and ends the session", async () => {
    const { refreshToken } = await register();
    const { accessToken } = await refreshed(refreshToken);
    expect((await tryRefresh(refreshToken, { isSingleUse: true })).status).toBe(401);
    expect(await statusOf(accessToken)).toBe(401);
  });

  test("refuses a string that is not a refresh token", async () => {
    for (const wrong of ["", "x", `svcrefresh1.${"0".repeat(64)}`, (await register()).accessToken.slice(0, 190)])
      expect((await tryRefresh(wrong)).status).toBe(401);
    expect((await tryRefresh("x".repeat(201))).status).toBe(400);
  });

  test("ends after thirty days without a refresh", async () => {
    const { user, refreshToken, accessToken } = await register();
    await env.DB.prepare("UPDATE sessions SET expires_at = ?2 WHERE user_id = ?1").bind(user.id, Date.now()).run();
    const body = await expectJson(problem, 401, "GET", "/v1/auth/me", { token: accessToken });
    expect(body.code).toBe("credential-expired");
    expect((await tryRefresh(refreshToken)).status).toBe(401);
  });
});

describe("signing out", () => {
  test("ends the session at once, with its refresh token", async () => {
    const { accessToken, refreshToken } = await register();
    expect((await call("POST", "/v1/auth/logout", { token: accessToken })).status).toBe(204);
    const body = await expectJson(problem, 401, "GET", "/v1/auth/me", { token: accessToken });
    expect(body.code).toBe("credential-revoked");
    expect((await tryRefresh(refreshToken)).status).toBe(401);
  });

  test("works with only the refresh token, and answers the same for an unknown one", async () => {
    const { accessToken, refreshToken } = await register();
    for (const body of [{ refreshToken: `svcrefresh1.${"1".repeat(64)}` }, { refreshToken }, { refreshToken }])
      expect((await call("POST", "/v1/auth/logout", { body })).status).toBe(204);
    expect(await statusOf(accessToken)).toBe(401);
  });

  test("with both tokens ends one session; without any token is refused", async () => {
    const { accessToken, refreshToken } = await register();
    const both = { token: accessToken, body: { refreshToken } };
    expect((await call("POST", "/v1/auth/logout", both)).status).toBe(204);
    expect(await statusOf(accessToken)).toBe(401);
    expect((await call("POST", "/v1/auth/logout")).status).toBe(401);
    expect((await call("POST", "/v1/auth/logout", { body: {} })).status).toBe(401);
  });
});

describe("the list of sessions", () => {
  test("contains the caller's sessions that have not ended, newest first, in pages, and marks the current one", async () => {
    const first = await register();
    const ip = "198.51.100.7";
    const second = sessionTokens.parse(await (await tryLogin(first.user.email, PASSWORD, ip)).json());
    await mintSession(first.user.id, { revokedAt: Date.now() });
    await mintSession(first.user.id, { expiresAt: Date.now() - 1 });
    const { token } = { token: second.accessToken };
    const all = await expectJson(page, 200, "GET", "/v1/auth/sessions", { token });
    expect(all.items.map(({ current, ip: from }) => [current, from === ip])).toEqual([
      [true, true],
      [false, false],
    ]);
    const one = await expectJson(page, 200, "GET", "/v1/auth/sessions?limit=1", { token });
    expect(one.items).toEqual(all.items.slice(0, 1));
    const rest = await expectJson(page, 200, "GET", `/v1/auth/sessions?limit=1&cursor=${one.nextCursor}`, { token });
    expect(rest).toEqual({ items: all.items.slice(1), nextCursor: null });
  });

  test("allows to end another session of the caller, but not of other users", async () => {
    const mine = await mintSignedIn();
    const other = await mintSession(mine.userId);
    const stranger = await mintSignedIn();
    const path = `/v1/auth/sessions/${other.id}`;
    await expectJson(problem, 404, "DELETE", path, { token: stranger.token });
    expect(await statusOf(other.token)).toBe(200);
    expect((await call("DELETE", path, { token: mine.token })).status).toBe(204);
    expect(await statusOf(other.token)).toBe(401);
    await expectJson(problem, 404, "DELETE", path, { token: mine.token });
    expect(await reasons(other.id)).toEqual([["session.ended", "ended-by-owner"]]);
  });

  test("ends all others of the caller in one act, and none of another person", async () => {
    const mine = await mintSignedIn();
    const others = [await mintSession(mine.userId), await mintSession(mine.userId)];
    const stranger = await mintSignedIn();
    const end = async () => (await call("POST", "/v1/auth/sessions/end-others", { token: mine.token })).status;
    expect([await end(), await end()]).toEqual([204, 204]);
    expect(await Promise.all(others.map(({ token }) => statusOf(token)))).toEqual([401, 401]);
    expect(await Promise.all([mine, stranger].map(({ token }) => statusOf(token)))).toEqual([200, 200]);
    const actions = (await reasons(mine.userId)).filter(([action]) => action === "sessions.ended");
    expect(actions).toEqual([["sessions.ended", "ended-by-owner"]]);
  });
});
