import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { organizations } from "../../src/access/tables";
import { captureKey } from "../../src/cameras/captures";
import { configurationSchema } from "../../src/cameras/ingestion/device";
import { signTransfer } from "../../src/cameras/ingestion/transfer";
import { OPERATION_LIFETIME_MS } from "../../src/cameras/limits";
import { cameraCaptures, cameraFrames, cameras } from "../../src/cameras/tables";
import { embeddedPreview, jpegSize } from "../../src/platform/jpeg";
import { DAY, HOUR, MINUTE } from "../../src/platform/time";
import { locations } from "../../src/workspace/tables";
import { call, codeOf, expectJson } from "../support/call";
import { mintAssignment, mintCamera, mintCaptures, mintCredential } from "../support/cameras";
import {
  announce,
  ask,
  cameraRow,
  cancel,
  captureOf,
  complete,
  type Device,
  decided,
  factsOf,
  frameRow,
  image,
  mintDevice,
  objectBytes,
  ofFrame,
  passMinute,
  put,
  refresh,
  transfer,
  upload,
  verifyNow,
  viewOf,
} from "../support/device";
import { endedJobs, keepJobs } from "../support/jobs";
import { eventually, stopClock } from "../support/patience";
import { testDatabase } from "../support/statements";
import { storageOf, systemContext } from "../support/storage";

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const setCamera = ({ camera }: Device, set: Partial<typeof cameras.$inferInsert>) =>
  testDatabase().update(cameras).set(set).where(eq(cameras.id, camera.id));

test("an image is announced, sent, verified and published exactly as it was captured", async () => {
  const device = await mintDevice();
  await keepJobs(device.organizationId);
  const bytes = image();
  const sent = await transfer(device, bytes, {
    capturedAtUtc: "2026-11-21T04:05:06.789+01:00".replace(/^.{10}/, today()),
  });
  expect(sent).toMatchObject({
    status: "pending-transfer",
    statusUrl: `/v1/camera-ingestion/uploads/${sent.operationId}`,
    receipt: null,
    rejection: null,
  });
  expect(Date.parse(sent.uploadUrlExpiresAtUtc ?? "") - Date.now()).toBeGreaterThan(4 * MINUTE);
  expect(Date.parse(sent.uploadUrlExpiresAtUtc ?? "") - Date.now()).toBeLessThanOrEqual(5 * MINUTE);
  expect(await storageOf(device.organizationId)).toMatchObject({ used: 0, reserved: bytes.length });
  const accepted = await complete(device, sent.operationId);
  expect([accepted.status, accepted.headers.get("retry-after")]).toEqual([202, "2"]);
  expect(await viewOf(accepted)).toMatchObject({ status: "verification-pending", receipt: null });
  await decided(sent.operationId);
  const view = await ask(device, sent.operationId);
  expect(view).toMatchObject({
    status: "completed",
    receipt: {
      captureId: sent.facts.captureId,
      operationId: sent.operationId,
      sizeBytes: bytes.length,
      checksumSha256: sent.facts.checksumSha256,
    },
  });
  expect(await viewOf(await complete(device, sent.operationId))).toEqual(view);
  expect(await viewOf(await announce(device, sent.facts))).toEqual(view);
  const row = await captureOf(device.camera, sent.operationId);
  expect(row).toMatchObject({
    id: sent.facts.captureId,
    locationId: device.locationId,
    width: 48,
    height: 32,
    capturedAt: Date.parse(sent.facts.capturedAtUtc),
    clockQuality: "synchronized",
    completedAt: Date.parse(view.receipt?.completedAtUtc ?? ""),
  });
  if (row === null) return;
  expect(await objectBytes(captureKey(row, "original"))).toEqual(bytes);
  const thumbnail = (await objectBytes(captureKey(row, "thumbnail"))) ?? new Uint8Array();
  expect(jpegSize(thumbnail)).not.toBeNull();
  const preview = embeddedPreview(thumbnail) ?? new Uint8Array();
  expect(preview.length).toBeLessThanOrEqual(3_072);
  expect(jpegSize(preview)).toEqual({ width: row.previewWidth, height: row.previewHeight });
  expect(await storageOf(device.organizationId)).toMatchObject({ used: bytes.length, reserved: 0, stagedKeys: [] });
  const { watermark, lastCaptureAt } = await cameraRow(device.camera);
  expect({ watermark, lastCaptureAt }).toEqual({ watermark: 1, lastCaptureAt: row.capturedAt });
  // Its live announcement is a hint without a job.
  expect(await endedJobs(device.organizationId, "announce")).toEqual([]);
});

