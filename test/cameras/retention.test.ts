import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { auditEntries } from "../../src/access/tables";
import { historySchema } from "../../src/cameras/archive/present";
import { ofCamera } from "../../src/cameras/capture-rows";
import { CAPTURE_FORMS, captureKey } from "../../src/cameras/captures";
import { expireCaptures } from "../../src/cameras/retention";
import { cameraCaptures, cameraFrames, cameras } from "../../src/cameras/tables";
import type { Job } from "../../src/platform/jobs/handlers";
import { DAY, HOUR } from "../../src/platform/time";
import { storedObjects } from "../../src/uploads/tables";
import { call, codeOf, expectJson } from "../support/call";
import { mintCaptures } from "../support/cameras";
import {
  announce,
  cameraRow,
  captureOf,
  type Device,
  factsOf,
  frameRow,
  framesOf,
  image,
  keysOf,
  mintDevice,
  objectBytes,
  passDue,
  upload,
  viewOf,
} from "../support/device";
import fc from "../support/properties";
import { testDatabase } from "../support/statements";
import { expectCounted, runToEnd, storageOf, systemContext } from "../support/storage";

const job: Job<"expire-captures"> = {
  id: "1",
  kind: "expire-captures",
  tenantId: null,
  payload: {},
  state: null,
  attempts: 1,
  progress: { done: 0, total: 0 },
  requestedBy: null,
};

/** Sweeps all cameras, slice after slice. @returns the number of slices. */
async function sweep(): Promise<number> {
  for (let slices = 1; ; slices++) {
    const outcome = await expireCaptures.run(systemContext(), job);
    await outcome.change?.commit();
    if (outcome.kind === "complete") return slices;
  }
}

const idsOf = async (cameraId: string) =>
  (await testDatabase().select().from(cameraCaptures).where(eq(cameraCaptures.cameraId, cameraId))).map(({ id }) => id);

/** Makes the images of a camera older than its retention. */
async function expire({ camera }: Device): Promise<void> {
  await testDatabase().update(cameraFrames).set({ capturedAt: 1 }).where(ofCamera(camera.id));
  await testDatabase().update(cameras).set({ expiresAt: 0 }).where(eq(cameras.id, camera.id));
}

/** The images that the camera's history shows. */
const read = async (device: Device) => {
  const path = `/v1/cameras/${device.camera.id}/captures?locationId=${device.locationId}`;
  return (await expectJson(historySchema, 200, "GET", path, device.owner)).items.map(({ id }) => id).sort();
};

describe("retention", () => {
  test("is counted from the capture time, for each camera separately", async () => {
    const [short, long] = [await mintDevice({ retentionDays: 2 }), await mintDevice({ retentionDays: 20 })];
    const at = [0, 1.9, 2, 5, 19.9].map((days) => ({ capturedAt: Date.now() - days * DAY + HOUR }));
    const mine = await mintCaptures(short.camera, short.locationId, at);
    const others = await mintCaptures(long.camera, long.locationId, at);
    await sweep();
    expect((await idsOf(short.camera.id)).sort()).toEqual(mine.slice(0, 3).sort());
    expect((await idsOf(long.camera.id)).sort()).toEqual(others.sort());
    expect((await cameraRow(short.camera)).watermark).toBe(1);
  });

  test("deletes any backlog in bounded slices", async () => {
    const device = await mintDevice({ retentionDays: 1 });
    await mintCaptures(
      device.camera,
      device.locationId,
      Array.from({ length: 430 }, (_, i) => ({ capturedAt: i + 1 })),
    );
    expect(await sweep()).toBeGreaterThan(2);
    expect(await idsOf(device.camera.id)).toEqual([]);
  });

  test("frees storage when the objects are deleted, and not before", async () => {
    const device = await mintDevice();
    const sent = await upload(device);
    const row = await captureOf(device.camera, sent.operationId);
    if (row === null) throw new Error("not published");
    await expire(device);
    expect(await storageOf(device.organizationId)).toMatchObject({ used: sent.bytes.length, keptKeys: { length: 1 } });
    await sweep();
    expect(await framesOf(device.camera)).toEqual([]);
    expect(await storageOf(device.organizationId)).toMatchObject({ used: 0, keptBytes: 0 });
    for (const form of CAPTURE_FORMS) expect(await objectBytes(captureKey(row, form))).toBeNull();
    await expectCounted(device.organizationId);
    // Its device never got the answer. It may delete the image all the same.
    const capturedAtUtc = new Date(Date.now() - 31 * DAY).toISOString();
    expect(await codeOf(await announce(device, { ...sent.facts, capturedAtUtc }))).toBe(
      "422 captured-outside-retention",
    );
  });
});

