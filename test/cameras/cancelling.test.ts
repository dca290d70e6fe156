import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { auditEntries } from "../../src/access/tables";
import { stagingKey } from "../../src/cameras/captures";
import { cancelCapture } from "../../src/cameras/ingestion/transfer";
import { readCredential } from "../../src/cameras/pairing/credentials";
import { cameraCredentials } from "../../src/cameras/tables";
import { DAY, MINUTE, SECOND } from "../../src/platform/time";
import { locations } from "../../src/workspace/tables";
import { call, codeOf, expectJson } from "../support/call";
import { mintCredential } from "../support/cameras";
import {
  type Announcement,
  ageOperation,
  announce,
  ask,
  complete,
  type Device,
  factsOf,
  frameRow,
  framesOf,
  giveUp,
  handOver,
  image,
  mintDevice,
  objectBytes,
  passDue,
  passMinute,
  put,
  transfer,
  type View,
  verifyNow,
  viewOf,
  words,
} from "../support/device";
import { systemContext } from "../support/jobs";
import { pair } from "../support/pairing";
import { stopClock } from "../support/patience";
import { testDatabase } from "../support/statements";
import { expectCounted, runToEnd, storageOf } from "../support/storage";

/** Begins two transfers that the device does not continue. */
async function abandonTwo(
  device: Device,
): Promise<{ facts: Announcement; bytes: Uint8Array<ArrayBuffer>; view: View }[]> {
  const begun = [];
  for (let i = 0; i < 2; i++) {
    const bytes = image();
    const facts = await factsOf(bytes);
    begun.push({ facts, bytes, view: await viewOf(await announce(device, facts)) });
  }
  return begun;
}

/** Makes the addresses of a camera's uploads expire, waits for the maximum duration of a transfer, and sweeps. */
async function sweepAfterAddresses({ camera }: Device): Promise<void> {
  await passDue(...(await framesOf(camera)).map(({ operation }) => operation));
}

const unfinished = z.looseObject({ items: z.array(z.looseObject({ operationId: z.string(), status: z.string() })) });
const ofCamera = ({ camera }: Device) => `/v1/cameras/${camera.id}/uploads`;

describe("a device", () => {
  test("cancels an abandoned upload, and may begin another upload at once", async () => {
    const device = await mintDevice();
    const [first] = await abandonTwo(device);
    const facts = await factsOf(image());
    expect(await codeOf(await announce(device, facts))).toBe("429 rate-limited");
    const operationId = first?.view.operationId ?? "";
    expect(await viewOf(await giveUp(device, operationId))).toMatchObject({ operationId, status: "cancelled" });
    expect((await announce(device, facts)).status).toBe(201);
    await expectCounted(device.organizationId);
  });

  test("loses its open uploads when the cluster of its location is deleted", async () => {
    const device = await mintDevice();
    await abandonTwo(device);
    const [place] = await testDatabase().select().from(locations).where(eq(locations.id, device.locationId));
    expect((await call("DELETE", `/v1/spatial/clusters/${place?.clusterId}`, device.owner)).status).toBe(204);
    expect((await storageOf(device.organizationId)).reserved).toBe(0);
  });

  test("gets the same answer when it cancels again, and the state of an expired operation", async () => {
    const device = await mintDevice();
    const [first, second] = await abandonTwo(device);
    const ids = [first, second].map((begun) => begun?.view.operationId ?? "");
    await giveUp(device, ids[0] ?? "");
    expect(await viewOf(await giveUp(device, ids[0] ?? ""))).toMatchObject({ status: "cancelled" });
    await ageOperation(ids[1] ?? "");
    expect(await viewOf(await giveUp(device, ids[1] ?? ""))).toMatchObject({ status: "expired" });
  });

  test("cannot cancel a verified image", async () => {
    const device = await mintDevice();
    for (const [bytes, status] of [
      [image(), "completed"],
      [words("no image"), "rejected"],
    ] as const) {
      const { operationId } = await transfer(device, bytes);
      await verifyNow(operationId);
      expect(await codeOf(await giveUp(device, operationId))).toBe("410 upload-ended");
      expect(await ask(device, operationId)).toMatchObject({ status });
    }
  });

  test("cancels an image in verification: it is not published", async () => {
    const device = await mintDevice();
    const { operationId } = await transfer(device);
    await handOver(operationId);
    expect(await viewOf(await giveUp(device, operationId))).toMatchObject({ status: "cancelled" });
    await sweepAfterAddresses(device);
    expect(await storageOf(device.organizationId)).toMatchObject({
      used: 0,
      reserved: 0,
      stagedKeys: [],
      bucketKeys: [],
    });
  });

  test("cannot cancel operations of another camera, or after another device was paired", async () => {
    const [device, other] = [await mintDevice(), await mintDevice()];
    const [begun] = await abandonTwo(device);
    const operationId = begun?.view.operationId ?? "";
    expect(await codeOf(await giveUp(other, operationId))).toBe("404 not-found");
    const { id: credentialId = "" } = readCredential(device.token) ?? {};
    const { id: cameraId, organizationId } = device.camera;
    const db = testDatabase();
    await db.update(cameraCredentials).set({ revokedAt: Date.now() }).where(eq(cameraCredentials.id, credentialId));
    await mintCredential(cameraId);
    const caller = { kind: "device" as const, credentialId, cameraId, organizationId };
    const late = cancelCapture({ ...systemContext(), caller }, operationId);
    await expect(late).rejects.toMatchObject({ code: "credential-revoked" });
    expect((await frameRow(operationId)).status).toBe("pending");
  });

  test("that lost its state gets the unfinished operations of its camera", async () => {
    const device = await mintDevice();
    const begun = await abandonTwo(device);
    const { operationId } = await transfer(await mintDevice());
    const list = () => expectJson(unfinished, 200, "GET", "/v1/camera-ingestion/uploads", { token: device.token });
    const ids = begun.map(({ view }) => view.operationId);
    expect((await list()).items.map((item) => item.operationId).sort()).toEqual(ids.toSorted());
    expect(JSON.stringify(await list())).not.toContain(operationId);
    expect((await list()).items[0]).toMatchObject({ status: "pending-transfer", captureId: expect.any(String) });
    for (const id of ids) await giveUp(device, id);
    expect((await list()).items).toEqual([]);
  });
});

