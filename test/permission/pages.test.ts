import { env } from "cloudflare:workers";
import { and, isNull, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { idsInScope, inScope, type Scope } from "../../src/access";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import { locations } from "../../src/workspace/tables";
import { mintCluster, mintLocation, mintOrganization } from "../support/factories";
import fc from "../support/properties";
import { testDatabase } from "../support/statements";

const { workspace: db } = openDatabases(env.DB);
const columns = { tenantId: locations.tenantId, clusterId: locations.clusterId, locationId: locations.id };
const where = sql`${isNull(locations.deletedAt)}`;

/** Reads all pages of a scope in order, like a list. */
async function walk(scope: Scope, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const ids = idsInScope(scope, { table: locations, id: locations.id, columns, where }, { after, limit });
    const page: string[] = (await db.all<{ id: string }>(ids)).map((row) => row.id);
    seen.push(...page);
    if (page.length < limit) return seen;
    after = page.at(-1) ?? null;
  }
}

test("the pages of a scope together are the scope: in order, without gaps or repeats", async () => {
  const tenants: string[] = [];
  const clusters: string[] = [];
  const all: string[] = [];
  for (let t = 0; t < 3; t++) {
    const { id: organizationId } = await mintOrganization();
    tenants.push(organizationId);
    for (let c = 0; c < 2; c++) {
      const clusterId = await mintCluster({ organizationId });
      clusters.push(clusterId);
      for (let l = 0; l < 4; l++) {
        const deletedAt = l === 3 ? 1 : null;
        all.push((await mintLocation({ organizationId }, { clusterId, deletedAt })).id);
      }
    }
  }
  const some = (ids: readonly string[]) => fc.subarray([...ids, newId()]);
  const scopes = fc.record({
    tenants: some(tenants),
    clusters: some(clusters),
    locations: some(all),
    documents: fc.constant([]),
  });
  await fc.assert(
    fc.asyncProperty(scopes, fc.integer({ min: 1, max: 7 }), async (scope, limit) => {
      const expected = await testDatabase()
        .select({ id: locations.id })
        .from(locations)
        .where(and(where, inScope(scope, columns)));
      expect(await walk(scope, limit)).toEqual(expected.map((row) => row.id).sort());
    }),
    { numRuns: 60 },
  );
  await expect(walk({ tenants: [], clusters: [], locations: [], documents: [] }, 5)).resolves.toEqual([]);
});
