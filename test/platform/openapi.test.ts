import { describe, expect, test } from "vitest";
import { z } from "zod";
import { app } from "../../src/app";
import { call } from "../support/call";
import { mintPerson } from "../support/factories";

const operation = z.looseObject({
  tags: z.array(z.string()).optional(),
  operationId: z.string().optional(),
  summary: z.string().optional(),
  security: z.array(z.looseObject({})),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), z.unknown()).optional() })),
});
const description = z.looseObject({
  openapi: z.string(),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.looseObject({ SearchRequest: z.looseObject({ example: z.unknown() }) }) }),
});

const read = async () => description.parse(await (await call("GET", "/openapi.json")).json());
const operations = async () =>
  Object.entries((await read()).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, told]) => ({ name: `${method.toUpperCase()} ${path}`, told })),
  );

/** A security that needs nothing, beside others. */
const isNone = (one: object): boolean => Object.keys(one).length === 0;

/** Served without a description: pages and files, and the object endpoint, which follows S3. */
const UNDESCRIBED =
  /^(ALL|GET \/docs|GET \/(s|pages|console|password-reset|invitations)?(\/|$)|GET \/openapi\.json|\w+ \/objects|\w+ \/sync-hub)/;
/** The callers of these routes have no credential yet, or send it in the body. */
const WITHOUT_CREDENTIAL = [
  "POST /v1/auth/register",
  "POST /v1/auth/login",
  "POST /v1/auth/login/passkey",
  "POST /v1/auth/login/passkey/options",
  "POST /v1/auth/login/second-factor",
  "POST /v1/auth/password-reset",
  "POST /v1/auth/password-reset/complete",
  "POST /v1/auth/refresh",
  "POST /v1/auth/logout",
  // Its address is the credential.
  "GET /v1/camera-exports/{operationId}/download",
  "GET /v1/workspace-exports/{operationId}/download",
  "POST /v1/camera-ingestion/enrollments/redeem",
  "POST /v1/invitations/preview",
];

describe("the description", () => {
  test("contains every route", async () => {
    const described = new Set((await operations()).map(({ name }) => name.replace(/\{(\w+)\}/g, ":$1")));
    const served = app.routes
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => !UNDESCRIBED.test(name) && !name.includes("*"));
    expect(served.length).toBeGreaterThan(40);
    expect([...new Set(served)].filter((name) => !described.has(name))).toEqual([]);
  });

  test("has a summary and a described tag for every operation", async () => {
    const headings = new Set((await read()).tags.map(({ name }) => name));
    const used = new Set<string>();
    for (const { name, told } of await operations()) {
      expect(told.tags, name).toHaveLength(1);
      expect(told.summary, name).toMatch(/^[A-Z].{5,}[^.]$/);
      for (const tag of told.tags ?? []) used.add(tag);
    }
    expect([...used].sort()).toEqual([...headings].sort());
  });

  test("has a unique operationId of a verb and a noun for every operation", async () => {
    const ids = (await operations()).map(({ name, told }) => {
      expect(told.operationId, name).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
      return told.operationId;
    });
    expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([]);
  });

  test("has a success answer and a problem answer for every operation", async () => {
    for (const { name, told } of await operations()) {
      expect(
        Object.keys(told.responses).some((status) => /^[23]/.test(status)),
        name,
      ).toBe(true);
      expect(told.responses.default?.content, name).toHaveProperty(["application/problem+json"]);
    }
  });

  test("requires a credential except on the routes that issue one", async () => {
    const open = (await operations())
      .filter(({ name, told }) => name.includes(" /v1/") && (told.security.length === 0 || told.security.some(isNone)))
      .map(({ name }) => name);
    expect(open.sort()).toEqual([...WITHOUT_CREDENTIAL].sort());
  });

  test("has an example of a search that can be sent unchanged", async () => {
    const { token } = await mintPerson();
    const { example } = (await read()).components.schemas.SearchRequest;
    expect((await call("POST", "/v1/search", { token, body: example })).status).toBe(200);
  });
});
