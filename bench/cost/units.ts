import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, type TestContext, test, vi } from "vitest";
import { z } from "zod";
import { shardOf } from "../../src/hub/live";
import { IDLE_INTERVAL_MS } from "../../src/platform/jobs/sweep";
import { DAY, HOUR, MINUTE } from "../../src/platform/time";
import { expectJson } from "../../test/support/call";
import { mintCaptures } from "../../test/support/cameras";
import { jobsDone, mintEvent, sendFrame, sendHeartbeat } from "../../test/support/cost-units";
import { type Costs, costsOf } from "../../test/support/costs";
import { type Device, mintDevice } from "../../test/support/device";
import { uploadDocument } from "../../test/support/documents";
import { addMember, mintLocation, mintPerson, mintPlace } from "../../test/support/factories";
import { announceEvent } from "../../test/support/hub";
import { END, HANDSHAKE, joinOf, negotiate, socketAt } from "../../test/support/hub-requests";
import { eventually } from "../../test/support/patience";
import { mintSession, type SessionTokens, tryRefresh } from "../../test/support/sessions";
import { sweepOnce } from "../../test/support/sweeper";
import { type ObjectCosts, objectCostsOf } from "./objects";
import type { Bill } from "./prices";

const shard = env.HUB_SHARD.getByName("shard-0");

/** Runs `work` and reports what one of `units` costs. */
async function report({ task }: TestContext, units: number, work: () => Promise<unknown>): Promise<void> {
  let objects: ObjectCosts | undefined;
  const costs: Costs = await costsOf(async () => {
    objects = await objectCostsOf(shard, work);
  });
  if (objects === undefined) throw new Error("nothing was measured");
  const { rowsRead, rowsWritten, classA, classB, messages, logLines } = costs;
  const bill: Bill = { rowsRead, rowsWritten, classA, classB, messages, logLines, ...objects };
  const each = Object.fromEntries(Object.entries(bill).map(([name, count]) => [name, count / units]));
  Object.assign(task.meta, { bill: each, roundTrips: costs.roundTrips / units });
}

const at = (now: number) => vi.useFakeTimers({ now, toFake: ["Date"] });

/** Time passes: the sweeper looks, and its jobs end. */
async function pass(ms: number): Promise<void> {
  at(Date.now() + ms);
  await sweepOnce();
  await jobsDone();
}

const FRAMES = 100;

/** Sends frames of one camera, one a minute. */
async function sendFrames(device: Device, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    at(Date.now() + MINUTE);
    await sendFrame(device);
  }
}

/** A day without any activity: the sweeper looks as often as in the service. */
test("idle day", async (context) => {
  await jobsDone();
  at(Date.now());
  await report(context, 1, async () => {
    for (let looked = 0; looked < DAY; looked += IDLE_INTERVAL_MS) await pass(IDLE_INTERVAL_MS);
  });
});

test("frame, to its receipt", async (context) => {
  at(Date.now());
  const device = await mintDevice();
  await sendFrame(device);
  await report(context, FRAMES, () => sendFrames(device, FRAMES));
});

/** Until the image, its operation and its jobs are deleted; a part of the recurring work is shared by the frames. */
test("frame, whole life", async (context) => {
  at(Date.now());
  const device = await mintDevice({ retentionDays: 30 });
  await report(context, FRAMES, async () => {
    await sendFrames(device, FRAMES);
    for (const ms of [3 * HOUR, 3 * DAY, 29 * DAY, 2 * HOUR, 2 * HOUR, 31 * DAY]) await pass(ms);
  });
});

test("event with 1,000 recipients", async (context) => {
  const announce = await mintEvent(1_000);
  await report(context, 1, async () => {
    await announce();
    await jobsDone();
  });
});

const MEGABYTES = 19;

test(`text of ${MEGABYTES} MB`, async (context) => {
  const { owner, locationId } = await mintPlace();
  const line = (n: number) =>
    `Entry ${n}: pump ${n % 97} was checked, bearing ${n % 389} ran at ${n % 83} degrees and was greased.\n`;
  let bytes = "";
  for (let n = 0; bytes.length < MEGABYTES * 1_000_000; n++) bytes += line(n);
  await report(context, 1, async () => {
    await uploadDocument(owner.token, locationId, { fileName: "log.txt", bytes });
    await jobsDone();
  });
});

test("heartbeat day of a camera", async (context) => {
  const start = Date.now();
  at(start);
  const device = await mintDevice();
  await report(context, 1, async () => {
    for (let now = start; now < start + DAY; now += MINUTE) {
      at(now);
      await sendHeartbeat(device, now - (now % (20 * MINUTE)));
    }
    await jobsDone();
  });
});

/**
 * All that a camera costs in some hours of its usual life: a heartbeat each minute, its frames, the sweeps with the checks of its
 * health as often as in the service, and the removal of the frames of the day before. Scaled to a day; a job of once a day counts as
 * often as it ran.
 */
async function liveWithCamera(context: TestContext, hours: number, intervalMinutes: number): Promise<void> {
  const start = Math.floor(Date.now() / HOUR) * HOUR;
  at(start);
  const device = await mintDevice({ retentionDays: 1, captureIntervalMinutes: intervalMinutes });
  const { camera, locationId } = device;
  const every = intervalMinutes * MINUTE;
  const dayBefore = Array.from({ length: (hours * HOUR) / every }, (_, n) => ({ capturedAt: start - DAY + n * every }));
  await mintCaptures(camera, locationId, dayBefore);
  await sweepOnce();
  await jobsDone();
  await report(context, hours / 24, async () => {
    for (let now = start; now < start + hours * HOUR; now += MINUTE) {
      at(now);
      if ((now - start) % every === 0) await sendFrame(device);
      await sendHeartbeat(device, now - (now % every));
      for (let looked = 0; looked < MINUTE; looked += IDLE_INTERVAL_MS) await pass(IDLE_INTERVAL_MS);
    }
  });
}

