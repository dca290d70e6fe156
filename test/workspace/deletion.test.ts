import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cameras } from "../../src/cameras/tables";
import { jobHandlers } from "../../src/job-handlers";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import { storedObjects, uploads } from "../../src/uploads/tables";
import { deleteTree } from "../../src/workspace";
import { annotations, clusters } from "../../src/workspace/tables";
import { call, expectJson } from "../support/call";
import { mintAssignment, mintCamera, mintCaptures, mintImage } from "../support/cameras";
import { startUpload, uploadDocument } from "../support/documents";
import { mintCluster, mintGrant, mintLocation, mintOrganization, mintPerson } from "../support/factories";
import { insertJob, silentQueues, systemContext } from "../support/job-rows";
import { endedJobs, runThrough } from "../support/jobs";
import { pair, requestCode } from "../support/pairing";
import { eventually } from "../support/patience";

const { workspace: db } = openDatabases(env.DB);

const idOnly = z.object({ id: z.string() });
const list = z.object({ items: z.array(idOnly) });

/** Counts the rows of every table that have one of these ids in any column. */
async function traces(ids: readonly string[]): Promise<Record<string, number>> {
  const kept = ["audit_entries", "jobs", "d1_migrations", "idempotency_keys"];
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
  ).all<{ name: string }>();
  const found: Record<string, number> = {};
  for (const { name } of tables.filter((t) => !kept.includes(t.name))) {
    const { results: columns } = await env.DB.prepare("SELECT name FROM pragma_table_info(?)")
      .bind(name)
      .all<{ name: string }>();
    const any = columns.map((c) => `"${c.name}" IN (SELECT value FROM json_each(?1))`).join(" OR ");
    const row = await env.DB.prepare(`SELECT count(*) AS n FROM "${name}" WHERE ${any}`)
      .bind(JSON.stringify(ids))
      .first<{ n: number }>();
    if (row !== null && row.n > 0) found[name] = row.n;
  }
  return found;
}

const annotate = (tenantId: string, place: { id: string; clusterId: string }, count: number) => {
  const row = { tenantId, clusterId: place.clusterId, locationId: place.id, kind: "note", title: "A", metadata: {} };
  const rows = Array.from({ length: count }, () => ({ ...row, id: newId(), createdAt: 1, updatedAt: 1 }));
  const statements = rows.map((r) => db.insert(annotations).values(r));
  return db.batch(statements as [(typeof statements)[0], ...typeof statements]);
};

/** Waits until only the receipt of a removed organization names these ids, and the number of its database. */
const isRemoved = (ids: string[]): Promise<void> =>
  eventually(async () => {
    const { removals: _, removal_owners: __, workspaces: ___, ...left } = await traces(ids);
    expect(left).toEqual({});
  });

