import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { operationSchema } from "../../src/cameras/ingestion/operations";
import { cameraCaptures } from "../../src/cameras/tables";
import { HOUR, MINUTE, SECOND } from "../../src/platform/time";
import { Server } from "../../test/cameras/simulator/server";
import { BASE_URL } from "../../test/support/call";
import { type Device, factsOf, mintDevice, type View } from "../../test/support/device";
import { mintOrganization } from "../../test/support/factories";
import { testDatabase } from "../../test/support/statements";
import { expectCounted } from "../../test/support/storage";
import { backlogFrame } from "./frames";

const CAMERAS = 50;
const FRAMES_PER_CAMERA = 72;
const TICK = 3 * SECOND;

interface Sending {
  frame: number;
  facts: Awaited<ReturnType<typeof factsOf>>;
  view: View | null;
  isSent: boolean;
}

/** A camera that sends its backlog as fast as it may, two images at a time, and the counters of it. */
class Drain {
  next = 0;
  done = 0;
  readonly sending: Sending[] = [];
  readonly admissions: number[] = [];
  readonly requests: number[] = [];
  waitsUntil = 0;
  refusals = { minute: 0, wrong: 0 };
  constructor(
    readonly device: Device,
    readonly number: number,
  ) {}
}

test("a backlog", async ({ task }) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  const server = new Server();
  const organization = await mintOrganization({ documentStorageBytes: 100 * 1024 ** 3 });
  const drains = await Promise.all(
    Array.from({ length: CAMERAS }, async (_, number) => new Drain(await mintDevice({}, organization), number)),
  );
  const oldest = Date.now() - 24 * HOUR;
  const bytesOf = (drain: Drain, frame: number) => backlogFrame(drain.number * FRAMES_PER_CAMERA + frame);

  async function send(drain: Drain, method: string, path: string, body?: unknown) {
    drain.requests.push(Date.now());
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = {
      authorization: `Bearer ${drain.device.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const response = await server.fetch(new Request(new URL(path, BASE_URL), { method, headers, ...init }));
    return { response, json: (await response.json()) as unknown };
  }

  /** Requests the upload of another image. Every refusal must follow the rules. */
  async function begin(drain: Drain): Promise<void> {
    const capturedAtUtc = new Date(oldest + drain.next * 20 * MINUTE).toISOString();
    const facts = await factsOf(bytesOf(drain, drain.next), { capturedAtUtc });
    const recent = drain.admissions.filter((at) => at > Date.now() - MINUTE).length;
    const { response, json } = await send(drain, "POST", "/v1/camera-ingestion/uploads", facts);
    if (response.status === 201) {
      expect(recent).toBeLessThan(4);
      expect(drain.sending.length).toBeLessThan(2);
      drain.admissions.push(Date.now());
      drain.sending.push({ frame: drain.next++, facts, view: operationSchema.parse(json), isSent: false });
      return;
    }
    if (response.status !== 429 || recent < 4) drain.refusals.wrong++;
    drain.refusals.minute++;
    drain.waitsUntil = Date.now() + Number(response.headers.get("retry-after")) * SECOND;
  }

  async function advance(drain: Drain, sending: Sending): Promise<void> {
    const { view } = sending;
    if (view === null) return;
    if (view.status === "pending-transfer" && !sending.isSent) {
      const bytes = bytesOf(drain, sending.frame);
      const headers = { ...view.requiredHeaders, "content-length": String(bytes.length) };
      const put = await server.fetch(new Request(view.uploadUrl ?? "", { method: "PUT", headers, body: bytes }));
      expect(put.status).toBe(200);
      sending.isSent = true;
      return;
    }
    const [method, path] =
      view.status === "pending-transfer" ? ["POST", `${view.statusUrl}/complete`] : ["GET", view.statusUrl];
    const { json } = await send(drain, method ?? "", path ?? "");
    sending.view = operationSchema.parse(json);
    if (sending.view.status !== "completed") return;
    expect(sending.view.receipt?.checksumSha256).toBe(sending.facts.checksumSha256);
    drain.done++;
    drain.sending.splice(drain.sending.indexOf(sending), 1);
  }

  let ticks = 0;
  const began = performance.now();
  for (; drains.some(({ done }) => done < FRAMES_PER_CAMERA); ticks++) {
    if (ticks > 3_000) throw new Error("the backlog does not drain");
    await Promise.all(
      drains.map(async (drain) => {
        for (const sending of [...drain.sending]) await advance(drain, sending);
        if (drain.sending.length < 2 && drain.next < FRAMES_PER_CAMERA && drain.waitsUntil <= Date.now())
          await begin(drain);
      }),
    );
    await server.work(() => false);
    vi.setSystemTime(Date.now() + TICK);
  }
  const wallMs = performance.now() - began;
  let [published, doubled, busiest] = [0, 0, 0];
  for (const { device, admissions, requests } of drains) {
    const rows = await testDatabase()
      .select()
      .from(cameraCaptures)
      .where(eq(cameraCaptures.cameraId, device.camera.id));
    published += rows.length;
    doubled += rows.length - new Set(rows.map(({ checksumSha256 }) => checksumSha256)).size;
    for (const at of admissions)
      expect(admissions.filter((other) => other > at - MINUTE && other <= at).length).toBeLessThanOrEqual(4);
    for (const at of requests)
      busiest = Math.max(busiest, requests.filter((other) => other > at - MINUTE && other <= at).length);
  }
  const wrong = drains.reduce((sum, { refusals }) => sum + refusals.wrong, 0);
  expect({ published, doubled, wrong }).toEqual({ published: CAMERAS * FRAMES_PER_CAMERA, doubled: 0, wrong: 0 });
  await expectCounted(organization.id);
  task.meta.counted = {
    cameras: CAMERAS,
    frames: published,
    minutes: (ticks * TICK) / MINUTE,
    requests: server.requests,
    refused: drains.reduce((sum, { refusals }) => sum + refusals.minute, 0),
    busiest,
    wallMs,
  };
});