test("a cancelled upload leaves no byte, even when its address was used afterwards", async () => {
  const device = await mintDevice();
  const [early, late] = await abandonTwo(device);
  if (early === undefined || late === undefined) throw new Error("nothing was begun");
  expect((await put(early.view, early.bytes)).status).toBe(200);
  for (const { view } of [early, late]) await giveUp(device, view.operationId);
  expect(await storageOf(device.organizationId)).toMatchObject({ used: 0, reserved: 0 });
  // A sweep before the address expires must not be the last sweep of the upload.
  await runToEnd("clean-frames");
  expect((await put(late.view, late.bytes)).status).toBe(200);
  expect((await complete(device, late.view.operationId)).status).toBe(410);
  const keys = [early, late].map(({ view }) => stagingKey(view));
  expect((await storageOf(device.organizationId)).stagedKeys).toHaveLength(2);
  await sweepAfterAddresses(device);
  expect(await Promise.all(keys.map(objectBytes))).toEqual([null, null]);
  await expectCounted(device.organizationId);
});

test.each(["cancelled", "expired"])(
  "a capture whose upload is %s is sent by a new one, with the same facts alone",
  async (how) => {
    const device = await mintDevice();
    const bytes = image();
    const facts = await factsOf(bytes);
    const first = await viewOf(await announce(device, facts));
    if (how === "cancelled") await giveUp(device, first.operationId);
    else await ageOperation(first.operationId);
    const other = { ...facts, capturedAtUtc: new Date(Date.parse(facts.capturedAtUtc) - MINUTE).toISOString() };
    expect(await codeOf(await announce(device, other))).toBe("409 capture-metadata-mismatch");
    const answer = await announce(device, facts);
    expect(answer.status).toBe(201);
    const second = await viewOf(answer);
    expect(second.operationId).not.toBe(first.operationId);
    await put(second, bytes);
    await verifyNow(second.operationId);
    expect((await ask(device, second.operationId)).receipt).toMatchObject({ captureId: facts.captureId });
  },
);

