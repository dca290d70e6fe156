import { env } from "cloudflare:workers";
import { crc32 } from "node:zlib";
import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { captureKey, rejectedKey, stagingKey } from "../../src/cameras/captures";
import { cameraFrames } from "../../src/cameras/tables";
import { jobHandlers } from "../../src/job-handlers";
import { sha256Hex } from "../../src/platform/crypto/bytes";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import { DAY } from "../../src/platform/time";
import { call, expectJson } from "../support/call";
import {
  ageOperation,
  announce,
  ask,
  captureOf,
  complete,
  type Device,
  decided,
  factsOf,
  frameRow,
  framesOf,
  handOver,
  image,
  keysOf,
  mintDevice,
  objectBytes,
  ofFrame,
  passDue,
  passMinute,
  transfer,
  upload,
  verifyNow,
  viewOf,
  words,
} from "../support/device";
import { keepJobs } from "../support/jobs";
import { notificationsOf } from "../support/notifications";
import { eventually } from "../support/patience";
import { exifSegment, jpegFixture, splice } from "../support/pictures";
import { testDatabase } from "../support/statements";
import { expectCounted, runToEnd, storageOf, systemContext, withObjects } from "../support/storage";

/** A context whose second object cannot be written. */
function dyingHalfway({ camera }: Device) {
  let writes = 0;
  return withObjects(camera.id, (real) => ({
    write: (...given) => (++writes === 2 ? Promise.reject(new Error("killed")) : real.write(...given)),
  }));
}

const rejectedList = z.object({
  items: z.array(
    z.object({
      operationId: z.string(),
      captureId: z.string(),
      rejection: z.object({ code: z.string(), detail: z.string() }),
    }),
  ),
  nextCursor: z.string().nullable(),
});
const listRejected = (device: Device, query = "") =>
  expectJson(rejectedList, 200, "GET", `/v1/cameras/${device.camera.id}/rejected-captures${query}`, device.owner);

describe("the verification of an image", () => {
  const whole = jpegFixture("baseline-420");
  const bad: Record<string, { bytes: Uint8Array; code: RegExp }> = {
    "a truncated JPEG": { bytes: whole.slice(0, whole.length - 200), code: /^(premature-end|missing-end)$/ },
    "a PNG": { bytes: Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 0]), code: /^not-jpeg$/ },
    "two images": { bytes: Uint8Array.from([...whole, ...whole]), code: /^multiple-images$/ },
    "a web page": { bytes: words("<script>alert(1)</script>"), code: /^not-jpeg$/ },
  };
  for (const [name, { bytes, code }] of Object.entries(bad))
    test(`${name} is rejected with its cause, and its bytes are kept`, async () => {
      const device = await mintDevice();
      const body = Uint8Array.from(bytes);
      const sent = await transfer(device, body);
      expect(await verifyNow(sent.operationId)).toBe("succeeded");
      const view = await ask(device, sent.operationId);
      expect(view).toMatchObject({
        status: "rejected",
        receipt: null,
        rejection: { code: expect.stringMatching(code) },
      });
      expect(await captureOf(device.camera, sent.operationId)).toBeNull();
      expect(await objectBytes(rejectedKey(keysOf(device, sent.operationId)))).toEqual(body);
      expect(await storageOf(device.organizationId)).toMatchObject({ used: body.length, reserved: 0, stagedKeys: [] });
      expect((await listRejected(device)).items).toMatchObject([
        { operationId: sent.operationId, rejection: view.rejection },
      ]);
      const path = `/v1/cameras/${device.camera.id}/rejected-captures/${sent.operationId}/download`;
      const link = (await call("GET", path, device.owner)).headers.get("location") ?? "";
      const file = await call("GET", link);
      expect(file.headers.get("content-disposition")).toMatch(/^attachment/);
      expect(file.headers.get("content-type")).toBe("application/octet-stream");
      expect(new Uint8Array(await file.arrayBuffer())).toEqual(body);
    });

  test("bytes of another size or digest are rejected and kept", async () => {
    const device = await mintDevice();
    const bytes = image();
    for (const [came, code] of [
      [Uint8Array.from([...bytes, 0]), "size-mismatch"],
      [splice(bytes, bytes.length - 30, 1, [(bytes.at(-30) ?? 0) ^ 1]), "checksum-mismatch"],
    ] as const) {
      const { operationId } = await viewOf(await announce(device, await factsOf(bytes)));
      // The bucket checks size and checksum itself, so only a fault of the store can lead here.
      await env.BUCKET.put(stagingKey({ operationId }), came);
      await verifyNow(operationId);
      expect(await ask(device, operationId)).toMatchObject({ status: "rejected", rejection: { code } });
      expect(await objectBytes(rejectedKey(keysOf(device, operationId)))).toEqual(Uint8Array.from(came));
    }
    await expectCounted(device.organizationId);
  });

  test("more than 24 megapixels are rejected at their header", async () => {
    const device = await mintDevice();
    const bytes = image();
    const frame = bytes.findIndex((byte, at) => byte === 0xff && bytes[at + 1] === 0xc0);
    const huge = Uint8Array.from(splice(bytes, frame + 5, 4, [0x17, 0x70, 0x0f, 0xa1]));
    const sent = await transfer(device, huge);
    await verifyNow(sent.operationId);
    expect(await ask(device, sent.operationId)).toMatchObject({
      status: "rejected",
      rejection: { code: "too-many-pixels" },
    });
  });

  test("a rotated image is described upright, with the CRC of its bytes", async () => {
    const device = await mintDevice();
    const plain = image(48, 32);
    const bytes = Uint8Array.from(splice(plain, 2, 0, exifSegment(6, true)));
    const sent = await transfer(device, bytes);
    await verifyNow(sent.operationId);
    expect(await captureOf(device.camera, sent.operationId)).toMatchObject({
      width: 32,
      height: 48,
      previewWidth: 32,
      previewHeight: 48,
      crc32: crc32(bytes),
      checksumSha256: await sha256Hex(bytes),
    });
  });

  test("harmless deviations pass and are recorded", async () => {
    const device = await mintDevice();
    const sent = await transfer(device, Uint8Array.from([...image(), 0, 0, 0]));
    await verifyNow(sent.operationId);
    expect((await captureOf(device.camera, sent.operationId))?.tolerated).toEqual(["padding-after-end"]);
  });
});

