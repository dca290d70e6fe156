import { existsSync, statfsSync } from "node:fs";
import { type CameraStatus, cameraFolder } from "../camera/camera";
import { Papers } from "../camera/identity";
import { canWrite } from "../files";
import { askStatus } from "../gateway";
import type { Settings } from "../settings";
import { Spool } from "../spool/spool";
import { describeStatus, type ShownStatus } from "./describe";

const MEGABYTE = 1024 * 1024;

const NOTHING: Omit<CameraStatus, "name"> = {
  paired: false,
  queueCount: 0,
  queueBytes: 0,
  oldestAtUtc: null,
  lastCaptureAtUtc: null,
  answeredSecondsAgo: null,
  notDue: null,
  keptApart: 0,
  unusable: 0,
  skipped: 0,
  totals: {},
  conditions: {},
};

/** The status from the files, for when no gateway runs. */
export function statusAtRest({ stateFolder, cameras }: Settings): ShownStatus {
  const { bavail, bsize } = existsSync(stateFolder) ? statfsSync(stateFolder) : { bavail: 0, bsize: 0 };
  return {
    pid: null,
    residentMegabytes: null,
    runningSeconds: null,
    freeMegabytes: Math.round((bavail * bsize) / MEGABYTE),
    isReadOnly: existsSync(stateFolder) && !canWrite(stateFolder),
    cameras: cameras.map(({ name }) => {
      const folder = cameraFolder(stateFolder, name);
      if (!existsSync(folder)) return { ...NOTHING, name };
      const spool = new Spool(folder);
      const utc = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
      return {
        ...NOTHING,
        name,
        paired: new Papers(folder).identity() !== null,
        queueCount: spool.count,
        queueBytes: spool.bytes,
        oldestAtUtc: utc(spool.oldest?.at),
        lastCaptureAtUtc: utc(spool.newest?.at),
        keptApart: spool.apart,
        totals: { ...spool.totals },
      };
    }),
  };
}

/** Prints the status of the gateway and its cameras. @throws Refusal when the gateway runs and does not answer. */
export async function status(settings: Settings, isForPrograms: boolean, print: (line: string) => void): Promise<void> {
  const found = (await askStatus(settings.stateFolder)) ?? statusAtRest(settings);
  if (isForPrograms) return print(JSON.stringify(found, null, 2));
  for (const line of describeStatus(found, Date.now())) print(line);
}
