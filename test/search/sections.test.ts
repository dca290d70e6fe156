import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { documents } from "../../src/documents/tables";
import { openDatabases } from "../../src/platform/db/database";
import { MAX_SCORED_SECTIONS } from "../../src/search/limits";
import { LANGUAGES } from "../../src/search/text";
import { annotations } from "../../src/workspace/tables";
import {
  mintAnnotation,
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPassages,
  mintVersion,
} from "../support/factories";
import { runThrough } from "../support/jobs";
import { REPORTS } from "./languages";
import { found, indexTenant, searchAs } from "./searching";

const { workspace: db } = openDatabases(env.DB);

/** An organization with one document of one page. */
async function library(passages: string[]) {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant);
  const documentId = await mintDocument(tenant, location, [passages], { fileName: "x.pdf" });
  await indexTenant(organization.id);
  const { token } = await mintMember(organization.id);
  const places = async (term: string, as = token) =>
    (await searchAs(as, term)).results.flatMap(({ passages }) => passages.map(({ source }) => source.chunkIndex));
  return { organization, tenant, location, documentId, token, places };
}

describe("a section", () => {
  const PASSAGES = [
    "the gantry was painted",
    "rust on the weld of a girder",
    "the weld was tested and the girder was lifted",
    "a girder weld without faults",
    "who knows the answer",
    "the who played here",
  ];

  test("shows its passage with the words of the query, and others that have all of them", async () => {
    const { places } = await library(PASSAGES);
    expect(await places("gantry ")).toEqual([0]);
    expect(await places("answer ")).toEqual([4]);
    expect((await places("girder weld ")).sort()).toEqual([1, 2, 3]);
    expect((await places("gantry played "))[0]).toBe(0);
    expect(await places("answ")).toEqual([4]);
  });

  test("is found by a phrase in one of its passages, and shows that passage", async () => {
    const { places } = await library(PASSAGES);
    expect(await places('"girder weld"')).toEqual([3]);
    expect(await places('"the who"')).toEqual([5]);
    expect(await places('"who the"')).toEqual([]);
    const twice = await library(["the who played", "nothing", "they asked for the who"]);
    expect((await twice.places('"the who"')).sort()).toEqual([0, 2]);
    // The text continues in the next passage.
    expect(await places('"girder was lifted a girder"')).toEqual([2]);
  });

  test("shows no passage with an excluded word, and is not found by one", async () => {
    const { places } = await library(PASSAGES);
    expect((await places("weld -rust ")).sort()).toEqual([2, 3]);
    expect(await places("rust -weld ")).toEqual([]);
    expect(await places("gantry -rust ")).toEqual([0]);
    const all = await library(["girder rust", "rust again"]);
    await db.update(documents).set({ fileName: "Viaduct.pdf" }).where(eq(documents.id, all.documentId));
    await indexTenant(all.organization.id);
    expect(await found(all.token, "viaduct -rust ", { scope: { resultTypes: ["DocumentContent"] } })).toEqual([]);
  });

  test("shows the same passages to people who see it under another scope", async () => {
    const { organization, tenant, location, documentId, places } = await library(PASSAGES);
    const [near, exact] = await Promise.all([
      mintMember(organization.id, "guest"),
      mintMember(organization.id, "guest"),
    ]);
    await mintGrant(tenant, near.userId, "location", location.id, { Documents: "Read" });
    await mintGrant(tenant, exact.userId, "document", documentId, { Documents: "Read" });
    await runThrough("index-shared", [
      { target: "location", id: location.id },
      { target: "document", id: documentId },
    ]);
    for (const { token } of [near, exact])
      for (const term of ["gantry ", "answer ", '"girder weld"', "weld -rust ", "girder weld "])
        expect(await places(term, token)).toEqual(await places(term));
  });

  test("shows a passage with the word, even after the sections whose passages are scored", async () => {
    const { organization, tenant, location, token } = await library(["nothing"]);
    const count = MAX_SCORED_SECTIONS + 10;
    for (let n = 0; n < count; n += 1)
      await mintDocument(tenant, location, [["first part", `second ${"part ".repeat(n)}`, "third gantry"]]);
    await indexTenant(organization.id);
    const { results } = await searchAs(token, "gantry ", { limit: 100 });
    expect(results).toHaveLength(count);
    for (const { source, snippet, passageCount } of results) {
      expect(source?.chunkIndex).toBe(2);
      expect(snippet).toBe("third <mark>gantry</mark>");
      expect(passageCount).toBe(1);
    }
    const excluded = await searchAs(token, "gantry -first ", { limit: 100 });
    expect(excluded.results.map(({ source }) => source?.chunkIndex)).toEqual(results.map(() => 2));
  });
});

