import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { Gateway } from "../../../gateway/src/gateway";
import type { Source } from "../../../gateway/src/sources/source";
import { Spool } from "../../../gateway/src/spool/spool";
import { eventually } from "../../support/patience";
import { configuration, json, pairedSite, refuse, serve } from "./stub-service";

const HOUR = 3_600_000;
const BEGAN = Date.now() - 24 * HOUR;

/** A service that takes each image when it is announced. @returns its address, and the numbers of the images in their order */
async function takingService(given: object) {
  const announced: number[] = [];
  const url = await serve((request, body, response) => {
    const answer = { ...configuration(1), isPaused: false, ...given };
    if (request.method === "GET") return void json(response, answer, { etag: '"1"' });
    if (request.url?.endsWith("/heartbeat"))
      return void json(response, { revision: 1, serverTimeUtc: new Date().toISOString() });
    const { captureId, sizeBytes, checksumSha256, capturedAtUtc } = JSON.parse(body);
    announced.push((Date.parse(capturedAtUtc) - BEGAN) / 1_000);
    const receipt = { captureId, sizeBytes, checksumSha256, completedAtUtc: new Date().toISOString() };
    const operation = { operationId: randomUUID(), captureId, status: "completed", uploadUrl: null };
    json(response, { ...operation, requiredHeaders: {}, receipt, rejection: null });
  });
  return { url, announced };
}

/** A running gateway with this number of images, taken at intervals of one second. */
async function running(service: object, images: number, nights: object = { skip: false }) {
  const { url, announced } = await takingService(service);
  return { announced, ...(await runningAt(url, images, nights)) };
}

async function runningAt(url: string, images: number, nights: object = { skip: false }) {
  const { settings, folder } = pairedSite(url, {}, undefined, nights);
  const spool = new Spool(folder);
  for (let index = 0; index < images; index++) {
    const takenAt = { quality: "synchronized" as const, at: BEGAN + index * 1_000 };
    spool.keep(Buffer.from(`image ${index}`), { captureId: randomUUID(), assignmentGeneration: 1, takenAt });
  }
  let asked = 0;
  const source: Source = {
    pace: "interval",
    // biome-ignore lint/correctness/useYield: this camera gives no image.
    async *take() {
      asked++;
    },
  };
  const stopping = new AbortController();
  const gateway = new Gateway({ settings, say: () => undefined, source: () => source });
  const ended = gateway.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await ended;
  });
  return { gateway, timesAsked: () => asked };
}

test("an image that was admitted is sent while the service admits no other, because another device has the slots", async () => {
  let announcements = 0;
  const calls: string[] = [];
  const operationId = randomUUID();
  const operations = new Map<string, object>();
  const serverTimeUtc = new Date().toISOString();
  const url: string = await serve((request, body, response) => {
    const path = request.url ?? "";
    if (path.endsWith("/configuration")) return void json(response, configuration(1));
    if (path.endsWith("/heartbeat")) return void json(response, { revision: 1, serverTimeUtc });
    calls.push(`${request.method} ${path.split("/").at(-1)}`);
    if (request.method === "PUT") return void response.end();
    const { captureId, sizeBytes, checksumSha256 } = path.endsWith("/uploads") ? JSON.parse(body) : {};
    const operation = { operationId, captureId, requiredHeaders: {}, receipt: null, rejection: null };
    if (path.endsWith("/complete")) return void json(response, operations.get(operationId));
    announcements++;
    if (announcements > 1) {
      response.setHeader("retry-after", "3600");
      return refuse(response, 429, "rate-limited");
    }
    const receipt = { captureId, sizeBytes, checksumSha256, completedAtUtc: serverTimeUtc };
    operations.set(operationId, { ...operation, status: "completed", uploadUrl: null, receipt });
    // The other lane is refused before this answer.
    void eventually(() => expect(announcements).toBe(2)).then(() =>
      json(response, { ...operation, status: "pending-transfer", uploadUrl: `${url}/object` }),
    );
  });
  const { gateway } = await runningAt(url, 5);
  await eventually(() =>
    expect(gateway.status().cameras[0]).toMatchObject({ queueCount: 4, totals: { completed: 1 } }),
  );
  // No further announcement before the time that the service asked for.
  expect(calls).toEqual(["POST uploads", "POST uploads", "PUT object", "POST complete"]);
});

test("one lane sends the newest image first, the other the oldest, and both share the uploads of a minute", async () => {
  const limits = { ...configuration(1).limits, newUploadsPerMinute: 6 };
  const { gateway, announced } = await running({ limits, isPaused: true }, 20);
  await eventually(() =>
    expect(gateway.status().cameras[0]).toMatchObject({ queueCount: 14, totals: { completed: 6 } }),
  );
  const [newest, oldest] = [announced.filter((image) => image >= 10), announced.filter((image) => image < 10)];
  expect(newest).toEqual([19, 18, 17, 16, 15, 14].slice(0, newest.length));
  expect(oldest).toEqual([0, 1, 2, 3, 4, 5].slice(0, oldest.length));
  expect(Math.min(newest.length, oldest.length)).toBeGreaterThan(0);
});

const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
const closed = { start: clock(Date.now() + 2 * HOUR), end: clock(Date.now() + 3 * HOUR) };
/** A place where it is midnight now by solar time. */
const midnight = { latitude: 0, longitude: ((540 - (Date.now() % (24 * HOUR)) / 240_000) % 360) - 180 };

describe("images that wait are sent while no new ones are taken", () => {
  test.each<[string, object, object | undefined]>([
    ["paused", { isPaused: true }, undefined],
    ["outside-window", { captureWindow: closed }, undefined],
    ["night", {}, { skip: true, ...midnight }],
  ])("%s", async (notDue, given, nights) => {
    const { gateway, timesAsked } = await running(given, 5, nights);
    const expected = { notDue, queueCount: 0, totals: { completed: 5 } };
    await eventually(() => expect(gateway.status().cameras[0]).toMatchObject(expected));
    expect(timesAsked()).toBe(0);
  });
});
