import { createHash } from "node:crypto";
import { chmodSync, readdirSync, renameSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { cameraFolder } from "../../gateway/src/camera/camera";
import { intentOf } from "../../gateway/src/spool/intent";
import { Spool } from "../../gateway/src/spool/spool";
import { drawn } from "../node/gateway/pictures";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { entitle, newSite, RunningService, type Site } from "../system/support/running";
import { Device } from "./support/device";
import { Line, type LineMode } from "./support/line";

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_123);
const DAY_MS = 86_400_000;

/** Numbers that a seed repeats (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const random = seeded(SEED);
let service: RunningService;
let site: Site;
let line: Line;

beforeAll(async () => {
  line = await Line.open(random);
  service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true", PUBLIC_BASE_URL: line.url });
  line.target = Number(new URL(service.url).port);
  site = await newSite(service);
  await entitle(service, site);
});
afterAll(async () => {
  line?.close();
  await service?.stop();
});

/** A device whose cameras are paired by its own command. @returns the cameras' ids by name */
async function pairedDevice(names: string[], maxMegabytes?: number) {
  line.become("whole");
  const device = await Device.make(line.url, names, maxMegabytes);
  const ids = new Map<string, string>();
  for (const name of names) {
    const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
    const { id } = await service.api(z.looseObject({ id: z.string() }), "POST", cameras, site.token, { name });
    expect(await pairAgain(device, name, id)).toMatchObject({ code: 0 });
    ids.set(name, id);
  }
  return { device, ids };
}

async function pairAgain(device: Device, name: string, cameraId: string) {
  const code = z.looseObject({ pairingCode: z.string() });
  const path = `/v1/cameras/${cameraId}/enrollments`;
  const { pairingCode } = await service.api(code, "POST", path, site.token);
  return device.command(["pair", name], `${pairingCode}\n`);
}

/** Puts an image where the camera's gateway looks, whole at once. */
function shoot(device: Device, camera: string, bytes: Uint8Array, takenAt: number): void {
  const name = `${takenAt}-${sha256(bytes).slice(0, 8)}`;
  const file = join(device.folder, `${camera}-${name}`);
  writeFileSync(file, bytes);
  utimesSync(file, takenAt / 1_000, takenAt / 1_000);
  renameSync(file, join(device.inbox(camera), `${name}.jpg`));
}

/** Waits until the gateway knows what its camera is to do. */
const isConfigured = (device: Device) =>
  eventually(async () =>
    expect((await device.status())?.cameras[0]?.answeredSecondsAgo, device.said).toEqual(expect.any(Number)),
  );

const captureSchema = z.looseObject({ id: z.string(), capturedAtUtc: z.string(), checksumSha256: z.string() });
const historySchema = z.looseObject({ items: z.array(captureSchema) });
const archive = async (cameraId: string) =>
  (
    await service.api(
      historySchema,
      "GET",
      `/v1/cameras/${cameraId}/captures?limit=200&locationId=${site.locationId}`,
      site.token,
    )
  ).items;

