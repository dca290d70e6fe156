import { createHash } from "node:crypto";
import { readdirSync, renameSync, rmSync, statfsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { askStatus } from "../../gateway/src/gateway";
import { drawn } from "../node/gateway/pictures";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { entitle, newSite, RunningService, type Site } from "../system/support/running";
import { canHaveDisks, Device } from "./support/device";
import { Line } from "./support/line";

const MINUTE = 60_000;
const IMAGES = 12;
/** Space for about half of the images. */
const DISK_KILOBYTES = 80;

let service: RunningService;
let site: Site;
let line: Line;
beforeAll(async () => {
  line = await Line.open(Math.random);
  service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true", PUBLIC_BASE_URL: line.url });
  line.target = Number(new URL(service.url).port);
  site = await newSite(service);
  await entitle(service, site);
});
afterAll(async () => {
  line?.close();
  await service?.stop();
});

test.runIf(canHaveDisks)(
  "a file system without space loses no image unseen: each one arrives unchanged, or is thinned and reported",
  async () => {
    const device = await Device.make(line.url, ["silo"]);
    const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
    const named = z.looseObject({ id: z.string() });
    const { id } = await service.api(named, "POST", cameras, site.token, { name: "Silo" });
    const code = z.looseObject({ pairingCode: z.string() });
    const { pairingCode } = await service.api(code, "POST", `/v1/cameras/${id}/enrollments`, site.token);
    expect(await device.command(["pair", "silo"], `${pairingCode}\n`)).toMatchObject({ code: 0 });
    device.start();
    await eventually(async () =>
      expect((await device.status())?.cameras[0]?.answeredSecondsAgo, device.said).toEqual(expect.any(Number)),
    );
    await device.kill();

    line.become("down");
    const began = Math.floor(Date.now() / 1_000) * 1_000 - 2 * IMAGES * MINUTE;
    const hashes = new Set<string>();
    for (let index = 0; index < IMAGES; index++) {
      const bytes = drawn(2_000 + index, 160, 120);
      hashes.add(createHash("sha256").update(bytes).digest("hex"));
      const [file, at] = [join(device.folder, "next.jpg"), (began + index * MINUTE) / 1_000];
      writeFileSync(file, bytes);
      utimesSync(file, at, at);
      renameSync(file, join(device.inbox("silo"), `${index}.jpg`));
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
    line.become("whole");
    const done = { queueCount: 0, totals: { ...totals, completed: queueCount } };
    await eventually(async () => expect(await camera(), device.said).toMatchObject(done), LONG_PATIENCE);
    rmSync(join(state, "other"));

    const captures = z.looseObject({
      items: z.array(z.looseObject({ capturedAtUtc: z.string(), checksumSha256: z.string() })),
    });
    const path = `/v1/cameras/${id}/captures?limit=200&locationId=${site.locationId}`;
    const { items } = await service.api(captures, "GET", path, site.token);
    expect(items).toHaveLength(queueCount);
    for (const { checksumSha256 } of items) expect(hashes).toContain(checksumSha256);
    const times = items.map(({ capturedAtUtc }) => Date.parse(capturedAtUtc)).sort((a, b) => a - b);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // The first and the last image are kept, and no gap is longer than twice the even distance.
    expect(Math.abs((times.at(-1) ?? 0) - (times[0] ?? 0) - (IMAGES - 1) * MINUTE)).toBeLessThan(MINUTE / 2);
    expect(Math.max(...gaps)).toBeLessThan((2 * (IMAGES - 1) * MINUTE) / gaps.length + MINUTE);
  },
);
