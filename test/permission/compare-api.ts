import { CAPABILITIES, type Capability } from "../../src/access";
import { call } from "../support/call";
import { mintToken } from "../support/factories";
import { runThrough } from "../support/jobs";
import type { Comparison } from "./compare-levels";
import { atLeast, levelOn, levelOnOrganization } from "./reference";
import { COMMON_WORD, fillDatabase } from "./rows";
import type { Credential, Thing, World } from "./world";

const SHOWN_BY: Readonly<Record<Thing["kind"], Capability>> = {
  cluster: "ClusterView",
  location: "LocationView",
  document: "Documents",
  content: "LocationBundles",
};
const PATH_OF = {
  cluster: "spatial/clusters",
  location: "spatial/locations",
  document: "documents",
  content: "annotations",
};
const RESULT_OF = { cluster: "cluster", location: "location", document: "document", content: "spatialmetadata" };
const ASSET_OF = { cluster: "cluster", location: "location", document: "document", content: "annotation" } as const;

/** One call and the answer of the contract: a status, and the ids of a list. */
interface Expected {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
  answer: unknown;
}

const ids = (things: readonly Thing[]): string[] => things.map(({ id }) => id).sort();

/** Every list and every single read of a world with one credential, with the reference's answer. */
function expectations(world: World, credential: Credential): Expected[] {
  const shows = (thing: Thing, includeShared = true) =>
    atLeast(levelOn(world, credential, SHOWN_BY[thing.kind], thing, includeShared), "Read");
  const of = (kind: Thing["kind"]) => world.things.filter((thing) => thing.kind === kind);
  const lying = (kind: Thing["kind"], where: Thing) => of(kind).filter(({ parent }) => parent?.id === where.id);
  const expected: Expected[] = [];
  const get = (path: string, answer: unknown) => expected.push({ method: "GET", path: `/v1/${path}`, answer });

  const organizations = world.organizations.filter(({ id }) => {
    const isMember = world.memberships.some((m) => m.userId === credential.userId && m.organizationId === id);
    return isMember && atLeast(levelOnOrganization(world, credential, "OrganizationView", id), "Read");
  });
  get("orgs?limit=100", organizations.map(({ id }) => id).sort());

  for (const includeShared of [true, false]) {
    const visible = world.things.filter((thing) => shows(thing, includeShared));
    for (const kind of ["cluster", "location"] as const)
      get(
        `${PATH_OF[kind]}?limit=100&includeShared=${includeShared}`,
        ids(visible.filter((thing) => thing.kind === kind)),
      );
    expected.push({
      method: "POST",
      path: "/v1/search",
      body: { term: COMMON_WORD, scope: { includeShared }, limit: 100 },
      answer: visible.map(({ kind, id }) => `${RESULT_OF[kind]}:${id}`).sort(),
    });
  }
  for (const cluster of of("cluster"))
    get(`spatial/locations?limit=100&clusterId=${cluster.id}`, ids(lying("location", cluster).filter((l) => shows(l))));
  for (const thing of world.things) {
    const levels = CAPABILITIES.map((c) => [c, levelOn(world, credential, c, thing)]);
    const single = thing.kind === "content" ? 200 : Object.fromEntries(levels);
    get(`${PATH_OF[thing.kind]}/${thing.id}`, shows(thing) ? single : 404);
  }
  for (const location of of("location")) {
    const holds = (capability: Capability) => atLeast(levelOn(world, credential, capability, location), "Read");
    const documents = lying("document", location).filter((document) => shows(document));
    const sees = holds("LocationView") || holds("Documents") || documents.length > 0;
    get(`spatial/locations/${location.id}/documents?limit=100`, sees ? ids(documents) : 404);
    const refusal = holds("LocationView") ? 403 : 404;
    const annotations = holds("LocationBundles") ? ids(lying("content", location)) : refusal;
    get(`spatial/locations/${location.id}/annotations?limit=100`, annotations);
  }
  return expected;
}

/** An answer in the form of `Expected.answer`. */
async function read(response: Response): Promise<unknown> {
  if (response.status !== 200) return response.status;
  const body = (await response.json()) as {
    items?: { id: string }[];
    results?: { resultId: string }[];
    capabilities?: unknown;
  };
  if (body.items !== undefined) return body.items.map(({ id }) => id).sort();
  if (body.results !== undefined) return body.results.map(({ resultId }) => resultId).sort();
  return body.capabilities ?? 200;
}

const canonical = (value: unknown): string =>
  JSON.stringify(
    value !== null && typeof value === "object" && !Array.isArray(value) ? Object.entries(value).sort() : value,
  );

/** A service with a world in it. */
export interface Service {
  fill(world: World): Promise<void>;
  /** Indexes everything in the world. */
  index(world: World): Promise<void>;
  /** Makes a token of a person. */
  mint(
    userId: string,
    limits: { organizationIds: string[] | null; capabilities: Credential["ceiling"]; isProven: boolean },
  ): Promise<string>;
  call: typeof call;
}

/** The job that indexes a thing. */
export const assetOf = ({ kind, id }: Thing) => ({ type: ASSET_OF[kind], id });

const WITH_ONE_DATABASE: Service = {
  fill: fillDatabase,
  index: async ({ things }) => void (await runThrough("index-asset", things.map(assetOf))),
  mint: async (userId, limits) => (await mintToken(userId, limits)).token,
  call,
};

/** Writes a world into a service, makes every call through the API, and compares the answers with the reference. */
export async function compareApi(world: World, service: Service = WITH_ONE_DATABASE): Promise<Comparison> {
  await service.fill(world);
  await service.index(world);
  const found: Comparison = { decisions: 0, differences: [] };
  for (const credential of world.credentials) {
    const { userId, organizationIds, ceiling, isProven = true } = credential;
    const token = await service.mint(userId, { organizationIds, capabilities: ceiling, isProven });
    const ask = async ({ method, path, body, answer }: Expected) => {
      const told = canonical(await read(await service.call(method, path, { token, body })));
      found.decisions++;
      if (told !== canonical(answer))
        found.differences.push(`${JSON.stringify(credential)} ${method} ${path}: ${told}, not ${canonical(answer)}`);
    };
    for (const expected of expectations(world, credential)) await ask(expected);
  }
  return found;
}
