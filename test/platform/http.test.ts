import { describe, expect, test, vi } from "vitest";
import { call, expectJson, problem } from "../support/call";
import { mintPerson } from "../support/factories";

describe("every answer", () => {
  test("reports liveness and readiness", async () => {
    expect((await call("GET", "/healthz")).status).toBe(200);
    expect((await call("GET", "/readyz")).status).toBe(200);
  });

  test("carries a request id, and keeps a valid one", async () => {
    expect((await call("GET", "/healthz")).headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const kept = await call("GET", "/healthz", { headers: { "x-request-id": "my-request-0001" } });
    expect(kept.headers.get("x-request-id")).toBe("my-request-0001");
    const replaced = await call("GET", "/healthz", { headers: { "x-request-id": "bad id\tx" } });
    expect(replaced.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("to a write has a bookmark, and a read sees that write with any bookmark", async () => {
    const { token } = await mintPerson();
    const made = await call("POST", "/v1/orgs", { token, body: { name: "A" } });
    const bookmark = made.headers.get("x-bookmark") ?? "";
    expect(bookmark).not.toBe("");
    const { id } = (await made.json()) as { id: string };
    for (const sent of [bookmark, "first-unconstrained", "x".repeat(5_000)]) {
      const read = await call("GET", `/v1/orgs/${id}`, { token, headers: { "x-bookmark": sent } });
      expect([read.status, read.headers.get("x-bookmark")]).toEqual([200, null]);
    }
  });

  test("is a problem for an unknown route", async () => {
    const body = await expectJson(problem, 404, "GET", "/v1/nowhere");
    expect(body.code).toBe("not-found");
    expect(body.detail).toContain("/openapi.json");
  });

  test("lists the allowed methods of a route for another method", async () => {
    const { token } = await mintPerson();
    for (const [method, path, allow] of [
      ["GET", "/v1/search", "POST"],
      ["DELETE", "/v1/orgs", "GET, HEAD, POST"],
      ["POST", "/healthz", "GET, HEAD"],
      ["PUT", "/v1/auth/tokens/01a201cb-bb13-7170-893a-be8874f50e93", "GET, HEAD, PATCH, DELETE"],
    ] as const) {
      const response = await call(method, path, { token });
      expect([response.status, response.headers.get("allow")], path).toEqual([405, allow]);
      expect(problem.parse(await response.json())).toMatchObject({
        code: "method-not-allowed",
        detail: expect.stringContaining(allow),
      });
    }
  });

  test("is 503 while a setting is missing, and only the log names the setting", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const response = await call("GET", "/v1/orgs", {
      vars: { OBJECT_SIGNING_SECRET: "too short", REGISTRATION: "some" },
    });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(await response.text()).not.toMatch(/OBJECT_SIGNING_SECRET|REGISTRATION/);
    const lines = logged.mock.calls.map(([line]) => String(line));
    logged.mockRestore();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/settings\.refused.*REGISTRATION.*OBJECT_SIGNING_SECRET: set it with `npm run secrets`/);
    expect(lines[0]).not.toContain("too short");
  });

  test("is a problem for a body that is not JSON", async () => {
    const { token } = await mintPerson();
    for (const body of ["{", "", '{"name":"x",}', "\u0000"]) {
      const headers = { "content-type": "application/json" };
      const refused = await expectJson(problem, 400, "POST", "/v1/orgs", { token, body, headers });
      expect(["malformed-request", "validation-failed"]).toContain(refused.code);
    }
  });
});