describe("Retry-After is exact:", () => {
  /** Moves the clock forward by the time in an answer, minus `early`. */
  const refusedFor = async (device: Device, facts: Announcement): Promise<number> => {
    const refused = await announce(device, facts);
    expect(await codeOf(refused)).toBe("429 rate-limited");
    return Number(refused.headers.get("retry-after"));
  };

  test("a slot is free when the first of the two uploads ends, and not before", async () => {
    const device = await mintDevice();
    const now = stopClock();
    await announce(device, await factsOf(image()));
    stopClock(now + 10 * MINUTE);
    await announce(device, await factsOf(image()));
    const facts = await factsOf(image());
    const seconds = await refusedFor(device, facts);
    expect(seconds).toBe((DAY - 10 * MINUTE) / SECOND);
    const free = now + 10 * MINUTE + seconds * SECOND;
    stopClock(free - SECOND);
    expect(await refusedFor(device, facts)).toBe(1);
    stopClock(free);
    expect((await announce(device, facts)).status).toBe(201);
  });

  test("with both limits reached it is the longer wait", async () => {
    const device = await mintDevice();
    stopClock();
    for (let i = 0; i < 2; i++) {
      const { operationId } = await viewOf(await announce(device, await factsOf(image())));
      await giveUp(device, operationId);
    }
    await abandonTwo(device);
    expect(await refusedFor(device, await factsOf(image()))).toBe(DAY / SECOND);
    await passMinute(device);
    expect(await refusedFor(device, await factsOf(image()))).toBe(DAY / SECOND);
  });

  test("an image in verification is polled again soon", async () => {
    const device = await mintDevice();
    for (const { view } of await abandonTwo(device)) await handOver(view.operationId);
    expect(await refusedFor(device, await factsOf(image()))).toBeLessThanOrEqual(15);
  });
});

describe("a person", () => {
  test("lists the unfinished uploads of a camera and cancels one, which is audited", async () => {
    const device = await mintDevice();
    const begun = await abandonTwo(device);
    const { items } = await expectJson(unfinished, 200, "GET", ofCamera(device), device.owner);
    expect(items.map(({ operationId }) => operationId).sort()).toEqual(
      begun.map(({ view }) => view.operationId).sort(),
    );
    const [first] = begun;
    const operationId = first?.view.operationId ?? "";
    for (let i = 0; i < 2; i++)
      expect((await call("DELETE", `${ofCamera(device)}/${operationId}`, device.owner)).status).toBe(204);
    expect((await ask(device, operationId)).status).toBe("cancelled");
    expect((await announce(device, await factsOf(image()))).status).toBe(201);
    const rows = await testDatabase().select().from(auditEntries).where(eq(auditEntries.subjectId, operationId));
    expect(rows).toMatchObject([{ action: "capture.cancelled", details: { captureId: first?.facts.captureId } }]);
  });

  test("cannot cancel a verified image, or an operation of another camera", async () => {
    const device = await mintDevice();
    const { operationId } = await transfer(device);
    await verifyNow(operationId);
    const path = (id: string) => `${ofCamera(device)}/${id}`;
    expect(await codeOf(await call("DELETE", path(operationId), device.owner))).toBe("410 upload-ended");
    const [begun] = await abandonTwo(await mintDevice());
    const other = begun?.view.operationId ?? "";
    expect(await codeOf(await call("DELETE", path(other), device.owner))).toBe("404 not-found");
  });
});

describe("a new pairing", () => {
  test("cancels the transfers of the former device, which the new one starts again", async () => {
    const device = await mintDevice();
    const begun = await abandonTwo(device);
    const { token } = await pair(device.owner.token, device.camera.id);
    const next = { ...device, token };
    for (const { view } of begun) expect((await ask(next, view.operationId)).status).toBe("cancelled");
    for (const { facts } of begun) expect((await announce(next, facts)).status).toBe(201);
    await expectCounted(device.organizationId);
  });

  test("after a revocation finds both slots free", async () => {
    const device = await mintDevice();
    await abandonTwo(device);
    expect((await call("POST", `/v1/cameras/${device.camera.id}/revoke`, device.owner)).status).toBe(200);
    const { token } = await pair(device.owner.token, device.camera.id);
    expect((await announce({ ...device, token }, await factsOf(image()))).status).toBe(201);
  });

  test("does not cancel images in verification", async () => {
    const device = await mintDevice();
    const { operationId } = await transfer(device);
    await handOver(operationId);
    const { token } = await pair(device.owner.token, device.camera.id);
    await verifyNow(operationId);
    expect((await ask({ ...device, token }, operationId)).status).toBe("completed");
  });
});
