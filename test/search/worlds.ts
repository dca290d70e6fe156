import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import type { CapabilityMap } from "../../src/access";
import { documents } from "../../src/documents/tables";
import { indexAssets } from "../../src/search/indexing/assets";
import { firstState, writeSlice } from "../../src/search/indexing/documents";
import { suggestionsResponse } from "../../src/search/schemas";
import { annotations, clusters, locations } from "../../src/workspace/tables";
import { expectJson } from "../support/call";
import {
  mintAnnotation,
  mintCluster,
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
} from "../support/factories";
import { contextOf } from "../support/jobs";
import { buildGuests, giveManyGrants } from "./guest-index";
import { searchAs } from "./searching";

/** Few words that are similar, so that every world has ties, prefixes and misspellings. */
const VOCABULARY =
  "anchor anchors anchored bearing bearings beating cable cables cabled concrete concretes concreted construct constructs delta drain drains drainage grains girder girders gird brücke bruecken anker ankern kabel beton Kabelbrücke Betonanker kabelbro".split(
    " ",
  );
const word = fc.constantFrom(...VOCABULARY);
/** Beginnings that determine the language, so that the same words get other stems. */
const opening = fc.constantFrom("", "", "the ", "und nicht wurde ", "och inte från ", "avec dans pour ");
export const worldText = fc
  .tuple(opening, fc.array(word, { minLength: 1, maxLength: 12 }))
  .map(([first, words]) => first + words.join(" "));

export interface WorldPlan {
  /** Locations with their titles; documents and annotations name theirs by index. */
  locations: string[];
  documents: { location: number; title: string; texts: string[]; granted: boolean }[];
  annotations: { location: number; title: string }[];
  /** The levels that the caller has on each location; absent without a grant. */
  grants: (CapabilityMap | null)[];
  /** Whether the caller has so many grants that they have an index. */
  indexed: boolean;
}

const LOCATIONS = 3;
const index = fc.nat({ max: LOCATIONS - 1 });
const capabilities = fc.constantFrom<(CapabilityMap | null)[]>(
  null,
  null,
  { Documents: "Read" },
  { LocationView: "Read" },
  { Documents: "Read", LocationBundles: "Read" },
);