async function bytesOf(captureId: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${site.token}` };
  const response = await fetch(`${service.url}/v1/camera-captures/${captureId}/download`, { headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** What waits in a camera's folder, by the names of its files. */
const waiting = (device: Device, camera: string): string[] =>
  readdirSync(join(cameraFolder(device.stateFolder, camera), "frames")).filter((name) => intentOf(name) !== null);

test("every image ends as it should, byte for byte, while gateway, service and line fail at any moment", async () => {
  const names = ["crane", "gate", "quay"];
  const { device, ids } = await pairedDevice(names);
  const shot = new Map(names.map((name) => [name, new Map<string, Buffer>()]));
  const now = Math.floor(Date.now() / 1_000) * 1_000;
  let seed = 0;
  const shootNext = (name: string, at: number) => {
    const bytes = drawn(seed++, 160, 120);
    shot.get(name)?.set(sha256(bytes), bytes);
    shoot(device, name, bytes, at);
  };
  // Three days of backlog, sparse, as the line was down all the time.
  for (const name of names) for (const days of [3, 2, 1]) shootNext(name, now - days * DAY_MS);
  // Longer ago than the camera retains.
  for (const name of names) shoot(device, name, drawn(seed++), now - 40 * DAY_MS);

  const modes: LineMode[] = ["down", "portal", "cut", "slow", "cut", "whole", "portal", "cut", "whole", "slow"];
  for (const [round, mode] of modes.entries()) {
    line.become(mode);
    device.start();
    const name = names[round];
    if (name !== undefined) shootNext(name, now - 60_000);
    if (round === 5) await service.restart();
    // The moment is drawn by the seed, from before the first file is read to after the first images are sent.
    await wait(100 + random() * 4_000);
    await device.kill();
  }
  line.become("whole");
  device.start();

  await eventually(async () => {
    const status = await device.status();
    for (const camera of status?.cameras ?? [])
      expect(camera, device.said).toMatchObject({ queueCount: 0, totals: { completed: 4, dropped: 1 } });
    expect(status?.cameras).toHaveLength(names.length);
  }, LONG_PATIENCE);
  for (const name of names) {
    const expected = shot.get(name) ?? new Map<string, Buffer>();
    const captures = await archive(ids.get(name) ?? "");
    // Each image is there once.
    expect(captures.map(({ checksumSha256 }) => checksumSha256).sort()).toEqual([...expected.keys()].sort());
    for (const { id, checksumSha256 } of captures)
      expect(Buffer.compare(await bytesOf(id), expected.get(checksumSha256) ?? Buffer.alloc(0))).toBe(0);
    expect(readdirSync(device.inbox(name))).toEqual([]);
    expect(waiting(device, name)).toEqual([]);
    expect(new Spool(cameraFolder(device.stateFolder, name)).ends()).toHaveLength(5);
  }
});

describe("a camera", () => {
  test("keeps its images through revocation, sends them after it is paired anew, and reports a damaged file", async () => {
    const { device, ids } = await pairedDevice(["yard"]);
    const cameraId = ids.get("yard") ?? "";
    device.start();
    await isConfigured(device);
    await device.kill();
    line.become("down");
    device.start();
    const at = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
    const images = [0, 1, 2].map((index) => drawn(500 + index, 160, 120));
    for (const [index, bytes] of images.entries()) shoot(device, "yard", bytes, at + index * 1_000);
    await eventually(() => expect(waiting(device, "yard")).toHaveLength(3));
    await device.kill();

    const [damaged = ""] = waiting(device, "yard");
    truncateSync(join(cameraFolder(device.stateFolder, "yard"), "frames", damaged), 100);
    // Another device is given the camera: this one's credential ends.
    const other = await Device.make(line.url, ["yard"]);
    line.become("whole");
    expect(await pairAgain(other, "yard", cameraId)).toMatchObject({ code: 0 });
    device.start();
    await eventually(async () =>
      expect((await device.status())?.cameras[0]?.conditions).toHaveProperty("credential-revoked"),
    );
    expect((await device.status())?.cameras[0]).toMatchObject({ totals: { completed: 0 } });
    const findings = await device.command(["doctor", "--json"]);
    expect(findings.code).toBe(1);
    expect(findings.output).toContain("gateway pair yard");

    // The running gateway takes up the new credential by itself.
    expect(await pairAgain(device, "yard", cameraId)).toMatchObject({ code: 0 });
    await eventually(async () => {
      const totals = { completed: 2, damaged: 1 };
      expect((await device.status())?.cameras[0], device.said).toMatchObject({ queueCount: 0, keptApart: 1, totals });
    }, LONG_PATIENCE);
    const whole = images.map(sha256).filter((hash) => !damaged.includes(hash));
    expect((await archive(cameraId)).map(({ checksumSha256 }) => checksumSha256).sort()).toEqual(whole.sort());
  });

  test("whose disk is full keeps the first, the last and an even choice between, and counts the others", async () => {
    const { device, ids } = await pairedDevice(["mast"], 0.02);
    device.start();
    await isConfigured(device);
    await device.kill();
    line.become("down");
    device.start();
    const at = Math.floor(Date.now() / 1_000) * 1_000 - DAY_MS;
    const images = Array.from({ length: 16 }, (_, index) => drawn(900 + index, 160, 120));
    for (const [index, bytes] of images.entries()) shoot(device, "mast", bytes, at + index * 60_000);
    await eventually(() => expect(readdirSync(device.inbox("mast"))).toEqual([]));
    const camera = (await device.status())?.cameras[0];
    const thinned = camera?.totals.thinned ?? 0;
    expect(thinned).toBeGreaterThan(8);
    expect((camera?.queueCount ?? 0) + thinned).toBe(images.length);
    expect(camera?.conditions).toHaveProperty("frames-thinned");
    await device.kill();
    line.become("whole");
    device.start();
    await eventually(async () => expect((await device.status())?.cameras[0]?.queueCount).toBe(0), LONG_PATIENCE);
    const captures = await archive(ids.get("mast") ?? "");
    expect(captures).toHaveLength(images.length - thinned);
    const times = captures.map(({ capturedAtUtc }) => Date.parse(capturedAtUtc)).sort();
    // Images are a minute apart; the file's time comes by way of two clocks.
    expect(Math.abs((times[0] ?? 0) - at)).toBeLessThan(30_000);
    expect(Math.abs((times.at(-1) ?? 0) - at - 15 * 60_000)).toBeLessThan(30_000);
  });
});

test("people and programs are told how it stands, and a private file that is not private stops it", async () => {
  line.become("portal");
  const device = await Device.make(line.url, ["roof"]);
  expect(await device.command(["status"])).toMatchObject({ code: 0 });
  expect(JSON.parse((await device.command(["status", "--json"])).output)).toMatchObject({
    pid: null,
    cameras: [{ name: "roof", paired: false }],
  });
  const { code, output } = await device.command(["doctor"]);
  expect(code).toBe(1);
  expect(output).toContain("captive portal");
  chmodSync(join(device.folder, "gateway.json"), 0o644);
  expect(await device.command(["run"])).toMatchObject({ code: 1, output: expect.stringContaining("chmod") });
});
