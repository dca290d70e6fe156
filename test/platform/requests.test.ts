import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { describeApi } from "../../src/platform/http/description";
import { MAX_JSON_BODY_BYTES } from "../../src/platform/http/middleware";
import { consumeRateLimit, InstanceLimiter } from "../../src/platform/http/rate-limit";
import { createRouter, json, routeOf } from "../../src/platform/http/router";
import { newId } from "../../src/platform/ids";
import { DEFAULT_LANGUAGE } from "../../src/platform/languages/languages";
import { BASE_URL, call, expectJson, problem } from "../support/call";
import { mintPerson } from "../support/factories";
import { systemContext } from "../support/job-rows";

const POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const send = async (body: BodyInit | null, headers: Record<string, string> = {}, path = "/v1/orgs") => {
  const { token } = await mintPerson();
  const all = { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers };
  const response = await exports.default.fetch(
    new Request(`${BASE_URL}${path}`, { method: "POST", headers: all, body }),
  );
  return { response, body: problem.parse(await response.json()) };
};

test("a page has the language of its reader, and the first language for others", async () => {
  for (const path of ["/console/search", "/s"])
    for (const accepted of [undefined, "", "en", "en-AU;q=0.2, zz", "zz", "*", `${"zz,".repeat(500)};q=`]) {
      const headers = new Headers(accepted === undefined ? [] : [["accept-language", accepted]]);
      const response = await exports.default.fetch(new Request(`${BASE_URL}${path}`, { headers }));
      const { status, headers: answered } = response;
      expect([status, answered.get("content-language")]).toEqual([200, DEFAULT_LANGUAGE]);
      expect(answered.get("vary")).toContain("Accept-Language");
      expect(await response.text()).toContain(`<html lang="${DEFAULT_LANGUAGE}" dir="ltr">`);
    }
});

test("a page has the language that its reader accepts, or has chosen", async () => {
  for (const [accepted, cookie, language] of [
    ["de-AT, en;q=0.5", "", "de"],
    ["zz, fr;q=0.9, es;q=0.8", "", "fr"],
    ["de", "language=es", "es"],
    ["de", "other=1; language=fr", "fr"],
    ["es", "language=zz", "es"],
    ["es", "language=../../v1", "es"],
  ] as const) {
    const headers = new Headers({ "accept-language": accepted, cookie });
    const response = await exports.default.fetch(new Request(`${BASE_URL}/console/search`, { headers }));
    expect([response.status, response.headers.get("content-language")]).toEqual([200, language]);
    expect(response.headers.get("vary")).toContain("Cookie");
    expect(await response.text()).toContain(`<html lang="${language}" dir="ltr">`);
  }
});

test("every answer has the security headers: found, not found, refused, unreadable", async () => {
  const answers = [
    await call("GET", "/healthz"),
    await call("GET", "/nowhere"),
    await call("GET", "/v1/orgs"),
    await call("POST", "/v1/orgs", { body: "{" }),
    await call("GET", "/v1/orgs", { token: "junk" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 401, 401]);
  for (const { headers } of answers) {
    expect(headers.get("content-security-policy")).toBe(POLICY);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("strict-transport-security")).toContain("max-age=");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-request-id")).not.toBeNull();
  }
});

test("an operation that is deprecated says so in each answer, and in its description", async () => {
  const router = createRouter();
  const retires = { since: "2027-01-15", end: "2027-08-01", link: "https://docs.example/api-changes" };
  const route = routeOf({ tags: ["Health"], placed: "none" });
  router.onError((_, c) => c.json({}, 400));
  router.openapi(
    route({
      method: "get",
      path: "/v1/old",
      operationId: "readOld",
      request: { query: z.object({ n: z.string() }) },
      responses: { 200: json(z.object({}), "The old answer") },
      retires,
    }),
    (c) => c.json({}, 200),
  );
  for (const [query, status] of [
    ["n=1", 200],
    ["", 400],
  ] as const) {
    const answer = await router.request(`/v1/old?${query}`);
    const { headers } = answer;
    expect(answer.status).toBe(status);
    expect(headers.get("deprecation")).toBe(`@${Date.parse(retires.since) / 1_000}`);
    expect(headers.get("sunset")).toBe("Sun, 01 Aug 2027 00:00:00 GMT");
    expect(headers.get("link")).toBe(`<${retires.link}>; rel="deprecation"`);
  }
  expect(describeApi(router).paths).toMatchObject({ "/v1/old": { get: { deprecated: true } } });
});

