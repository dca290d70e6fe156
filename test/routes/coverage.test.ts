import { expect, test } from "vitest";
import { z } from "zod";
import { app } from "../../src/app";
import { expectJson } from "../support/call";
import { accessRoutes } from "./access";
import { brandingRoutes } from "./branding";
import { cameraArchiveRoutes } from "./camera-archive";
import { cameraIngestionRoutes } from "./camera-ingestion";
import { cameraManagementRoutes } from "./camera-management";
import { cameraShareRoutes } from "./camera-shares";
import { documentRoutes } from "./documents";
import { grantRoutes } from "./grants";
import { memberRoutes } from "./members";
import { notificationRoutes } from "./notifications";
import { platformRoutes } from "./platform";
import { reportRoutes } from "./reports";
import type { RouteRow } from "./row";
import { searchRoutes } from "./search";
import { workspaceRoutes } from "./workspace";

const tables: Readonly<Record<string, readonly RouteRow[]>> = {
  accessRoutes,
  brandingRoutes,
  cameraArchiveRoutes,
  cameraIngestionRoutes,
  cameraManagementRoutes,
  cameraShareRoutes,
  documentRoutes,
  grantRoutes,
  memberRoutes,
  notificationRoutes,
  platformRoutes,
  reportRoutes,
  searchRoutes,
  workspaceRoutes,
};

const allRows = Object.values(tables).flat();
const listed = allRows.map((row) => row.route as string);

/** Routes as the application serves them; middleware stands under ALL and is no route. */
const served = [...new Set(app.routes.filter(({ method }) => method !== "ALL").map((r) => `${r.method} ${r.path}`))];

test("every route stands in a table: add a row, see row.ts", () => {
  expect(served.filter((route) => !listed.includes(route))).toEqual([]);
});

test("every row is about a route that exists, once", () => {
  expect(listed.filter((route) => !served.includes(route))).toEqual([]);
  expect(listed.filter((route, n) => listed.indexOf(route) !== n)).toEqual([]);
});

/** What may answer to every method: middleware (that of the description too), the object endpoint, whose signed URL is the permission, the hub (test/hub), and rooms (test/reports). */
const CATCH_ALL = [
  "/*",
  "/v1/*",
  "/openapi.json",
  "/v1/camera-ingestion/*",
  "/v1/shared-cameras/*",
  "/objects/*",
  "/sync-hub/*",
  "/sync-hub",
  "/sync-hub/negotiate",
  "/v1/reports/rooms/:reportId",
];

test("no route hides behind ALL", () => {
  const catchAll = new Set(app.routes.filter(({ method }) => method === "ALL").map(({ path }) => path));
  expect([...catchAll].filter((path) => !CATCH_ALL.includes(path))).toEqual([]);
});

const operation = z.looseObject({ parameters: z.array(z.looseObject({ name: z.string() })).optional() });
const described = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });

test("every route that gives pages is tried as one", async () => {
  const { paths } = await expectJson(described, 200, "GET", "/openapi.json");
  const paged = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { parameters }]) => parameters?.some(({ name }) => name === "cursor"))
      .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
  );
  expect(paged.length).toBeGreaterThan(15);
  expect(paged.sort()).toEqual(allRows.flatMap((row) => (row.list ? [row.route] : [])).sort());
});

test("every route that deletes says what it leaves in the audit trail", () => {
  const silent = allRows.filter(({ route, audited }) => route.startsWith("DELETE ") && audited === undefined);
  expect(silent.map(({ route }) => route)).toEqual([]);
});