describe("purging a cluster", () => {
  test("hides the cluster and its contents at once, in lists and by id", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const place = await mintLocation({ organizationId });
    const path = `/v1/spatial/locations/${place.id}`;
    const body = { kind: "note", title: "A" };
    const note = await expectJson(idOnly, 201, "POST", `${path}/annotations`, { token: owner.token, body });
    expect((await call("DELETE", `/v1/spatial/clusters/${place.clusterId}`, owner)).status).toBe(204);
    for (const gone of [
      `/v1/spatial/clusters/${place.clusterId}`,
      path,
      `${path}/annotations`,
      `/v1/annotations/${note.id}`,
    ])
      expect((await call("GET", gone, owner)).status, gone).toBe(404);
    expect((await expectJson(list, 200, "GET", "/v1/spatial/clusters", owner)).items).toEqual([]);
    expect((await expectJson(list, 200, "GET", "/v1/spatial/locations", owner)).items).toEqual([]);
    expect((await call("DELETE", `/v1/spatial/clusters/${place.clusterId}`, owner)).status).toBe(404);
  });

  test("leaves no row of the cluster, and then its organization can be deleted", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const [one, guest] = [await mintLocation({ organizationId }), await mintPerson()];
    const two = await mintLocation({ organizationId }, { clusterId: one.clusterId });
    await annotate(organizationId, one, 250);
    await annotate(organizationId, two, 30);
    await mintGrant({ organizationId }, guest.userId, "cluster", one.clusterId, {});
    await mintGrant({ organizationId }, guest.userId, "location", two.id, {});
    const ids = [one.clusterId, one.id, two.id];
    expect(Object.keys(await traces(ids))).toEqual(expect.arrayContaining(["annotations", "clusters", "grants"]));
    expect((await call("DELETE", `/v1/spatial/clusters/${one.clusterId}?purge=true`, owner)).status).toBe(204);
    expect(await endedJobs(organizationId, "delete-tree")).toEqual([]);
    expect(await traces(ids)).toEqual({});
    expect((await call("DELETE", `/v1/orgs/${organizationId}?purge=true`, owner)).status).toBe(204);
    await isRemoved([organizationId]);
    expect((await call("GET", `/v1/orgs/${organizationId}`, owner)).status).toBe(404);
  });

  test("leaves no document, passage, term, object, upload or reservation after the sweeps", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const place = await mintLocation({ organizationId });
    const { token } = owner;
    const file = (fileName: string) => ({ fileName, bytes: "alpha bravo charlie delta" });
    const kept = [
      await uploadDocument(token, place.id, file("one.txt")),
      await uploadDocument(token, place.id, file("two.txt")),
    ];
    const abandoned = await startUpload(token, place.id, file("three.txt"));
    for (const kind of ["verify-upload", "extract-document", "index-document", "index-asset"] as const)
      await endedJobs(organizationId, kind);
    await mintGrant({ organizationId }, (await mintPerson()).userId, "document", kept[0]?.id ?? "", {
      Documents: "Read",
    });
    const ids = [place.id, place.clusterId, abandoned.documentId, ...kept.map((d) => d.id)];
    expect(Object.keys(await traces(ids))).toEqual(
      expect.arrayContaining(["documents", "document_versions", "text_sections", "grants", "search_entries"]),
    );
    expect((await call("DELETE", `/v1/spatial/clusters/${place.clusterId}?purge=true`, owner)).status).toBe(204);
    await endedJobs(organizationId, "delete-tree");
    await endedJobs(organizationId, "index-asset");
    const left = await traces(ids);
    expect(Object.keys(left).filter((table) => !["uploads", "stored_objects"].includes(table))).toEqual([]);

    await db.update(uploads).set({ urlExpiresAt: 0 }).where(eq(uploads.tenantId, organizationId));
    await runThrough("expire-uploads", [{}]);
    await runThrough("purge-objects", [{}]);
    const usage = z.object({ usage: z.object({ usedBytes: z.int(), reservedBytes: z.int() }) });
    const path = `/v1/orgs/${organizationId}/entitlements`;
    expect((await expectJson(usage, 200, "GET", path, owner)).usage).toEqual({ usedBytes: 0, reservedBytes: 0 });
    expect((await env.BUCKET.list()).objects.filter(({ key }) => key.includes(organizationId))).toEqual([]);
    expect((await call("DELETE", `/v1/orgs/${organizationId}?purge=true`, owner)).status).toBe(204);
    await isRemoved([organizationId, ...ids]);
    const terms = await env.DB.prepare(
      "SELECT count(*) AS n FROM search_rows WHERE entry_key NOT IN (SELECT key FROM search_entries)",
    ).first<{ n: number }>();
    expect(terms?.n).toBe(0);
  });

  test("leaves no camera, code, credential, condition, image or object, and a receipt of each camera", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const [doomed, kept] = [await mintLocation({ organizationId }), await mintLocation({ organizationId })];
    const path = `/v1/spatial/locations/${doomed.id}/cameras`;
    const captureWindow = { start: "07:00", end: "19:00" };
    const given = { token: owner.token, body: { name: "Gate", captureWindow, isPaused: true } };
    const { id: cameraId } = await expectJson(idOnly, 201, "POST", path, given);
    const { token } = await pair(owner.token, cameraId);
    await requestCode(owner.token, cameraId);
    const [camera] = await db.select().from(cameras).where(eq(cameras.id, cameraId));
    if (camera === undefined) throw new Error("no camera");
    await mintImage(camera, doomed.id);
    await mintCaptures(
      camera,
      doomed.id,
      Array.from({ length: 230 }, () => ({ sizeBytes: 10 })),
    );
    // One camera that moved away, and one with an earlier location that is not deleted.
    const moved = await mintCamera(organizationId, kept.id, { assignmentGeneration: 2 });
    await mintAssignment(moved.id, doomed.id, { endedAt: 1 });
    await mintCaptures(moved, doomed.id, [{}, {}]);
    await mintCaptures(moved, kept.id, [{}]);
    const veteran = await mintCamera(organizationId, doomed.id, { assignmentGeneration: 2 });
    await mintAssignment(veteran.id, kept.id, { endedAt: 1 });
    await mintCaptures(veteran, kept.id, [{}]);

    expect((await call("DELETE", `/v1/spatial/locations/${doomed.id}?purge=true`, owner)).status).toBe(204);
    expect((await call("GET", "/v1/camera-ingestion/configuration", { token })).status).toBe(401);
    expect(await endedJobs(organizationId, "delete-tree")).toEqual([]);
    await runThrough("purge-objects", [{}]);
    expect(await traces([cameraId, doomed.id])).toEqual({ camera_cleanups: 3 });
    expect((await env.BUCKET.list({ prefix: `captures/${organizationId}/${cameraId}/` })).objects).toEqual([]);
    expect(await traces([moved.id])).toMatchObject({ cameras: 1, camera_assignments: 1, camera_places: 1 });
    const [retired] = await db.select().from(cameras).where(eq(cameras.id, veteran.id));
    expect(retired).toMatchObject({ locationId: null, retiredAt: expect.any(Number), isPaused: true });
    expect(await traces([veteran.id])).toMatchObject({ camera_assignments: 1, camera_places: 1 });

    const history = z.object({ items: z.array(z.object({ id: z.string(), isHistorical: z.boolean() })) });
    const stillThere = await expectJson(history, 200, "GET", `/v1/spatial/locations/${kept.id}/cameras`, owner);
    expect(stillThere.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: moved.id, isHistorical: false }),
        expect.objectContaining({ id: veteran.id, isHistorical: true }),
      ]),
    );
    const receipts = z.object({ items: z.array(z.looseObject({ cameraId: z.string() })) });
    const cleanups = await expectJson(receipts, 200, "GET", `/v1/orgs/${organizationId}/camera-cleanups`, owner);
    const told = new Map(cleanups.items.map((item) => [item.cameraId, item]));
    expect(told.get(cameraId)).toMatchObject({ isRetired: true, capturesRemoved: 231, cameraName: "Gate" });
    expect(told.get(moved.id)).toMatchObject({ isRetired: false, capturesRemoved: 2, bytesRemoved: 2 });
    expect(told.get(veteran.id)).toMatchObject({ isRetired: true, capturesRemoved: 0 });
    for (const { finishedAtUtc } of cleanups.items) expect(finishedAtUtc).not.toBeNull();

    // Then the rest is deleted, and the organization with its receipts.
    for (const id of [doomed.clusterId, kept.clusterId])
      expect((await call("DELETE", `/v1/spatial/clusters/${id}?purge=true`, owner)).status).toBe(204);
    await endedJobs(organizationId, "delete-tree");
    // Objects that a slow worker may still write are deleted once more, after its time.
    await db.update(storedObjects).set({ purgeAfter: 1 }).where(eq(storedObjects.tenantId, organizationId));
    await runThrough("purge-objects", [{}]);
    expect((await call("DELETE", `/v1/orgs/${organizationId}?purge=true`, owner)).status).toBe(204);
    await isRemoved([organizationId, cameraId, moved.id, veteran.id, doomed.id, kept.id]);
  });

  test("does not change the contents of another cluster", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const [doomed, kept] = [await mintLocation({ organizationId }), await mintLocation({ organizationId })];
    await annotate(organizationId, doomed, 3);
    await annotate(organizationId, kept, 3);
    expect((await call("DELETE", `/v1/spatial/locations/${doomed.id}?purge=true`, owner)).status).toBe(204);
    await endedJobs(organizationId, "delete-tree");
    expect(await traces([doomed.id])).toEqual({});
    expect(await traces([kept.id])).toEqual({ annotations: 3, locations: 1, location_storage: 1 });
    expect((await call("GET", `/v1/spatial/clusters/${doomed.clusterId}`, owner)).status).toBe(200);
  });

  test("continues after a killed worker, with the parts of the features above", async () => {
    const { id: organizationId } = await mintOrganization();
    const now = Date.now();
    const place = await mintLocation({ organizationId }, { deletedAt: now });
    await db.update(clusters).set({ deletedAt: now }).where(eq(clusters.id, place.clusterId));
    await annotate(organizationId, place, 450);
    const context = systemContext({ queues: silentQueues().queues });
    const seen: string[] = [];
    let kill = true;
    const above = {
      name: "above",
      deleteRows: async () => {
        seen.push("above");
        return seen.length < 3 ? 1 : 0;
      },
    };
    const handler = deleteTree([above]);
    const handlers = {
      ...jobHandlers,
      "delete-tree": {
        run: async (...given: Parameters<typeof handler.run>) => {
          const outcome = await handler.run(...given);
          kill = !kill;
          if (kill) throw new Error("killed before the commit");
          return outcome;
        },
      },
    };
    const id = newId();
    const payload = { type: "cluster" as const, id: place.clusterId };
    const row = { id, kind: "delete-tree", payload, status: "queued" as const, requestId: "test", createdAt: now };
    await db.insert(jobs).values({ ...row, lane: "light", runAt: now, sentAt: now });
    const results: string[] = [];
    for (let tries = 0; tries < 40 && results.at(-1) !== "succeeded"; tries++) {
      await db.update(jobs).set({ runAt: now }).where(eq(jobs.id, id));
      results.push(await runJob({ ...context, now: Date.now() }, handlers, id));
    }
    expect(results.at(-1)).toBe("succeeded");
    expect(results).toContain("retry");
    expect(await traces([place.clusterId, place.id])).toEqual({});
  });
});