describe("a body", () => {
  test("that is not JSON gets 400", async () => {
    for (const text of ["{", "", "not json", '{"name": }', "\u0000"]) {
      const { response, body } = await send(text);
      expect(response.status, text).toBe(400);
      expect(body.detail).toMatch(/JSON|name/);
    }
  });

  test("of another media type gets 415", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]) {
      const { response, body } = await send('{"name":"x"}', { "content-type": type });
      expect([response.status, body.code], type).toEqual([415, "unsupported-media-type"]);
    }
  });

  test("that is missing with another media type gets 415, even without a credential", async () => {
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/json; charset",
    ];
    for (const path of ["/v1/auth/login", "/v1/auth/register", "/v1/camera-ingestion/enrollments/redeem"])
      for (const type of types) {
        const headers = { "content-type": type };
        const answer = await exports.default.fetch(new Request(`${BASE_URL}${path}`, { method: "POST", headers }));
        expect([answer.status, problem.parse(await answer.json()).code], `${path} ${type}`).toEqual([
          415,
          "unsupported-media-type",
        ]);
      }
  });

  test("that is too large is refused by its Content-Length, and while it streams without one", async () => {
    const announced = await send(JSON.stringify({ name: "x".repeat(MAX_JSON_BODY_BYTES) }));
    expect([announced.response.status, announced.body.code]).toEqual([413, "content-too-large"]);
    let produced = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        produced += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(0x20));
      },
    });
    const streamed = await send(endless);
    expect(streamed.response.status).toBe(413);
    expect(produced).toBeLessThan(4 * MAX_JSON_BODY_BYTES);
  });

  test("with unknown fields gets 400 with their names", async () => {
    const { response, body } = await send('{"name":"x","__proto__":{"admin":true},"owner":"me"}');
    expect(response.status).toBe(400);
    expect(body.detail).toContain("owner");
  });
});

describe("a conditional read", () => {
  test("answers 304 without a body while the ETag is current, and in full after a change", async () => {
    const { token } = await mintPerson();
    const { id } = await expectJson(z.looseObject({ id: z.string() }), 201, "POST", "/v1/orgs", {
      token,
      body: { name: "Conditional" },
    });
    const path = `/v1/orgs/${id}`;
    const etag = (await call("GET", path, { token })).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await call("GET", path, { token, headers: { "if-none-match": held } });
      expect(response.status, held).toBe(304);
      expect(await response.text()).toBe("");
      expect(response.headers.get("etag")).toBe(etag);
    }
    const change = (headers: Record<string, string>, body: object) =>
      call("PATCH", path, { token, headers, body: { name: "Changed", ...body } });
    expect((await change({ "if-match": '"999"' }, {})).status).toBe(412);
    expect((await change({}, { baseRevision: 999 })).status).toBe(409);
    expect((await change({ "if-match": etag }, {})).status).toBe(200);
    expect((await call("GET", path, { token, headers: { "if-none-match": etag } })).status).toBe(200);
  });
});

describe("a rate limit", () => {
  const rate = { limit: 3, windowMs: 60_000 };

  test("that all isolates share is exact for simultaneous requests, and names its end", async () => {
    const context = systemContext();
    const bucket = newId();
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => consumeRateLimit(context, bucket, rate)));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    await expect(consumeRateLimit(context, bucket, rate)).rejects.toMatchObject({
      code: "rate-limited",
      extras: { retryAfter: expect.closeTo(60, 0) },
    });
    await consumeRateLimit({ ...context, now: context.now + 60_000 }, bucket, rate);
    await consumeRateLimit(context, newId(), rate);
  });

  test("of one instance limits, ends, and uses bounded memory", () => {
    const limiter = new InstanceLimiter("test", rate, 2);
    const consume = (bucket: string, now: number) => limiter.consume({ now, counted: [] }, bucket);
    for (let n = 0; n < 3; n++) consume("a", 0);
    expect(() => consume("a", 59_999)).toThrow("rate-limited");
    consume("a", 60_000);
    for (let n = 0; n < 1_000; n++) consume(`stranger-${n}`, 60_000);
  });
});

test("an invalid cursor of any form is refused", async () => {
  const { token } = await mintPerson();
  const forged = [
    btoa('{"a":1}'),
    btoa("[1,2,3]"),
    btoa("%"),
    "%%%",
    "x".repeat(999),
    btoa(encodeURIComponent("[null]")),
  ];
  for (const cursor of forged) {
    const response = await call("GET", `/v1/orgs?cursor=${encodeURIComponent(cursor)}`, { token });
    expect([response.status, problem.parse(await response.json()).code], cursor).toEqual([400, "invalid-cursor"]);
  }
  for (const limit of ["0", "101", "-1", "1.5", "x"])
    expect((await call("GET", `/v1/orgs?limit=${limit}`, { token })).status, limit).toBe(400);
});
