import { expect } from "vitest";
import { call } from "../support/call";
import { addMember, mintAnnotation, mintCluster, mintLocation, mintOrganization } from "../support/factories";
import type { RouteRow } from "./row";
import { named, SECRET, type World } from "./world";

/** An organization with the world's users, which a row can delete. */
export async function spareOrganization(world: World): Promise<string> {
  const { id } = await mintOrganization(named);
  await addMember(id, world.owner.userId, "owner");
  await addMember(id, world.member.userId, "member");
  await addMember(id, world.guest.userId, "guest");
  return id;
}

/** Deletes a resource that the row then restores. */
export async function remove(path: string, { owner }: World): Promise<void> {
  expect((await call("DELETE", path, owner)).status).toBe(204);
}

const inOrganization = (world: World) => ({ params: { organizationId: world.organizationId } });
const onCluster = async (world: World) => ({ params: { clusterId: await mintCluster(world.tenant, named) } });
const onLocation = async (world: World) => ({ params: { locationId: (await mintLocation(world.tenant, named)).id } });
const onAnnotation = async (world: World) => {
  const location = await mintLocation(world.tenant, named);
  return { params: { annotationId: await mintAnnotation(world.tenant, location, { title: named.name }) } };
};

const organizationRows: readonly RouteRow[] = [
  { route: "GET /v1/orgs", who: "user", request: () => ({}), status: 200, list: true },
  {
    route: "POST /v1/orgs",
    changesNone: true,
    who: "user",
    request: () => ({ body: { name: "Another" } }),
    status: 201,
    audited: ["organization.created"],
  },
  {
    route: "GET /v1/orgs/:organizationId",
    who: { needs: { OrganizationView: "Read" } },
    request: inOrganization,
    status: 200,
  },
  {
    route: "PATCH /v1/orgs/:organizationId",
    who: "organization-admin",
    request: (world) => ({ ...inOrganization(world), body: { name: `Renamed ${SECRET}` } }),
    status: 200,
    audited: ["organization.renamed"],
  },
  {
    route: "DELETE /v1/orgs/:organizationId",
    who: "organization-admin",
    request: async (world) => ({ params: { organizationId: await spareOrganization(world) } }),
    status: 204,
    audited: ["organization.deleted"],
  },
  { route: "GET /v1/orgs/deleted", who: "user", request: () => ({}), status: 200, list: true },
  {
    route: "POST /v1/orgs/:organizationId/restore",
    who: "user",
    request: async (world) => {
      const organizationId = await spareOrganization(world);
      await remove(`/v1/orgs/${organizationId}`, world);
      return { params: { organizationId } };
    },
    status: 204,
    audited: ["organization.restored"],
  },
];

const entitlementRows: readonly RouteRow[] = [
  {
    route: "GET /v1/orgs/:organizationId/entitlements",
    who: { needs: { OrganizationView: "Read" } },
    request: inOrganization,
    status: 200,
  },
  {
    route: "PUT /v1/orgs/:organizationId/entitlements",
    who: "platform-admin",
    request: (world) => ({
      ...inOrganization(world),
      body: {
        cameras: true,
        externalShares: true,
        documentStorageBytes: 1_000_000_000,
        jobsPerMonth: 10,
        maxRetentionDays: 30,
      },
    }),
    status: 200,
    audited: ["entitlements.changed"],
  },
  {
    route: "GET /v1/orgs/:organizationId/storage",
    who: "organization-admin",
    request: inOrganization,
    status: 200,
  },
  {
    route: "GET /v1/orgs/:organizationId/audit",
    who: "organization-admin",
    request: inOrganization,
    status: 200,
    list: true,
  },
];

