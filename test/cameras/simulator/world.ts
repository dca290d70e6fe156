import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, vi } from "vitest";
import { captureKey } from "../../../src/cameras/captures";
import { cameraCaptures } from "../../../src/cameras/tables";
import { HOUR, MINUTE, SECOND } from "../../../src/platform/time";
import { framesOf, mintDevice } from "../../support/device";
import { mintOrganization } from "../../support/factories";
import { seeded } from "../../support/random";
import { testDatabase } from "../../support/statements";
import { expectCounted } from "../../support/storage";
import { SimulatedDevice } from "./device";
import { FaultPlan } from "./faults";
import { type Frame, RETENTION_DAYS, takeFrame } from "./frames";
import { Server } from "./server";

/** Steps of the world during the faults, and steps after them until everything has ended. */
const FAULTY_TICKS = 22;
const CALM_TICKS = 60;
/** Probabilities in percent of a step, during the faults. */
const SERVER_RESTARTS = 12;
const WORKER_DIES = 12;

/** The numbers of frames of many devices by their end. */
export interface Tally {
  devices: number;
  frames: number;
  requests: number;
  completed: number;
  rejected: number;
  held: number;
}

/**
 * Runs one device for each seed through the faults of its plan and of the shared world, and then without faults.
 * Checks every frame: it is published once with identical bytes, rejected with the correct cause, or still on its
 * device.
 */
export async function runWorld(seeds: readonly number[]): Promise<Tally> {
  const server = new Server();
  const random = seeded(seeds[0] ?? 0);
  let isCalm = false;
  const happens = (chance: number) => !isCalm && random() * 100 < chance;
  const organization = await mintOrganization();
  const devices = await Promise.all(
    seeds.map(async (seed) => {
      const plan = new FaultPlan(seed, () => isCalm);
      const paired = await mintDevice({ retentionDays: RETENTION_DAYS }, organization);
      const count = plan.random() < 0.7 ? 1 : 2;
      const frames: Frame[] = [];
      for (let i = 0; i < count; i++) frames.push(await takeFrame(plan, i));
      return new SimulatedDevice(paired, frames, plan, server);
    }),
  );
  const open = () =>
    devices.filter((device) => device.owed().some(({ kind }) => kind !== "rotten" && kind !== "too-old"));
  // The clock of all devices jumps: past the end of an address, or past the end of an operation.
  const jumps = new Map([
    [Math.floor(4 + random() * 6), 6 * MINUTE],
    [Math.floor(12 + random() * 8), 25 * HOUR],
  ]);
  for (let tick = 0; tick < FAULTY_TICKS + CALM_TICKS; tick++) {
    isCalm = tick >= FAULTY_TICKS;
    if (isCalm && open().length === 0) break;
    await Promise.all(devices.map((device) => device.step()));
    if (happens(SERVER_RESTARTS)) server.restart();
    await server.work(() => happens(WORKER_DIES));
    vi.setSystemTime(Date.now() + (jumps.get(tick) ?? (isCalm ? 40 : 20) * SECOND));
    if (tick % 4 === 3) await server.sweep();
    if (tick % 8 === 7) await server.expire();
  }
  const tally: Tally = {
    devices: devices.length,
    frames: 0,
    requests: server.requests,
    completed: 0,
    rejected: 0,
    held: 0,
  };
  for (const device of devices) await judge(device, tally);
  await expectCounted(organization.id);
  return tally;
}

/** The correct causes for each kind of frame. */
const CAUSES = { "cut-off": /^(premature-end|missing-end|bad-marker|bad-length)$/, "no-image": /^not-jpeg$/ };

async function judge({ paired, frames }: SimulatedDevice, tally: Tally): Promise<void> {
  const published = await testDatabase()
    .select()
    .from(cameraCaptures)
    .where(eq(cameraCaptures.cameraId, paired.camera.id));
  const all = await framesOf(paired.camera);
  let expectedRows = 0;
  for (const { kind, intent, bytes, end } of frames) {
    tally.frames++;
    const rows = published.filter(({ id }) => id === intent.captureId);
    const what = `${kind} frame ${intent.captureId} of seed world`;
    expect(rows.length, what).toBeLessThanOrEqual(1);
    const [row] = rows;
    if (row !== undefined) {
      expectedRows++;
      expect(row.checksumSha256, what).toBe(intent.checksumSha256);
      const kept = await env.BUCKET.head(captureKey(row, "original"));
      expect(kept?.checksums.toJSON().sha256, what).toBe(intent.checksumSha256);
    }
    switch (kind) {
      case "good":
      case "future":
        expect([what, end, rows.length]).toEqual([what, { status: "completed", code: null }, 1]);
        tally.completed++;
        break;
      case "cut-off":
      case "no-image":
        expect([what, end?.status, rows.length]).toEqual([what, "rejected", 0]);
        expect(end?.code ?? "", what).toMatch(CAUSES[kind]);
        tally.rejected++;
        break;
      case "rotten":
      case "too-old":
        expect([what, end, rows.length, bytes === null]).toEqual([what, null, 0, false]);
        tally.held++;
    }
  }
  expect(published).toHaveLength(expectedRows);
  expect(all.filter(({ status }) => status === "completed")).toHaveLength(expectedRows);
}
