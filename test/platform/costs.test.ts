import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/platform/time";
import { call } from "../support/call";
import { mintCaptures } from "../support/cameras";
import { jobsDone, mintEvent, sendFrame, sendHeartbeat } from "../support/cost-units";
import { type Costs, costsOf } from "../support/costs";
import { announce, ask, complete, framesOf, mintDevice, upload } from "../support/device";
import { uploadDocument } from "../support/documents";
import { mintPlace } from "../support/factories";
import { stopClock } from "../support/patience";
import { sweepOnce } from "../support/sweeper";

/*
 * The costs of billed units of work. A limit is a measured number: lower it when a unit becomes cheaper, and raise it
 * only for a feature that is worth the price.
 */

const RECIPIENTS = 250;

/** Expects at most these rows and round trips. A failure lists the statements that wrote. */
function expectWithin({ rowsWritten, roundTrips, writes }: Costs, limit: { rows: number; trips: number }): void {
  const reason = writes.map(({ statement, rows }) => `${rows} ${statement.replace(/\s+/g, " ").slice(0, 90)}`);
  expect(rowsWritten, `rows written by\n${reason.join("\n")}\n`).toBeLessThanOrEqual(limit.rows);
  expect(roundTrips, "round trips").toBeLessThanOrEqual(limit.trips);
}

/** The costs of a run after the first one, which fills caches: the cheaper one of two, because the sweeper can fall into one. */
async function costsAgain(work: () => Promise<unknown>): Promise<Costs> {
  await work();
  await jobsDone();
  const one = await costsOf(work);
  await jobsDone();
  const other = await costsOf(work);
  return one.roundTrips <= other.roundTrips ? one : other;
}

// A paused camera is not expected to send images, so no notification of its silence is part of the costs.
const PAUSED = { isPaused: true };

test("a frame, to its receipt", async () => {
  const device = await mintDevice(PAUSED);
  const costs = await costsAgain(() => sendFrame(device));
  expectWithin(costs, { rows: 16, trips: 5 });
  expect(costs.classA).toBeLessThanOrEqual(3);
  expect(costs.classB).toBeLessThanOrEqual(1);
  expect(costs.messages).toBeLessThanOrEqual(1);
});

const FRAMES = 10;

/** The sweeps and recurring jobs. All frames that expire in the same hour share them. */
const SHARED = { rows: 18, trips: 80, lists: 2 };

test("a frame, in its whole life", async () => {
  let now = stopClock();
  const pass = async (ms: number) => {
    now += ms;
    stopClock(now);
    await sweepOnce();
    await jobsDone();
  };
  // What other files of tests left in this database is swept first.
  await pass(40 * DAY);
  await pass(2 * HOUR);
  const device = await mintDevice({ ...PAUSED, retentionDays: 1 });
  await sendFrame(device);
  const costs = await costsOf(async () => {
    for (let n = 0; n < FRAMES; n++) {
      now += MINUTE;
      stopClock(now);
      await sendFrame(device);
    }
    await pass(2 * HOUR);
    await pass(25 * HOUR);
    await pass(2 * HOUR);
  });
  expect(await framesOf(device.camera)).toEqual([]);
  expectWithin(costs, { rows: FRAMES * 19 + SHARED.rows, trips: FRAMES * 5 + SHARED.trips });
  expect(costs.classA).toBeLessThanOrEqual(FRAMES * 3 + SHARED.lists);
});

test("a frame that is announced or completed again, and its state", async () => {
  const device = await mintDevice();
  const sent = await upload(device);
  await jobsDone();
  const again = () => announce(device, sent.facts);
  expectWithin(await costsAgain(again), { rows: 0, trips: 2 });
  expectWithin(await costsAgain(() => complete(device, sent.operationId)), { rows: 0, trips: 2 });
  expectWithin(await costsAgain(() => ask(device, sent.operationId)), { rows: 0, trips: 1 });
});

test(`an event with ${RECIPIENTS} recipients`, async () => {
  // One of the trips looks for webhooks that want the event.
  expectWithin(await costsOf(await mintEvent(RECIPIENTS)), { rows: 540, trips: 21 });
});

test("a heartbeat, and one hour with a heartbeat each minute", async () => {
  const device = await mintDevice();
  const start = stopClock();
  await sendHeartbeat(device, start);
  await jobsDone();
  expectWithin(await costsOf(() => sendHeartbeat(device, start)), { rows: 0, trips: 1 });
  const hour = await costsOf(async () => {
    for (let at = start; at < start + HOUR; at += MINUTE) {
      stopClock(at);
      await sendHeartbeat(device, start);
    }
  });
  expectWithin(hour, { rows: 7, trips: 67 });
});

test("a search and a page of a camera's history", async () => {
  const { owner, locationId } = await mintPlace();
  await uploadDocument(owner.token, locationId, { fileName: "log.txt", bytes: "The bearing was replaced." });
  await jobsDone();
  // With separate bindings, a call ends with its background work.
  const search = () =>
    call("POST", "/v1/search", { token: owner.token, body: { term: "bearing replaced" }, bindings: {} });
  expectWithin(await costsAgain(search), { rows: 5, trips: 2 });
  const device = await mintDevice();
  const now = Date.now();
  await mintCaptures(
    device.camera,
    device.locationId,
    Array.from({ length: 60 }, (_, n) => ({ capturedAt: now - n * MINUTE })),
  );
  const path = `/v1/cameras/${device.camera.id}/captures?locationId=${device.locationId}&limit=50`;
  const history = async () => expect((await call("GET", path, { token: device.owner.token })).status).toBe(200);
  expectWithin(await costsAgain(history), { rows: 0, trips: 3 });
});