describe("an extended retention", () => {
  const ages = Array.from({ length: 12 }, (_, i) => 2 * i + 1);
  const retain = async ({ camera, owner }: Device, retentionDays: number) => {
    const { revision } = await cameraRow(camera);
    const body = { baseRevision: revision, retentionDays, confirmRetentionReduction: true };
    expect((await call("PATCH", `/v1/cameras/${camera.id}`, { ...owner, body })).status).toBe(200);
  };
  const standing = async (retentionDays: number) => {
    const device = await mintDevice({ retentionDays });
    const rows = ages.map((days) => ({ capturedAt: Date.now() - days * DAY }));
    const ids = await mintCaptures(device.camera, device.locationId, rows);
    return { device, ids, within: (days: number) => ids.filter((_, i) => (ages[i] ?? 0) < days).sort() };
  };

  test("brings no hidden image back, deleted or not, in any order of settings", async () => {
    const steps = fc.array(fc.record({ days: fc.integer({ min: 1, max: 30 }), sweeps: fc.boolean() }), {
      minLength: 2,
      maxLength: 5,
    });
    const holds = fc.asyncProperty(fc.integer({ min: 10, max: 30 }), steps, async (first, script) => {
      const { device, within } = await standing(first);
      let fewest = first;
      for (const { days, sweeps } of script) {
        await retain(device, days);
        fewest = Math.min(fewest, days);
        if (sweeps) {
          await sweep();
          expect((await idsOf(device.camera.id)).sort()).toEqual(within(fewest));
        }
        expect(await read(device)).toEqual(within(fewest));
      }
      await sweep();
      expect((await idsOf(device.camera.id)).sort()).toEqual(within(fewest));
    });
    await fc.assert(holds, { numRuns: 6 });
  });

  test("leaves an expired image out of every read, and its device gets a refusal", async () => {
    const { device, ids } = await standing(4);
    const [, kept = "", expired = ""] = ids;
    await retain(device, 30);
    const query = `locationId=${device.locationId}&at=${new Date(Date.now() - 9 * DAY).toISOString()}`;
    const seen = await call("GET", `/v1/cameras/${device.camera.id}/captures/seek?${query}`, device.owner);
    expect(await seen.json()).toMatchObject({ capture: { id: kept } });
    const remove = (id: string) => call("DELETE", `/v1/camera-captures/${id}`, device.owner);
    expect((await remove(expired)).status).toBe(404);
    expect((await remove(kept)).ok).toBe(true);
    const late = await factsOf(image(), { capturedAtUtc: new Date(Date.now() - 5 * DAY).toISOString() });
    expect(await codeOf(await announce(device, late))).toBe("422 captured-outside-retention");
  });

  test("makes the job delete at once an image that expired during its verification", async () => {
    const { device } = await standing(4);
    await retain(device, 30);
    await sweep();
    await mintCaptures(device.camera, device.locationId, [{ capturedAt: Date.now() - 5 * DAY }]);
    expect((await cameraRow(device.camera)).expiresAt).toBe(0);
    await sweep();
    expect(await idsOf(device.camera.id)).toHaveLength(2);
    expect((await cameraRow(device.camera)).expiresAt).toBeGreaterThan(Date.now());
  });
});

