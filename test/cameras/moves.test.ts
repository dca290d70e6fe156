import { expect, test } from "vitest";
import { jobHandlers } from "../../src/job-handlers";
import { runJob } from "../../src/platform/jobs/run";
import { sendHeartbeat } from "../support/cost-units";
import {
  announce,
  ask,
  captureOf,
  complete,
  type Device,
  factsOf,
  frameRow,
  framesOf,
  handOver,
  image,
  mintDevice,
  put,
  viewOf,
} from "../support/device";
import { beforeNextChange, expireLease, setResidence, watchWorkspaces } from "../support/moves";
import { systemContext } from "../support/storage";

/*
 * A device that sends images while its organization moves: the service refuses what it cannot keep with 503 and Retry-After,
 * which a device repeats (docs/reference/devices.md), and finishes what it has acknowledged.
 */

async function expectRepeat(answer: Promise<Response>): Promise<void> {
  const { status, headers } = await answer;
  expect(status).toBe(503);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
}

/** Checks that the image of an operation is published, once. */
async function expectPublished({ camera }: Device, operationId: string): Promise<void> {
  expect((await frameRow(operationId)).status).toBe("completed");
  expect(await captureOf(camera, operationId)).not.toBeNull();
  expect(await framesOf(camera)).toHaveLength(1);
}

/** An announced image whose bytes have arrived. */
async function mintSent() {
  const device = await mintDevice();
  const bytes = image();
  const { operationId, ...view } = await viewOf(await announce(device, await factsOf(bytes)));
  expect((await put({ operationId, ...view }, bytes)).status).toBe(200);
  return { device, operationId };
}

test("the steps of a frame are refused during the move, and repeated afterwards they publish the image once", async () => {
  const device = await mintDevice();
  const { organizationId } = device;
  const bytes = image();
  const facts = await factsOf(bytes);
  await setResidence(organizationId, "leaving");
  const changes = await watchWorkspaces();
  await expectRepeat(announce(device, facts));
  await expect(sendHeartbeat(device, Date.now())).rejects.toThrow();
  expect(await changes(organizationId)).toEqual([]);

  await setResidence(organizationId, "here");
  const view = await viewOf(await announce(device, facts));
  await setResidence(organizationId, "leaving");
  // The bucket does not move.
  expect((await put(view, bytes)).status).toBe(200);
  await expectRepeat(complete(device, view.operationId));
  // An announcement that was acknowledged is recovered, even during the move.
  expect((await viewOf(await announce(device, facts))).operationId).toBe(view.operationId);
  expect((await ask(device, view.operationId)).status).toBe("pending-transfer");

  await setResidence(organizationId, "here");
  expect(await runJob(systemContext(), jobHandlers, await handOver(view.operationId))).toBe("succeeded");
  await expectPublished(device, view.operationId);
});

test("a move that begins between the reads of an announcement and its commit leaves no frame", async () => {
  const device = await mintDevice();
  const facts = await factsOf(image());
  beforeNextChange(() => setResidence(device.organizationId, "leaving"));
  await expectRepeat(announce(device, facts));
  expect(await framesOf(device.camera)).toEqual([]);
  await setResidence(device.organizationId, "here");
  expect((await announce(device, facts)).status).toBe(201);
});

test("an image that was acknowledged before the move is verified after it", async () => {
  const { device, operationId } = await mintSent();
  const job = await handOver(operationId);
  await setResidence(device.organizationId, "leaving");
  expect(await runJob(systemContext(), jobHandlers, job)).toBe("not-due");
  expect((await ask(device, operationId)).status).toBe("verification-pending");
  await setResidence(device.organizationId, "here");
  expect(await runJob(systemContext(), jobHandlers, job)).toBe("succeeded");
  await expectPublished(device, operationId);
});

test("a verification that loses its workspace while it runs publishes nothing, and the next one publishes", async () => {
  const { device, operationId } = await mintSent();
  const job = await handOver(operationId);
  beforeNextChange(() => setResidence(device.organizationId, "leaving"));
  expect(await runJob(systemContext(), jobHandlers, job)).toBe("put-off");
  expect(await captureOf(device.camera, operationId)).toBeNull();
  await setResidence(device.organizationId, "here");
  await expireLease(job);
  expect(await runJob(systemContext(), jobHandlers, job)).toBe("succeeded");
  await expectPublished(device, operationId);
});
