import { env } from "cloudflare:workers";
import { and, eq, inArray } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { captureKey, stagingKey } from "../../../src/cameras/captures";
import { announceCapture, newCaptureSchema } from "../../../src/cameras/ingestion/admit";
import type { OperationView } from "../../../src/cameras/ingestion/operations";
import { completeCapture } from "../../../src/cameras/ingestion/transfer";
import { readCredential } from "../../../src/cameras/pairing/credentials";
import { cameraFrames, cameras } from "../../../src/cameras/tables";
import { jobHandlers } from "../../../src/job-handlers";
import type { Context } from "../../../src/platform/context";
import { newId } from "../../../src/platform/ids";
import type { RecurringKind } from "../../../src/platform/jobs/kinds";
import { runJob } from "../../../src/platform/jobs/run";
import { jobs } from "../../../src/platform/jobs/tables";
import { storedObjects } from "../../../src/uploads/tables";
import { call } from "../../support/call";
import { ALIVE, type Death, dying, type Process, stepsToDie } from "../../support/deaths";
import {
  type Announcement,
  cameraRow,
  type Device,
  factsOf,
  framesOf,
  image,
  keysOf,
  mintDevice,
} from "../../support/device";
import { LONG_PATIENCE } from "../../support/patience";
import { testDatabase } from "../../support/statements";
import { expectCounted, storageOf } from "../../support/storage";

/* A process that dies at any step of a frame leaves nothing that the next sweep does not finish. */

/** The context of a device's requests. */
async function ofDevice(process: Process, { token, camera, organizationId }: Device): Promise<Context> {
  const { id: credentialId = "" } = readCredential(token) ?? {};
  return {
    ...(await process.openAt(camera.id)),
    caller: { kind: "device", credentialId, cameraId: camera.id, organizationId },
  };
}

/** Everything that a device does for an image, from its announcement on. */
async function send(process: Process, device: Device, facts: Announcement, bytes: Uint8Array): Promise<OperationView> {
  const request = () => ofDevice(process, device);
  const { view } = await announceCapture(await request(), newCaptureSchema.parse(facts));
  if (view.status === "pending-transfer") await env.BUCKET.put(stagingKey(view), bytes);
  return view.receipt === null ? completeCapture(await request(), view.operationId) : view;
}

/** Runs the queued jobs of an organization until none is left. A job of a dead process has no lease any more. */
async function work(process: Process, { organizationId }: Device): Promise<void> {
  const mine = eq(jobs.tenantId, organizationId);
  const open = and(mine, inArray(jobs.status, ["queued", "running"]));
  for (let n = 0; n < 20; n++) {
    await testDatabase().update(jobs).set({ runAt: 1 }).where(open);
    await testDatabase()
      .update(jobs)
      .set({ leaseUntil: 1 })
      .where(and(mine, eq(jobs.status, "running")));
    const [next] = await testDatabase().select({ id: jobs.id }).from(jobs).where(open).limit(1);
    if (next === undefined) return;
    await runJob(await process.openAt(organizationId), jobHandlers, next.id);
  }
}

/** Time passes: what is due comes up, and the recurring jobs run. */
async function rest(process: Process, { organizationId, camera }: Device): Promise<void> {
  // As the queue delivers what the sweeper sent: the worker writes the row of the job.
  const run = async (recurring: RecurringKind) =>
    runJob(await process.openAt(organizationId), jobHandlers, newId(), { recurring });
  for (let n = 0; n < 3; n++) {
    for (const { operation, dueAt } of await framesOf(camera))
      if (dueAt !== null)
        await testDatabase()
          .update(cameraFrames)
          .set({ dueAt: 1, receivedAt: 1 })
          .where(eq(cameraFrames.operation, operation));
    await run("clean-frames");
  }
  await run("clear-staging");
  const mine = eq(storedObjects.tenantId, organizationId);
  await testDatabase().update(storedObjects).set({ purgeAfter: 1 }).where(mine);
  await run("purge-objects");
}