const today = () => new Date(Date.now() - DAY).toISOString().slice(0, 10);

describe("the configuration", () => {
  test("has the settings, the coordinates and the limits, and a validator of all of them", async () => {
    const device = await mintDevice({ captureWindow: { start: "07:00", end: "19:00" } });
    const read = (headers: Record<string, string> = {}) =>
      call("GET", "/v1/camera-ingestion/configuration", { token: device.token, headers });
    const first = await read();
    const etag = first.headers.get("etag") ?? "";
    expect(configurationSchema.parse(await first.json())).toMatchObject({
      cameraId: device.camera.id,
      assignmentGeneration: 1,
      revision: 1,
      captureIntervalMinutes: 20,
      captureWindow: { start: "07:00", end: "19:00" },
      locationLatitude: null,
      limits: { maxSizeBytes: 8_388_608, newUploadsPerMinute: 4, uploadUrlSeconds: 300 },
    });
    expect((await read({ "if-none-match": etag })).status).toBe(304);
    const coordinates = { latitude: 59.9, longitude: 10.7 };
    await testDatabase().update(locations).set(coordinates).where(eq(locations.id, device.locationId));
    const moved = await read({ "if-none-match": etag });
    expect(moved.headers.get("etag")).toMatch(/^"1\./);
    expect(await moved.json()).toMatchObject({ revision: 1, locationLatitude: 59.9, locationLongitude: 10.7 });
  });
});

describe("admission", () => {
  test("admits two images of a camera at a time, even with concurrent requests, and every repeat", async () => {
    const device = await mintDevice();
    const facts = await Promise.all(Array.from({ length: 12 }, () => factsOf(image())));
    const answers = await times(12, (i) => announce(device, facts[i] ?? never()));
    const admitted = answers.flatMap(({ status }, i) => (status === 201 ? [i] : []));
    expect(admitted).toHaveLength(2);
    for (const [i, answer] of answers.entries()) {
      if (admitted.includes(i)) continue;
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await codeOf(answer)).toBe("429 rate-limited");
    }
    for (const i of admitted) expect((await announce(device, facts[i] ?? never())).status).toBe(200);
    expect(await storageOf(device.organizationId)).toMatchObject({
      reserved: admitted.reduce((sum, i) => sum + (facts[i]?.sizeBytes ?? 0), 0),
    });
  });

  test("admits four new images a minute, and says when the next one may begin", async () => {
    const device = await mintDevice();
    stopClock();
    for (let i = 0; i < 4; i++) {
      expect((await announce(device, await factsOf(image()))).status).toBe(201);
      await cancel(device);
    }
    const refused = await announce(device, await factsOf(image()));
    const seconds = Number(refused.headers.get("retry-after"));
    expect(await codeOf(refused)).toBe("429 rate-limited");
    expect(seconds).toBe(60);
    await passMinute(device);
    const answers = await times(9, async () => announce(device, await factsOf(image())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  });

  test("does not count held images", async () => {
    const device = await mintDevice();
    for (let i = 0; i < 2; i++) {
      const { operationId } = await viewOf(await announce(device, await factsOf(image())));
      await testDatabase().update(cameraFrames).set({ status: "verifying", heldAt: 1 }).where(ofFrame(operationId));
    }
    expect((await announce(device, await factsOf(image()))).status).toBe(201);
  });

  test("accepts thirty requests a minute of one credential", async () => {
    const [device, other] = [await mintDevice(), await mintDevice()];
    const get = ({ token }: Device) => call("GET", "/v1/camera-ingestion/configuration", { token });
    stopClock();
    const answers = await times(33, () => get(device));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const answer of refused) {
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await codeOf(answer)).toBe("429 rate-limited");
    }
    expect((await get(other)).status).toBe(200);
  });

  test("checks the capture time exactly, and only when an operation begins", async () => {
    const device = await mintDevice({ retentionDays: 10 });
    const now = stopClock();
    const tell = async (capturedAt: number) =>
      announce(device, await factsOf(image(), { capturedAtUtc: new Date(capturedAt).toISOString() }));
    expect(await codeOf(await tell(now + 5 * MINUTE + 1))).toBe("422 captured-in-future");
    expect(await codeOf(await tell(now - 10 * DAY))).toBe("422 captured-outside-retention");
    expect(await codeOf(await tell(0))).toBe("422 captured-outside-retention");
    expect((await tell(now + 5 * MINUTE)).status).toBe(201);
    const facts = await factsOf(image(), { capturedAtUtc: new Date(now - 10 * DAY + 1).toISOString() });
    expect((await announce(device, facts)).status).toBe(201);
    await setCamera(device, { retentionDays: 1 });
    expect((await announce(device, facts)).status).toBe(200);
  });

  test("requires the current assignment, and recovers operations of an earlier assignment", async () => {
    const device = await mintDevice();
    const facts = await factsOf(image());
    await announce(device, facts);
    await setCamera(device, { assignmentGeneration: 2 });
    expect((await announce(device, facts)).status).toBe(200);
    expect(await codeOf(await announce(device, await factsOf(image())))).toBe("409 assignment-changed");
    expect(await codeOf(await announce(device, await factsOf(image(), { assignmentGeneration: 3 })))).toBe(
      "409 assignment-changed",
    );
    expect((await announce(device, await factsOf(image(), { assignmentGeneration: 2 }))).status).toBe(201);
  });

  test("is not older than its assignment, whatever its clock, unless it is the first one", async () => {
    const device = await mintDevice();
    const began = Date.now() - HOUR;
    const tell = async (assignmentGeneration: number, at: number, more = {}) =>
      announce(
        device,
        await factsOf(image(), { assignmentGeneration, capturedAtUtc: new Date(at).toISOString(), ...more }),
      );
    const first = await factsOf(image(), { capturedAtUtc: new Date(Date.now() - 3 * DAY).toISOString() });
    expect((await announce(device, first)).status).toBe(201);
    await setCamera(device, { assignmentGeneration: 2 });
    await mintAssignment(device.camera.id, device.locationId, { generation: 2, startedAt: began });
    expect(await codeOf(await tell(2, began - 1))).toBe("409 assignment-changed");
    expect(await codeOf(await tell(2, began - 1, { clockQuality: "estimated" }))).toBe("409 assignment-changed");
    expect((await tell(2, began)).status).toBe(201);
    // What was announced before stays known.
    expect((await announce(device, first)).status).toBe(200);
    const configuration = await call("GET", "/v1/camera-ingestion/configuration", { token: device.token });
    expect(configurationSchema.parse(await configuration.json())).toMatchObject({
      assignmentGeneration: 2,
      assignmentStartedAtUtc: new Date(began).toISOString(),
    });
  });

  test("is refused while the storage is full, and succeeds after space is free", async () => {
    const device = await mintDevice();
    const facts = await factsOf(image());
    const setRoom = (documentStorageBytes: number) =>
      testDatabase()
        .update(organizations)
        .set({ documentStorageBytes })
        .where(eq(organizations.id, device.organizationId));
    await setRoom(facts.sizeBytes - 1);
    expect(await codeOf(await announce(device, facts))).toBe("507 storage-full");
    await setRoom(facts.sizeBytes);
    expect((await announce(device, facts)).status).toBe(201);
    expect(await codeOf(await announce(device, await factsOf(image())))).toBe("507 storage-full");
    expect((await announce(device, facts)).status).toBe(200);
  });

  test("accepts the backlog of a paused camera", async () => {
    const device = await mintDevice({ isPaused: true });
    const sent = await upload(device);
    expect((await ask(device, sent.operationId)).status).toBe("completed");
  });

  test("refuses images that are too large, and invalid announcements", async () => {
    const device = await mintDevice();
    const facts = await factsOf(image());
    expect(await codeOf(await announce(device, { ...facts, sizeBytes: 8 * 1024 ** 2 + 1 }))).toBe(
      "413 content-too-large",
    );
    for (const wrong of [
      { sizeBytes: 0 },
      { contentType: "image/png" },
      { clockQuality: "good" },
      { checksumSha256: "AA" },
      { capturedAtUtc: "yesterday" },
      { captureId: "1" },
    ])
      expect(await codeOf(await announce(device, { ...facts, ...wrong }))).toBe("400 validation-failed");
    expect((await announce(device, { ...facts, sizeBytes: 8 * 1024 ** 2 })).status).toBe(201);
  });
});

