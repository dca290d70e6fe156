import { env } from "cloudflare:workers";
import { newId, numberOf } from "../../src/platform/ids";
import { mintOrganization } from "../support/factories";
import { insertJob } from "../support/job-rows";
import { otherDatabase } from "../support/spread";
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
    request: ({ organizationId }) => ({ params: { organizationId } }),
    status: 200,
  },
  {
    route: "POST /v1/admin/organizations/:organizationId/move",
    changesNone: true,
    who: "platform-admin",
    request: async () => {
      const { id: organizationId } = await mintOrganization();
      const target = await otherDatabase(organizationId);
      if (target !== null) return { params: { organizationId }, body: { database: target } };
      // With one database, the directory names one that is not there.
      await env.DB.prepare("INSERT OR REPLACE INTO workspaces (id, number, database) VALUES (?, ?, 'elsewhere')")
        .bind(organizationId, numberOf(organizationId))
        .run();
      return { params: { organizationId }, body: { database: "first" } };
    },
    status: 202,
    // The database of the directory's row is not there.
    isLocationUnread: true,
    audited: ["organization.move-begun"],
  },
  {
    route: "DELETE /v1/admin/organizations/:organizationId/move",
    changesNone: true,
    who: "platform-admin",
    request: async () => {
      const { id: organizationId } = await mintOrganization();
      const values = [numberOf(organizationId), newId(), organizationId];
      await env.DB.prepare(
        `INSERT INTO moves (number, id, workspace_id, source, target, state, token, created_at)
          VALUES (?, ?, ?, 'first', 'second', 'copying', '', 0)`,
      )
        .bind(...values)
        .run();
      return { params: { organizationId } };
    },
    status: 202,
    audited: ["organization.move-undone"],
  },
  { route: "GET /v1/admin/organizations", who: "platform-admin", request: () => ({}), status: 200, list: true },
];