/** Checks everything that must hold when nothing is left to do. */
async function expectAtRest(device: Device, mayBe: readonly string[], what: object): Promise<void> {
  const { camera, organizationId } = device;
  const frames = await framesOf(camera);
  const published = frames.filter(({ part }) => part === 0);
  const { watermark } = await cameraRow(camera);
  const keys = published.flatMap(({ operation }) =>
    (["original", "thumbnail"] as const).map((form) => captureKey(keysOf(device, operation), form)),
  );
  const { objects } = await env.BUCKET.list({ prefix: `captures/${organizationId}/` });
  const { reserved, stagedKeys } = await storageOf(organizationId);
  expect({ what, published: published.length <= 1, keys: objects.map(({ key }) => key), reserved, stagedKeys }).toEqual(
    {
      what,
      published: true,
      keys: keys.sort(),
      reserved: 0,
      stagedKeys: [],
    },
  );
  const state = published[0]?.status ?? frames.at(-1)?.status ?? "none";
  expect({ what, state, isPossible: mayBe.includes(state) }).toMatchObject({ isPossible: true });
  if (published.length === 1) expect({ what, watermark }).toEqual({ what, watermark: 1 });
  await expectCounted(organizationId);
}

/** The jobs of dead processes. */
afterEach(async () => {
  await testDatabase().delete(jobs).where(eq(jobs.status, "running"));
});

describe("a frame is published once or not at all, and its device gets one receipt", () => {
  const story = async (death: Death | null, comesBack: boolean) => {
    const device = await mintDevice();
    const bytes = image();
    const facts = await factsOf(bytes);
    const steps = await dying(death, async (process) => {
      await send(process, device, facts, bytes);
      await work(process, device);
      await rest(process, device);
    });
    if (comesBack) await send(ALIVE, device, facts, bytes);
    await work(ALIVE, device);
    const again = comesBack ? await send(ALIVE, device, facts, bytes) : null;
    await rest(ALIVE, device);
    const what = { death, comesBack };
    await expectAtRest(device, comesBack ? ["completed"] : ["none", "expired", "completed"], what);
    if (again !== null) expect({ what, again }).toMatchObject({ again: { receipt: { captureId: facts.captureId } } });
    return steps;
  };
  test.each([
    { when: "before" as const, comesBack: true, first: 0 },
    { when: "before" as const, comesBack: false, first: 1 },
    { when: "after" as const, comesBack: true, first: 2 },
    { when: "after" as const, comesBack: false, first: 0 },
  ])(
    "wherever its process dies, $when a step; the device comes back: $comesBack",
    async ({ when, comesBack, first }) => {
      const steps = await story(null, true);
      expect(steps).toBeGreaterThan(10);
      for (const step of stepsToDie(steps, first)) await story({ step, when }, comesBack);
    },
    2 * LONG_PATIENCE,
  );
});

describe("an image leaves with its objects, wherever the process of its removal dies", () => {
  const remove = {
    "by its retention": async (process: Process, { camera }: Device) => {
      const [row] = await framesOf(camera);
      if (row !== undefined) {
        await testDatabase()
          .update(cameraFrames)
          .set({ capturedAt: 1 })
          .where(eq(cameraFrames.operation, row.operation));
        await testDatabase().update(cameras).set({ expiresAt: 0 }).where(eq(cameras.id, camera.id));
      }
      await runJob(await process.openAt(camera.id), jobHandlers, newId(), { recurring: "expire-captures" });
    },
    "by a person": async (_: Process, { camera, owner }: Device) => {
      const [row] = await framesOf(camera);
      if (row?.part === 0) await call("DELETE", `/v1/camera-captures/${row.id}`, owner);
    },
  };
  const story = async (how: keyof typeof remove, death: Death | null) => {
    const device = await mintDevice();
    const bytes = image();
    await send(ALIVE, device, await factsOf(bytes), bytes);
    await work(ALIVE, device);
    const steps = await dying(death, async (process) => {
      await remove[how](process, device);
      await rest(process, device);
    });
    await remove[how](ALIVE, device);
    await work(ALIVE, device);
    await rest(ALIVE, device);
    await expectAtRest(device, how === "by a person" ? ["completed"] : ["none"], { how, death });
    const { used } = await storageOf(device.organizationId);
    expect({ how, death, used }).toEqual({ how, death, used: 0 });
    return steps;
  };
  test.each(["by its retention", "by a person"] as const)(
    "%s",
    async (how) => {
      const steps = await story(how, null);
      for (const [first, when] of (["before", "after"] as const).entries())
        for (const step of stepsToDie(steps, first)) await story(how, { step, when });
    },
    2 * LONG_PATIENCE,
  );
});