const SUMS_OF_ENTRIES = [
  ["row_count", "e.row_count"],
  ["passage_count", "e.passage_count"],
  ["title_length", "e.title_length * e.row_count"],
  ["body_length", "e.body_length"],
  ...LANGUAGES.map((language, bit) => [`${language}_count`, `e.languages >> ${bit} & 1`] as const),
] as const;

/** The sums of groups, and the same sums over their live entries. */
const SUMS = `SELECT g.type, json_array(${SUMS_OF_ENTRIES.map(([column]) => `g.${column}`)}) AS kept,
    json_array(${SUMS_OF_ENTRIES.map(([, of]) => `coalesce(sum(${of}), 0)`)}) AS counted
  FROM search_groups g LEFT JOIN search_entries e ON e.group_key = g.key AND e.live = 1 GROUP BY g.key`;

test("the sums of groups follow every change of a document", async () => {
  const { organization, tenant, location, documentId } = await library(["girder weld", REPORTS.german.text]);
  const other = await mintLocation(tenant);
  await mintAnnotation(tenant, location, { title: "Crack in the girder" });
  const row = eq(documents.id, documentId);
  const changes: (() => Promise<unknown>)[] = [
    () => indexTenant(organization.id),
    () => db.update(documents).set({ deletedAt: 1 }).where(row),
    () => db.update(documents).set({ deletedAt: null }).where(row),
    () => db.update(documents).set({ locationId: other.id, clusterId: other.clusterId }).where(row),
    () => db.update(documents).set({ fileName: "A longer name.pdf" }).where(row),
    () => indexTenant(organization.id),
    async () => {
      await mintVersion(documentId, 2, "x.pdf");
      await mintPassages(documentId, 2, [["one more", REPORTS.finnish.text], REPORTS.english.text]);
      await db.update(documents).set({ latestVersion: 2, textVersion: 2 }).where(row);
    },
    () => indexTenant(organization.id),
    () => db.delete(annotations).where(eq(annotations.locationId, location.id)),
    () => db.update(documents).set({ deletedAt: 1 }).where(row),
    () => indexTenant(organization.id),
  ];
  const seen = new Set<unknown>();
  for (const change of changes) {
    await change();
    const { results } = await env.DB.prepare(SUMS).all<{ type: string; kept: string; counted: string }>();
    seen.add(JSON.stringify(results.filter(({ type }) => type === "text")));
    expect(results.map(({ kept }) => kept)).toEqual(results.map(({ counted }) => counted));
  }
  // Deleted, restored, moved, renamed, replaced.
  expect(seen.size).toBeGreaterThanOrEqual(5);
});

test("an entry that is written again without a change writes no row of its group", async () => {
  const { organization, location } = await library(["girder weld"]);
  await indexTenant(organization.id);
  const write = (length: string) =>
    env.DB.prepare(`UPDATE search_entries SET live = 1, body_length = ${length} WHERE resource_id = ?`)
      .bind(location.id)
      .run();
  expect((await write("body_length")).meta.rows_written).toBe(1);
  expect((await write("body_length + 1")).meta.rows_written).toBe(3);
});
