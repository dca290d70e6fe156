import { env } from "cloudflare:workers";
import { inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { documents } from "../../../src/documents/tables";
import { compile, openDatabases } from "../../../src/platform/db/database";
import { accessScopeOf, type SearchScope } from "../../../src/search/access-scope";
import { MAX_PHRASES, MAX_WORDS } from "../../../src/search/limits";
import { parseQuery } from "../../../src/search/query";
import { rank } from "../../../src/search/ranking";
import { READ_LIMITS } from "../../../src/search/ranking/postings";
import { rankingOf } from "../../../src/search/ranking/statement";
import { callerFor } from "../../search/rows-read";
import { indexTenant } from "../../search/searching";
import { mintDocument, mintGrant, mintLocation, mintMember, mintOrganization } from "../../support/factories";
import { runThrough, systemContext } from "../../support/jobs";

const { workspace: db } = openDatabases(env.DB);

/**
 * Two yards: the first yard has eight documents with 24 occurrences of "girder", the other yard has one document with
 * three.
 */
async function yards() {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const [first, other] = [await mintLocation(tenant, { name: "First" }), await mintLocation(tenant, { name: "Other" })];
  const early: string[] = [];
  for (let n = 0; n < 8; n += 1)
    early.push(await mintDocument(tenant, first, ["girder weld girder girder"], { fileName: `a${n}.pdf` }));
  await indexTenant(organization.id);
  const late = await mintDocument(tenant, other, ["girder weld girder girders"], { fileName: "z.pdf" });
  await indexTenant(organization.id);
  /** The documents that a user finds within limits, and whether the count is exact. */
  const asked = async (
    term: string,
    limits: Partial<typeof READ_LIMITS>,
    narrow: Partial<SearchScope> = {},
    userId = organization.owner.userId,
  ) => {
    const access = accessScopeOf(await callerFor(userId), { includeShared: true, ...narrow });
    if (access === null) throw new Error("the user may find nothing");
    const wanted = { limit: 50, after: null, documentId: null };
    const { hits, total } = await rank(systemContext(), access, parseQuery(term), wanted, {
      ...READ_LIMITS,
      ...limits,
    });
    expect(total.count).toBe(hits.length);
    return { found: hits.map(({ resource }) => resource), isExact: total.isExact };
  };
  return { organization, tenant, first, other, early, late, asked };
}

test("a count is exact if and only if all occurrences were read", async () => {
  const { asked } = await yards();
  // 27 of "girder", 9 of "weld". An exclusion leaves rows out after they were read.
  for (const [term, occurrences] of [
    ["girder ", 27],
    ["girder weld ", 36],
    ["girder -girders ", 27],
    ['"girder weld"', 36],
  ] as const) {
    const all = await asked(term, { grouped: occurrences });
    expect([term, all.isExact]).toEqual([term, true]);
    const cut = await asked(term, { grouped: occurrences - 1 });
    expect([term, cut.isExact]).toEqual([term, false]);
  }
  expect((await asked("girder ", { grouped: 2 })).found).toHaveLength(1);
});

test("a count is not exact if a beginning has more words than are read", async () => {
  const { asked, late } = await yards();
  expect(await asked("gir", { ofBeginning: 27 })).toMatchObject({ isExact: true });
  const cut = await asked("gir", { ofBeginning: 26 });
  expect(cut.isExact).toBe(false);
  expect(cut.found).toContain(late);
  expect(await asked("gir* wel", { ofBeginning: 9 })).toMatchObject({ isExact: false });
});

test("a count is not exact if a phrase has more written variants than are looked up", async () => {
  const { asked } = await yards();
  // "girder" and "girders", then "girder girder" and "girder girders".
  for (const term of ['"girder girder"', 'girder "girder girder"']) {
    const all = await asked(term, { variants: 4 });
    expect([term, all.found.length, all.isExact]).toEqual([term, 9, true]);
    expect([term, (await asked(term, { variants: 3 })).isExact]).toEqual([term, false]);
  }
});

test("a search in a chosen place counts only occurrences in that place", async () => {
  const { asked, other, late } = await yards();
  for (const narrow of [{ locationIds: [other.id] }, { clusterIds: [other.clusterId] }])
    expect(await asked("girder ", { grouped: 3 }, narrow)).toEqual({ found: [late], isExact: true });
  expect(await asked("girder ", { grouped: 2 }, { locationIds: [other.id] })).toEqual({
    found: [late],
    isExact: false,
  });
  // All places together have an upper limit.
  expect(await asked("girder ", { read: 27 }, { locationIds: [other.id] })).toEqual({ found: [late], isExact: true });
  expect(await asked("girder ", { read: 26 }, { locationIds: [other.id] })).toEqual({ found: [late], isExact: false });
  expect(await asked("girder ", { read: 23 }, { locationIds: [other.id] })).toEqual({ found: [], isExact: false });
});

test("occurrences in the trash are read, and the count then says that it is not exact", async () => {
  const { asked, early, late, other } = await yards();
  await db.update(documents).set({ deletedAt: Date.now() }).where(inArray(documents.id, early));
  expect(await asked("girder ", {})).toEqual({ found: [late], isExact: true });
  expect(await asked("girder ", { grouped: 27 })).toEqual({ found: [late], isExact: true });
  expect(await asked("girder ", { grouped: 23 })).toEqual({ found: [], isExact: false });
  expect(await asked("girder ", { grouped: 3 }, { locationIds: [other.id] })).toEqual({ found: [late], isExact: true });
});

test("a guest reads only occurrences of what is shared", async () => {
  const { organization, tenant, asked, other, late } = await yards();
  const guest = await mintMember(organization.id, "guest");
  await mintGrant(tenant, guest.userId, "location", other.id, { Documents: "Read" });
  await runThrough("index-shared", [{ target: "location", id: other.id }]);
  expect(await asked("girder ", { grouped: 3 }, {}, guest.userId)).toEqual({ found: [late], isExact: true });
  expect(await asked("girder ", { grouped: 2 }, {}, guest.userId)).toEqual({ found: [late], isExact: false });
});

test("as many words as the limit says are read in every form of a query, and further words are not", async () => {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const place = await mintLocation(tenant, { name: "Yard" });
  const letters = "bdfgklmnprtvz";
  const words = Array.from(
    { length: MAX_WORDS + 1 },
    (_, i) => `qu${letters[i % 13]}o${letters[Math.floor(i / 13)]}ak`,
  );
  // One document for each of the last words, and one title.
  const last = words.slice(-3);
  const [before, end, after] = await Promise.all(
    last.map((word) => mintDocument(tenant, place, [`${word} girder weld`])),
  );
  const titled = await mintDocument(tenant, place, ["plain"], { fileName: `${last[1]}.pdf` });
  await indexTenant(organization.id);
  const guest = await mintMember(organization.id, "guest");
  await mintGrant(tenant, guest.userId, "location", place.id, { Documents: "Read", LocationView: "Read" });
  await runThrough("index-shared", [{ target: "location", id: place.id }]);
  const found = async (term: string, userId: string, narrow: Partial<SearchScope> = {}) => {
    const access = accessScopeOf(await callerFor(userId), { includeShared: true, ...narrow });
    if (access === null) throw new Error("the user may find nothing");
    const query = parseQuery(term);
    expect(query.words).toHaveLength(MAX_WORDS);
    const { hits, known } = await rank(systemContext(), access, query, { limit: 50, after: null, documentId: null });
    expect([...known]).toEqual([MAX_WORDS - 2, MAX_WORDS - 1]);
    return hits.map(({ resource }) => resource);
  };
  const query = words.join(" ");
  const forms = [query, `${words.map((word) => `${word}*`).join(" ")}`, `${query} -plaque`, `${query} "girder weld"`];
  for (const userId of [organization.owner.userId, guest.userId])
    for (const narrow of [
      {},
      { organizationIds: [organization.id], locationIds: [place.id], clusterIds: [place.clusterId] },
    ])
      for (const term of forms) {
        const ids = await found(term, userId, narrow);
        expect(ids).toEqual(expect.arrayContaining(term.includes('"') ? [before, end] : [before, end, titled]));
        expect(ids).not.toContain(after);
      }
  expect(parseQuery(words.map((word) => `-${word}`).join(" ")).excluded).toHaveLength(MAX_WORDS);
});

/** D1 allows statements of 100 KB, expressions of depth 100, and in workerd programs of about 21,500 operations. */
const [MOST_BYTES, MOST_OPERATIONS, SPARE_DEPTH] = [90_000, 20_000, 15];

test("the largest statement is within the limits of D1, with a reserve", async () => {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const [place, other] = [await mintLocation(tenant, { name: "Yard" }), await mintLocation(tenant, { name: "Other" })];
  const documentId = await mintDocument(tenant, place, ["girder weld"]);
  const guest = await mintMember(organization.id, "guest");
  const all = { Documents: "Read", LocationView: "Read", ClusterView: "Read", LocationBundles: "Read" } as const;
  await mintGrant(tenant, guest.userId, "cluster", place.clusterId, all);
  await mintGrant(tenant, guest.userId, "location", other.id, all);
  await mintGrant(tenant, guest.userId, "document", documentId, { Documents: "Read" });
  const narrow = { organizationIds: [organization.id], locationIds: [place.id], clusterIds: [place.clusterId] };
  const words = Array.from({ length: MAX_WORDS }, (_, i) => `girder${i}`);
  const beginnings = words.map((word) => `${word}*`).join(" ");
  const phrases = Array.from({ length: MAX_PHRASES }, (_, i) => `"weld ${words.slice(i * 9, i * 9 + 9).join(" ")}"`);
  const term = `${beginnings} ${phrases.join(" ")} -plaque`;
  for (const scope of [{}, narrow]) {
    const access = accessScopeOf(await callerFor(guest.userId), { includeShared: true, ...scope });
    if (access === null) throw new Error("the user may find nothing");
    const after = [1, 1, documentId] as const;
    const { sql, params } = compile(rankingOf(access, parseQuery(term), { limit: 50, after, documentId }));
    const compiled = async (what: string, text: string) =>
      (
        await env.DB.prepare(`${what} ${text}`)
          .bind(...params.map(() => null))
          .all()
      ).results;
    expect(new TextEncoder().encode(sql).length).toBeLessThan(MOST_BYTES);
    expect((await compiled("EXPLAIN", sql)).length).toBeLessThan(MOST_OPERATIONS);
    // The counts of one word are as much deeper as the reserve.
    const deeper = sql.replace(/\b[xtb]0 >> 0 & \d+/g, `$&${" + 0".repeat(SPARE_DEPTH)}`);
    expect(deeper).not.toBe(sql);
    await compiled("EXPLAIN QUERY PLAN", deeper);
  }
});
