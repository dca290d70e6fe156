import { createHash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { cameraFolder } from "../../gateway/src/camera/camera";
import { Papers } from "../../gateway/src/camera/identity";
import { Gateway } from "../../gateway/src/gateway";
import { intentOf } from "../../gateway/src/spool/intent";
import { Spool } from "../../gateway/src/spool/spool";
import { drawn } from "../node/gateway/pictures";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { entitle, newSite, RunningService, type Site } from "../system/support/running";
import { Device } from "./support/device";
import { Line, type LineMode } from "./support/line";

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_123);
const DAY_MS = 86_400_000;

/** Random numbers that are the same for the same seed (mulberry32). */
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

/** A device with paired cameras. @returns the ids of the cameras by name */
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

/** Puts a complete image into the folder of a camera, by one rename. */
function shoot(device: Device, camera: string, bytes: Uint8Array, takenAt: number): void {
  const name = `${takenAt}-${sha256(bytes).slice(0, 8)}`;
  const file = join(device.folder, `${camera}-${name}`);
  writeFileSync(file, bytes);
  utimesSync(file, takenAt / 1_000, takenAt / 1_000);
  renameSync(file, join(device.inbox(camera), `${name}.jpg`));
}

/** Waits until the gateway has the configuration of its camera. */
const isConfigured = (device: Device) =>
  eventually(async () =>
    expect((await device.status())?.cameras[0]?.answeredSecondsAgo, device.said).toEqual(expect.any(Number)),
  );

const captureSchema = z.looseObject({ id: z.string(), capturedAtUtc: z.string(), checksumSha256: z.string() });
const historySchema = z.looseObject({ items: z.array(captureSchema) });
async function archive(cameraId: string, locationId = site.locationId) {
  const path = `/v1/cameras/${cameraId}/captures?limit=200&locationId=${locationId}`;
  return (await service.api(historySchema, "GET", path, site.token)).items;
}