test("day of a camera, a frame every 20 minutes", (context) => liveWithCamera(context, 24, 20));

test("day of a camera, a frame every minute", (context) => liveWithCamera(context, 4, 1));

const PEOPLE = 25;
/** The runtime does not answer this message itself, so the object uses the clock of the test. */
const ALIVE = `{"type":6}${END}`.repeat(2);

interface Viewer {
  refreshToken: string;
  socket: WebSocket | null;
  /** Messages that it received. */
  received: number;
}

/** Opens the socket of a viewer and joins two locations. */
async function watch(viewer: Viewer, token: string, locationIds: readonly string[]): Promise<void> {
  const { webSocket } = await socketAt(token, await negotiate(token));
  if (webSocket === null) throw new Error("no socket");
  let got = "";
  webSocket.addEventListener("message", ({ data }) => {
    got += String(data);
    viewer.received++;
  });
  webSocket.addEventListener("close", () => {
    viewer.socket = null;
  });
  webSocket.accept();
  webSocket.send(HANDSHAKE + locationIds.map(joinOf).join(""));
  viewer.socket = webSocket;
  await eventually(() => expect(got.split('"type":3').length - 1).toBe(locationIds.length));
}

/** Sends a ping and waits for its answer. */
async function ping(viewer: Viewer): Promise<void> {
  const { socket, received } = viewer;
  socket?.send(ALIVE);
  if (socket !== null) await eventually(() => expect(viewer.received).toBeGreaterThan(received));
}

/** A person whose connections are in the shard. */
async function mintViewerIn(organizationId: string) {
  for (;;) {
    const person = await mintPerson();
    if (shardOf(person.userId) !== "shard-0") continue;
    await addMember(organizationId, person.userId, "member");
    return person;
  }
}

test(`day of a live person, ${PEOPLE} in a shard`, async (context) => {
  at(Date.now());
  const { organizationId, locationId } = await mintPlace();
  const locationIds = [locationId, (await mintLocation({ organizationId })).id];
  const viewers: Viewer[] = [];
  const tokens: string[] = [];
  for (let n = 0; n < PEOPLE; n++) {
    const { token, refreshToken } = await mintSession((await mintViewerIn(organizationId)).userId, {
      expiresAt: Date.now() + 30 * DAY,
    });
    viewers.push({ refreshToken, socket: null, received: 0 });
    tokens.push(token);
  }
  let reconnects = 0;
  const renew = async (viewer: Viewer): Promise<string> => {
    const answer = await tryRefresh(viewer.refreshToken);
    const renewed: SessionTokens = await answer.json();
    viewer.refreshToken = renewed.refreshToken;
    return renewed.accessToken;
  };
  await report(context, PEOPLE, async () => {
    for (const [n, viewer] of viewers.entries()) await watch(viewer, tokens[n] ?? "", locationIds);
    const end = Date.now() + DAY;
    for (;;) {
      const next = await runInDurableObject(shard, (_, { storage }) => storage.getAlarm());
      if (next === null || next > end) break;
      at(Math.max(next, Date.now()));
      await Promise.all(viewers.map(ping));
      await runDurableObjectAlarm(shard);
      await scheduler.wait(20);
      for (const viewer of viewers) {
        if (viewer.socket !== null) continue;
        reconnects++;
        await watch(viewer, await renew(viewer), locationIds);
      }
    }
    Object.assign(context.task.meta, { reconnects: reconnects / PEOPLE });
  });
});

const EVENTS = 200;

/** Events of a location, one a minute, each with the removal of one that is too old for a replay. */
async function sendEvents(locationId: string, count: number): Promise<void> {
  const subject = { type: "state-updated", subject: "location", subjectId: locationId, action: "updated" } as const;
  for (let revision = 1; revision <= count; revision++) {
    at(Date.now() + MINUTE);
    await announceEvent({ ...subject, locationId, revision }, locationId);
  }
}

test("live event without a listener", async (context) => {
  at(Date.now());
  const { locationId } = await mintPlace();
  await report(context, EVENTS, () => sendEvents(locationId, EVENTS));
});

test("live event with one listener, kept for a replay", async (context) => {
  at(Date.now());
  const { organizationId, locationId } = await mintPlace();
  const viewer: Viewer = { refreshToken: "", socket: null, received: 0 };
  await watch(viewer, (await mintViewerIn(organizationId)).token, [locationId]);
  await sendEvents(locationId, 20);
  await report(context, EVENTS, () => sendEvents(locationId, EVENTS));
  expect(viewer.received).toBeGreaterThan(EVENTS);
  viewer.socket?.close(1000);
});

test("live event with a program that asks for changes, with its journal", async (context) => {
  at(Date.now());
  const { owner, locationId } = await mintPlace();
  const ask = () =>
    expectJson(z.unknown(), 200, "GET", `/v1/spatial/locations/${locationId}/changes`, { token: owner.token });
  await ask();
  await sendEvents(locationId, 20);
  await report(context, EVENTS, () => sendEvents(locationId, EVENTS));
});

const ASKED = 100;

test("a program asks for changes, nothing new", async (context) => {
  at(Date.now());
  const { owner, locationId } = await mintPlace();
  const path = `/v1/spatial/locations/${locationId}/changes`;
  const answer = z.object({ position: z.string() });
  let { position } = await expectJson(answer, 200, "GET", path, { token: owner.token });
  await sendEvents(locationId, 20);
  await report(context, ASKED, async () => {
    for (let n = 0; n < ASKED; n++)
      ({ position } = await expectJson(answer, 200, "GET", `${path}?since=${position}`, { token: owner.token }));
  });
});