export const worldPlan: fc.Arbitrary<WorldPlan> = fc.record({
  locations: fc.array(worldText, { minLength: LOCATIONS, maxLength: LOCATIONS }),
  documents: fc.array(
    fc.record({
      location: index,
      title: worldText,
      texts: fc.array(worldText, { minLength: 1, maxLength: 3 }),
      granted: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  annotations: fc.array(fc.record({ location: index, title: worldText }), { maxLength: 3 }),
  grants: fc.array(capabilities, { minLength: LOCATIONS, maxLength: LOCATIONS }),
  indexed: fc.boolean(),
});

/** Terms in every form of the query language, made of the same words and similar ones. */
export const worldTerm: fc.Arbitrary<string> = fc.oneof(
  worldText,
  word.map((w) => w.slice(0, 3)),
  word.map((w) => `${w.slice(0, 4)}*`),
  fc.tuple(worldText, word).map(([before, w]) => `${before} ${w.slice(0, 2)}`),
  fc.tuple(word, word).map(([a, b]) => `"${a} ${b}"`),
  fc.tuple(word, word).map(([a, b]) => `${a} -${b} `),
  fc.tuple(word, fc.nat({ max: 5 })).map(([w, at]) => `${w.slice(0, at + 1)}${w.slice(at + 2)} `),
  fc.tuple(word, fc.nat({ max: 5 })).map(([w, at]) => `${w.slice(0, at + 1)}q${w.slice(at + 1)} `),
);

/** The same plan without everything that the caller may not see. */
export function withoutHidden(plan: WorldPlan): WorldPlan {
  const holds = (location: number, capability: keyof CapabilityMap) =>
    plan.grants[location]?.[capability] !== undefined;
  return {
    ...plan,
    // A grant on a location shows the location itself.
    locations: plan.locations.map((title, i) => (plan.grants[i] === null ? "" : title)),
    documents: plan.documents.map((d) => (d.granted || holds(d.location, "Documents") ? d : { ...d, location: -1 })),
    annotations: plan.annotations.map((a) => (holds(a.location, "LocationBundles") ? a : { ...a, location: -1 })),
  };
}

export interface BuiltWorld {
  tenantId: string;
  token: string;
  /** Ids by their names in the plan, so that two worlds can be compared. */
  names: Map<string, string>;
}

/** Creates a plan in a separate organization and indexes it. Content without a location is left out. */
export async function build(plan: WorldPlan): Promise<BuiltWorld> {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const guest = await mintMember(organization.id, "guest");
  const names = new Map<string, string>();
  const clusterId = await mintCluster(tenant, { name: "" });
  const places: { id: string; clusterId: string }[] = [];
  for (const [i, name] of plan.locations.entries()) {
    const place = await mintLocation(tenant, { clusterId, name });
    names.set(place.id, `location ${i}`);
    places.push(place);
    const granted = plan.grants[i];
    if (granted != null) await mintGrant(tenant, guest.userId, "location", place.id, granted);
  }
  for (const [i, { location, title, texts, granted }] of plan.documents.entries()) {
    const place = places[location];
    if (place === undefined) continue;
    const id = await mintDocument(tenant, place, texts, { fileName: title, path: String(i) });
    names.set(id, `document ${i}`);
    if (granted) await mintGrant(tenant, guest.userId, "document", id, { Documents: "Read" });
  }
  for (const [i, { location, title }] of plan.annotations.entries()) {
    const place = places[location];
    if (place !== undefined) names.set(await mintAnnotation(tenant, place, { title, kind: "note" }), `annotation ${i}`);
  }
  if (plan.indexed) await giveManyGrants(organization.id, guest.userId);
  await indexAll(organization.id);
  if (plan.indexed) await buildGuests();
  return { tenantId: organization.id, token: guest.token, names };
}

/** Indexes everything of a tenant by the slices of the jobs, without the queue. */
export async function indexAll(tenantId: string): Promise<void> {
  const context = await contextOf(tenantId);
  const { workspace: db } = context;
  const kinds = [
    ["cluster", clusters],
    ["location", locations],
    ["annotation", annotations],
    ["document", documents],
  ] as const;
  for (const [type, table] of kinds) {
    const rows = await db.select({ id: table.id }).from(table).where(eq(table.tenantId, tenantId));
    const ids = rows.map(({ id }) => id);
    await (await indexAssets(context, tenantId, type, ids, crypto.randomUUID())).commit();
    if (type !== "document") continue;
    for (const id of ids) {
      const state = await firstState(context, tenantId, id, crypto.randomUUID());
      if (state?.step === "write") await (await writeSlice(context, tenantId, state)).change?.commit();
    }
  }
}

/**
 * Everything that a search shows to the caller: results, order, scores, counts, snippets, names of places,
 * corrections, suggestions, and more passages of the first document.
 */
export async function learnt({ token, names }: BuiltWorld, term: string) {
  const named = (id: string | null) =>
    id?.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, (uuid) => names.get(uuid) ?? uuid);
  const [found, typed] = await Promise.all([
    searchAs(token, term),
    expectJson(suggestionsResponse, 200, "POST", "/v1/search/suggestions", { token, body: { term } }),
  ]);
  const shown = ({ results }: typeof found) =>
    results.map(({ resultId, source, passages, organizationId, clusterId, locationId, updatedAtUtc, ...result }) => ({
      ...result,
      result: named(resultId),
      source: source && { ...source, documentId: named(source.documentId) },
      passages: passages.map(({ resultId: id, score, snippet }) => ({ passage: named(id), score, snippet })),
    }));
  const documentId = found.results.find(({ source }) => source !== null)?.source?.documentId;
  return {
    correctedTerm: found.correctedTerm,
    total: found.total,
    results: shown(found),
    more: documentId === undefined ? [] : shown(await searchAs(token, term, { documentId })),
    suggestions: typed.suggestions.map(({ text, resultId }) => ({ text, result: named(resultId) })),
  };
}

/** Number of terms that are searched in one world. */
const TERMS = 3;
export const askedTerms = fc.array(worldTerm, { minLength: TERMS, maxLength: TERMS });

/** Removes everything of an organization, contents first. Its index entries are removed with their rows. */
async function removeAll(tenantId: string): Promise<void> {
  const { workspace: db } = await contextOf(tenantId);
  const own = sql`SELECT id FROM documents WHERE tenant_id = ${tenantId}`;
  await db.run(sql`DELETE FROM text_sections WHERE document_id IN (${own})`);
  await db.run(sql`DELETE FROM document_versions WHERE document_id IN (${own})`);
  for (const table of [documents, annotations, locations, clusters])
    await db.delete(table).where(eq(table.tenantId, tenantId));
}

/**
 * Searches the same terms four times. A second world, in another organization, has the same words without the hidden
 * rows. `alone`: the first world before the second one exists. `beside`: the first world while the second one exists.
 * `without`: the second world. `again`: the first world after the second one was deleted and the first one was
 * indexed again. All four must be equal.
 */
export async function learntThroughout(plan: WorldPlan, asked: readonly string[]) {
  const ask = (world: BuiltWorld) => Promise.all(asked.map((term) => learnt(world, term)));
  const whole = await build(plan);
  const alone = await ask(whole);
  const visible = await build(withoutHidden(plan));
  const [beside, without] = [await ask(whole), await ask(visible)];
  await removeAll(visible.tenantId);
  await indexAll(whole.tenantId);
  return { alone, beside, without, again: await ask(whole) };
}
