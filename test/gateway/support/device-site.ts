import { createHash } from "node:crypto";
import { readdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { cameraFolder } from "../../../gateway/src/camera/camera";
import { intentOf } from "../../../gateway/src/spool/intent";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { entitle, newSite, RunningService, type Site } from "../../system/support/running";
import { Device } from "./device";
import { Line } from "./line";

const withId = z.looseObject({ id: z.string() });
const withCode = z.looseObject({ pairingCode: z.string() });
const captureSchema = z.looseObject({ id: z.string(), capturedAtUtc: z.string(), checksumSha256: z.string() });
const historySchema = z.looseObject({ items: z.array(captureSchema) });

/** The running service behind a network with faults, and an organization whose cameras are on devices. */
export class DeviceSite {
  private constructor(
    readonly service: RunningService,
    readonly site: Site,
    readonly line: Line,
  ) {}

  /** @param random numbers from 0 to 1, which decide the faults of the network */
  static async start(random: () => number = Math.random): Promise<DeviceSite> {
    const line = await Line.open(random);
    const service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true", PUBLIC_BASE_URL: line.url });
    line.target = Number(new URL(service.url).port);
    const site = await newSite(service);
    await entitle(service, site);
    return new DeviceSite(service, site, line);
  }

  async stop(): Promise<void> {
    this.line.close();
    await this.service.stop();
  }

  /** Pairs the device with the camera. The credential of any other device ends. */
  async pair(device: Device, name: string, cameraId: string) {
    const path = `/v1/cameras/${cameraId}/enrollments`;
    const { pairingCode } = await this.service.api(withCode, "POST", path, this.site.token);
    return device.command(["pair", name], `${pairingCode}\n`);
  }

  /** A device with paired cameras. @returns the ids of the cameras by name */
  async pairedDevice(names: string[], maxMegabytes?: number) {
    this.line.become("whole");
    const device = await Device.make(this.line.url, names, maxMegabytes);
    const ids = new Map<string, string>();
    for (const name of names) {
      const cameras = `/v1/spatial/locations/${this.site.locationId}/cameras`;
      const { id } = await this.service.api(withId, "POST", cameras, this.site.token, { name });
      expect(await this.pair(device, name, id)).toMatchObject({ code: 0 });
      ids.set(name, id);
    }
    return { device, ids };
  }

  /** A device with one camera that has its configuration, and no network. It is not running. */
  async configuredDevice(name: string, maxMegabytes?: number) {
    const { device, ids } = await this.pairedDevice([name], maxMegabytes);
    device.start();
    await isConfigured(device);
    await device.kill();
    this.line.become("down");
    return { device, cameraId: ids.get(name) ?? "", folder: cameraFolder(device.stateFolder, name) };
  }

  async archive(cameraId: string, locationId = this.site.locationId) {
    const path = `/v1/cameras/${cameraId}/captures?limit=200&locationId=${locationId}`;
    return (await this.service.api(historySchema, "GET", path, this.site.token)).items;
  }
}

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Puts a complete image into the folder of a camera, by one rename. */
export function shoot(device: Device, camera: string, bytes: Uint8Array, takenAt: number): void {
  const name = `${takenAt}-${sha256(bytes).slice(0, 8)}`;
  const file = join(device.folder, `${camera}-${name}`);
  writeFileSync(file, bytes);
  utimesSync(file, takenAt / 1_000, takenAt / 1_000);
  renameSync(file, join(device.inbox(camera), `${name}.jpg`));
}

/** Waits until the gateway has the configuration of its camera. */
export const isConfigured = (device: Device) =>
  eventually(async () =>
    expect((await device.status())?.cameras[0]?.answeredSecondsAgo, device.said).toEqual(expect.any(Number)),
  );

/** Waits until the images of a camera have ended in these ways. */
export const ends = (device: Device, totals: Record<string, number>) =>
  eventually(async () => {
    expect((await device.status())?.cameras[0], device.said).toMatchObject({ queueCount: 0, totals });
  }, LONG_PATIENCE);

/** The names of the images that wait in a camera's folder. */
export const waiting = (device: Device, camera: string): string[] =>
  readdirSync(join(cameraFolder(device.stateFolder, camera), "frames")).filter((name) => intentOf(name) !== null);