test("people who may change the camera get one notification for several rejections", async () => {
  const device = await mintDevice();
  for (let i = 0; i < 2; i++) {
    const sent = await transfer(device, words(`no image ${i}`));
    await complete(device, sent.operationId);
    await decided(sent.operationId);
  }
  await eventually(async () => expect(await notificationsOf(device.owner.userId)).toHaveLength(1));
  const [told] = await notificationsOf(device.owner.userId);
  expect(told).toMatchObject({ type: "capture-rejected", originType: "camera", originId: device.camera.id });
  await eventually(async () => expect((await listRejected(device)).items).toHaveLength(2));
  const first = await listRejected(device, "?limit=1");
  expect(first.items).toHaveLength(1);
  expect((await listRejected(device, `?limit=1&cursor=${first.nextCursor}`)).items).toHaveLength(1);
});

test("rejected images are kept for 90 days, counted, and then cleaned up", async () => {
  const device = await mintDevice();
  const bytes = words("no image at all");
  const sent = await transfer(device, bytes);
  await verifyNow(sent.operationId);
  await passDue(sent.operationId);
  const { dueAt } = await frameRow(sent.operationId);
  expect(Math.round(((dueAt ?? 0) - Date.now()) / DAY)).toBe(90);
  expect(await storageOf(device.organizationId)).toMatchObject({ used: bytes.length });
  await testDatabase().update(cameraFrames).set({ finishedAt: 1 }).where(ofFrame(sent.operationId));
  await passDue(sent.operationId);
  expect(await storageOf(device.organizationId)).toMatchObject({ used: 0, keptKeys: [] });
  expect(await objectBytes(rejectedKey(keysOf(device, sent.operationId)))).toBeNull();
  expect((await listRejected(device)).items).toEqual([]);
});

test("a client that overwrites its staged bytes during verification changes nothing", async () => {
  const device = await mintDevice();
  const bytes = image();
  const sent = await transfer(device, bytes);
  const key = stagingKey(sent);
  const context = await withObjects(device.camera.id, (real) => ({
    async read(at, range) {
      const found = await real.read(at, range);
      const held = found && new Uint8Array(await new Response(found.body).arrayBuffer());
      await env.BUCKET.put(key, image());
      return found && held && { ...found, body: new Response(held).body ?? new ReadableStream() };
    },
  }));
  await verifyNow(sent.operationId, context);
  const row = await captureOf(device.camera, sent.operationId);
  expect(row).toMatchObject({ checksumSha256: sent.facts.checksumSha256 });
  if (row !== null) expect(await objectBytes(captureKey(row, "original"))).toEqual(bytes);
});

