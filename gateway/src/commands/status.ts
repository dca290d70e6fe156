import { existsSync, statfsSync } from "node:fs";
import { cameraFolder } from "../camera/camera";
import { Papers } from "../camera/identity";
import { askStatus } from "../gateway";
import type { Settings } from "../settings";
import { Spool } from "../spool/spool";

const MEGABYTE = 1024 * 1024;

/** The status from the files, for when no gateway runs. */
function statusAtRest({ stateFolder, cameras }: Settings) {
  const { bavail, bsize } = existsSync(stateFolder) ? statfsSync(stateFolder) : { bavail: 0, bsize: 0 };
  return {
    pid: null,
    freeMegabytes: Math.round((bavail * bsize) / MEGABYTE),
    cameras: cameras.map(({ name }) => {
      const folder = cameraFolder(stateFolder, name);
      if (!existsSync(folder)) return { name, paired: false, queueCount: 0, queueBytes: 0, totals: {}, conditions: {} };
      const spool = new Spool(folder);
      return {
        name,
        paired: new Papers(folder).identity() !== null,
        queueCount: spool.count,
        queueBytes: spool.bytes,
        oldestAtUtc: spool.oldest === undefined ? null : new Date(spool.oldest.at).toISOString(),
        keptApart: spool.apart,
        totals: { ...spool.totals },
        conditions: {},
      };
    }),
  };
}

/** Prints the status of the gateway and its cameras. */
export async function status(settings: Settings, isForPrograms: boolean, print: (line: string) => void): Promise<void> {
  const found = (await askStatus(settings.stateFolder)) ?? statusAtRest(settings);
  if (isForPrograms) return print(JSON.stringify(found, null, 2));
  print(found.pid === null ? "The gateway is not running." : `The gateway runs as process ${found.pid}.`);
  print(`${found.freeMegabytes} MB are free.`);
  for (const camera of found.cameras) {
    const megabytes = (camera.queueBytes / MEGABYTE).toFixed(1);
    print(`\n${camera.name}: ${camera.paired ? "paired" : "not paired"}`);
    print(`  waiting: ${camera.queueCount} images, ${megabytes} MB`);
    const ends = Object.entries(camera.totals).map(([end, count]) => `${count} ${end}`);
    if (ends.length > 0) print(`  ended: ${ends.join(", ")}`);
    for (const [condition, detail] of Object.entries(camera.conditions)) print(`  ! ${condition}: ${detail}`);
  }
}
