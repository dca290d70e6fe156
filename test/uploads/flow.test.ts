import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { organizations } from "../../src/access/tables";
import { documents } from "../../src/documents/tables";
import { jobHandlers } from "../../src/job-handlers";
import { runJob } from "../../src/platform/jobs/run";
import { uploads } from "../../src/uploads/tables";
import { call, codeOf, problem } from "../support/call";
import {
  announce,
  bytesOf,
  completeUpload,
  putBytes,
  startedUpload,
  startUpload,
  uploadDocument,
} from "../support/documents";
import { mintLocation, mintPlace, type Person } from "../support/factories";
import { eventually } from "../support/patience";
import { testDatabase } from "../support/statements";
import { ageUploads, expectCounted, quietJob, runToEnd, storageOf, systemContext } from "../support/storage";

let organizationId: string;
let owner: Person;
let locationId: string;

beforeEach(async () => {
  ({ organizationId, owner, locationId } = await mintPlace());
});

const file = { fileName: "a.txt", bytes: "hello" };
const start = (over: Partial<typeof file> = {}) => startUpload(owner.token, locationId, { ...file, ...over });
const complete = (uploadId: string) => completeUpload(owner.token, locationId, uploadId);
const uploadRow = async (id: string) => (await testDatabase().select().from(uploads).where(eq(uploads.id, id)))[0];

/** Starts the verification of an upload with a job that only the test runs. */
async function handToTest(uploadId: string): Promise<string> {
  const jobId = await quietJob("verify-upload", { uploadId });
  await testDatabase().update(uploads).set({ status: "verifying", verifyJobId: jobId }).where(eq(uploads.id, uploadId));
  return jobId;
}

