import { describe, expect, test } from "vitest";
import { bytesNeeded, bytesPerDay, daysUntilFull, type Plan } from "../../src/cameras/storage/forecast";
import { storageUseSchema } from "../../src/cameras/storage/storage";
import { call, expectJson } from "../support/call";
import { mintCameraSite, mintCaptures } from "../support/cameras";
import { uploadDocument } from "../support/documents";
import { mintLocation, mintOrganization } from "../support/factories";
import { expectCounted } from "../support/storage";

const PLAN: Plan = {
  captureIntervalMinutes: 20,
  retentionDays: 30,
  captureWidth: 1_920,
  captureHeight: 1_080,
  jpegQuality: 90,
  captureWindow: null,
};

describe("the forecast", () => {
  test("follows the settings, and the size of the newest images where there are some", () => {
    expect(Math.round(bytesPerDay(PLAN, null))).toBe(52_254_720);
    expect(Math.round(bytesNeeded(PLAN, null))).toBe(30 * 52_254_720);
    // Half of the measured pixels, so half of the bytes.
    const measured = { bytes: 20 * 800_000, pixels: 20 * 1_920 * 2_160 };
    expect(Math.round(bytesPerDay(PLAN, measured))).toBe(72 * 400_000);
    const day = { ...PLAN, captureWindow: { start: "06:00", end: "18:00", daysOfWeek: [1, 2, 3, 4, 5, 6, 7] } };
    expect(bytesPerDay(day, measured)).toBe(36 * 400_000);
  });

  test("a camera grows until its first image is as old as the retention", () => {
    const cameras = [
      { bytesPerDay: 10, days: 5 },
      { bytesPerDay: 20, days: 10 },
      { bytesPerDay: 99, days: 0 },
    ];
    expect(daysUntilFull(cameras, 60)).toBe(2);
    // 150 bytes after five days, then 20 a day.
    expect(daysUntilFull(cameras, 190)).toBe(7);
    expect(daysUntilFull(cameras, 250)).toBe(10);
    expect(daysUntilFull(cameras, 251)).toBeNull();
    expect(daysUntilFull(cameras, 0)).toBe(0);
    expect(daysUntilFull([], 1)).toBeNull();
  });
});

test("what an organization stores is counted by kind, and the forecast says when it is full", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const read = () => expectJson(storageUseSchema, 200, "GET", `/v1/orgs/${organizationId}/storage`, owner);
  const { id: locationId } = await mintLocation({ organizationId });
  expect(await read()).toMatchObject({
    usedBytes: 0,
    forecast: { cameraCount: 0, neededBytes: 0, daysUntilFull: null },
  });
  await uploadDocument(owner.token, locationId, { fileName: "plan.txt", bytes: "1234" });
  await uploadDocument(owner.token, locationId, { fileName: "plan.txt", bytes: "123456" });
  const { id } = await uploadDocument(owner.token, locationId, { fileName: "old.txt", bytes: "12345" });
  await uploadDocument(owner.token, locationId, { fileName: "old.txt", bytes: "1" });
  expect((await read()).kinds).toEqual({
    documentBytes: 7,
    olderVersionBytes: 9,
    imageBytes: 0,
    brandingBytes: 0,
    trashBytes: 0,
  });
  await call("DELETE", `/v1/documents/${id}`, owner);
  expect(await read()).toMatchObject({
    usedBytes: 10,
    kinds: { documentBytes: 6, olderVersionBytes: 4, trashBytes: 6 },
  });
  await expectCounted(organizationId);
  await call("POST", `/v1/documents/${id}/restore`, owner);
  expect((await read()).kinds).toMatchObject({ documentBytes: 7, olderVersionBytes: 9, trashBytes: 0 });
  const other = await mintLocation({ organizationId });
  await call("PATCH", `/v1/documents/${id}`, { ...owner, body: { locationId: other.id } });
  await call("DELETE", `/v1/spatial/locations/${other.id}`, owner);
  expect(await read()).toMatchObject({
    usedBytes: 10,
    kinds: { documentBytes: 6, olderVersionBytes: 4, trashBytes: 6 },
  });
  await expectCounted(organizationId);
  const body = { name: "Gate", jpegQuality: 90 };
  await call("POST", `/v1/spatial/locations/${locationId}/cameras`, { ...owner, body });
  expect((await read()).forecast).toEqual({
    cameraCount: 1,
    neededBytes: 30 * 52_254_720,
    bytesPerDay: 52_254_720,
    daysUntilFull: Math.floor((1024 ** 3 - 10) / 52_254_720),
  });
});

test("the forecast measures the newest images of each camera", async () => {
  const settings = { captureIntervalMinutes: 20, retentionDays: 30, captureWidth: 1_920, captureHeight: 1_080 };
  const { camera, owner, organizationId, locationId } = await mintCameraSite(settings);
  const other = await mintCameraSite(settings);
  const now = Date.now();
  await mintCaptures(other.camera, other.locationId, [{ sizeBytes: 9_999_999 }]);
  const of = (days: number) => ({ capturedAt: now - days * 24 * 3_600_000, sizeBytes: 1_000 });
  await mintCaptures(camera, locationId, [of(2), of(1), { ...of(0), sizeBytes: 4_000 }]);
  const path = `/v1/orgs/${organizationId}/storage`;
  expect((await expectJson(storageUseSchema, 200, "GET", path, owner)).forecast).toEqual({
    cameraCount: 1,
    neededBytes: 30 * 72 * 2_000,
    bytesPerDay: 72 * 2_000,
    daysUntilFull: null,
  });
  // All images are older than the retention: as much is deleted as is added.
  const old = await mintCameraSite(settings);
  await mintCaptures(old.camera, old.locationId, [{ ...of(31), sizeBytes: 1_000 }]);
  const use = await expectJson(storageUseSchema, 200, "GET", `/v1/orgs/${old.organizationId}/storage`, old.owner);
  expect(use.forecast).toMatchObject({ neededBytes: 30 * 72_000, bytesPerDay: 0, daysUntilFull: null });
});
