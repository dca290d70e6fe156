import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { jobHandlers } from "../../src/job-handlers";
import { newId } from "../../src/platform/ids";
import { runJob } from "../../src/platform/jobs/run";
import { log } from "../../src/platform/log";
import { measureIn } from "../../src/platform/metrics";
import { call } from "../support/call";
import { mintLocation, mintOrganization } from "../support/factories";
import { insertJob } from "../support/job-rows";
import { systemContext } from "../support/jobs";

const dataset = env.TEST_METRICS;

afterEach(() => {
  vi.restoreAllMocks();
  measureIn(undefined);
});

/** The points that are written to the real binding from here on. */
function points(): AnalyticsEngineDataPoint[] {
  const written: AnalyticsEngineDataPoint[] = [];
  const write = dataset.writeDataPoint.bind(dataset);
  vi.spyOn(dataset, "writeDataPoint").mockImplementation((point) => {
    if (point === undefined) throw new Error("a point without values");
    written.push(point);
    write(point);
  });
  return written;
}

test("each request is a point with its workspace, route, status and time", async () => {
  const written = points();
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const requestId = `measured-${newId()}`;
  const bindings = { METRICS: dataset };
  const headers = { "x-request-id": requestId };
  await call("GET", `/v1/spatial/locations/${locationId}`, { token: owner.token, headers, bindings });
  await call("GET", `/v1/spatial/locations/${newId()}`, { bindings });
  expect(written).toEqual([
    {
      indexes: [organizationId],
      blobs: [
        ...["request", "info", "/v1/spatial/locations/:locationId", "GET", "200"],
        ...["token", organizationId, requestId],
      ],
      doubles: [1, expect.any(Number)],
    },
    {
      indexes: ["anonymous"],
      blobs: ["request", "info", expect.any(String), "GET", "401", "anonymous", null, expect.any(String)],
      doubles: [1, expect.any(Number)],
    },
  ]);
});

test("each slice of a job and each error is a point, and other lines are none", async () => {
  const written = points();
  const jobId = await insertJob({ kind: "expire-requests", runAt: 0 });
  const context = systemContext();
  measureIn(dataset);
  await runJob(context, jobHandlers, jobId);
  log("warn", "browser.not-closed");
  log("info", "browser.closed");
  log("error", "backup.overdue");
  expect(written.map(({ blobs, doubles }) => [blobs?.slice(0, 5), doubles?.[0]])).toEqual([
    [["job.slice", "info", "expire-requests", null, expect.any(String)], 1],
    [["backup.overdue", "error", null, null, null], 1],
  ]);
});

test("a request is answered if its point cannot be written", async () => {
  vi.spyOn(dataset, "writeDataPoint").mockImplementation(() => {
    throw new Error("too many points");
  });
  expect((await call("GET", "/v1/auth/me", { bindings: { METRICS: dataset } })).status).toBe(401);
  expect(dataset.writeDataPoint).toHaveBeenCalledOnce();
});

test("a service without the binding writes no point", async () => {
  const written = points();
  measureIn(dataset);
  await call("GET", "/healthz", { bindings: {} });
  await call("GET", "/v1/auth/me", { bindings: {} });
  expect(written).toEqual([]);
});
