import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { searchResponse, suggestionsResponse } from "../../../src/search/schemas";
import { insightsSchema } from "../../../src/search/telemetry";
import {
  databaseOf,
  expectSeveral,
  inEach,
  migrateSeveral,
  organizationIn,
  registerIn,
  runJobs,
} from "../../support/databases";

beforeAll(migrateSeveral);

const made = z.object({ id: z.string() });
type Person = Awaited<ReturnType<typeof registerIn>>;

/** The locations of three organizations. Words are frequent in some of them and rare in others. */
const CONTENTS = [
  ["Sapphire lens", "Harbour crane", "Granite wall", "Harbour office with a sapphire window"],
  ["Sapphire", "Granite quarry", "Granite and sapphire store", "Lighthouse"],
  ["Harbour", "Harbour harbour harbour", "Kitchen", "A sapphire in the harbour of the granite island"],
];

/** A person with these organizations in these databases. The contents and their order are always the same. */
async function worldIn(places: readonly string[], home: string) {
  const owner = await registerIn(home);
  const { token } = owner;
  const organizations: string[] = [];
  for (const [n, place] of places.entries()) {
    const organizationId = await organizationIn(place, token, `Organization ${n}`);
    organizations.push(organizationId);
    const cluster = await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", {
      token,
      body: { organizationId, name: `Quay ${n}` },
    });
    for (const name of CONTENTS[n] ?? [])
      await expectSeveral(made, 201, "POST", "/v1/spatial/locations", { token, body: { clusterId: cluster.id, name } });
  }
  await runJobs();
  return { owner, organizations };
}

const search = ({ token }: Person, body: object) =>
  expectSeveral(searchResponse, 200, "POST", "/v1/search", { token, body });

/** What the results of a search are, without ids. */
const shown = ({ results, total, correctedTerm }: z.infer<typeof searchResponse>) => ({
  results: results.map(({ title, score, resultType, rankPosition, markedTitle }) => ({
    ...{ title, score, resultType, rankPosition, markedTitle },
  })),
  total,
  correctedTerm,
});

/**
 * The same without the order of equal scores. Their ids decide it, and ids of two organizations in one millisecond have no order: after
 * a test that moved the clock, one millisecond lasts long.
 */
function withoutTies(found: z.infer<typeof searchResponse>) {
  const { results, ...rest } = shown(found);
  const byScore = Map.groupBy(results, ({ score }) => score);
  const titles = [...byScore].map(([score, equal]) => ({
    score,
    equal: equal.map(({ rankPosition: _, ...result }) => result).sort((a, b) => (a.title < b.title ? -1 : 1)),
  }));
  return { titles, positions: results.map(({ rankPosition }) => rankPosition), ...rest };
}

const TERMS = [
  "sapphire",
  "harbour",
  "granite sapphire",
  "sapphire -lens",
  '"harbour crane"',
  "quay",
  "nowhere",
  "saphire",
];

describe("search over several databases", () => {
  test("has the results, scores, totals and corrections of one database, in pages of every size", async () => {
    const one = await worldIn(["first", "first", "first"], "first");
    const two = await worldIn(["first", "second", "first"], "second");
    for (const term of TERMS) {
      const whole = await search(two.owner, { term, limit: 50 });
      expect(withoutTies(whole), term).toEqual(withoutTies(await search(one.owner, { term, limit: 50 })));
      for (const limit of [1, 3]) {
        const found: unknown[] = [];
        for (let cursor: string | undefined; ; ) {
          const page: z.infer<typeof searchResponse> = await search(two.owner, { term, limit, cursor });
          found.push(...shown(page).results);
          if (page.nextCursor === null) break;
          cursor = page.nextCursor;
        }
        expect(found, term).toEqual(shown(whole).results);
      }
    }
    expect(shown(await search(two.owner, { term: "saphire" })).correctedTerm).toBe("sapphire");
    // A restriction to one organization gives what it gives in one database.
    for (const [n, organizationId] of two.organizations.entries()) {
      const scope = (id: string | undefined) => ({
        term: "sapphire harbour",
        scope: { includeShared: true, organizationIds: [id] },
      });
      expect(withoutTies(await search(two.owner, scope(organizationId)))).toEqual(
        withoutTies(await search(one.owner, scope(one.organizations[n]))),
      );
    }
  });

  test("finds nothing of others, in any database", async () => {
    await worldIn(["first", "second"], "first");
    const stranger = await registerIn("second");
    expect((await search(stranger, { term: "sapphire" })).results).toEqual([]);
  });

  test("suggests completions and titles of all databases", async () => {
    const { owner } = await worldIn(["first", "second", "second"], "first");
    const { token } = owner;
    const suggest = async (term: string) =>
      (await expectSeveral(suggestionsResponse, 200, "POST", "/v1/search/suggestions", { token, body: { term } }))
        .suggestions;
    expect((await suggest("sapph"))[0]?.text).toBe("sapphire");
    const titles = (await suggest("light")).map(({ text }) => text);
    expect(titles).toContain("Lighthouse");
    expect((await suggest("kitch")).map(({ text }) => text)).toContain("Kitchen");
    expect(await suggest("sapph")).toEqual(await suggest("sapph"));
  });

  test("counts a search for its organizations in both databases, with its interactions", async () => {
    const { owner, organizations } = await worldIn(["first", "second"], "second");
    const { token } = owner;
    const { searchId, results } = await search(owner, { term: "sapphire" });
    const resultId = results[0]?.resultId;
    const body = { searchId, action: "ResultClick", resultId };
    await expectSeveral(z.any(), 202, "POST", "/v1/search/interactions", { token, body });
    for (const organizationId of organizations) {
      const path = `/v1/search/insights?organizationId=${organizationId}`;
      const { searches, clicks } = await expectSeveral(insightsSchema, 200, "GET", path, { token });
      expect({ searches, clicks }).toEqual({ searches: 1, clicks: 1 });
    }
    // A search of no organization is with the personal workspace.
    const alone = await registerIn("second");
    await search(alone, { term: "sapphire" });
    const rows = await inEach<{ n: number }>(
      "SELECT count(*) AS n FROM search_impressions WHERE user_id = ?",
      alone.userId,
    );
    expect(rows).toEqual({ first: [{ n: 0 }], second: [{ n: 1 }] });
    const stranger = await registerIn("first");
    await expectSeveral(z.any(), 404, "POST", "/v1/search/interactions", { token: stranger.token, body });
  });

  test("a backfill runs in each database as one task", async () => {
    const { owner } = await worldIn(["first", "second"], "second");
    await databaseOf("directory").prepare("UPDATE users SET is_admin = 1 WHERE id = ?").bind(owner.userId).run();
    const task = z.object({
      id: z.string(),
      status: z.string(),
      progress: z.object({ done: z.int(), total: z.int() }),
    });
    const status = z.object({ tasks: z.array(task), assets: z.object({ total: z.int(), indexed: z.int() }) });
    const { id } = await expectSeveral(task, 202, "POST", "/v1/search/index/assets/backfill", owner);
    await runJobs();
    const { tasks, assets } = await expectSeveral(status, 200, "GET", "/v1/search/index/status", owner);
    expect(tasks.filter((one) => one.id === id)).toMatchObject([{ status: "succeeded" }]);
    const counts = await inEach<{ n: number }>("SELECT count(*) AS n FROM locations WHERE deleted_at IS NULL");
    expect(assets.total).toBeGreaterThanOrEqual((counts.first?.[0]?.n ?? 0) + (counts.second?.[0]?.n ?? 0));
    expect(assets.indexed).toBe(assets.total);
  });
});
