import { sql } from "drizzle-orm";
import fc from "fast-check";
import type { CapabilityMap } from "../../src/access";
import { newId } from "../../src/platform/ids";
import {
  mintAnnotation,
  mintCluster,
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPassages,
} from "../support/factories";
import { contextOf } from "../support/jobs";
import { buildGuests, giveManyGrants, isIndexed } from "./guest-index";
import { type BuiltWorld, indexAll, learnt, worldText } from "./worlds";

const databaseOf = async ({ tenantId }: { tenantId: string }) => (await contextOf(tenantId)).workspace;

const [CLUSTERS, LOCATIONS, DOCUMENTS] = [2, 3, 5];
const index = (count: number) => fc.nat({ max: count - 1 });
const capabilities = fc.constantFrom<CapabilityMap>(
  { Documents: "Read" },
  { LocationView: "Read" },
  { Documents: "Read", LocationBundles: "Read" },
  { ClusterView: "Read", LocationView: "Read", LocationBundles: "Write", Documents: "Read" },
);
const target = fc.oneof(
  fc.record({ target: fc.constant("cluster" as const), at: index(CLUSTERS) }),
  fc.record({ target: fc.constant("location" as const), at: index(LOCATIONS) }),
  fc.record({ target: fc.constant("document" as const), at: index(DOCUMENTS) }),
);
const grant = fc.record({ of: target, capabilities, ends: fc.boolean() });

const step = fc.oneof(
  fc.record({ does: fc.constant("grant" as const), grant }),
  fc.record({
    does: fc.constantFrom("revoke" as const, "expire" as const, "regrant" as const),
    at: fc.nat(),
    capabilities,
  }),
  fc.record({ does: fc.constant("move-location" as const), location: index(LOCATIONS), cluster: index(CLUSTERS) }),
  fc.record({ does: fc.constant("move-document" as const), document: index(DOCUMENTS), location: index(LOCATIONS) }),
  fc.record({ does: fc.constantFrom("delete" as const, "restore" as const), of: target }),
  fc.record({ does: fc.constant("write" as const), document: index(DOCUMENTS), text: worldText }),
  fc.record({ does: fc.constant("rename" as const), document: index(DOCUMENTS), text: worldText }),
  fc.record({ does: fc.constant("add" as const), location: index(LOCATIONS), text: worldText }),
);

/** An organization with a guest who has many grants, and what happens to it. */
export const guestPlan = fc.record({
  clusters: fc.array(worldText, { minLength: CLUSTERS, maxLength: CLUSTERS }),
  locations: fc.array(fc.record({ cluster: index(CLUSTERS), title: worldText }), {
    minLength: LOCATIONS,
    maxLength: LOCATIONS,
  }),
  documents: fc.array(
    fc.record({
      location: index(LOCATIONS),
      title: worldText,
      texts: fc.array(worldText, { minLength: 1, maxLength: 3 }),
    }),
    { minLength: DOCUMENTS, maxLength: DOCUMENTS },
  ),
  annotations: fc.array(fc.record({ location: index(LOCATIONS), title: worldText }), { maxLength: 3 }),
  grants: fc.array(grant, { minLength: 1, maxLength: 4 }),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
});
type GuestPlan = typeof guestPlan extends fc.Arbitrary<infer T> ? T : never;
type Step = GuestPlan["steps"][number];

interface GuestWorld extends BuiltWorld {
  userId: string;
  clusters: string[];
  locations: { id: string; clusterId: string }[];
  documents: string[];
}

const TABLES = { cluster: "clusters", location: "locations", document: "documents" } as const;
const idOf = (world: GuestWorld, { target, at }: GuestPlan["grants"][number]["of"]): string =>
  (target === "cluster" ? world.clusters[at] : target === "location" ? world.locations[at]?.id : world.documents[at]) ??
  "";

async function give(world: GuestWorld, { of, capabilities, ends }: GuestPlan["grants"][number]): Promise<void> {
  const id = idOf(world, of);
  await (await databaseOf(world)).run(sql`DELETE FROM grants WHERE target_id = ${id} AND user_id = ${world.userId}`);
  const named: CapabilityMap = of.target === "document" ? { Documents: "Read" } : capabilities;
  const expiresAt = ends ? Date.now() + 3_600_000 : null;
  await mintGrant({ organizationId: world.tenantId }, world.userId, of.target, id, named, { expiresAt });
}

/** Creates a plan in a separate organization, and indexes everything. */
async function buildGuestWorld(plan: GuestPlan): Promise<GuestWorld> {
  const { id: tenantId } = await mintOrganization();
  const tenant = { organizationId: tenantId };
  const { userId, token } = await mintMember(tenantId, "guest");
  const world: GuestWorld = { tenantId, token, userId, names: new Map(), clusters: [], locations: [], documents: [] };
  for (const name of plan.clusters) world.clusters.push(await mintCluster(tenant, { name }));
  for (const { cluster, title } of plan.locations)
    world.locations.push(await mintLocation(tenant, { clusterId: world.clusters[cluster] ?? "", name: title }));
  for (const [i, { location, title, texts }] of plan.documents.entries())
    world.documents.push(await add(world, location, title, texts, String(i)));
  for (const { location, title } of plan.annotations)
    await mintAnnotation(tenant, world.locations[location] ?? world.locations[0]!, { title, kind: "note" });
  await giveManyGrants(tenantId, userId);
  for (const one of plan.grants) await give(world, one);
  await indexAll(tenantId);
  return world;
}

