import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { contextAt } from "../../../src/access";
import { captureKey, rejectedKey } from "../../../src/cameras/captures";
import { OPERATION_LIFETIME_MS } from "../../../src/cameras/limits";
import { cameraAssignments, cameraCaptures, cameraFrames, cameraPlaces, cameras } from "../../../src/cameras/tables";
import { jobHandlers } from "../../../src/job-handlers";
import { runJob } from "../../../src/platform/jobs/run";
import { jobs } from "../../../src/platform/jobs/tables";
import { storedObjects } from "../../../src/uploads/tables";
import { call } from "../../support/call";
import {
  announce,
  ask,
  cameraRow,
  cancel,
  captureOf,
  complete,
  type Device,
  decided,
  frameRow,
  framesOf,
  handOver,
  image,
  keysOf,
  mintDevice,
  objectBytes,
  ofFrame,
  put,
  transfer,
  verifyNow,
  viewOf,
  words,
} from "../../support/device";
import { contextOfJob } from "../../support/job-rows";
import { endedJobs } from "../../support/jobs";
import { eventually } from "../../support/patience";
import { testDatabase } from "../../support/statements";
import { expectCounted, runToEnd, storageOf, systemContext, withObjects } from "../../support/storage";

/* Changes of an image at the same time as another change. */

test("completing many times at once publishes once", async () => {
  const device = await mintDevice();
  const sent = await transfer(device);
  const answers = await Promise.all(Array.from({ length: 8 }, () => complete(device, sent.operationId)));
  for (const { status } of answers) expect([200, 202]).toContain(status);
  await decided(sent.operationId);
  expect(await testDatabase().$count(cameraCaptures, eq(cameraCaptures.cameraId, device.camera.id))).toBe(1);
  expect(await cameraRow(device.camera)).toMatchObject({ watermark: 1 });
});

test("of two workers that verify the same image, one publishes it", async () => {
  const device = await mintDevice();
  const sent = await transfer(device);
  const jobId = await handOver(sent.operationId);
  const workers = await Promise.all(Array.from({ length: 3 }, () => contextOfJob(jobId)));
  const results = await Promise.all(workers.map((context) => runJob(context, jobHandlers, jobId)));
  expect(results.filter((result) => result === "succeeded")).toHaveLength(1);
  expect(await testDatabase().$count(cameraCaptures, eq(cameraCaptures.cameraId, device.camera.id))).toBe(1);
});

test("completing at the moment of expiry has one of the two outcomes", async () => {
  const device = await mintDevice();
  const sent = await transfer(device);
  const expiresAt = Date.now() + 40;
  await testDatabase()
    .update(cameraFrames)
    .set({ receivedAt: expiresAt - OPERATION_LIFETIME_MS, dueAt: expiresAt })
    .where(ofFrame(sent.operationId));
  const [answer] = await Promise.all([complete(device, sent.operationId), runToEnd("clean-frames")]);
  expect([202, 410]).toContain(answer.status);
  if (answer.status === 202) await decided(sent.operationId);
  const { status } = await ask(device, sent.operationId);
  expect(status).toBe(answer.status === 202 ? "completed" : "expired");
  await expectCounted(device.organizationId);
});

test("revoking during verification stops the device, and its image is published", async () => {
  const device = await mintDevice();
  const sent = await transfer(device);
  const now = Date.now();
  const context = await withObjects(device.camera.id, (real) => ({
    async write(...given) {
      await testDatabase()
        .update(cameras)
        .set({ revokedAt: now, isPaused: true })
        .where(eq(cameras.id, device.camera.id));
      return real.write(...given);
    },
  }));
  await verifyNow(sent.operationId, context);
  expect(await captureOf(device.camera, sent.operationId)).not.toBeNull();
  expect((await announce(device, sent.facts)).status).toBe(401);
});

/**
 * The time at which a location is deleted: during the verification of its image, or while the job is sent to the
 * queue.
 */
const MOMENTS = ["before it is read", "before it is written", "after it was written", "as it is completed"] as const;

