import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Authenticator, addPasskeyOf, beginSecondStep, beginSignIn, withSecondFactor } from "../support/authenticator";
import { BASE_URL, call, expectJson, problem } from "../support/call";
import {
  freshIp,
  mintReset,
  PASSWORD,
  register,
  type SessionTokens,
  sessionTokens,
  statusOf,
  tryRefresh,
} from "../support/sessions";

/** The headers that a browser sends with a request of a page of the service. */
const page = (cookie?: string) => ({
  "cf-connecting-ip": freshIp(),
  "sec-fetch-site": "same-origin",
  ...(cookie !== undefined && { cookie }),
});

/** The cookie of an answer, as a browser sends it back; null if the answer has none. */
const cookieOf = (response: Response): string | null => response.headers.get("set-cookie")?.split(";")[0] ?? null;
const attributesOf = (response: Response): string[] =>
  (response.headers.get("set-cookie") ?? "").split("; ").slice(1).sort();
/** Whether an answer deletes the cookie. */
const isDropped = (response: Response): boolean => attributesOf(response).includes("Max-Age=0");

async function begun(response: Response): Promise<SessionTokens & { cookie: string }> {
  const tokens = sessionTokens.parse(await response.json());
  return { ...tokens, cookie: cookieOf(response) ?? "" };
}

const login = async (email: string, cookie: "session" | "kept" = "session", earlier?: string) =>
  call("POST", "/v1/auth/login", { body: { email, password: PASSWORD, cookie }, headers: page(earlier) });

const refresh = (cookie: string, headers: Record<string, string> = page(cookie)) =>
  call("POST", "/v1/auth/refresh", { body: {}, headers });

const signedIn = async () => begun(await login((await register()).user.email));

const BASE = ["HttpOnly", "Path=/v1/auth", "SameSite=Strict"];

/** The headers that tell nothing, or another page. */
const OTHERS: Record<string, string>[] = [
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "none" },
  { origin: "https://other.test" },
  {},
];

describe("every way to begin a session", () => {
  const ways: Record<string, () => Promise<Response>> = {
    registration: () =>
      call("POST", "/v1/auth/register", {
        body: { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD, displayName: "Ada", cookie: "kept" },
        headers: page(),
      }),
    password: async () => login((await register()).user.email, "kept"),
    passkey: async () => {
      const { accessToken } = await register();
      const authenticator = await Authenticator.create();
      await addPasskeyOf(authenticator, accessToken);
      const response = await authenticator.get(await beginSignIn());
      return call("POST", "/v1/auth/login/passkey", { body: { response, cookie: "kept" }, headers: page() });
    },
    "second step": async () => {
      const { user, recoveryCodes } = await withSecondFactor();
      const { ticket } = await beginSecondStep(user.email);
      const body = { ticket, recoveryCode: recoveryCodes[0], cookie: "kept" };
      return call("POST", "/v1/auth/login/second-factor", { body, headers: page() });
    },
    "refresh token of an address": async () => {
      const { refreshToken } = await register();
      const body = { refreshToken, isSingleUse: true, cookie: "kept" };
      return call("POST", "/v1/auth/refresh", { body, headers: page() });
    },
  };

  test.each(Object.entries(ways))("%s gives the refresh token in the cookie alone", async (_, begin) => {
    const response = await begin();
    expect(attributesOf(response)).toEqual([...BASE, `Max-Age=${30 * 86_400}`].sort());
    const { accessToken, refreshToken, cookie } = await begun(response);
    expect(refreshToken).toBe("");
    expect(cookie).toMatch(/^refresh=svcrefresh1\.[0-9a-f]{64}$/);
    expect(await statusOf(accessToken)).toBe(200);
    const next = await refresh(cookie);
    expect(attributesOf(next)).toEqual([...BASE, `Max-Age=${30 * 86_400}`].sort());
    expect((await begun(next)).cookie).not.toBe(cookie);
    const own = z.object({ items: z.array(z.object({ current: z.boolean(), isKept: z.boolean() })) });
    const { items } = await expectJson(own, 200, "GET", "/v1/auth/sessions", { token: accessToken });
    expect(items.find(({ current }) => current)?.isKept).toBe(true);
  });

  test("gives a cookie that ends with the browser, unless the person asks to stay signed in", async () => {
    const response = await login((await register()).user.email);
    expect(attributesOf(response)).toEqual(BASE);
    expect(attributesOf(await refresh((await begun(response)).cookie))).toEqual(BASE);
  });

  test("gives a cookie that browsers send and take over https alone, if the service is at an https address", async () => {
    const vars = { PUBLIC_BASE_URL: "https://docs.example.org" };
    const headers = { "cf-connecting-ip": freshIp(), origin: vars.PUBLIC_BASE_URL };
    const body = { email: (await register()).user.email, password: PASSWORD, cookie: "session" };
    const response = await call("POST", "/v1/auth/login", { body, headers, vars });
    expect(attributesOf(response)).toEqual([...BASE, "Secure"].sort());
    const { cookie } = await begun(response);
    expect(cookie).toMatch(/^__Secure-refresh=svcrefresh1\./);
    const renew = (name: string) =>
      call("POST", "/v1/auth/refresh", {
        body: {},
        headers: { ...headers, cookie: cookie.replace("__Secure-refresh", name) },
        vars,
      });
    expect((await renew("refresh")).status).toBe(401);
    expect((await renew("__Secure-refresh")).status).toBe(200);
  });

  test("refuses a cookie to another page and to a program", async () => {
    const { user, refreshToken } = await register();
    const body = { email: user.email, password: PASSWORD, cookie: "session" };
    for (const from of OTHERS) {
      const headers = { "cf-connecting-ip": freshIp(), ...from };
      await expectJson(problem, 403, "POST", "/v1/auth/login", { body, headers });
      const moved = { refreshToken, cookie: "kept" };
      await expectJson(problem, 403, "POST", "/v1/auth/refresh", { body: moved, headers });
    }
    expect((await tryRefresh(refreshToken)).status).toBe(200);
  });

  test("takes the address of the page where a browser tells no more", async () => {
    const { user } = await register();
    const body = { email: user.email, password: PASSWORD, cookie: "session" };
    const headers = { "cf-connecting-ip": freshIp(), origin: BASE_URL };
    expect(cookieOf(await call("POST", "/v1/auth/login", { body, headers }))).not.toBeNull();
  });
});

