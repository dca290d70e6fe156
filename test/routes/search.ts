import { z } from "zod";
import { expectJson } from "../support/call";
import { mintCluster, mintDocument, mintLocation } from "../support/factories";
import type { Built, RouteRow } from "./row";
import { named, SECRET, type World } from "./world";

/** A cluster, a location and a document that members of the organization find with one word. */
async function hideThings({ tenant }: World) {
  const location = await mintLocation(tenant, { ...named, clusterId: await mintCluster(tenant, named) });
  const documentId = await mintDocument(tenant, location, [`A page about ${SECRET}.`], { fileName: `${SECRET}.txt` });
  return { documentId, places: [location.clusterId, location.id, documentId] };
}

const searching = async (world: World, term: string): Promise<Built> => ({
  body: { term, scope: { includeShared: true } },
  places: (await hideThings(world)).places,
});

/** A search by the owner. */
async function searchId({ owner }: World): Promise<string> {
  const answer = z.object({ searchId: z.string() });
  return (await expectJson(answer, 200, "POST", "/v1/search", { token: owner.token, body: { term: SECRET } })).searchId;
}

const personalRows: readonly RouteRow[] = [
  {
    route: "POST /v1/search",
    changesNone: true,
    answersAnew: true,
    who: "user",
    request: (world) => searching(world, SECRET),
    status: 200,
  },
  {
    route: "POST /v1/search/suggestions",
    changesNone: true,
    answersAnew: true,
    who: "user",
    request: (world) => searching(world, SECRET.slice(0, 4)),
    status: 200,
  },
  {
    route: "POST /v1/search/interactions",
    who: "user",
    own: true,
    request: async (world) => {
      const id = await searchId(world);
      return { body: { searchId: id, action: "QueryReformulated", reformulatedTerm: "another" }, places: [id] };
    },
    status: 202,
  },
];

const administrationRows: readonly RouteRow[] = [
  {
    route: "GET /v1/search/insights",
    who: "organization-admin",
    request: ({ organizationId }) => ({ query: `organizationId=${organizationId}`, places: [organizationId] }),
    status: 200,
  },
  {
    route: "POST /v1/search/index/documents/:documentId",
    who: "platform-admin",
    request: async (world) => ({ params: { documentId: (await hideThings(world)).documentId } }),
    status: 202,
  },
  {
    route: "POST /v1/search/index/backfill",
    changesNone: true,
    who: "platform-admin",
    request: () => ({}),
    status: 202,
  },
  {
    route: "POST /v1/search/index/assets/backfill",
    changesNone: true,
    who: "platform-admin",
    request: () => ({}),
    status: 202,
  },
  { route: "GET /v1/search/index/status", who: "platform-admin", request: () => ({}), status: 200 },
];

export const searchRoutes: readonly RouteRow[] = [...personalRows, ...administrationRows];