async function bytesOf(captureId: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${site.token}` };
  const response = await fetch(`${service.url}/v1/camera-captures/${captureId}/download`, { headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** The names of the images that wait in a camera's folder. */
const waiting = (device: Device, camera: string): string[] =>
  readdirSync(join(cameraFolder(device.stateFolder, camera), "frames")).filter((name) => intentOf(name) !== null);

test("every image arrives once and unchanged, while gateway, service and network fail at any moment", async () => {
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
  // Images of three days without a network.
  for (const name of names) for (const days of [3, 2, 1]) shootNext(name, now - days * DAY_MS);
  // Images that are older than the retention of the camera.
  for (const name of names) shoot(device, name, drawn(seed++), now - 40 * DAY_MS);

  const modes: LineMode[] = ["down", "portal", "cut", "slow", "cut", "whole", "portal", "cut", "whole", "slow"];
  for (const [round, mode] of modes.entries()) {
    line.become(mode);
    device.start();
    const name = names[round];
    if (name !== undefined) shootNext(name, now - 60_000);
    if (round === 5) await service.restart();
    // The gateway is killed at a random moment, from before it reads the first file to after it sent the first images.
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
    // The archive has each image once.
    expect(captures.map(({ checksumSha256 }) => checksumSha256).sort()).toEqual([...expected.keys()].sort());
    for (const { id, checksumSha256 } of captures)
      expect(Buffer.compare(await bytesOf(id), expected.get(checksumSha256) ?? Buffer.alloc(0))).toBe(0);
    expect(readdirSync(device.inbox(name))).toEqual([]);
    expect(waiting(device, name)).toEqual([]);
    expect(new Spool(cameraFolder(device.stateFolder, name)).ends()).toHaveLength(5);
  }
});

describe("a camera", () => {
  test("keeps its images when its credential is revoked, sends them after it is paired again, and reports a damaged file", async () => {
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
    // Another device is paired with the camera, so the credential of this one ends.
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

    // The running gateway finds the new credential by itself.
    expect(await pairAgain(device, "yard", cameraId)).toMatchObject({ code: 0 });
    await eventually(async () => {
      const totals = { completed: 2, damaged: 1 };
      expect((await device.status())?.cameras[0], device.said).toMatchObject({ queueCount: 0, keptApart: 1, totals });
    }, LONG_PATIENCE);
    const whole = images.map(sha256).filter((hash) => !damaged.includes(hash));
    expect((await archive(cameraId)).map(({ checksumSha256 }) => checksumSha256).sort()).toEqual(whole.sort());
  });

  test("with a full disk keeps the first, the last and evenly spaced images between them, and counts the others", async () => {
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
    // Images are a minute apart. The time of a file passes through two clocks.
    expect(Math.abs((times[0] ?? 0) - at)).toBeLessThan(30_000);
    expect(Math.abs((times.at(-1) ?? 0) - at - 15 * 60_000)).toBeLessThan(30_000);
  });
});

/** Waits until the images of a camera have ended in these ways. */
const ends = (device: Device, totals: Record<string, number>) =>
  eventually(async () => {
    expect((await device.status())?.cameras[0], device.said).toMatchObject({ queueCount: 0, totals });
  }, LONG_PATIENCE);

/** A device with one camera that has its configuration, and no network. It is not running. */
async function configuredDevice(name: string) {
  const { device, ids } = await pairedDevice([name]);
  device.start();
  await isConfigured(device);
  await device.kill();
  line.become("down");
  return { device, cameraId: ids.get(name) ?? "", folder: cameraFolder(device.stateFolder, name) };
}

describe("an image that waits", () => {
  test("is sent under the same id when its operation has expired", async () => {
    const { device, cameraId, folder } = await configuredDevice("dock");
    device.start();
    shoot(device, "dock", drawn(600, 160, 120), Date.now() - 60_000);
    await eventually(() => expect(waiting(device, "dock")).toHaveLength(1));
    await device.kill();
    const { takenAt, ...intent } = intentOf(waiting(device, "dock")[0] ?? "") ?? expect.fail("no intent");
    if (takenAt.quality === "unresolved") expect.fail("the time is not resolved");
    const capturedAtUtc = new Date(takenAt.at).toISOString();
    const announcement = { ...intent, capturedAtUtc, clockQuality: takenAt.quality, contentType: "image/jpeg" };
    const { credential } = new Papers(folder).identity() ?? expect.fail("no identity");
    const operation = z.looseObject({ operationId: z.string() });
    const uploads = "/v1/camera-ingestion/uploads";
    const { operationId } = await service.api(operation, "POST", uploads, credential, announcement);
    await service.restart((database) =>
      database
        .prepare("UPDATE camera_frames SET received_at = 1, due_at = 1 WHERE operation = unhex(?, '-')")
        .run(operationId),
    );
    const state = z.looseObject({ status: z.string() });
    expect(await service.api(state, "GET", `${uploads}/${operationId}`, credential)).toMatchObject({
      status: "expired",
    });

    line.become("whole");
    device.start();
    await ends(device, { completed: 1 });
    expect((await archive(cameraId)).map(({ id }) => id)).toEqual([intent.captureId]);
  });

  test("ends as rejected with the cause of the service, which keeps it for people", async () => {
    const { device, cameraId, folder } = await configuredDevice("weir");
    // The gateway never stores such a file: the test simulates an error of its check.
    const bytes = Buffer.from("not a picture");
    const takenAt = { quality: "synchronized" as const, at: Date.now() - 60_000 };
    new Spool(folder).keep(bytes, { captureId: crypto.randomUUID(), assignmentGeneration: 1, takenAt });
    line.become("whole");
    device.start();
    await ends(device, { completed: 0, rejected: 1 });
    expect((await device.status())?.cameras[0]).toMatchObject({ keptApart: 1 });
    expect(new Spool(folder).ends()).toMatchObject([{ end: "rejected", cause: "not-jpeg" }]);
    const kept = z.looseObject({ items: z.array(z.looseObject({ checksumSha256: z.string() })) });
    const path = `/v1/cameras/${cameraId}/rejected-captures`;
    expect((await service.api(kept, "GET", path, site.token)).items).toMatchObject([{ checksumSha256: sha256(bytes) }]);
  });

  test("of the former location is never sent as one of the new location when the camera moves", async () => {
    const { device, cameraId, folder } = await configuredDevice("pier");
    device.start();
    const before = [0, 1].map((index) => drawn(700 + index, 160, 120));
    for (const [index, bytes] of before.entries()) shoot(device, "pier", bytes, Date.now() - 60_000 + index * 1_000);
    await eventually(() => expect(waiting(device, "pier")).toHaveLength(2));
    await device.kill();

    const withId = z.looseObject({ id: z.string(), revision: z.int() });
    const { clusterId } = await service.api(
      z.looseObject({ clusterId: z.string() }),
      "GET",
      `/v1/spatial/locations/${site.locationId}`,
      site.token,
    );
    const yard = await service.api(z.looseObject({ id: z.string() }), "POST", "/v1/spatial/locations", site.token, {
      clusterId,
      name: "Yard",
    });
    const { revision } = await service.api(withId, "GET", `/v1/cameras/${cameraId}`, site.token);
    const move = { baseRevision: revision, locationId: yard.id, cancelPending: true };
    await service.api(z.unknown(), "POST", `/v1/cameras/${cameraId}/relinks`, site.token, move);

    line.become("whole");
    device.start();
    await eventually(async () =>
      expect((await device.status())?.cameras[0]?.conditions).toHaveProperty("credential-revoked"),
    );
    expect(waiting(device, "pier")).toHaveLength(2);
    expect(await pairAgain(device, "pier", cameraId)).toMatchObject({ code: 0 });
    await ends(device, { completed: 0, refused: 2 });
    const after = drawn(710, 160, 120);
    shoot(device, "pier", after, Date.now() - 1_000);
    await ends(device, { completed: 1, refused: 2 });
    const causes = new Spool(folder).ends().filter(({ end }) => end === "refused");
    expect(causes.map(({ cause }) => cause)).toEqual(["assignment-changed", "assignment-changed"]);
    expect(await archive(cameraId)).toEqual([]);
    expect((await archive(cameraId, yard.id)).map(({ checksumSha256 }) => checksumSha256)).toEqual([sha256(after)]);
  });

  test("has its true time although the clock of the machine jumps forward and back", async () => {
    const { device, cameraId } = await configuredDevice("lock");
    let jump = 3 * DAY_MS;
    // Another start of the machine, which does not know the time yet.
    const bootId = crypto.randomUUID();
    const wallMs = () => Date.now() + jump;
    const machine = { bootId, uptimeMs: () => performance.now(), wallMs, isSynchronized: () => false };
    const stopping = new AbortController();
    const gateway = new Gateway({ settings: device.settings(), say: () => undefined, machine });
    const running = gateway.run(stopping.signal);
    onTestFinished(async () => {
      stopping.abort();
      await running;
    });
    const times = new Map<string, number>();
    const shootNow = async (seed: number) => {
      const bytes = drawn(seed, 160, 120);
      times.set(sha256(bytes), Date.now());
      shoot(device, "lock", bytes, Date.now());
      await eventually(() => expect(readdirSync(device.inbox("lock"))).toEqual([]));
    };
    await shootNow(800);
    jump = -5 * DAY_MS;
    await shootNow(801);
    line.become("whole");
    await ends(device, { completed: 2 });
    jump = 40 * DAY_MS;
    await shootNow(802);
    await ends(device, { completed: 3 });
    for (const { checksumSha256, capturedAtUtc } of await archive(cameraId)) {
      const shotAt = times.get(checksumSha256) ?? 0;
      expect(Math.abs(Date.parse(capturedAtUtc) - shotAt)).toBeLessThan(30_000);
    }
  });
});

/** Peak of the resident memory. Measured with images of 3.6 MB: 77 MB with Node 24, 65 MB with Node 20. */
const MAX_RESIDENT_MEGABYTES = 80;

const isLinux = process.platform === "linux";
test.runIf(isLinux)(
  "10,000 images that wait need little memory, and the bytes of an image are written once",
  async () => {
    const { device, folder } = await configuredDevice("dam");
    const spool = new Spool(folder);
    for (let index = 0; index < 10_000; index++) {
      const takenAt = { quality: "synchronized" as const, at: Date.now() - 60_000 - index * 1_000 };
      spool.keep(Buffer.from(`${index}`), { captureId: crypto.randomUUID(), assignmentGeneration: 1, takenAt });
    }
    const pid = device.startAsUnit();
    await eventually(async () => expect((await device.status())?.cameras[0]).toMatchObject({ queueCount: 10_000 }));
    /** Bytes that the gateway has written to files and sockets. */
    const written = () => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
    const before = written();
    const images = Array.from({ length: 5 }, (_, index) => drawn(850 + index, 1_600, 1_200));
    for (const bytes of images) shoot(device, "dam", bytes, Date.now() - 1_000);
    await eventually(async () => expect((await device.status())?.cameras[0]).toMatchObject({ queueCount: 10_005 }));
    const bytes = images.reduce((sum, { length }) => sum + length, 0);
    expect(written() - before).toBeLessThan(1.1 * bytes);
    const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
    expect(peak).toBeLessThanOrEqual(MAX_RESIDENT_MEGABYTES);
  },
);

test("status and doctor report the state, and a settings file that others can read stops the gateway", async () => {
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