describe("while a cluster is being deleted", () => {
  test("nothing can be added to it or moved into it", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { token } = owner;
    const moving = await mintLocation({ organizationId });
    for (let round = 0; round < 5; round++) {
      const target = await mintCluster({ organizationId });
      const [deleted, ...others] = await Promise.all([
        call("DELETE", `/v1/spatial/clusters/${target}?purge=true`, { token }),
        call("POST", "/v1/spatial/locations", { token, body: { clusterId: target, name: "Late" } }),
        call("PATCH", `/v1/spatial/locations/${moving.id}`, { token, body: { clusterId: target } }),
      ]);
      expect(deleted?.status).toBe(204);
      for (const other of others) expect([200, 201, 404, 409]).toContain(other.status);
      await endedJobs(organizationId, "delete-tree");
      expect(await traces([target])).toEqual({});
    }
  });
});

test("a deletion that failed for good is queued again for later", async () => {
  const id = newId();
  const jobId = await insertJob({ kind: "delete-tree", payload: { type: "cluster", id }, attempts: 12 });
  const context = systemContext({ queues: silentQueues().queues });
  expect(await runJob(context, jobHandlers, jobId)).toBe("failed");
  const waiting = await db
    .select()
    .from(jobs)
    .where(eq(jobs.dedupeKey, `delete-tree:${id}`));
  expect(waiting).toMatchObject([{ status: "queued", payload: { type: "cluster", id }, attempts: 0 }]);
  expect(waiting[0]?.runAt).toBeGreaterThan(Date.now() + 50 * 60_000);
});