describe("an upload", () => {
  test("reserves its bytes while it is open and charges them to the document", async () => {
    const started = await start();
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 5 });
    await putBytes(started, file.bytes);
    expect((await complete(started.uploadId)).status).toBe(200);
    expect(await storageOf(organizationId)).toMatchObject({ used: 5, reserved: 0, bucketBytes: 5 });
    await eventually(async () => expect((await storageOf(organizationId)).stagedKeys).toEqual([]));
  });

  test("without bytes stays pending", async () => {
    const started = await start();
    expect(await codeOf(await complete(started.uploadId))).toBe("422 upload-incomplete");
    await putBytes(started, file.bytes);
    expect((await complete(started.uploadId)).status).toBe(200);
  });

  test("whose bytes disappear during the verification becomes pending again", async () => {
    const started = await start();
    const jobId = await handToTest(started.uploadId);
    expect(await runJob(systemContext(), jobHandlers, jobId)).toBe("succeeded");
    expect((await uploadRow(started.uploadId))?.status).toBe("pending");
    await putBytes(started, file.bytes);
    expect((await complete(started.uploadId)).status).toBe(200);
  });

  test("of zero bytes creates an empty document", async () => {
    const document = await uploadDocument(owner.token, locationId, { fileName: "empty.txt", bytes: "" });
    expect(document).toMatchObject({ sizeBytes: 0, version: 1 });
  });

  test.each([
    ["other bytes of the same length", "jello", "SHA-256"],
    ["fewer bytes", "hell", "sent 4"],
    ["more bytes", "hello!", "sent 6"],
  ])("with %s is rejected and leaves nothing", async (_, bytes, detail) => {
    const started = await start();
    await env.BUCKET.put((await uploadRow(started.uploadId))?.stagingKey ?? "", bytes);
    const refused = problem.parse(await (await complete(started.uploadId)).json());
    expect(refused).toMatchObject({ status: 422, code: "upload-mismatch" });
    expect(refused.detail).toContain(detail);
    expect(await codeOf(await complete(started.uploadId))).toBe("422 upload-mismatch");
    const row = await testDatabase().select().from(documents).where(eq(documents.id, started.documentId));
    expect(row).toEqual([]);
    await eventually(async () =>
      expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, bucketKeys: [], stagedKeys: [] }),
    );
    expect((await call("GET", `/v1/documents/${started.documentId}`, owner)).status).toBe(404);
  });

  test("keeps the verified bytes if a client rewrites the staging object in the meantime", async () => {
    const bytes = "a".repeat(300_000);
    const started = await start({ bytes });
    await putBytes(started, bytes);
    const jobId = await handToTest(started.uploadId);
    const context = systemContext();
    const objects: typeof context.objects = {
      ...context.objects,
      async read(key, range) {
        const found = await context.objects.read(key, range);
        await env.BUCKET.put(key, "b".repeat(300_000));
        return found;
      },
    };
    expect(await runJob({ ...context, objects }, jobHandlers, jobId)).toBe("succeeded");
    const link = await call("GET", `/v1/documents/${started.documentId}/download`, owner);
    expect(await (await call("GET", link.headers.get("location") ?? "")).text()).toBe(bytes);
  });

  test("that a worker left between write and commit is finished by the next worker", async () => {
    const started = await start();
    await putBytes(started, file.bytes);
    const jobId = await handToTest(started.uploadId);
    const context = systemContext();
    const objects: typeof context.objects = {
      ...context.objects,
      async write(...given) {
        await context.objects.write(...given);
        throw new Error("the worker stopped here");
      },
    };
    expect(await runJob({ ...context, objects }, jobHandlers, jobId)).toBe("retry");
    await env.DB.prepare("UPDATE jobs SET run_at = 0 WHERE id = ?").bind(jobId).run();
    expect(await runJob(systemContext(), jobHandlers, jobId)).toBe("succeeded");
    expect((await complete(started.uploadId)).status).toBe(200);
    expect(await storageOf(organizationId)).toMatchObject({ used: 5, reserved: 0, bucketBytes: 5 });
  });

  test("whose clean-up fails is complete, and its staged bytes are deleted later", async () => {
    const started = await start();
    await putBytes(started, file.bytes);
    const jobId = await handToTest(started.uploadId);
    const context = systemContext();
    const objects = { ...context.objects, remove: () => Promise.reject(new Error("the bucket is away")) };
    expect(await runJob({ ...context, objects }, jobHandlers, jobId)).toBe("succeeded");
    expect((await uploadRow(started.uploadId))?.status).toBe("completed");
    expect((await storageOf(organizationId)).stagedKeys).toHaveLength(1);
    await testDatabase().update(uploads).set({ urlExpiresAt: 1 }).where(eq(uploads.id, started.uploadId));
    await runToEnd("expire-uploads");
    expect(await storageOf(organizationId)).toMatchObject({ used: 5, stagedKeys: [] });
  });

  test("can be completed again after its verification failed", async () => {
    const started = await start();
    await putBytes(started, file.bytes);
    const jobId = await handToTest(started.uploadId);
    const context = systemContext();
    const objects = { ...context.objects, head: () => Promise.reject(new Error("the bucket is away")) };
    await env.DB.prepare("UPDATE jobs SET attempts = 99 WHERE id = ?").bind(jobId).run();
    expect(await runJob({ ...context, objects }, jobHandlers, jobId)).toBe("failed");
    expect((await complete(started.uploadId)).status).toBe(200);
  });
});

test("a refused completion can be repeated under the same Idempotency-Key", async () => {
  const started = await start();
  const options = {
    token: owner.token,
    headers: { "idempotency-key": "complete-once" },
    body: { uploadId: started.uploadId },
  };
  const path = `/v1/spatial/locations/${locationId}/documents/upload-complete`;
  expect(await codeOf(await call("POST", path, options))).toBe("422 upload-incomplete");
  await env.BUCKET.put((await uploadRow(started.uploadId))?.stagingKey ?? "", "jello");
  expect(await codeOf(await call("POST", path, options))).toBe("422 upload-mismatch");
  expect(await codeOf(await call("POST", path, options))).toBe("422 upload-mismatch");
});

