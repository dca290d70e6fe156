import { createHash, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import { drawn } from "../node/gateway/pictures";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { operation, type PairedCamera, pairCamera } from "./support/cameras";
import { service, site, useService } from "./support/desk";

/*
 * The service is killed like by a power failure between the steps of an image, and while a job works on it. Afterwards nothing
 * is lost, the image is published once, the storage is counted exactly, and the bucket has only its objects.
 */

let camera: PairedCamera;
useService({ site: "entitled" }, async () => {
  camera = await pairCamera(service, site, "Crane");
});

const state = operation.extend({ uploadUrl: z.string().nullable(), status: z.string(), receipt: z.unknown() });
const device = (method: string, path: string, body?: unknown) => service.api(state, method, path, camera.bearer, body);

/** An image with its announcement. */
function shot(seed: number, width = 320, height = 240) {
  const bytes = drawn(seed, width, height);
  const facts = {
    captureId: randomUUID(),
    assignmentGeneration: camera.assignmentGeneration,
    capturedAtUtc: new Date(Date.now() - seed * 1_000).toISOString(),
    sizeBytes: bytes.length,
    checksumSha256: createHash("sha256").update(bytes).digest("hex"),
    clockQuality: "synchronized",
    contentType: "image/jpeg",
  };
  return { bytes, facts };
}

const announce = ({ facts }: ReturnType<typeof shot>) => device("POST", "/v1/camera-ingestion/uploads", facts);

async function put({ uploadUrl, requiredHeaders }: z.infer<typeof state>, bytes: Buffer): Promise<void> {
  const sent = await fetch(uploadUrl ?? "", { method: "PUT", headers: requiredHeaders, body: Uint8Array.from(bytes) });
  expect(sent.status).toBe(200);
}

interface FrameRow {
  id: string;
  section: number;
  operation: string;
  size: number;
}
const frames = () =>
  service.ask<FrameRow>(
    "D1Database",
    "SELECT id, section, lower(hex(operation)) AS operation, size_bytes AS size FROM camera_frames ORDER BY received_at",
  );
const isVerified = () =>
  service.ask("D1Database", "SELECT 1 FROM jobs WHERE kind = 'verify-capture' AND status = 'running'").length > 0;

/** Waits until these images are published, and checks the storage and the bucket. */
async function expectAtRest(captureIds: readonly string[]): Promise<void> {
  await eventually(() => {
    const rows = frames();
    expect(rows.map(({ id, section }) => [id, section])).toEqual(captureIds.map((id) => [id, 0]));
    const usage = `SELECT used_bytes AS used, reserved_bytes AS reserved FROM storage_usage WHERE tenant_id = '${site.organizationId}'`;
    const used = rows.reduce((sum, { size }) => sum + size, 0);
    expect(service.ask("D1Database", usage)).toEqual([{ used, reserved: 0 }]);
    const keys = service.ask<{ key: string }>("R2Bucket", "SELECT key FROM _mf_objects").map(({ key }) => key);
    const expected = rows.flatMap(({ operation: id }) => ["original", "thumbnail"].map((form) => `${id}/${form}`));
    const found = keys.map((key) => key.split("/").slice(-2).join("/").replaceAll("-", "").replace(".jpg", ""));
    expect(found.sort()).toEqual(expected.sort());
  }, LONG_PATIENCE);
}

test("no image is lost or doubled by a kill between its steps, during its verification or during its removal", async () => {
  const first = shot(1);
  const begun = await announce(first);
  await service.restart();
  // The device that did not get the answer announces the image again.
  const again = await announce(first);
  expect(again.operationId).toBe(begun.operationId);
  await put(again, first.bytes);
  await service.restart();
  await device("POST", `${again.statusUrl}/complete`);
  // The queue loses the message of the verification.
  await service.restart();
  await expectAtRest([first.facts.captureId]);
  expect(await announce(first)).toMatchObject({ status: "completed", operationId: begun.operationId });

  // A large image, so that its verification takes long enough to be seen.
  const second = shot(2, 3_000, 2_000);
  const other = await announce(second);
  await put(other, second.bytes);
  // The verification can begin before the answer comes, and end at once after it.
  const completing = device("POST", `${other.statusUrl}/complete`).catch(() => null);
  await eventually(() => expect(isVerified()).toBe(true), LONG_PATIENCE);
  await service.restart();
  await completing;
  await expectAtRest([first.facts.captureId, second.facts.captureId]);
  expect(await device("GET", other.statusUrl)).toMatchObject({ receipt: { captureId: second.facts.captureId } });
  const watermark = () => service.ask<{ watermark: number }>("D1Database", "SELECT watermark FROM cameras");
  expect(watermark()).toEqual([{ watermark: 2 }]);

  // Both images expire. The service is killed when it begins to remove them.
  await service.restart((database) => {
    database.exec(
      "UPDATE camera_frames SET captured_at = captured_at - 100 * 86400000; UPDATE cameras SET expires_at = 0",
    );
  });
  const isRemoved = () => service.ask("D1Database", "SELECT 1 FROM jobs WHERE kind = 'expire-captures'").length > 0;
  await eventually(() => expect(isRemoved() || frames().length === 0).toBe(true), LONG_PATIENCE);
  await service.restart();
  await expectAtRest([]);
}, 900_000);
