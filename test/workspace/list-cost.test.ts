import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { UserCaller } from "../../src/access";
import { loadFacts } from "../../src/access/permission/load";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import { selectClusters } from "../../src/workspace/clusters/clusters";
import { selectLocations } from "../../src/workspace/locations/locations";
import { clusters, locations } from "../../src/workspace/tables";
import { addMember, mintCluster, mintGrant, mintOrganization, mintPerson } from "../support/factories";

const { workspace: db } = openDatabases(env.DB);

/** Writes many clusters or locations of an organization in few statements. */
async function fill(organizationId: string, count: number, clusterId?: string): Promise<string[]> {
  const rows = Array.from({ length: count }, () => ({
    id: newId(),
    tenantId: organizationId,
    organizationId,
    name: "Filler",
    metadata: {},
    createdAt: 1,
    updatedAt: 1,
  }));
  for (let at = 0; at < count; at += 8) {
    const some = rows.slice(at, at + 8);
    if (clusterId === undefined) await db.insert(clusters).values(some);
    else await db.insert(locations).values(some.map((row) => ({ ...row, clusterId })));
  }
  return rows.map((row) => row.id);
}

async function callerOf(userId: string): Promise<UserCaller> {
  const facts = await loadFacts(db, userId, { organizationIds: null, ceiling: null, isProven: true }, Date.now());
  return { kind: "pat", tokenId: newId(), userId, isAdmin: false, expiresAt: null, language: null, facts };
}

/** Runs a statement of the service. @returns the number of rows that D1 reports as read. */
async function run(statement: { toSQL(): { sql: string; params: unknown[] } }) {
  const { sql, params } = statement.toSQL();
  const { results, meta } = await env.DB.prepare(sql)
    .bind(...params)
    .all<{ id: string }>();
  const { results: plan } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...params)
    .all<{ detail: string }>();
  return { ids: results.map((row) => row.id), rowsRead: meta.rows_read, plan: plan.map((step) => step.detail) };
}

const query = { includeShared: true };

describe("a page of a list", () => {
  test("costs by the page and the number of sets, not by the size of the sets", async () => {
    const { userId } = await mintPerson();
    const all: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { id } = await mintOrganization();
      await addMember(id, userId, "member");
      all.push(...(await fill(id, 400)));
    }
    const foreign = await mintOrganization();
    const shared = await mintCluster({ organizationId: foreign.id });
    await mintGrant({ organizationId: foreign.id }, userId, "cluster", shared, { LocationView: "Read" });
    const caller = await callerOf(userId);
    all.sort();
    for (const after of [null, all[700] ?? null]) {
      const page = await run(selectClusters(db, caller, query, { after, limit: 21 }));
      expect(page.ids).toEqual(
        [...all, shared]
          .sort()
          .filter((id) => id > (after ?? ""))
          .slice(0, 21),
      );
      // Three sets of 21 rows, read twice, one grant, and the page: far below 1,200.
      expect(page.rowsRead).toBeLessThan(300);
      expect(page.plan.join("\n")).toContain("clusters_of_tenant (tenant_id=? AND id>?)");
    }
  });

  test("of locations costs the same, even through clusters shared with the person", async () => {
    const { userId } = await mintPerson();
    const all: string[] = [];
    for (let i = 0; i < 2; i++) {
      const { id: organizationId } = await mintOrganization();
      const clusterId = await mintCluster({ organizationId });
      all.push(...(await fill(organizationId, 300, clusterId)));
      if (i === 0) await addMember(organizationId, userId, "member");
      else await mintGrant({ organizationId }, userId, "cluster", clusterId, { LocationView: "Read" });
    }
    const page = await run(selectLocations(db, await callerOf(userId), query, { after: null, limit: 21 }));
    expect(page.ids).toEqual(all.sort().slice(0, 21));
    expect(page.rowsRead).toBeLessThan(250);
    expect(page.plan.join("\n")).toContain("locations_of_cluster (cluster_id=? AND id>?)");
  });
});