describe("a failure of the verification itself", () => {
  const broken = ({ camera }: Device) =>
    withObjects(camera.id, () => ({
      write: () => Promise.reject(new Error("the store does not answer")),
    }));
  const heldList = z.object({
    items: z.array(z.object({ operationId: z.string(), reason: z.object({ code: z.string() }) })),
  });
  const listHeld = async (device: Device) =>
    (await expectJson(heldList, 200, "GET", `/v1/cameras/${device.camera.id}/held-captures`, device.owner)).items;

  test("is tried again, then waits for a person, and stays in verification for the device", async () => {
    const device = await mintDevice();
    const sent = await transfer(device);
    const jobId = await handOver(sent.operationId);
    const results: string[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      results.push(await runJob(await broken(device), jobHandlers, jobId));
      await testDatabase().update(jobs).set({ runAt: 1 }).where(eq(jobs.id, jobId));
      expect((await ask(device, sent.operationId)).status).toBe("verification-pending");
    }
    expect(results).toEqual([...Array(5).fill("retry"), "failed"]);
    expect(await listHeld(device)).toMatchObject([{ operationId: sent.operationId, reason: { code: "internal" } }]);
    expect((await complete(device, sent.operationId)).status).toBe(202);
    const path = `/v1/cameras/${device.camera.id}/held-captures/${sent.operationId}/retry`;
    expect((await call("POST", path, device.owner)).status).toBe(202);
    expect((await call("POST", path, device.owner)).status).toBe(409);
    await decided(sent.operationId);
    expect((await ask(device, sent.operationId)).status).toBe("completed");
    expect(await listHeld(device)).toEqual([]);
    await expectCounted(device.organizationId);
  });

  test("leaves nothing that disturbs a later attempt", async () => {
    const device = await mintDevice();
    const sent = await transfer(device);
    const jobId = await handOver(sent.operationId);
    expect(await runJob(await dyingHalfway(device), jobHandlers, jobId)).toBe("retry");
    await testDatabase().update(jobs).set({ runAt: 1 }).where(eq(jobs.id, jobId));
    expect(await runJob(systemContext(), jobHandlers, jobId)).toBe("succeeded");
    expect((await ask(device, sent.operationId)).status).toBe("completed");
    await expectCounted(device.organizationId);
  });

  test("ends with its operation, and its objects are deleted", async () => {
    const device = await mintDevice();
    const sent = await transfer(device);
    const jobId = await handOver(sent.operationId);
    await runJob(await dyingHalfway(device), jobHandlers, jobId);
    await ageOperation(sent.operationId);
    await runToEnd("clean-frames");
    expect((await ask(device, sent.operationId)).status).toBe("expired");
    await passDue(sent.operationId);
    expect(await objectBytes(captureKey(keysOf(device, sent.operationId), "original"))).toBeNull();
    expect((await announce(device, sent.facts)).status).toBe(201);
  });
});

test("a frozen camera is recognized by its identical images", async () => {
  const device = await mintDevice();
  const [bytes, other] = [image(), image()];
  const frames: [Uint8Array<ArrayBuffer>, number, number][] = [
    [bytes, 10, 1],
    [bytes, 20, 2],
    [bytes, 30, 3],
    // The oldest images of a backlog say nothing about the newest image.
    [other, 15, 3],
    [other, 40, 1],
  ];
  const counted = z.looseObject({ identicalFrames: z.int() });
  const shown = async () =>
    (await expectJson(counted, 200, "GET", `/v1/cameras/${device.camera.id}`, device.owner)).identicalFrames;
  expect(await shown()).toBe(0);
  for (const [frame, minutes, expected] of frames) {
    const capturedAtUtc = new Date(Date.now() - DAY + minutes * 60_000).toISOString();
    const sent = await transfer(device, frame, { capturedAtUtc });
    await verifyNow(sent.operationId);
    expect(await shown()).toBe(expected);
    await passMinute(device);
  }
});

test("an image reaches the archive through the real queue, and its job is a normal job", async () => {
  const device = await mintDevice();
  await keepJobs(device.organizationId);
  const sent = await upload(device);
  const mine = and(eq(jobs.tenantId, device.organizationId), eq(jobs.kind, "verify-capture"));
  await eventually(async () =>
    expect(await testDatabase().select().from(jobs).where(mine)).toMatchObject([{ status: "succeeded" }]),
  );
  expect(await framesOf(device.camera)).toMatchObject([{ operation: sent.operationId, dueAt: null }]);
});
