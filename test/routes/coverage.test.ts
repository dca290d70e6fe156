import { Hono } from "hono";
import { expect, test } from "vitest";
import { z } from "zod";
import { app } from "../../src/app";
import { expectJson } from "../support/call";
import { allRows } from "./tables";

const listed = allRows.map((row) => row.route as string);

/** The routes of an application. Middleware is registered for ALL and is not a route. */
const routesOf = ({ routes }: Pick<Hono, "routes">): string[] => [
  ...new Set(routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`)),
];
const served = routesOf(app);
const withoutRow = (routes: readonly string[]): string[] => routes.filter((route) => !listed.includes(route));

test("every route has a row in a table: add one, see row.ts", () => {
  expect(served.length).toBeGreaterThan(100);
  expect(withoutRow(served)).toEqual([]);
});

test("a route without a row is found, and middleware is not a route", () => {
  const seeded = new Hono().all("/v1/*", (c) => c.body(null)).put("/v1/orgs", (c) => c.body(null));
  expect(withoutRow(routesOf(seeded))).toEqual(["PUT /v1/orgs"]);
});

test("every row has an existing route, and no route has two rows", () => {
  expect(listed.filter((route) => !served.includes(route))).toEqual([]);
  expect(listed.filter((route, n) => listed.indexOf(route) !== n)).toEqual([]);
});

/**
 * Paths that may be registered for all methods: middleware, the object endpoint (its URL is signed), the hub (test/hub),
 * and rooms (test/reports).
 */
const CATCH_ALL = [
  "/*",
  "/v1/*",
  "/openapi.json",
  "/v1/auth/*",
  "/v1/camera-ingestion/*",
  "/v1/shared-cameras/*",
  "/objects/*",
  "/sync-hub/*",
  "/sync-hub",
  "/sync-hub/",
  "/sync-hub/negotiate",
  "/v1/reports/rooms/:reportId",
];

test("no route is registered for ALL methods", () => {
  const catchAll = new Set(app.routes.filter(({ method }) => method === "ALL").map(({ path }) => path));
  expect([...catchAll].filter((path) => !CATCH_ALL.includes(path))).toEqual([]);
});

/** Operations that make something without an address of its own. */
const NOT_LOCATED = {
  createCameraShare: "a link is read in the list of its location",
  createCameraEnrollment: "the code is shown once",
  createFolder: "a folder is its path in the list of its location",
  createMember: "a member or an invitation; the answer has it",
  registerUser: "the answer is a session",
  requestPasswordReset: "a person without a session reads nothing",
  recordSearchInteraction: "nobody reads a single interaction",
  rerunJobs: "the jobs are in their list",
  retryHeldCapture: "the image is a capture later, or rejected once more",
  startBrandingUpload: "an upload of branding is not read",
  startUpload: "the answer is all that a transfer of one request needs",
};

test("every operation that makes something names its address in Location, or has a reason", async () => {
  const { paths } = await expectJson(answering, 200, "GET", "/openapi.json");
  const making = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ operationId, responses }) =>
      [responses["201"], responses["202"]].flatMap((answer) =>
        answer === undefined ? [] : [{ operationId, isLocated: answer.headers?.Location !== undefined }],
      ),
    ),
  );
  const silent = making.filter(({ isLocated }) => !isLocated).map(({ operationId }) => operationId);
  expect(silent.sort()).toEqual(Object.keys(NOT_LOCATED).sort());
});

const operation = z.looseObject({ parameters: z.array(z.looseObject({ name: z.string() })).optional() });
const described = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });
const answering = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        responses: z.record(z.string(), z.looseObject({ headers: z.record(z.string(), z.unknown()).optional() })),
      }),
    ),
  ),
});

test("every route that returns pages is tested as a list", async () => {
  const { paths } = await expectJson(described, 200, "GET", "/openapi.json");
  const paged = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { parameters }]) => parameters?.some(({ name }) => name === "cursor"))
      .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
  );
  expect(paged.length).toBeGreaterThan(15);
  expect(paged.sort()).toEqual(allRows.flatMap((row) => (row.list ? [row.route] : [])).sort());
});

test("every row of a deletion names its audit entries", () => {
  const silent = allRows.filter(({ route, audited }) => route.startsWith("DELETE ") && audited === undefined);
  expect(silent.map(({ route }) => route)).toEqual([]);
});

/** The security of the description for each kind of caller that the suite of a route tries. */
const SECURITY: Readonly<Record<string, object[]>> = {
  anyone: [],
  device: [{ device: [] }],
  share: [{ cameraShare: [] }],
};

test("each operation describes the credential that its route asks for, and `[]` if it asks for none", async () => {
  const { paths } = await expectJson(secured, 200, "GET", "/openapi.json");
  const told = Object.fromEntries(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { security }]) => [
        `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`,
        security,
      ]),
    ),
  );
  // It takes the access token, or a refresh token in its body.
  expect(told["POST /v1/auth/logout"]).toEqual([{ bearer: [] }, {}]);
  delete told["POST /v1/auth/logout"];
  // The suite calls a row for `anyone` without a credential, and each other row without one in vain.
  const asked = Object.fromEntries(
    allRows.flatMap(({ route, who }) =>
      route in told ? [[route, SECURITY[typeof who === "string" ? who : ""] ?? [{ bearer: [] }]]] : [],
    ),
  );
  expect(Object.values(told).filter((security) => security.length === 0).length).toBeGreaterThan(10);
  expect(told).toEqual(asked);
});
const secured = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ security: z.array(z.record(z.string(), z.array(z.string()))) })),
  ),
});