/** Deletes the location of an image at a moment of its verification, and waits for the end of the verification. */
async function deleteDuring(moment: (typeof MOMENTS)[number], device: Device, operationId: string): Promise<void> {
  const remove = async () => {
    const { status } = await call("DELETE", `/v1/spatial/locations/${device.locationId}?purge=true`, device.owner);
    expect([204, 404, 409]).toContain(status);
  };
  if (moment === "as it is completed") {
    const [{ status }] = await Promise.all([complete(device, operationId), remove()]);
    // The deletion came first: it ended the upload, or the camera's credential.
    expect([202, 401, 410]).toContain(status);
    return decided(operationId);
  }
  const lastKeys = [captureKey(keysOf(device, operationId), "thumbnail"), rejectedKey(keysOf(device, operationId))];
  const context = await withObjects(device.camera.id, (real) => ({
    async read(...given) {
      if (moment === "before it is read") await remove();
      return real.read(...given);
    },
    async write(key, ...given) {
      if (moment === "before it is written") {
        await remove();
        // The write arrives after everything was removed.
        await endedJobs(device.organizationId, "delete-tree");
      }
      const written = await real.write(key, ...given);
      if (moment === "after it was written" && lastKeys.includes(key)) await remove();
      return written;
    },
  }));
  const jobId = await handOver(operationId);
  await runJob(context, jobHandlers, jobId);
  await testDatabase().update(jobs).set({ runAt: 1 }).where(eq(jobs.id, jobId));
  await runJob(await contextAt(systemContext(), device.camera.id), jobHandlers, jobId);
  await decided(operationId);
}

test("deleting the location of an image in verification leaves nothing, for any image and moment", async () => {
  const sent = await Promise.all(
    MOMENTS.flatMap((moment) =>
      [image(), words(`no image ${moment}`)].map(async (bytes) => {
        const device = await mintDevice();
        const { operationId } = await transfer(device, bytes);
        await deleteDuring(moment, device, operationId);
        await endedJobs(device.organizationId, "delete-tree");
        return { moment, device, operationId };
      }),
    ),
  );
  // No address can write bytes again, so no row is needed any more.
  const theirs = inArray(
    storedObjects.tenantId,
    sent.map(({ device }) => device.organizationId),
  );
  await testDatabase().update(storedObjects).set({ purgeAfter: 1 }).where(theirs);
  await runToEnd("purge-objects");
  for (const { moment, device, operationId } of sent) {
    const { camera, organizationId } = device;
    await eventually(async () =>
      expect([moment, await storageOf(organizationId)]).toMatchObject([
        moment,
        { used: 0, reserved: 0, keptKeys: [], stagedKeys: [] },
      ]),
    );
    const { objects } = await env.BUCKET.list({ prefix: `captures/${organizationId}/` });
    expect([moment, objects.map(({ key }) => key)]).toEqual([moment, []]);
    expect(await objectBytes(rejectedKey(keysOf(device, operationId)))).toBeNull();
    const db = testDatabase();
    const rows = {
      frames: (await framesOf(camera)).length,
      places: await db.$count(cameraPlaces, eq(cameraPlaces.cameraId, camera.id)),
      assignments: await db.$count(cameraAssignments, eq(cameraAssignments.cameraId, camera.id)),
      cameras: await db.$count(cameras, eq(cameras.id, camera.id)),
    };
    expect([moment, rows]).toEqual([moment, { frames: 0, places: 0, assignments: 0, cameras: 0 }]);
  }
});

test("deleting the location during the transfer ends the operation and frees its storage", async () => {
  const device = await mintDevice();
  const sent = await transfer(device);
  expect((await call("DELETE", `/v1/spatial/locations/${device.locationId}`, device.owner)).status).toBe(204);
  expect((await complete(device, sent.operationId)).status).toBe(401);
  await eventually(async () => expect((await storageOf(device.organizationId)).reserved).toBe(0));
  expect((await frameRow(sent.operationId)).status).toBe("expired");
});

test("cancelling during verification publishes nothing, and the device may start again", async () => {
  const device = await mintDevice();
  const sent = await transfer(device);
  const jobId = await handOver(sent.operationId);
  let cancelled = false;
  const context = await withObjects(device.camera.id, (real) => ({
    async write(...given) {
      if (!cancelled) await cancel(device);
      cancelled = true;
      return real.write(...given);
    },
  }));
  expect(await runJob(context, jobHandlers, jobId)).toBe("retry");
  expect((await ask(device, sent.operationId)).status).toBe("cancelled");
  expect(await captureOf(device.camera, sent.operationId)).toBeNull();
  const again = await viewOf(await announce(device, sent.facts));
  await put(again, sent.bytes);
  await verifyNow(again.operationId);
  expect((await ask(device, again.operationId)).status).toBe("completed");
  await expectCounted(device.organizationId);
});
