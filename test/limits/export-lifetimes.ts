import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { UserCaller } from "../../src/access";
import { startExport, statusOf } from "../../src/cameras/exports/exports";
import * as cameras from "../../src/cameras/limits";
import { startExport as startWorkspaceExport, statusOf as workspaceExportStatus } from "../../src/exports/exports";
import * as exports from "../../src/exports/limits";
import * as browsers from "../../src/platform/browsers/limits";
import { BrowserPool } from "../../src/platform/browsers/pool";
import { newId } from "../../src/platform/ids";
import { SECOND } from "../../src/platform/time";
import { callerFor } from "../search/rows-read";
import { call } from "../support/call";
import { mintCameraSite, mintImage } from "../support/cameras";
import { mintOrganization } from "../support/factories";
import { silentQueues, systemContext } from "../support/job-rows";
import { endedJobs } from "../support/jobs";
import { runToEnd } from "../support/storage";
import { has, type LifetimeRow } from "./lifetime";

/** A ready export of one image, and requests of its owner. */
async function ready() {
  const { camera, locationId, owner, organizationId } = await mintCameraSite({ retentionDays: 365 });
  await mintImage(camera, locationId, {}, Uint8Array.of(1));
  const path = (more = "") => `/v1/cameras/${camera.id}/exports${more}?locationId=${locationId}`;
  const started = (await (await call("POST", path(), owner)).json()) as { operationId: string };
  await endedJobs(organizationId, "prepare-export");
  const read = async () =>
    (await (await call("GET", path(`/${started.operationId}`), owner)).json()) as {
      status: string;
      downloadUrl: string;
    };
  return { read };
}

/** A ready export of an organization without files, and requests of its owner. */
async function readyWorkspace() {
  const { id, owner } = await mintOrganization();
  const path = `/v1/orgs/${id}/exports`;
  const { operationId } = (await (await call("POST", path, { ...owner, body: {} })).json()) as { operationId: string };
  await endedJobs(id, "prepare-workspace-export");
  const read = async () =>
    (await (await call("GET", `${path}/${operationId}`, owner)).json()) as { status: string; downloadUrl: string };
  return { operationId, read };
}

/** A browser of a pool, which is free or on loan from now on. @returns whether the alarm leaves it open. */
async function pooled(loan: string | null) {
  const stub = env.BROWSER_POOL.getByName(newId());
  const session = { id: "s", loan, since: Date.now(), uses: 1 };
  return () =>
    runInDurableObject(stub, async (_, state) => {
      state.storage.kv.put("session:s", session);
      const binding = { fetch: async () => new Response("{}") };
      await new BrowserPool(state, { ...env, BROWSER: binding as never }).alarm();
      const isOpen = state.storage.kv.delete("session:s");
      await state.storage.deleteAlarm();
      return isOpen;
    });
}

export const exportLifetimeRows: readonly LifetimeRow[] = [
  {
    limit: "MAX_EXPORT_PREPARATION_MS",
    ms: cameras.MAX_EXPORT_PREPARATION_MS,
    async begin() {
      const { camera, locationId, owner } = await mintCameraSite({ retentionDays: 365 });
      await mintImage(camera, locationId);
      const caller: UserCaller = await callerFor(owner.userId);
      const context = systemContext({ queues: silentQueues().queues, caller });
      const row = await startExport(context, { camera, locationId }, {});
      return async () => statusOf(row, camera, Date.now());
    },
    before: "queued",
    after: "expired",
  },
  {
    limit: "EXPORT_ADDRESS_LIFETIME_MS",
    ms: cameras.EXPORT_ADDRESS_LIFETIME_MS,
    async begin() {
      const { downloadUrl } = await (await ready()).read();
      return async () => (await call("GET", downloadUrl)).status;
    },
    before: 200,
    after: 403,
    slack: SECOND,
  },
  {
    limit: "EXPORT_RETENTION",
    ms: cameras.EXPORT_RETENTION,
    async begin() {
      const { read } = await ready();
      return async () => (await read()).status;
    },
    before: "ready",
    after: "expired",
    slack: SECOND,
  },
  {
    limit: "MAX_PREPARATION_MS",
    ms: exports.MAX_PREPARATION_MS,
    async begin() {
      const { owner, id } = await mintOrganization();
      const context = systemContext({ queues: silentQueues().queues, caller: await callerFor(owner.userId) });
      const row = await startWorkspaceExport(context, { tenantId: id, organizationId: id }, null);
      return async () => workspaceExportStatus(row, Date.now());
    },
    before: "queued",
    after: "expired",
  },
  {
    limit: "DOWNLOAD_ADDRESS_LIFETIME_MS",
    ms: exports.DOWNLOAD_ADDRESS_LIFETIME_MS,
    async begin() {
      const { downloadUrl } = await (await readyWorkspace()).read();
      return async () => (await call("GET", downloadUrl)).status;
    },
    before: 200,
    after: 403,
    slack: SECOND,
  },
  {
    limit: "WORKSPACE_EXPORT_LIFETIME_MS",
    ms: exports.WORKSPACE_EXPORT_LIFETIME_MS,
    async begin() {
      const { read } = await readyWorkspace();
      return async () => (await read()).status;
    },
    before: "ready",
    after: "expired",
    slack: SECOND,
  },
  {
    limit: "ENDED_WORKSPACE_EXPORT_RETENTION",
    ms: exports.ENDED_WORKSPACE_EXPORT_RETENTION,
    async begin() {
      const { operationId } = await readyWorkspace();
      await env.DB.prepare("UPDATE workspace_exports SET expires_at = ?2 WHERE id = ?1")
        .bind(operationId, Date.now())
        .run();
      return async () => {
        await runToEnd("expire-workspace-exports");
        return has("SELECT 1 FROM workspace_exports WHERE id = ?", operationId);
      };
    },
    before: true,
    after: false,
    slack: SECOND,
  },
  {
    limit: "MAX_BROWSER_IDLE_MS",
    ms: browsers.MAX_BROWSER_IDLE_MS,
    begin: () => pooled(null),
    before: true,
    after: false,
  },
  {
    limit: "BROWSER_LEASE_MS",
    ms: browsers.BROWSER_LEASE_MS,
    begin: () => pooled(newId()),
    before: true,
    after: false,
  },
];
