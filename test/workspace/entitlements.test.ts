import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openContext } from "../../src/compose";
import { beginChange } from "../../src/platform/db/change";
import { openDatabases } from "../../src/platform/db/database";
import { storageUsage } from "../../src/uploads/tables";
import { chargeJobs } from "../../src/workspace";
import { call, expectJson } from "../support/call";
import { mintCluster, mintMember, mintOrganization, mintPerson, mintToken } from "../support/factories";
import { stopClock } from "../support/patience";

const { workspace: db } = openDatabases(env.DB);

const entitlements = z.object({
  cameras: z.boolean(),
  externalShares: z.boolean(),
  documentStorageBytes: z.int(),
  jobsPerMonth: z.int(),
  maxRetentionDays: z.int(),
  usage: z.object({ usedBytes: z.int(), reservedBytes: z.int(), jobsThisMonth: z.int() }),
  revision: z.int(),
});

const pathOf = (organizationId: string) => `/v1/orgs/${organizationId}/entitlements`;
const given = {
  cameras: false,
  externalShares: true,
  documentStorageBytes: 5_000_000,
  jobsPerMonth: 3,
  maxRetentionDays: 30,
};

describe("entitlements", () => {
  test("are shown to members with the usage", async () => {
    const { id } = await mintOrganization();
    await db.insert(storageUsage).values({ tenantId: id, usedBytes: 70, reservedBytes: 5 });
    const seen = await expectJson(entitlements, 200, "GET", pathOf(id), await mintMember(id, "guest"));
    expect(seen).toMatchObject({
      cameras: true,
      maxRetentionDays: 365,
      usage: { usedBytes: 70, reservedBytes: 5, jobsThisMonth: 0 },
    });
    expect((await call("GET", pathOf(id), await mintPerson())).status).toBe(404);
  });

  test("can be set by platform admins only, who are not members and see nothing else", async () => {
    const { id, owner } = await mintOrganization();
    const clusterId = await mintCluster({ organizationId: id });
    const admin = await mintPerson({ isAdmin: true });
    expect((await call("PUT", pathOf(id), { token: owner.token, body: given })).status).toBe(403);
    const set = await expectJson(entitlements, 200, "PUT", pathOf(id), { token: admin.token, body: given });
    expect(set).toMatchObject({ ...given, revision: 2 });
    expect(await expectJson(entitlements, 200, "GET", pathOf(id), owner)).toEqual(set);
    for (const path of [`/v1/orgs/${id}`, `/v1/orgs/${id}/audit`, `/v1/spatial/clusters/${clusterId}`])
      expect((await call("GET", path, admin)).status).toBe(404);
    const narrowed = await mintToken(admin.userId, { capabilities: { OrganizationView: "Write" } });
    expect((await call("PUT", pathOf(id), { token: narrowed.token, body: given })).status).toBe(403);
    const unknown = pathOf("0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10");
    expect((await call("PUT", unknown, { token: admin.token, body: given })).status).toBe(404);
  });

  test("take effect at once", async () => {
    const { id, owner } = await mintOrganization();
    const admin = await mintPerson({ isAdmin: true });
    const clusterId = await mintCluster({ organizationId: id });
    const cameras = async () => {
      const shape = z.object({ capabilities: z.object({ LocationCameras: z.string() }) });
      const { capabilities } = await expectJson(shape, 200, "GET", `/v1/spatial/clusters/${clusterId}`, owner);
      return capabilities.LocationCameras;
    };
    expect(await cameras()).toBe("Write");
    await expectJson(entitlements, 200, "PUT", pathOf(id), { token: admin.token, body: given });
    expect(await cameras()).toBe("None");
  });

  test("refuse a stale revision and values out of range", async () => {
    const { id } = await mintOrganization();
    const { token } = await mintPerson({ isAdmin: true });
    const put = async (body: object) => (await call("PUT", pathOf(id), { token, body })).status;
    expect(await put({ ...given, baseRevision: 1 })).toBe(200);
    expect(await put({ ...given, baseRevision: 1 })).toBe(409);
    const headers = { "if-match": '"1"' };
    expect((await call("PUT", pathOf(id), { token, body: given, headers })).status).toBe(412);
    expect((await call("GET", pathOf(id), { token })).headers.get("etag")).toMatch(/^"2\./);
    for (const bad of [{ jobsPerMonth: -1 }, { documentStorageBytes: 1.5 }, { maxRetentionDays: 0 }, { cameras: 1 }])
      expect(await put({ ...given, ...bad })).toBe(400);
    expect(await put({ cameras: true })).toBe(400);
  });
});

test("the ETag of entitlements changes when the usage changes", async () => {
  const { id, owner } = await mintOrganization();
  const read = (headers: Record<string, string> = {}) => call("GET", pathOf(id), { token: owner.token, headers });
  const etag = (await read()).headers.get("etag") ?? "";
  expect((await read({ "if-none-match": etag })).status).toBe(304);
  await env.DB.prepare("INSERT INTO storage_usage (tenant_id, used_bytes) VALUES (?, 7)").bind(id).run();
  expect((await read({ "if-none-match": etag })).status).toBe(200);
});

describe("the jobs of a month", () => {
  test("are charged exactly up to the entitlement, even by concurrent changes", async () => {
    const { id, owner } = await mintOrganization({ jobsPerMonth: 3 });
    stopClock();
    const { context } = openContext(env, () => {});
    const charge = async () => {
      const change = beginChange(context, id);
      chargeJobs(context, change, id);
      await change.commit();
    };
    const results = await Promise.allSettled(Array.from({ length: 6 }, charge));
    expect(results.filter((r) => r.status === "fulfilled")).toHaveLength(3);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "rule-violated" });
    const { usage } = await expectJson(entitlements, 200, "GET", pathOf(id), owner);
    expect(usage.jobsThisMonth).toBe(3);
  });
});
