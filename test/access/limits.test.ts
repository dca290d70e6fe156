import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { networkOf } from "../../src/platform/http/rate-limit";
import { call } from "../support/call";
import { freshIp, PASSWORD, register, tryLogin } from "../support/sessions";

const WRONG = "not the password";

/** Fills the window of a rate limit without hashing a hundred passwords. */
const fill = (prefix: string, count: number) =>
  env.DB.prepare("UPDATE rate_windows SET count = ?2 WHERE bucket LIKE ?1 || '%'").bind(prefix, count).run();

const forgetWindows = () => env.DB.prepare("DELETE FROM rate_windows").run();
// Other files use the same rate limits in the database.
beforeAll(forgetWindows);
afterAll(forgetWindows);

describe("guessing a password", () => {
  test("is refused after ten attempts at one account from one network, with the time to wait", async () => {
    const { user } = await register();
    const ip = freshIp();
    for (let i = 0; i < 10; i++) expect((await tryLogin(user.email, WRONG, ip)).status).toBe(401);
    const refused = await tryLogin(user.email, PASSWORD, ip);
    expect(refused.status).toBe(429);
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(15 * 60);
    expect((await tryLogin(user.email, PASSWORD)).status).toBe(200);
  });

  test("has its limit reset by a correct password", async () => {
    const { user } = await register();
    const ip = freshIp();
    expect((await tryLogin(user.email, WRONG, ip)).status).toBe(401);
    await fill("sign-in:account-network:", 9);
    expect((await tryLogin(user.email, PASSWORD, ip)).status).toBe(200);
    expect((await tryLogin(user.email, WRONG, ip)).status).toBe(401);
  });

  test("counts an IPv6 /64 as one network", async () => {
    const { user } = await register();
    expect((await tryLogin(user.email, WRONG, "2001:db8:7:1::9")).status).toBe(401);
    await fill("sign-in:account-network:", 10);
    expect((await tryLogin(user.email, PASSWORD, "2001:db8:7:1:ffff::1")).status).toBe(429);
    expect((await tryLogin(user.email, PASSWORD, "2001:db8:7:2::1")).status).toBe(200);
  });

  test("from many networks is refused there, but not in a network with a session of the account", async () => {
    await forgetWindows();
    const home = freshIp();
    const { user } = await register({}, { headers: { "cf-connecting-ip": home } });
    expect((await tryLogin(user.email, WRONG)).status).toBe(401);
    await fill("sign-in:account:", 100);
    expect((await tryLogin(user.email, PASSWORD)).status).toBe(429);
    expect((await tryLogin(user.email, PASSWORD, home)).status).toBe(200);
  });

  test("at many accounts is refused only for that network", async () => {
    await forgetWindows();
    const ip = freshIp();
    expect((await tryLogin("one@people.test", WRONG, ip)).status).toBe(401);
    await fill("sign-in:network:", 150);
    expect((await tryLogin("two@people.test", WRONG, ip)).status).toBe(429);
    expect((await tryLogin("two@people.test", WRONG)).status).toBe(401);
  });

  test("is limited for unknown addresses in the same way", async () => {
    const ip = freshIp();
    expect((await tryLogin("unknown@people.test", WRONG, ip)).status).toBe(401);
    await fill("sign-in:account-network:", 10);
    expect((await tryLogin("unknown@people.test", WRONG, ip)).status).toBe(429);
  });

  test("is limited also as the current password in a stolen session", async () => {
    const { accessToken: token } = await register();
    const headers = { "cf-connecting-ip": freshIp() };
    const body = { password: { current: WRONG, new: "a brand new password" } };
    for (let i = 0; i < 10; i++)
      expect((await call("PATCH", "/v1/auth/me", { token, body, headers })).status).toBe(422);
    expect((await call("PATCH", "/v1/auth/me", { token, body, headers })).status).toBe(429);
  });
});

test("registering is limited by network and by address", async () => {
  await forgetWindows();
  const ip = freshIp();
  const attempt = (email: string, from: string) =>
    call("POST", "/v1/auth/register", {
      body: { email, password: PASSWORD, displayName: "X" },
      headers: { "cf-connecting-ip": from },
    });
  expect((await attempt("first@people.test", ip)).status).toBe(201);
  expect((await attempt("first@people.test", freshIp())).status).toBe(409);
  await fill("register:account:", 10);
  expect((await attempt("first@people.test", freshIp())).status).toBe(429);
  expect((await attempt("second@people.test", ip)).status).toBe(201);
  await fill("register:network:", 30);
  expect((await attempt("third@people.test", ip)).status).toBe(429);
  expect((await attempt("third@people.test", freshIp())).status).toBe(201);
});

test("no stored rate limit contains an address or a user", async () => {
  const { user } = await register();
  await tryLogin(user.email, WRONG);
  const { results } = await env.DB.prepare("SELECT bucket FROM rate_windows").all();
  expect(results.length).toBeGreaterThan(0);
  expect(JSON.stringify(results)).not.toContain("@");
});

test("a network is an IPv4 address or an IPv6 /64", () => {
  for (const [ip, network] of [
    ["203.0.113.9", "203.0.113.9"],
    ["unknown", "unknown"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:0DB8:0000:0000:1:2:3:4", "2001:db8:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::", "fe80:0:0:0::/64"],
  ] as const)
    expect(networkOf(ip)).toBe(network);
});
