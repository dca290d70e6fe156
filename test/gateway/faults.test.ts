import { chmodSync, cpSync, readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { cameraFolder } from "../../gateway/src/camera/camera";
import { Spool } from "../../gateway/src/spool/spool";
import { drawn } from "../node/gateway/pictures";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { seeded } from "../support/random";
import { Device } from "./support/device";
import { DeviceSite, ends, isConfigured, sha256, shoot, waiting } from "./support/device-site";
import type { LineMode } from "./support/line";

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_123);
const DAY_MS = 86_400_000;

const random = seeded(SEED);
let devices: DeviceSite;
beforeAll(async () => {
  devices = await DeviceSite.start(random);
});
afterAll(() => devices?.stop());

async function bytesOf(captureId: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${devices.site.token}` };
  const response = await fetch(`${devices.service.url}/v1/camera-captures/${captureId}/download`, { headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

test("every image arrives once and unchanged, while gateway, service and network fail at any moment", async () => {
  const names = ["crane", "gate", "quay"];
  const { device, ids } = await devices.pairedDevice(names);
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
    devices.line.become(mode);
    device.start();
    const name = names[round];
    if (name !== undefined) shootNext(name, now - 60_000);
    if (round === 5) await devices.service.restart();
    // The gateway is killed at a random moment, from before it reads the first file to after it sent the first images.
    await wait(100 + random() * 4_000);
    await device.kill();
  }
  devices.line.become("whole");
  device.start();

  await eventually(async () => {
    const status = await device.status();
    for (const camera of status?.cameras ?? [])
      expect(camera, device.said).toMatchObject({ queueCount: 0, totals: { completed: 4, dropped: 1 } });
    expect(status?.cameras).toHaveLength(names.length);
  }, LONG_PATIENCE);
  for (const name of names) {
    const expected = shot.get(name) ?? new Map<string, Buffer>();
    const captures = await devices.archive(ids.get(name) ?? "");
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
    const { device, cameraId } = await devices.configuredDevice("yard");
    device.start();
    const at = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
    const images = [0, 1, 2].map((index) => drawn(500 + index, 160, 120));
    for (const [index, bytes] of images.entries()) shoot(device, "yard", bytes, at + index * 1_000);
    await eventually(() => expect(waiting(device, "yard")).toHaveLength(3));
    await device.kill();

    const [damaged = ""] = waiting(device, "yard");
    truncateSync(join(cameraFolder(device.stateFolder, "yard"), "frames", damaged), 100);
    // Another device is paired with the camera, so the credential of this device ends.
    const other = await Device.make(devices.line.url, ["yard"]);
    devices.line.become("whole");
    expect(await devices.pair(other, "yard", cameraId)).toMatchObject({ code: 0 });
    device.start();
    await eventually(async () =>
      expect((await device.status())?.cameras[0]?.conditions).toHaveProperty("credential-revoked"),
    );
    expect((await device.status())?.cameras[0]).toMatchObject({ totals: { completed: 0 } });
    const findings = await device.command(["doctor", "--json"]);
    expect(findings.code).toBe(1);
    expect(findings.output).toContain("gateway pair yard");

    // The running gateway finds the new credential by itself.
    expect(await devices.pair(device, "yard", cameraId)).toMatchObject({ code: 0 });
    await eventually(async () => {
      const totals = { completed: 2, damaged: 1 };
      expect((await device.status())?.cameras[0], device.said).toMatchObject({ queueCount: 0, keptApart: 1, totals });
    }, LONG_PATIENCE);
    const whole = images.map(sha256).filter((hash) => !damaged.includes(hash));
    expect((await devices.archive(cameraId)).map(({ checksumSha256 }) => checksumSha256).sort()).toEqual(whole.sort());
  });

  test("that moved sends an image from before the move nowhere, and keeps it", async () => {
    const { device, cameraId } = await devices.configuredDevice("pier");
    const { service, site, line } = devices;
    const withId = z.looseObject({ id: z.string() });
    const clusterBody = { organizationId: site.organizationId, name: "South" };
    const { id: clusterId } = await service.api(withId, "POST", "/v1/spatial/clusters", site.token, clusterBody);
    const place = { clusterId, name: "Yard" };
    const { id: locationId } = await service.api(withId, "POST", "/v1/spatial/locations", site.token, place);
    const atFormerPlace = Date.now();
    const move = { baseRevision: 1, locationId };
    await service.api(withId, "POST", `/v1/cameras/${cameraId}/relinks`, site.token, move);
    line.become("whole");
    expect(await devices.pair(device, "pier", cameraId)).toMatchObject({ code: 0 });
    device.start();
    await isConfigured(device);
    // The FTP server of the camera keeps the time of the file.
    shoot(device, "pier", drawn(700, 160, 120), atFormerPlace);
    const here = drawn(701, 160, 120);
    shoot(device, "pier", here, Date.now());
    await ends(device, { completed: 1, refused: 1 });
    expect((await devices.archive(cameraId, locationId)).map(({ checksumSha256 }) => checksumSha256)).toEqual([
      sha256(here),
    ]);
    expect(await devices.archive(cameraId)).toEqual([]);
  });

  test("whose card was copied sends the images of both devices, and each of them learns of the other", async () => {
    const { device, cameraId } = await devices.configuredDevice("twin");
    const copy = await Device.make(devices.line.url, ["twin"]);
    cpSync(device.stateFolder, copy.stateFolder, { recursive: true });
    chmodSync(copy.stateFolder, 0o700);
    const at = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
    const images = [0, 1, 2, 3].map((index) => drawn(720 + index, 160, 120));
    for (const [index, bytes] of images.entries())
      shoot(index % 2 === 0 ? device : copy, "twin", bytes, at + index * 1_000);
    devices.line.become("whole");
    device.start();
    copy.start();
    for (const each of [device, copy]) await ends(each, { completed: 2 });
    expect((await devices.archive(cameraId)).map(({ checksumSha256 }) => checksumSha256).sort()).toEqual(
      images.map(sha256).sort(),
    );
    for (const each of [device, copy])
      await eventually(async () => {
        expect((await each.status())?.cameras[0]?.conditions, each.said).toHaveProperty("identity-shared");
      }, LONG_PATIENCE);
    const camera = z.looseObject({ device: z.looseObject({ errorCode: z.string() }) });
    expect(
      (await devices.service.api(camera, "GET", `/v1/cameras/${cameraId}`, devices.site.token)).device,
    ).toMatchObject({ errorCode: "identity-shared" });
  });

  test("with a full disk keeps the first, the last and evenly spaced images between them, and counts the others", async () => {
    const { device, cameraId } = await devices.configuredDevice("mast", 0.02);
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
    devices.line.become("whole");
    device.start();
    await eventually(async () => expect((await device.status())?.cameras[0]?.queueCount).toBe(0), LONG_PATIENCE);
    const captures = await devices.archive(cameraId);
    expect(captures).toHaveLength(images.length - thinned);
    const times = captures.map(({ capturedAtUtc }) => Date.parse(capturedAtUtc)).sort();
    // Images are a minute apart. The time of a file passes through two clocks.
    expect(Math.abs((times[0] ?? 0) - at)).toBeLessThan(30_000);
    expect(Math.abs((times.at(-1) ?? 0) - at - 15 * 60_000)).toBeLessThan(30_000);
  });
});

test("status and doctor report the state, and a settings file that others can read stops the gateway", async () => {
  devices.line.become("portal");
  const device = await Device.make(devices.line.url, ["roof"]);
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