describe("an address", () => {
  test("is renewed while the bytes are missing, and not in any other state", async () => {
    const device = await mintDevice();
    const bytes = image();
    const begun = await viewOf(await announce(device, await factsOf(bytes)));
    const fresh = await viewOf(await refresh(device, begun.operationId));
    expect(fresh).toMatchObject({ operationId: begun.operationId, status: "pending-transfer" });
    expect((await put(fresh, bytes)).status).toBe(200);
    await testDatabase().update(cameraFrames).set({ status: "verifying" }).where(ofFrame(begun.operationId));
    expect(await codeOf(await refresh(device, begun.operationId))).toBe("409 conflict");
    expect(await verifyNow(begun.operationId)).toBe("succeeded");
    expect(await codeOf(await refresh(device, begun.operationId))).toBe("410 upload-ended");
  });

  test("does not outlive its operation", async () => {
    const device = await mintDevice();
    const begun = await viewOf(await announce(device, await factsOf(image())));
    const end = Date.now() + 30_000;
    const receivedAt = end - OPERATION_LIFETIME_MS;
    await testDatabase().update(cameraFrames).set({ receivedAt }).where(ofFrame(begun.operationId));
    const fresh = await viewOf(await refresh(device, begun.operationId));
    expect(Date.parse(fresh.uploadUrlExpiresAtUtc ?? "")).toBeLessThanOrEqual(end);
    // Also if the request began some seconds before its address is signed.
    const slow = { ...systemContext(), now: Date.now() - 5_000 };
    const signed = await signTransfer(slow, await frameRow(begun.operationId));
    expect(signed?.expiresAt).toBeLessThanOrEqual(end);
  });
});