describe("the cookie", () => {
  test("renews a session for pages of the service alone", async () => {
    const { cookie, accessToken } = await signedIn();
    for (const from of OTHERS) {
      const headers = { "cf-connecting-ip": freshIp(), cookie, ...from };
      expect((await refresh(cookie, headers)).status).toBe(401);
      expect((await call("POST", "/v1/auth/logout", { body: {}, headers })).status).toBe(401);
    }
    expect(await statusOf(accessToken)).toBe(200);
    expect((await refresh(cookie)).status).toBe(200);
  });

  test("gives all tabs that renew at once the same successor", async () => {
    const { cookie } = await signedIn();
    const tabs = await Promise.all(Array.from({ length: 4 }, async () => begun(await refresh(cookie))));
    expect(new Set(tabs.map((tab) => tab.cookie)).size).toBe(1);
    expect((await refresh(tabs[0]?.cookie ?? "")).status).toBe(200);
  });

  test("goes with the session: signing out, with and without an access token", async () => {
    for (const isKnown of [true, false]) {
      const { cookie, accessToken } = await signedIn();
      const token = isKnown ? { token: accessToken } : {};
      const response = await call("POST", "/v1/auth/logout", { body: {}, headers: page(cookie), ...token });
      expect([response.status, isDropped(response)]).toEqual([204, true]);
      expect(await statusOf(accessToken)).toBe(401);
      const late = await refresh(cookie);
      expect([late.status, isDropped(late)]).toEqual([401, true]);
    }
  });

  test("goes with a new password, a deleted account, and an end from another device", async () => {
    const forgotten = await signedIn();
    const reset = { token: await mintReset(forgotten.user.id), password: "another horse battery" };
    const done = await call("POST", "/v1/auth/password-reset/complete", {
      body: reset,
      headers: page(forgotten.cookie),
    });
    expect([done.status, isDropped(done)]).toEqual([204, true]);

    const leaving = await signedIn();
    const left = await call("DELETE", "/v1/auth/me", {
      body: { password: PASSWORD },
      headers: page(leaving.cookie),
      token: leaving.accessToken,
    });
    expect([left.status, isDropped(left)]).toEqual([204, true]);

    const first = await signedIn();
    const other = await begun(await login(first.user.email));
    const ended = await call("POST", "/v1/auth/sessions/end-others", { token: other.accessToken, headers: page() });
    expect([ended.status, isDropped(ended)]).toEqual([204, false]);
    const late = await refresh(first.cookie);
    expect([late.status, isDropped(late)]).toEqual([401, true]);
  });

  test("stays while its session goes on", async () => {
    const { cookie, accessToken, user } = await signedIn();
    const body = { password: { current: PASSWORD, new: "another horse battery" } };
    const headers = page(cookie);
    const changed = await call("PATCH", "/v1/auth/me", { body, headers, token: accessToken });
    expect([changed.status, cookieOf(changed)]).toEqual([200, null]);
    const wrong = { email: user.email, password: PASSWORD, cookie: "session" };
    const refused = await call("POST", "/v1/auth/login", { body: wrong, headers });
    expect([refused.status, cookieOf(refused)]).toEqual([401, null]);
    expect((await refresh(cookie)).status).toBe(200);
  });

  test("of an earlier session ends that session: nobody could renew it any more", async () => {
    const first = await signedIn();
    const second = await begun(await login((await register()).user.email, "session", first.cookie));
    expect(await statusOf(first.accessToken)).toBe(401);
    expect(await statusOf(second.accessToken)).toBe(200);
  });

  test("takes over a token that a page has kept, once, and the session stays", async () => {
    const { refreshToken, accessToken } = await register();
    const body = { refreshToken, cookie: "session" };
    const moved = await begun(await call("POST", "/v1/auth/refresh", { body, headers: page() }));
    expect(moved.refreshToken).toBe("");
    expect(await statusOf(accessToken)).toBe(200);
    // A page of an earlier version sends the empty token that it got.
    const renewed = await call("POST", "/v1/auth/refresh", { body: { refreshToken: "" }, headers: page(moved.cookie) });
    expect((await begun(renewed)).cookie).not.toBe(moved.cookie);
    expect((await tryRefresh(refreshToken)).status).toBe(401);
  });

  test("comes again with the repeat of a request", async () => {
    const { user } = await register();
    const body = { email: user.email, password: PASSWORD, cookie: "kept" };
    const headers = { ...page(), "idempotency-key": crypto.randomUUID() };
    const [one, two] = [
      await call("POST", "/v1/auth/login", { body, headers }),
      await call("POST", "/v1/auth/login", { body, headers }),
    ];
    expect(two.headers.get("idempotency-replayed")).toBe("true");
    expect(cookieOf(two)).toBe(cookieOf(one));
  });
});