const add = (world: GuestWorld, location: number, title: string, texts: string[], path = newId()): Promise<string> =>
  mintDocument({ organizationId: world.tenantId }, world.locations[location] ?? world.locations[0]!, texts, {
    fileName: title,
    path,
  });

/** Changes the rows of a world. */
async function happen(world: GuestWorld, step: Step): Promise<void> {
  const database = await databaseOf(world);
  const now = Date.now();
  const chosen = (at: number) =>
    sql`id = (SELECT id FROM grants WHERE user_id = ${world.userId} ORDER BY id DESC LIMIT 1 OFFSET ${at % 5})`;
  switch (step.does) {
    case "grant":
      return give(world, step.grant);
    case "revoke":
      return void (await database.run(sql`DELETE FROM grants WHERE ${chosen(step.at)}`));
    case "expire":
      return void (await database.run(sql`UPDATE grants SET expires_at = ${now - 1} WHERE ${chosen(step.at)}`));
    case "regrant":
      return void (await database.run(
        sql`UPDATE grants SET capabilities = ${JSON.stringify(step.capabilities)} WHERE target <> 'document' AND ${chosen(step.at)}`,
      ));
    case "move-location": {
      const clusterId = world.clusters[step.cluster] ?? "";
      return void (await database.run(
        sql`UPDATE locations SET cluster_id = ${clusterId} WHERE id = ${world.locations[step.location]?.id}`,
      ));
    }
    case "move-document": {
      const id = world.locations[step.location]?.id;
      return void (await database.run(sql`UPDATE documents SET location_id = ${id},
        cluster_id = (SELECT cluster_id FROM locations WHERE id = ${id}) WHERE id = ${world.documents[step.document]}`));
    }
    case "delete":
    case "restore": {
      const table = sql.raw(TABLES[step.of.target]);
      const at = step.does === "delete" ? now : null;
      return void (await database.run(sql`UPDATE ${table} SET deleted_at = ${at} WHERE id = ${idOf(world, step.of)}`));
    }
    case "write": {
      const id = world.documents[step.document] ?? "";
      const [row] = await database.all<{ version: number }>(
        sql`SELECT text_version + 1 AS "version" FROM documents WHERE id = ${id}`,
      );
      await mintPassages(id, row?.version ?? 2, [step.text]);
      return void (await database.run(
        sql`UPDATE documents SET text_version = text_version + 1, updated_at = ${now} WHERE id = ${id}`,
      ));
    }
    case "rename":
      return void (await database.run(
        sql`UPDATE documents SET file_name = ${step.text} WHERE id = ${world.documents[step.document]}`,
      ));
    case "add":
      return void (await add(world, step.location, step.text, [step.text]));
  }
}

/** Suggested titles. If more match, the order of the grants decides which of them are suggested. */
const MAX_TITLES = 5;

/** What a guest learns; titles are in no order, and only counted where more of them may match. */
async function ask(world: GuestWorld, terms: readonly string[]) {
  const answers = await Promise.all(terms.map((term) => learnt(world, term)));
  return answers.map(({ suggestions, ...answer }) => {
    const titles = suggestions.flatMap(({ text, result }) => (result ? [`${result} ${text}`] : [])).sort();
    return {
      ...answer,
      words: suggestions.filter(({ result }) => result === undefined || result === null),
      titles: titles.length < MAX_TITLES ? titles : titles.length,
    };
  });
}

/** What a guest learns from the index, and the same without it. */
async function bothWays(world: GuestWorld, terms: readonly string[]) {
  const wasIndexed = await isIndexed(world.tenantId);
  const quick = await ask(world, terms);
  const ofGuest = sql`organization_id = ${world.tenantId}`;
  await (await databaseOf(world)).run(sql`UPDATE search_guests SET current = 0 WHERE ${ofGuest}`);
  const slow = await ask(world, terms);
  if (wasIndexed) await (await databaseOf(world)).run(sql`UPDATE search_guests SET current = 1 WHERE ${ofGuest}`);
  return { quick, slow, isIndexed: wasIndexed };
}

/**
 * Everything that a guest learns from the index and from the grants one by one: before the index is built, and after each step of a plan,
 * its indexing, and the job of the index.
 */
export async function throughout(plan: GuestPlan, terms: readonly string[]) {
  const world = await buildGuestWorld(plan);
  const learnt: (Awaited<ReturnType<typeof bothWays>> & { after: string })[] = [];
  const compare = async (after: string) => learnt.push({ ...(await bothWays(world, terms)), after });
  await compare("indexed");
  await buildGuests();
  await compare("built");
  for (const step of plan.steps) {
    await happen(world, step);
    // What moved within the granted places is in the index already, and under the scope of its new place after its job.
    if (!step.does.startsWith("move")) await compare(step.does);
    await indexAll(world.tenantId);
    await compare(`indexed after ${step.does}`);
    await buildGuests();
    await compare(`built after ${step.does}`);
  }
  return learnt;
}
