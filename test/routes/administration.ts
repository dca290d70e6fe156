import { insertJob } from "../support/job-rows";
import type { RouteRow } from "./row";

/** A failed job that would have no effect. */
const failedJob = () =>
  insertJob({
    kind: "index-asset",
    payload: { type: "location", id: crypto.randomUUID() },
    status: "failed",
    errorCode: "internal",
    finishedAt: Date.now(),
  });

export const administrationRoutes: readonly RouteRow[] = [
  { route: "GET /v1/admin/status", who: "platform-admin", request: () => ({}), status: 200 },
  { route: "GET /v1/admin/queues", who: "platform-admin", request: () => ({}), status: 200 },
  { route: "GET /v1/admin/jobs", who: "platform-admin", request: () => ({}), status: 200, list: true },
  {
    route: "POST /v1/admin/jobs/rerun",
    changesNone: true,
    who: "platform-admin",
    request: async () => ({ body: { jobIds: [await failedJob()] } }),
    status: 202,
    audited: ["jobs.rerun"],
  },
  {
    route: "GET /v1/admin/organizations/:organizationId/move",
    who: "platform-admin",
    request: ({ organization }) => ({ ids: { organizationId: organization.id } }),
    status: 200,
  },
  { route: "GET /v1/admin/organizations", who: "platform-admin", request: () => ({}), status: 200, list: true },
];
