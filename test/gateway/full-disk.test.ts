import { readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { statusAtRest } from "../../gateway/src/commands/status";
import { askStatus } from "../../gateway/src/gateway";
import { drawn } from "../node/gateway/pictures";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { canHaveDisks } from "./support/device";
import { DeviceSite, sha256, shoot } from "./support/device-site";

const MINUTE = 60_000;
const IMAGES = 18;
/** Space for about half of the images. */
const DISK_KILOBYTES = 120;
/** Number of images that the upload slots hold while there is no network. They are not deleted. */
const MAX_HELD = 2;

let devices: DeviceSite;
beforeAll(async () => {
  devices = await DeviceSite.start();
});
afterAll(() => devices?.stop());

test.runIf(canHaveDisks)(
  "a file system without space loses no image unseen: each one arrives unchanged, or is thinned and reported",
  async () => {
    const { device, cameraId } = await devices.configuredDevice("silo");
    const began = Math.floor(Date.now() / 1_000) * 1_000 - 2 * IMAGES * MINUTE;
    const hashes = new Set<string>();
    for (let index = 0; index < IMAGES; index++) {
      const bytes = drawn(2_000 + index, 160, 120);
      hashes.add(sha256(bytes));
      shoot(device, "silo", bytes, began + index * MINUTE);
    }
    const state = device.startOnDisk(DISK_KILOBYTES);
    const camera = async () => (await askStatus(state))?.cameras[0] ?? expect.fail(device.said);
    await eventually(() => expect(readdirSync(device.inbox("silo")), device.said).toEqual([]), LONG_PATIENCE);
    const { queueCount, totals, conditions } = await camera();
    expect(totals.thinned).toBeGreaterThan(IMAGES / 6);
    expect(queueCount + (totals.thinned ?? 0)).toBe(IMAGES);
    expect(conditions).toHaveProperty("frames-thinned");

    // Another program takes the space that is left.
    const { bavail, bsize } = statfsSync(state);
    writeFileSync(join(state, "other"), Buffer.alloc(bavail * bsize, 1));
    devices.line.become("whole");
    const done = { queueCount: 0, totals: { ...totals, completed: queueCount } };
    await eventually(async () => expect(await camera(), device.said).toMatchObject(done), LONG_PATIENCE);
    rmSync(join(state, "other"));

    const items = await devices.archive(cameraId);
    expect(items).toHaveLength(queueCount);
    for (const { checksumSha256 } of items) expect(hashes).toContain(checksumSha256);
    const times = items.map(({ capturedAtUtc }) => Date.parse(capturedAtUtc)).sort((a, b) => a - b);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // The first and the last image are kept, and no gap is longer than twice the even distance of the images that may be deleted.
    expect(Math.abs((times.at(-1) ?? 0) - (times[0] ?? 0) - (IMAGES - 1) * MINUTE)).toBeLessThan(MINUTE / 2);
    expect(Math.max(...gaps), `${gaps}`).toBeLessThan((2 * (IMAGES - 1) * MINUTE) / (gaps.length - MAX_HELD) + MINUTE);
  },
);

test.runIf(canHaveDisks)(
  "a file system that becomes read-only does not end the gateway: it says so, and continues when it can write",
  async () => {
    const { device } = await devices.configuredDevice("tower");
    devices.line.become("whole");
    const state = device.startOnDisk(1_000);
    const camera = async () => (await askStatus(state))?.cameras[0] ?? expect.fail(device.said);
    await eventually(async () => expect((await camera()).answeredSecondsAgo).toEqual(expect.any(Number)));
    await device.remount("ro");
    writeFileSync(join(device.inbox("tower"), "1.jpg"), drawn(3_000, 160, 120));
    await eventually(async () => expect((await camera()).conditions).toHaveProperty("disk-read-only"), LONG_PATIENCE);
    expect(statusAtRest({ ...device.settings(), stateFolder: state })).toMatchObject({ isReadOnly: true });
    const findings = await device.inNamespace(["doctor", "--json"]);
    expect(findings).toMatchObject({ code: 1, output: expect.stringContaining("cannot be written") });
    expect(readdirSync(device.inbox("tower"))).toEqual(["1.jpg"]);
    await device.remount("rw");
    await eventually(async () => expect(await camera()).toMatchObject({ totals: { completed: 1 } }), LONG_PATIENCE);
    expect((await camera()).conditions).not.toHaveProperty("disk-read-only");
    expect(readdirSync(device.inbox("tower"))).toEqual([]);
  },
);