test("a verification whose job was lost ends with its reservation", async () => {
  const started = await start();
  await handToTest(started.uploadId);
  await env.DB.prepare("DELETE FROM jobs").run();
  await ageUploads(organizationId);
  await runToEnd("expire-uploads");
  expect((await uploadRow(started.uploadId))?.status).toBe("expired");
  expect((await storageOf(organizationId)).reserved).toBe(0);
});

describe("a cancelled upload", () => {
  const uploadsPath = (uploadId: string) => `/v1/spatial/locations/${locationId}/documents/uploads/${uploadId}`;
  const cancel = (uploadId: string) => call("DELETE", uploadsPath(uploadId), owner);

  test("releases its reservation, its name and its bytes at once, and can be cancelled again", async () => {
    const started = await start();
    await putBytes(started, file.bytes);
    expect((await cancel(started.uploadId)).status).toBe(204);
    expect((await cancel(started.uploadId)).status).toBe(204);
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, stagedKeys: [] });
    expect(await codeOf(await complete(started.uploadId))).toBe("410 upload-ended");
    expect((await start()).documentId).not.toBe(started.documentId);
  });

  test("leaves no bytes of a PUT that arrives later", async () => {
    const started = await start();
    expect((await cancel(started.uploadId)).status).toBe(204);
    await putBytes(started, file.bytes);
    await ageUploads(organizationId);
    await runToEnd("expire-uploads");
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, stagedKeys: [] });
  });

  test("of a new version keeps the document, and a completed one is not cancelled", async () => {
    const document = await uploadDocument(owner.token, locationId, file);
    const started = await start({ bytes: "other" });
    expect((await cancel(started.uploadId)).status).toBe(204);
    const [row] = await testDatabase().select().from(documents).where(eq(documents.id, document.id));
    expect(row).toMatchObject({ latestVersion: 1, deletedAt: null });
    const completed = await start({ bytes: "third" });
    await putBytes(completed, "third");
    expect((await complete(completed.uploadId)).status).toBe(200);
    expect(await codeOf(await cancel(completed.uploadId))).toBe("410 upload-ended");
  });

  test("publishes nothing, even if its verification runs", async () => {
    const started = await start();
    await putBytes(started, file.bytes);
    const jobId = await handToTest(started.uploadId);
    expect((await cancel(started.uploadId)).status).toBe(204);
    await runJob(systemContext(), jobHandlers, jobId);
    expect((await uploadRow(started.uploadId))?.status).toBe("expired");
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, bucketBytes: 0 });
  });

  test("is the caller's own", async () => {
    const started = await start();
    const other = await mintPlace();
    const answer = await call("DELETE", uploadsPath(started.uploadId), other.owner);
    expect(answer.status).toBe(404);
    expect((await uploadRow(started.uploadId))?.status).toBe("pending");
  });
});

describe("an identical start", () => {
  const startAnew = async (over: Partial<typeof file> & { contentType?: string } = {}) =>
    call("POST", `/v1/spatial/locations/${locationId}/documents/upload-start`, {
      ...owner,
      body: await announce({ ...file, ...over }),
    });

  test("continues the open upload, so its reservation does not stop it", async () => {
    const first = await start();
    await testDatabase()
      .update(organizations)
      .set({ documentStorageBytes: 5 })
      .where(eq(organizations.id, organizationId));
    const again = await startAnew();
    expect(again.status).toBe(200);
    const second = startedUpload.parse(await again.json());
    expect(second).toMatchObject({ uploadId: first.uploadId, documentId: first.documentId, version: 1 });
    expect(await storageOf(organizationId)).toMatchObject({ reserved: 5 });
    await putBytes(second, file.bytes);
    expect((await complete(second.uploadId)).status).toBe(200);
  });

  test("starts another upload for other bytes, another type, after an end, and behind a later version", async () => {
    const first = await start();
    expect((await startAnew({ bytes: "other" })).status).toBe(201);
    // The first upload's version would not become the newest one.
    expect((await startAnew()).status).toBe(201);
    expect((await startAnew({ contentType: "text/csv" })).status).toBe(201);
    await putBytes(first, file.bytes);
    expect((await complete(first.uploadId)).status).toBe(200);
    expect((await startAnew({ contentType: "text/csv" })).status).toBe(200);
  });
});