test("completing without bytes returns the operation to its transfer", async () => {
  const device = await mintDevice();
  const bytes = image();
  const begun = await viewOf(await announce(device, await factsOf(bytes)));
  expect((await complete(device, begun.operationId)).status).toBe(202);
  await eventually(async () => expect((await frameRow(begun.operationId)).status).toBe("pending"));
  expect((await ask(device, begun.operationId)).status).toBe("pending-transfer");
  expect((await put(begun, bytes)).status).toBe(200);
  await complete(device, begun.operationId);
  await decided(begun.operationId);
  expect((await ask(device, begun.operationId)).status).toBe("completed");
});

test("the admission reads the same few rows after years of images", async () => {
  const device = await mintDevice();
  await mintCaptures(
    device.camera,
    device.locationId,
    Array.from({ length: 8 }, (_, i) => ({ capturedAt: Date.now() - i })),
  );
  expect((await announce(device, await factsOf(image()))).status).toBe(201);
  expect(await testDatabase().$count(cameraCaptures, sql`camera_id = ${device.camera.id}`)).toBe(8);
});

test("an operation is visible to its own camera only", async () => {
  const device = await mintDevice();
  const begun = await viewOf(await announce(device, await factsOf(image())));
  const neighbour = await mintCamera(device.organizationId, device.locationId);
  const { token } = await mintCredential(neighbour.id);
  const foreign = { ...device, token };
  for (const answer of [await complete(foreign, begun.operationId), await refresh(foreign, begun.operationId)])
    expect(await codeOf(answer)).toBe("404 not-found");
  await expectJson(z.object({ code: z.literal("not-found") }), 404, "GET", begun.statusUrl, { token });
});

function never(): never {
  throw new Error("cannot happen");
}
