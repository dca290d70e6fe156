import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, expectJson, problem } from "../support/call";
import { mintCluster, mintLocation, mintPerson } from "../support/factories";
import { endedJobs, keepJobs } from "../support/jobs";

/** Fills a cluster with locations that differ only in their ids. */
const fill = (userId: string, clusterId: string, count: number) =>
  env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
     INSERT INTO locations (id, tenant_id, cluster_id, name, created_at, updated_at)
     SELECT printf('%08x', i) || substr(?2, 9), ?1, ?2, 'Filler', 1, 1 FROM n`,
  )
    .bind(userId, clusterId, count)
    .run();

describe("a full cluster", () => {
  test("refuses new and moved locations, and can be deleted", async () => {
    const { userId, token } = await mintPerson();
    const clusterId = await mintCluster({ ownerUserId: userId });
    const other = await mintLocation({ ownerUserId: userId });
    await fill(userId, clusterId, 9_999);
    const body = { clusterId, name: "One more" };
    expect((await call("POST", "/v1/spatial/locations", { token, body })).status).toBe(201);
    const refused = await expectJson(problem, 422, "POST", "/v1/spatial/locations", { token, body });
    expect(refused.detail).toContain("10000");
    const move = { token, body: { clusterId } };
    expect((await call("PATCH", `/v1/spatial/locations/${other.id}`, move)).status).toBe(422);
    await keepJobs(userId);
    expect((await call("DELETE", `/v1/spatial/clusters/${clusterId}?purge=true`, { token })).status).toBe(204);
    const [job] = await endedJobs(userId, "delete-tree");
    expect(job).toMatchObject({ status: "succeeded", progressDone: 10_001 });
    const left = await env.DB.prepare("SELECT count(*) AS n FROM locations WHERE tenant_id = ?").bind(userId).first();
    expect(left).toEqual({ n: 1 });
  });
});
