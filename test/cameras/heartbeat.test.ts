import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { acknowledgedSchema, heartbeatSchema, recordHeartbeat } from "../../src/cameras/ingestion/device";
import { HEARTBEAT_RESOLUTION_MS } from "../../src/cameras/limits";
import { readCredential } from "../../src/cameras/pairing/credentials";
import { cameraCredentials, cameraHealth, cameras } from "../../src/cameras/tables";
import { jobs } from "../../src/platform/jobs/tables";
import { MINUTE } from "../../src/platform/time";
import { call, codeOf } from "../support/call";
import { mintCredential } from "../support/cameras";
import { cameraRow, type Device, mintDevice } from "../support/device";
import { keepJobs, systemContext } from "../support/jobs";
import { stopClock } from "../support/patience";
import { testDatabase } from "../support/statements";

describe("a heartbeat", () => {
  const beat = {
    appliedRevision: 1,
    lastCaptureAtUtc: null,
    queueCount: 3,
    queueBytes: 9,
    freeBytes: 10,
    oldestPendingAtUtc: "2026-11-21T00:00:00.000Z",
  };
  const send = ({ token }: Device, more: object = {}) =>
    call("POST", "/v1/camera-ingestion/heartbeat", { token, body: { ...beat, ...more } });

  test("is stored as the device's report, and answered with the revision to apply", async () => {
    const device = await mintDevice({ revision: 7 });
    const answer = await send(device, { errorCode: "camera-open-failed" });
    expect(await answer.json()).toMatchObject({ revision: 7 });
    const row = await cameraRow(device.camera);
    expect(row.device).toEqual({
      appliedRevision: 1,
      lastCaptureAt: null,
      queueCount: 3,
      queueBytes: 9,
      freeBytes: 10,
      oldestPendingAt: Date.parse(beat.oldestPendingAtUtc),
      errorCode: "camera-open-failed",
    });
    expect(row.lastSeenAt).toBeGreaterThan(Date.now() - MINUTE);
    expect(row.revision).toBe(7);
  });

  test("of a device that loses the camera during the request is refused", async () => {
    const device = await mintDevice();
    const { id: credentialId = "" } = readCredential(device.token) ?? {};
    const { id: cameraId, organizationId } = device.camera;
    const caller = { kind: "device" as const, credentialId, cameraId, organizationId };
    const db = testDatabase();
    await db.update(cameraCredentials).set({ revokedAt: Date.now() }).where(eq(cameraCredentials.id, credentialId));
    await mintCredential(cameraId);
    const late = recordHeartbeat({ ...systemContext(), caller }, heartbeatSchema.parse(beat));
    await expect(late).rejects.toMatchObject({ code: "credential-revoked" });
    expect((await cameraRow(device.camera)).device).toBeNull();
  });

  test("is announced to live views only when it has something new", async () => {
    const device = await mintDevice();
    await keepJobs(device.organizationId);
    for (const errorCode of [undefined, undefined, "lens-dirty", "lens-dirty"]) await send(device, { errorCode });
    const mine = and(eq(jobs.kind, "announce"), eq(jobs.tenantId, device.organizationId));
    expect(await testDatabase().$count(jobs, mine)).toBe(2);
  });

  test("without news is stored every few minutes, and a new error at once", async () => {
    const device = await mintDevice();
    const start = stopClock();
    const seen = async () => ((await cameraRow(device.camera)).lastSeenAt ?? 0) - start;
    const sendAt = async (ms: number, more: object = {}) => {
      stopClock(start + ms);
      expect((await send(device, more)).status).toBe(200);
      return seen();
    };
    expect(await sendAt(0)).toBe(0);
    expect(await sendAt(HEARTBEAT_RESOLUTION_MS - 1, { freeBytes: 9, queueCount: 0 })).toBe(0);
    expect(await sendAt(HEARTBEAT_RESOLUTION_MS)).toBe(HEARTBEAT_RESOLUTION_MS);
    const later = HEARTBEAT_RESOLUTION_MS + MINUTE;
    expect(await sendAt(later, { errorCode: "lens-dirty" })).toBe(later);
    expect((await cameraRow(device.camera)).device).toMatchObject({ errorCode: "lens-dirty" });
  });

  test("tells two devices with one credential that they share it, until one of them is silent", async () => {
    const device = await mintDevice();
    const start = stopClock();
    const beatOf = async (minute: number, instanceId: string, more: object = {}) => {
      stopClock(start + minute * MINUTE);
      const { isIdentityShared } = acknowledgedSchema.parse(await (await send(device, { instanceId, ...more })).json());
      const { device: report } = await cameraRow(device.camera);
      expect(report?.errorCode === "identity-shared").toBe(isIdentityShared);
      return isIdentityShared;
    };
    // A device that starts again has another id, which does not come back.
    expect([await beatOf(0, "a"), await beatOf(1, "b"), await beatOf(2, "b"), await beatOf(3, "c")]).toEqual(
      Array(4).fill(false),
    );
    expect([await beatOf(4, "b"), await beatOf(5, "c", { errorCode: "lens-dirty" }), await beatOf(6, "b")]).toEqual(
      Array(3).fill(true),
    );
    for (let minute = 7; minute < 29; minute++) expect(await beatOf(minute, "b")).toBe(true);
    expect(await beatOf(30, "b")).toBe(false);
    expect((await send(device)).status).toBe(200);
    expect((await send(device, { instanceId: "x y" })).status).toBe(400);
  });

  test("is stored for the check of a camera whose images are late", async () => {
    const device = await mintDevice({ captureIntervalMinutes: 1 });
    const start = stopClock();
    await testDatabase()
      .update(cameraHealth)
      .set({ checkAt: start + 3 * MINUTE, watchedSince: start })
      .where(eq(cameraHealth.cameraId, device.camera.id));
    await testDatabase().update(cameras).set({ lastAcceptedAt: start }).where(eq(cameras.id, device.camera.id));
    const stored: number[] = [];
    for (const minute of [0, 1, 2, 2.5, 3]) {
      stopClock(start + minute * MINUTE);
      await send(device);
      stored.push((((await cameraRow(device.camera)).lastSeenAt ?? 0) - start) / MINUTE);
    }
    expect(stored).toEqual([0, 0, 2, 2, 2]);
  });

  test("with a wrong value is refused", async () => {
    const device = await mintDevice();
    for (const wrong of [{ queueCount: -1 }, { errorCode: "No words, please" }, { freeBytes: 1.5 }, { more: 1 }])
      expect(await codeOf(await send(device, wrong))).toBe("400 validation-failed");
  });
});
