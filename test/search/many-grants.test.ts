import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import type { CapabilityMap } from "../../src/access";
import { grants } from "../../src/access/tables";
import type { Context } from "../../src/platform/context";
import { type AccessScope, accessScopeOf, type SearchScope } from "../../src/search/access-scope";
import { MAX_SCOPES_OF_GUEST } from "../../src/search/limits";
import { parseQuery } from "../../src/search/query";
import { rank } from "../../src/search/ranking";
import { correctTerm } from "../../src/search/spelling";
import { clusters } from "../../src/workspace/tables";
import {
  mintAnnotation,
  mintCluster,
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
} from "../support/factories";
import { systemContext } from "../support/jobs";
import fc, { scaled } from "../support/properties";
import { callerFor } from "./rows-read";
import { found, searchAs } from "./searching";
import { indexAll, worldTerm } from "./worlds";

const CAPABILITIES: readonly CapabilityMap[] = [
  { Documents: "Read" },
  { LocationView: "Read" },
  { Documents: "Read", LocationBundles: "Read" },
  { ClusterView: "Read", LocationView: "Read" },
];
const capabilities = fc.constantFrom(...CAPABILITIES);
/** Grants on the places of a workspace: overlapping ones too, of a cluster, its location and a document in it. */
const plan = fc.record({
  titles: fc.array(worldTerm, { minLength: 6, maxLength: 6 }),
  grants: fc.array(
    fc.tuple(
      fc.constantFrom<"cluster" | "location" | "document">("cluster", "location", "document"),
      fc.nat({ max: 2 }),
      capabilities,
    ),
    { minLength: 1, maxLength: 6 },
  ),
  trashed: fc.option(fc.nat({ max: 2 })),
  terms: fc.array(worldTerm, { minLength: 4, maxLength: 4 }),
});

/** The same access as for many resources, and as for few. */
const many = (access: AccessScope): AccessScope => ({ ...access, shared: MAX_SCOPES_OF_GUEST + 1 });
const few = (access: AccessScope): AccessScope => ({ ...access, shared: 0 });

async function answer(context: Context, access: AccessScope, term: string) {
  const query = parseQuery(term);
  const ranking = await rank(context, access, query, { limit: 50, after: null, documentId: null });
  const corrected = await correctTerm(context, access, term, query, ranking);
  return { ...ranking, known: [...ranking.known].sort(), corrected };
}

test("a lookup in workspaces gives the answer of a lookup in each shared resource, in worlds with hidden contents", async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ titles, grants: given, trashed, terms }) => {
      const organization = await mintOrganization();
      const tenant = { organizationId: organization.id };
      const guest = await mintMember(organization.id, "guest");
      const [places, documentIds]: [{ id: string; clusterId: string }[], string[]] = [[], []];
      for (const [i, title] of titles.entries()) {
        const clusterId = i % 2 === 0 ? await mintCluster(tenant, { name: title }) : places[i - 1]?.clusterId;
        const place = await mintLocation(tenant, { name: title, ...(clusterId === undefined ? {} : { clusterId }) });
        places.push(place);
        documentIds.push(await mintDocument(tenant, place, [title, `girder ${title}`], { fileName: title }));
        await mintAnnotation(tenant, place, { title });
      }
      const held = new Set<string>();
      for (const [target, at, map] of given) {
        const place = places[at];
        const id = { cluster: place?.clusterId, location: place?.id, document: documentIds[at] }[target];
        if (id === undefined || held.has(id)) continue;
        held.add(id);
        await mintGrant(tenant, guest.userId, target, id, map);
      }
      await indexAll(organization.id);
      const { workspace } = systemContext();
      const clusterId = trashed === null ? undefined : places[trashed]?.clusterId;
      if (clusterId !== undefined)
        await workspace.update(clusters).set({ deletedAt: 1 }).where(eq(clusters.id, clusterId));
      const narrow: Partial<SearchScope>[] = [
        {},
        { locationIds: places.slice(0, 2).map(({ id }) => id) },
        { resultTypes: ["Document", "Location"] },
      ];
      const caller = await callerFor(guest.userId);
      for (const more of narrow) {
        const access = accessScopeOf(caller, { includeShared: true, ...more });
        if (access === null) continue;
        for (const term of [...terms, "girder ", "girdr "])
          expect([term, await answer(systemContext(), many(access), term)]).toEqual([
            term,
            await answer(systemContext(), few(access), term),
          ]);
      }
    }),
    { numRuns: scaled(3), endOnFailure: true },
  );
}, 240_000);

test("a guest with many grants finds what is shared, and loses it at once when a grant ends", async () => {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const guest = await mintMember(organization.id, "guest");
  const clusterId = await mintCluster(tenant);
  const places: { id: string; clusterId: string }[] = [];
  for (let i = 0; i <= MAX_SCOPES_OF_GUEST; i += 1) {
    const place = await mintLocation(tenant, { clusterId });
    places.push(place);
    await mintGrant(tenant, guest.userId, "location", place.id, { Documents: "Read" });
  }
  const [first, second] = places;
  if (first === undefined || second === undefined) throw new Error("no places");
  const hidden = await mintLocation(tenant, { clusterId });
  const shown = await mintDocument(tenant, first, ["heliograph"], { fileName: "a.pdf" });
  const ending = await mintDocument(tenant, second, ["heliograph helicopter"], { fileName: "b.pdf" });
  await mintDocument(tenant, hidden, ["heliograph helicopters heliport"], { fileName: "c.pdf" });
  await indexAll(organization.id);
  expect((await found(guest.token, "heliograph ")).sort()).toEqual(
    expect.arrayContaining([expect.stringContaining(shown), expect.stringContaining(ending)]),
  );
  expect((await searchAs(guest.token, "heliograph ")).total).toEqual({ count: 2, isExact: true });
  // A word of the hidden document alone is not found, and corrects nothing.
  expect((await searchAs(guest.token, "heliport ")).total.count).toBe(0);
  expect((await searchAs(guest.token, "helipart ")).correctedTerm).toBeNull();
  expect((await searchAs(guest.token, "helicoptor ")).correctedTerm).toBe("helicopter ");
  const { workspace } = systemContext();
  await workspace.delete(grants).where(eq(grants.targetId, second.id));
  expect((await searchAs(guest.token, "heliograph ")).total.count).toBe(1);
  expect((await searchAs(guest.token, "helicopter ")).total.count).toBe(0);
});