describe("a retention that is reduced while the job runs", () => {
  const ages = [1, 9, 15, 19, 25];
  const reduce = ({ camera, owner }: Device, retentionDays: number, confirmRetentionReduction = true) => {
    const body = { baseRevision: 1, retentionDays, confirmRetentionReduction };
    return call("PATCH", `/v1/cameras/${camera.id}`, { ...owner, body });
  };
  const standing = async () => {
    const device = await mintDevice({ retentionDays: 20 });
    const rows = ages.map((days) => ({ capturedAt: Date.now() - days * DAY }));
    const ids = await mintCaptures(device.camera, device.locationId, rows);
    return { device, within: (days: number) => ids.filter((_, i) => (ages[i] ?? 0) < days).sort() };
  };

  test("hides images at once, and the next slice deletes the images that the running slice did not know", async () => {
    const { device, within } = await standing();
    const slice = await expireCaptures.run(systemContext(), job);
    expect(await codeOf(await reduce(device, 10, false))).toBe("422 retention-reduction-unconfirmed");
    expect(await read(device)).toEqual(within(20));
    expect((await reduce(device, 10)).status).toBe(200);
    expect(await read(device)).toEqual(within(10));
    await slice.change?.commit();
    expect((await idsOf(device.camera.id)).sort()).toEqual(within(20));
    expect((await cameraRow(device.camera)).expiresAt).toBeLessThanOrEqual(Date.now());
    await sweep();
    expect((await idsOf(device.camera.id)).sort()).toEqual(within(10));
  });

  test("is applied once: one of several reductions succeeds, and no retained image is lost", async () => {
    for (let round = 0; round < 3; round++) {
      const { device, within } = await standing();
      const sweeping = sweep();
      const [unmeant, ...meant] = await Promise.all([reduce(device, 2, false), reduce(device, 10), reduce(device, 16)]);
      expect([409, 422]).toContain(unmeant.status);
      expect(meant.map(({ status }) => status).sort()).toEqual([200, 409]);
      await sweeping;
      const { retentionDays } = await cameraRow(device.camera);
      expect([10, 16]).toContain(retentionDays);
      expect(await read(device)).toEqual(within(retentionDays));
      await sweep();
      expect((await idsOf(device.camera.id)).sort()).toEqual(within(retentionDays));
    }
  });
});

describe("deleting one image", () => {
  test("hides it at once, frees its storage when its bytes are deleted, and is audited", async () => {
    const device = await mintDevice();
    const sent = await upload(device);
    const captureId = sent.facts.captureId;
    const remove = () => call("DELETE", `/v1/camera-captures/${captureId}`, device.owner);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    const row = await frameRow(sent.operationId);
    expect(row.deletedAt).not.toBeNull();
    expect(await captureOf(device.camera, sent.operationId)).toBeNull();
    const { watermark } = await cameraRow(device.camera);
    expect(watermark).toBe(2);
    const mine = and(
      eq(auditEntries.organizationId, device.organizationId),
      eq(auditEntries.action, "capture.deleted"),
    );
    expect(await testDatabase().select().from(auditEntries).where(mine)).toMatchObject([{ subjectId: captureId }]);
    // The bytes are kept for a day, and count until they are deleted.
    await runToEnd("clean-frames");
    const kept = await storageOf(device.organizationId);
    expect(kept).toMatchObject({ used: sent.bytes.length, keptKeys: { length: 1 } });
    expect(row.dueAt).toBe((row.deletedAt ?? 0) + DAY);
    await passDue(sent.operationId);
    expect(await storageOf(device.organizationId)).toMatchObject({ used: 0, keptKeys: [] });
    for (const form of CAPTURE_FORMS)
      expect(await objectBytes(captureKey(keysOf(device, sent.operationId), form))).toBeNull();
    expect(await frameRow(sent.operationId)).toMatchObject({ dueAt: null });
  });

  test("loses its bytes at once when it expires before that", async () => {
    const device = await mintDevice();
    const sent = await upload(device);
    expect((await call("DELETE", `/v1/camera-captures/${sent.facts.captureId}`, device.owner)).status).toBe(204);
    await expire(device);
    await sweep();
    expect(await storageOf(device.organizationId)).toMatchObject({ used: 0, keptBytes: 0 });
    expect(await framesOf(device.camera)).toEqual([]);
  });

  test("is not undone by a repeated upload, which gets the receipt and no second image", async () => {
    const device = await mintDevice();
    const sent = await upload(device);
    await call("DELETE", `/v1/camera-captures/${sent.facts.captureId}`, device.owner);
    expect(await viewOf(await announce(device, sent.facts))).toMatchObject({
      status: "completed",
      receipt: { captureId: sent.facts.captureId },
    });
    expect(await framesOf(device.camera)).toHaveLength(1);
  });
});

test("an expired image leaves no object, even when a slow worker writes it once more", async () => {
  const device = await mintDevice();
  const sent = await upload(device);
  const key = captureKey(keysOf(device, sent.operationId), "original");
  await expire(device);
  await sweep();
  await env.BUCKET.put(key, sent.bytes);
  const mine = eq(storedObjects.tenantId, device.organizationId);
  await testDatabase().update(storedObjects).set({ purgeAfter: 1 }).where(mine);
  await runToEnd("purge-objects");
  const { objects } = await env.BUCKET.list({ prefix: `captures/${device.organizationId}/` });
  expect(objects).toEqual([]);
  await expectCounted(device.organizationId);
});
