import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { openDatabases } from "../../src/platform/db/database";
import { mergeIndex } from "../../src/search";
import { mintDocument, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { runThrough, systemContext } from "../support/jobs";
import { indexTenant, searchAs } from "./searching";

/** Above the ids of all other rows. */
const FIRST_ROW = 10 ** 12;
/** Commits after which there are certainly too many segments. */
const MAX_COMMITS = 1_000;

test("the job merges the segments that commits leave, and changes no result", async () => {
  const { workspace: db } = openDatabases(env.DB);
  const hasWork = async () =>
    (await db.all<{ found: number }>(sql`SELECT ${mergeIndex.hasWork(systemContext())} AS "found"`))[0]?.found === 1;
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant);
  for (const text of ["girder weld", "weld of a girder", "rust"]) {
    await mintDocument(tenant, location, [text]);
    await indexTenant(organization.id);
  }
  onTestFinished(async () => {
    await env.DB.prepare("DELETE FROM search_terms WHERE rowid >= ?").bind(FIRST_ROW).run();
  });
  for (let n = 0; n < MAX_COMMITS && !(await hasWork()); n += 1)
    await env.DB.prepare("INSERT INTO search_terms (rowid, body) VALUES (?, ?)")
      .bind(FIRST_ROW + n, `0dgirder_ 0dword${n}_`)
      .run();
  expect(await hasWork()).toBe(true);
  const { token } = await mintMember(organization.id);
  const results = async () => {
    const found = [await searchAs(token, "girder weld "), await searchAs(token, '"weld of a"')];
    return found.map(({ searchId: _, ...answer }) => answer);
  };
  const before = await results();
  await runThrough("merge-index", [{}]);
  expect(await hasWork()).toBe(false);
  expect(await results()).toEqual(before);
});