describe("an abandoned upload", () => {
  test("releases its reservation, its name and its bytes", async () => {
    const started = await start();
    await putBytes(started, file.bytes);
    await ageUploads(organizationId);
    expect(await codeOf(await complete(started.uploadId))).toBe("410 upload-ended");
    await runToEnd("expire-uploads");
    expect((await uploadRow(started.uploadId))?.status).toBe("expired");
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, stagedKeys: [] });
    expect(await codeOf(await complete(started.uploadId))).toBe("410 upload-ended");
    const next = await start();
    expect(next.version).toBe(1);
    expect(next.documentId).not.toBe(started.documentId);
  });

  test("deletes the object that an interrupted verification left at the final key", async () => {
    const started = await start();
    const orphan = `${organizationId}/${started.documentId}/documents/v00000001/a.txt`;
    await env.BUCKET.put(orphan, "hello");
    await ageUploads(organizationId);
    await runToEnd("expire-uploads");
    expect(await env.BUCKET.head(orphan)).toBeNull();
  });

  test("with an unknown purpose waits, and does not delay others", async () => {
    const [known, unknown] = [await start(), await start({ fileName: "b.txt" })];
    const { id: elsewhere } = await mintLocation({ organizationId });
    const ended = await startUpload(owner.token, elsewhere, { ...file, fileName: "c.txt" });
    const named = (id: string) =>
      testDatabase().update(uploads).set({ purpose: "of-tomorrow" }).where(eq(uploads.id, id));
    await named(unknown.uploadId);
    await ageUploads(organizationId);
    await runToEnd("expire-uploads");
    expect((await uploadRow(known.uploadId))?.status).toBe("expired");
    expect((await uploadRow(ended.uploadId))?.status).toBe("expired");
    expect((await uploadRow(unknown.uploadId))?.status).toBe("pending");
    // It is no work for this version: the sweeper would send a job in each period for ever.
    for (const state of [
      { status: "pending" as const },
      { status: "verifying" as const },
      { finishedAt: 1 },
      { cleanedAt: 1, forgetAfter: 1 },
    ]) {
      await testDatabase().update(uploads).set(state).where(eq(uploads.id, unknown.uploadId));
      const hasWork = jobHandlers["expire-uploads"].hasWork({ ...systemContext(), now: Date.now() });
      expect([state, await testDatabase().get(sql`SELECT ${hasWork} AS has`)]).toEqual([state, { has: 0 }]);
    }
    await testDatabase().delete(uploads).where(eq(uploads.id, unknown.uploadId));
  });

  test("of a new version does not change the document", async () => {
    const document = await uploadDocument(owner.token, locationId, file);
    await start({ bytes: "again" });
    await ageUploads(organizationId);
    await runToEnd("expire-uploads");
    expect((await call("GET", `/v1/documents/${document.id}`, owner)).status).toBe(200);
    expect((await start()).version).toBe(3);
  });
});

test("a later sweep deletes an object that is sent again after the upload was completed", async () => {
  const started = await start();
  await putBytes(started, file.bytes);
  await complete(started.uploadId);
  await eventually(async () => expect((await storageOf(organizationId)).stagedKeys).toEqual([]));
  expect((await putBytes(started, file.bytes)).status).toBe(200);
  await ageUploads(organizationId);
  await runToEnd("expire-uploads");
  expect((await storageOf(organizationId)).stagedKeys).toEqual([]);
  const link = await call("GET", `/v1/documents/${started.documentId}/download`, owner);
  expect((await call("GET", link.headers.get("location") ?? "")).status).toBe(200);
});

test("a large file is streamed and not held in memory", async () => {
  const bytes = new Uint8Array(16 * 1024 ** 2).map((_, i) => (i * 31) ^ (i >> 8));
  const document = await uploadDocument(owner.token, locationId, { fileName: "large.bin", bytes });
  expect(document.sizeBytes).toBe(bytesOf({ bytes }).byteLength);
  await expectCounted(organizationId);
});