const clusterRows: readonly RouteRow[] = [
  { route: "GET /v1/spatial/clusters", who: "user", request: () => ({}), status: 200, list: true },
  {
    route: "POST /v1/spatial/clusters",
    who: { needs: { ClusterView: "Write" } },
    request: ({ organizationId }) => ({ body: { organizationId, name: "Another" }, places: [organizationId] }),
    status: 201,
  },
  {
    route: "GET /v1/spatial/clusters/:clusterId",
    who: { needs: { ClusterView: "Read" } },
    request: onCluster,
    status: 200,
  },
  {
    route: "PATCH /v1/spatial/clusters/:clusterId",
    who: { needs: { ClusterView: "Write" } },
    request: async (world) => ({ ...(await onCluster(world)), body: { description: "Another" } }),
    status: 200,
  },
  {
    route: "DELETE /v1/spatial/clusters/:clusterId",
    who: { needs: { ClusterView: "Write" } },
    request: onCluster,
    status: 204,
    audited: ["cluster.deleted"],
  },
  {
    route: "POST /v1/spatial/clusters/:clusterId/restore",
    who: { needs: { ClusterView: "Write" } },
    request: async (world) => {
      const built = await onCluster(world);
      await remove(`/v1/spatial/clusters/${built.params.clusterId}`, world);
      return built;
    },
    status: 200,
    audited: ["cluster.restored"],
  },
];

const locationRows: readonly RouteRow[] = [
  { route: "GET /v1/spatial/locations", who: "user", request: () => ({}), status: 200, list: true },
  {
    route: "POST /v1/spatial/locations",
    who: { needs: { LocationView: "Write" } },
    request: async (world) => {
      const clusterId = await mintCluster(world.tenant, named);
      return { body: { clusterId, name: "Another" }, places: [clusterId] };
    },
    status: 201,
  },
  {
    route: "GET /v1/spatial/locations/:locationId",
    who: { needs: { LocationView: "Read" } },
    request: onLocation,
    status: 200,
  },
  {
    route: "GET /v1/spatial/locations/:locationId/changes",
    who: { needs: { LocationView: "Read" } },
    request: onLocation,
    status: 200,
  },
  {
    route: "PATCH /v1/spatial/locations/:locationId",
    who: { needs: { LocationView: "Write" } },
    request: async (world) => ({ ...(await onLocation(world)), body: { description: "Another" } }),
    status: 200,
  },
  {
    route: "DELETE /v1/spatial/locations/:locationId",
    who: { needs: { LocationView: "Write" } },
    request: onLocation,
    status: 204,
    audited: ["location.deleted"],
  },
  {
    route: "POST /v1/spatial/locations/:locationId/restore",
    who: { needs: { LocationView: "Write" } },
    request: async (world) => {
      const built = await onLocation(world);
      await remove(`/v1/spatial/locations/${built.params.locationId}`, world);
      return built;
    },
    status: 200,
    audited: ["location.restored"],
  },
];

const trashRows: readonly RouteRow[] = [
  { route: "GET /v1/trash", who: "user", request: () => ({}), status: 200, list: true },
];

const annotationRows: readonly RouteRow[] = [
  {
    route: "GET /v1/spatial/locations/:locationId/annotations",
    who: { needs: { LocationBundles: "Read" } },
    request: onLocation,
    status: 200,
    list: true,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/annotations",
    who: { needs: { LocationBundles: "Write" } },
    request: async (world) => ({ ...(await onLocation(world)), body: { kind: "note", title: "Another" } }),
    status: 201,
  },
  {
    route: "GET /v1/annotations/:annotationId",
    who: { needs: { LocationBundles: "Read" } },
    request: onAnnotation,
    status: 200,
  },
  {
    route: "PATCH /v1/annotations/:annotationId",
    who: { needs: { LocationBundles: "Write" } },
    request: async (world) => ({ ...(await onAnnotation(world)), body: { body: "Another" } }),
    status: 200,
  },
  {
    route: "DELETE /v1/annotations/:annotationId",
    who: { needs: { LocationBundles: "Write" } },
    request: onAnnotation,
    status: 204,
    audited: ["annotation.deleted"],
  },
];

export const workspaceRoutes: readonly RouteRow[] = [
  ...organizationRows,
  ...entitlementRows,
  ...clusterRows,
  ...locationRows,
  ...annotationRows,
  ...trashRows,
];
