import { describe, expect, test } from "vitest";
import { call } from "../support/call";
import { mintPerson } from "../support/factories";

const origin = "https://console.test";
const vars = { ALLOWED_ORIGINS: `${origin}, https://other.test` };
const preflight = (path: string, from = origin) =>
  call("OPTIONS", path, {
    vars,
    headers: {
      origin: from,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "authorization",
    },
  });

describe("a page of a configured origin", () => {
  test("gets the allowed methods and headers from a preflight", async () => {
    const answer = await preflight("/v1/orgs");
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE");
    const allowed = answer.headers.get("access-control-allow-headers")?.split(", ");
    for (const name of ["authorization", "content-type", "idempotency-key", "if-match", "if-none-match", "traceparent"])
      expect(allowed).toContain(name);
    expect(allowed).toContain("x-camera-share");
  });

  test("reads answers, refusals and the exposed headers", async () => {
    const { token } = await mintPerson();
    const answers = [
      await call("GET", "/v1/orgs", { token, vars, headers: { origin } }),
      await call("GET", "/v1/orgs", { vars, headers: { origin } }),
      await call("POST", "/v1/orgs", { token, vars, body: "x", headers: { origin, "content-type": "text/plain" } }),
      await call("GET", "/v1/nowhere", { vars, headers: { origin } }),
      await call("GET", "/v1/shared-cameras", { vars, headers: { origin } }),
      await call("GET", "/openapi.json", { vars, headers: { origin } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 415, 404, 404, 200]);
    for (const { headers } of answers) {
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("vary")).toMatch(/\bOrigin\b/);
      for (const name of ["ETag", "Retry-After", "X-Request-Id", "X-Bookmark"])
        expect(headers.get("access-control-expose-headers")).toContain(name);
      // The service uses no cookie.
      expect(headers.get("access-control-allow-credentials")).toBeNull();
    }
  });
});

test("a page of another origin reads nothing, even from a cache", async () => {
  const { token } = await mintPerson();
  for (const other of ["https://elsewhere.test", "null", `${origin}.elsewhere.test`, "http://console.test"]) {
    for (const answer of [
      await preflight("/v1/orgs", other),
      await call("GET", "/v1/orgs", { token, vars, headers: { origin: other } }),
    ]) {
      expect(answer.headers.get("access-control-allow-origin"), other).toBeNull();
      expect(answer.headers.get("vary")).toMatch(/\bOrigin\b/);
    }
  }
  const alone = await call("GET", "/v1/orgs", { token, headers: { origin } });
  expect(alone.headers.get("access-control-allow-origin")).toBeNull();
});
