import { workspaceExportSchema } from "../../src/exports/exports";
import { expectJson } from "../support/call";
import { mintOrganization, mintPerson, type Person } from "../support/factories";
import { endedJobs } from "../support/jobs";
import type { Built, RouteRow } from "./row";
import { spareOrganization } from "./workspace";
import type { World } from "./world";

const who = {
  needs: { OrganizationView: "Write", ClusterView: "Read", LocationView: "Read", Documents: "Read", Reports: "Read" },
} as const;
const ownPath = "/v1/auth/me/exports";

async function start(path: string, { token }: Pick<Person, "token">): Promise<string> {
  const { operationId } = await expectJson(workspaceExportSchema, 202, "POST", path, { token, body: {} });
  return operationId;
}

/** An organization of the owner that nothing else exports: one export of an organization is prepared at a time. */
const inOrganization = async (world: World) => ({ organizationId: await spareOrganization(world) });

async function onExport(world: World): Promise<Built & { params: { organizationId: string; operationId: string } }> {
  const { organizationId } = await inOrganization(world);
  return { params: { organizationId, operationId: await start(`/v1/orgs/${organizationId}/exports`, world.owner) } };
}

/** A person with an export of their own data. */
async function onOwn(): Promise<{ token: string; operationId: string }> {
  const person = await mintPerson();
  return { token: person.token, operationId: await start(ownPath, person) };
}

export const exportRoutes: readonly RouteRow[] = [
  {
    route: "POST /v1/orgs/:organizationId/exports",
    who,
    request: async (world) => ({ params: await inOrganization(world), body: {} }),
    status: 202,
    audited: ["workspace-export.requested"],
  },
  {
    route: "GET /v1/orgs/:organizationId/exports/latest",
    who,
    request: async (world) => {
      const { params } = await onExport(world);
      return { params: { organizationId: params.organizationId } };
    },
    status: 200,
  },
  { route: "GET /v1/orgs/:organizationId/exports/:operationId", who, request: onExport, status: 200 },
  {
    route: "DELETE /v1/orgs/:organizationId/exports/:operationId",
    who,
    request: onExport,
    status: 204,
    audited: ["workspace-export.cancelled"],
  },
  {
    route: "POST /v1/auth/me/exports",
    who: "user",
    request: async () => ({ token: (await mintPerson()).token }),
    status: 202,
    audited: ["workspace-export.requested"],
  },
  {
    route: "GET /v1/auth/me/exports/latest",
    who: "user",
    request: async () => ({ token: (await onOwn()).token }),
    status: 200,
  },
  {
    route: "GET /v1/auth/me/exports/:operationId",
    who: "user",
    request: async () => {
      const { token, operationId } = await onOwn();
      return { token, params: { operationId } };
    },
    status: 200,
  },
  {
    route: "DELETE /v1/auth/me/exports/:operationId",
    who: "user",
    request: async () => {
      const { token, operationId } = await onOwn();
      return { token, params: { operationId } };
    },
    status: 204,
    audited: ["workspace-export.cancelled"],
  },
  {
    // The address needs no other permission. test/exports tests it.
    route: "GET /v1/workspace-exports/:operationId/download",
    who: "anyone",
    request: async () => {
      const { id: organizationId, owner } = await mintOrganization();
      const path = `/v1/orgs/${organizationId}/exports`;
      const operationId = await start(path, owner);
      await endedJobs(organizationId, "prepare-workspace-export");
      const made = await expectJson(workspaceExportSchema, 200, "GET", `${path}/${operationId}`, owner);
      return {
        params: { operationId },
        query: new URL(made.downloadUrl ?? "").searchParams.toString(),
        headers: { range: "bytes=0-3" },
      };
    },
    status: 206,
    notJson: true,
  },
];
