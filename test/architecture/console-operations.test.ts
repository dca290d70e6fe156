import { expect, test } from "vitest";
import { app } from "../../src/app";
import { describeApi } from "../../src/platform/http/description";
import type { Files } from "./house";

/* Nobody needs another client for what the API does: each operation has its place in the console, or a reason here. */

const sources: Files = import.meta.glob<string>(
  ["../../web/{console,archive,ui}/**/*.{ts,tsx}", "../../client/src/*.ts", "!../../client/src/schema.ts"],
  { query: "?raw", import: "default", eager: true },
);

const METHODS = ["get", "post", "put", "patch", "delete"];
const described = Object.entries(describeApi(app).paths ?? {}).flatMap(([path, operations]) =>
  Object.keys(operations ?? {})
    .filter((method) => METHODS.includes(method))
    .map((method) => `${method.toUpperCase()} ${path}`),
);

/** The paths that a file gives names: `const [all, one] = ["/v1/…", "/v1/…"] as const`. */
function namedPaths(text: string): Map<string, Set<string>> {
  const named = new Map<string, Set<string>>();
  for (const [, names = "", paths = ""] of text.matchAll(/const \[([\w, ]+)\] = \[([^\]]*)\] as const/g)) {
    const values = [...paths.matchAll(/"([^"]+)"/g)].map(([, path = ""]) => path);
    for (const [n, name] of names.split(", ").entries())
      named.set(name, (named.get(name) ?? new Set()).add(values[n] ?? ""));
  }
  return named;
}

/** The operations that the source text calls through the client. */
function callsOf(text: string): string[] {
  const named = namedPaths(text);
  return [...text.matchAll(/\.(GET|POST|PUT|PATCH|DELETE)\(\s*(?:"([^"]+)"|(\w+))/g)].flatMap(
    ([, method = "", path, name = ""]) =>
      (path === undefined ? [...(named.get(name) ?? [])] : [path]).map((one) => `${method} ${one}`),
  );
}

const called = new Set(Object.values(sources).flatMap(callsOf));

/** The operations that the console does not call, by the reason. */
const NOT_CALLED: Readonly<Record<string, readonly string[]>> = {
  "the operator's monitoring calls it": ["GET /healthz", "GET /readyz"],
  "devices call it": [
    "POST /v1/camera-ingestion/enrollments/redeem",
    "GET /v1/camera-ingestion/configuration",
    "POST /v1/camera-ingestion/heartbeat",
    "POST /v1/camera-ingestion/uploads",
    "GET /v1/camera-ingestion/uploads",
    "DELETE /v1/camera-ingestion/uploads/{operationId}",
    "GET /v1/camera-ingestion/uploads/{operationId}",
    "POST /v1/camera-ingestion/uploads/{operationId}/upload-url",
    "POST /v1/camera-ingestion/uploads/{operationId}/complete",
  ],
  "the page of share links calls it": [
    "GET /v1/shared-cameras",
    "GET /v1/shared-cameras/logo",
    "POST /v1/shared-cameras/latest-previews",
    "POST /v1/shared-cameras/unlock",
    "GET /v1/shared-cameras/{cameraId}/timeline",
    "GET /v1/shared-cameras/{cameraId}/captures/times",
    "GET /v1/shared-cameras/{cameraId}/captures/seek",
    "POST /v1/shared-cameras/{cameraId}/previews",
    "GET /v1/shared-cameras/{cameraId}/frames",
    "GET /v1/shared-cameras/captures/{captureId}/image",
  ],
  "the console has the same from a list": [
    "GET /v1/auth/tokens/{tokenId}",
    "GET /v1/auth/passkeys/{passkeyId}",
    "GET /v1/orgs/{organizationId}",
    "GET /v1/orgs/{organizationId}/members/{userId}",
    "GET /v1/annotations/{annotationId}",
    "GET /v1/tags/{tagId}",
    "GET /v1/spatial/clusters/{clusterId}/grants/{grantId}",
    "GET /v1/spatial/locations/{locationId}/grants/{grantId}",
    "GET /v1/documents/{documentId}/grants/{grantId}",
    "GET /v1/spatial/clusters/{clusterId}/waiting-shares/{waitingShareId}",
    "GET /v1/spatial/locations/{locationId}/waiting-shares/{waitingShareId}",
    "GET /v1/documents/{documentId}/waiting-shares/{waitingShareId}",
  ],
  "another answer has its address, which the browser opens": [
    "GET /v1/orgs/{organizationId}/branding/assets/{slot}",
    "GET /v1/camera-exports/{operationId}/download",
    "GET /v1/workspace-exports/{operationId}/download",
  ],
  "the archive calculates it from the capture times that it has": [
    "GET /v1/cameras/{cameraId}/frames",
    "POST /v1/cameras/{cameraId}/day-strip",
  ],
  "the console has a live connection, which replays the same events": [
    "GET /v1/spatial/locations/{locationId}/changes",
  ],
  "an operator moves organizations with a command": [
    "GET /v1/admin/organizations/{organizationId}/move",
    "POST /v1/admin/organizations/{organizationId}/move",
    "DELETE /v1/admin/organizations/{organizationId}/move",
  ],
  "another product shows these counts in its frame": ["GET /v1/chat/summary"],
  "the console shows the latest export": [
    "GET /v1/orgs/{organizationId}/exports/{operationId}",
    "GET /v1/auth/me/exports/{operationId}",
  ],
};
const listed = Object.values(NOT_CALLED).flat();

test("each operation of the API has its place in the console, or the reason why not", () => {
  expect(described.length).toBeGreaterThan(180);
  expect(called.size).toBeGreaterThan(120);
  expect(described.filter((operation) => !called.has(operation) && !listed.includes(operation))).toEqual([]);
});

test("the reasons are of operations that exist and that the console does not call", () => {
  expect(listed.filter((operation) => !described.includes(operation) || called.has(operation))).toEqual([]);
  expect(listed.length).toBe(new Set(listed).size);
});

test("a call is found with its path written out, on another line and with a name", () => {
  const text = `
    const [all, one] = ["/v1/things", "/v1/things/{id}"] as const;
    api.GET("/v1/others"); api.POST(
      "/v1/others", {}); api.DELETE(one, {}); api.PUT(all);`;
  expect(callsOf(text)).toEqual(["GET /v1/others", "POST /v1/others", "DELETE /v1/things/{id}", "PUT /v1/things"]);
});
