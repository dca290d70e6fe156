import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { stagingKey } from "../../src/cameras/captures";
import { clearStaging } from "../../src/cameras/ingestion";
import { STAGING_RETENTION_MS } from "../../src/cameras/limits";
import { jobHandlers } from "../../src/job-handlers";
import { newId } from "../../src/platform/ids";
import type { Job } from "../../src/platform/jobs/handlers";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import { MINUTE } from "../../src/platform/time";
import { ask, frameRow, handOver, mintDevice, objectBytes, transfer, upload, verifyNow } from "../support/device";
import { testDatabase } from "../support/statements";
import { systemContext, withObjects } from "../support/storage";

const jobWith = (state: unknown): Job<"clear-staging"> => ({
  id: newId(),
  kind: "clear-staging",
  tenantId: null,
  payload: {},
  state,
  attempts: 1,
  progress: { done: 0, total: 0 },
  requestedBy: null,
});

/** Clears the staged bytes when this time has passed since their transfer. */
async function clearAfter(ms: number): Promise<void> {
  const context = { ...systemContext(), now: Date.now() + ms };
  for (let state: unknown = null; ; ) {
    const outcome = await clearStaging.run(context, jobWith(state));
    if (outcome.kind === "complete") return;
    state = outcome.state;
  }
}

test("staged bytes are deleted when no operation can need them any more, and not before", async () => {
  const device = await mintDevice();
  const sent = await upload(device);
  const open = await transfer(device);
  // The address of the published image is used once more.
  await env.BUCKET.put(stagingKey(sent), sent.bytes);
  await clearAfter(STAGING_RETENTION_MS - MINUTE);
  expect(await objectBytes(stagingKey(sent))).toEqual(sent.bytes);
  expect(await objectBytes(stagingKey(open))).toEqual(open.bytes);
  await clearAfter(STAGING_RETENTION_MS + MINUTE);
  expect(await objectBytes(stagingKey(sent))).toBeNull();
  expect((await ask(device, sent.operationId)).status).toBe("completed");
});

test("any number of staged objects is deleted, a page of the list in a slice", async () => {
  const keys = Array.from({ length: 1_050 }, () => stagingKey({ operationId: newId() }));
  for (let at = 0; at < keys.length; at += 50)
    await Promise.all(keys.slice(at, at + 50).map((key) => env.BUCKET.put(key, "left")));
  const first = await clearStaging.run(systemContext(), jobWith(null));
  expect(first).toMatchObject({ kind: "continue" });
  await clearAfter(STAGING_RETENTION_MS + MINUTE);
  expect((await env.BUCKET.list({ prefix: "staging/captures/" })).objects).toEqual([]);
});

test("a published image is looked at again only if an earlier try can have written something", async () => {
  const device = await mintDevice();
  const usual = await transfer(device);
  expect(await verifyNow(usual.operationId)).toBe("succeeded");
  expect(await frameRow(usual.operationId)).toMatchObject({ status: "completed", dueAt: null });
  const repeated = await transfer(device);
  const jobId = await handOver(repeated.operationId);
  const dying = await withObjects(device.camera.id, () => ({ write: () => Promise.reject(new Error("killed")) }));
  expect(await runJob(dying, jobHandlers, jobId)).toBe("retry");
  await testDatabase().update(jobs).set({ runAt: 1 }).where(eq(jobs.id, jobId));
  expect(await runJob(systemContext(), jobHandlers, jobId)).toBe("succeeded");
  expect(await frameRow(repeated.operationId)).toMatchObject({ status: "completed", dueAt: expect.any(Number) });
});
