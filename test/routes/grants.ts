import type { CapabilityMap, GrantTarget } from "../../src/access";
import { mintCluster, mintDocument, mintGrant, mintLocation, mintPerson } from "../support/factories";
import { mintWaitingShare } from "../support/waiting-shares";
import type { Built, RouteRow } from "./row";
import { named, SECRET, type World } from "./world";

/** One kind of resource that can be shared: its routes, and the capabilities to see and edit it. */
interface Shared {
  target: GrantTarget;
  base: `/${string}`;
  param: string;
  sees: CapabilityMap;
  edits: CapabilityMap;
  mint: (world: World) => Promise<string>;
}

const SHARED: readonly Shared[] = [
  {
    target: "cluster",
    base: "/v1/spatial/clusters/:clusterId",
    param: "clusterId",
    sees: { ClusterView: "Read" },
    edits: { ClusterView: "Write" },
    mint: ({ tenant }) => mintCluster(tenant, named),
  },
  {
    target: "location",
    base: "/v1/spatial/locations/:locationId",
    param: "locationId",
    sees: { LocationView: "Read" },
    edits: { LocationView: "Write" },
    mint: async ({ tenant }) => (await mintLocation(tenant, named)).id,
  },
  {
    target: "document",
    base: "/v1/documents/:documentId",
    param: "documentId",
    sees: { Documents: "Read" },
    edits: { Documents: "Write" },
    mint: async ({ tenant }) =>
      mintDocument(tenant, await mintLocation(tenant, named), [], { fileName: `${SECRET}.txt` }),
  },
];

function grantRowsOf({ target, base, param, sees, edits, mint }: Shared): readonly RouteRow[] {
  const shares = { needs: { OrganizationView: "Write", ...edits } } as const;
  const onThing = async (world: World) => ({ params: { [param]: await mint(world) } });
  const onGrant = async (world: World): Promise<Built> => {
    const thingId = await mint(world);
    const { userId } = await mintPerson({ displayName: named.name });
    const grantId = await mintGrant(world.tenant, userId, target, thingId, sees);
    return { params: { [param]: thingId, grantId } };
  };
  const onWaiting = async (world: World): Promise<Built> => {
    const thingId = await mint(world);
    const waitingShareId = await mintWaitingShare(world.organizationId, target, thingId, sees);
    return { params: { [param]: thingId, waitingShareId } };
  };
  return [
    { route: `GET ${base}/grants`, who: { needs: sees }, request: onThing, status: 200, list: true },
    {
      route: `POST ${base}/grants`,
      who: shares,
      request: async (world) => ({
        ...(await onThing(world)),
        body: { email: (await mintPerson()).email, capabilities: sees },
      }),
      status: 201,
      audited: ["grant.created"],
    },
    {
      route: `PATCH ${base}/grants/:grantId`,
      who: shares,
      request: async (world) => ({ ...(await onGrant(world)), body: { capabilities: edits } }),
      status: 200,
      audited: ["grant.changed"],
    },
    { route: `GET ${base}/grants/:grantId`, who: shares, request: onGrant, status: 200 },
    { route: `GET ${base}/waiting-shares`, who: shares, request: onThing, status: 200, list: true },
    { route: `GET ${base}/waiting-shares/:waitingShareId`, who: shares, request: onWaiting, status: 200 },
    {
      route: `DELETE ${base}/waiting-shares/:waitingShareId`,
      who: shares,
      request: onWaiting,
      status: 204,
      audited: ["invitation.revoked"],
    },
    { route: `DELETE ${base}/grants/:grantId`, who: shares, request: onGrant, status: 204, audited: ["grant.deleted"] },
  ];
}

export const grantRoutes: readonly RouteRow[] = SHARED.flatMap(grantRowsOf);
