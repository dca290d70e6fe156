import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { buildGateway } from "../../gateway/build.mjs";
import { cameraFolder } from "../../gateway/src/camera/camera";
import { pair } from "../../gateway/src/commands/pair";
import { askStatus } from "../../gateway/src/gateway";
import { readSettings } from "../../gateway/src/settings";
import { intentOf } from "../../gateway/src/spool/intent";
import { Line } from "../../test/gateway/support/line";
import { CLOCK_PAGE, ffmpegCommand, StreamingCamera, screenshotCommand } from "../../test/gateway/support/sources";
import { drawn } from "../../test/node/gateway/pictures";
import { entitle, newSite, RunningService } from "../../test/system/support/running";
import { machine, table, writeSection } from "../support/results.ts";

/* `npm run bench:gateway`: the gateway with its unit's flags beside the real service, with real sources and a backlog. */

const MINUTES = Number(process.env.MINUTES ?? 6);
/** Images of three days at the default interval of ten minutes. */
const BACKLOG_OF_THREE_DAYS = 432;
/** More images than the budget lets through in this run. */
const BACKLOG = 20 * MINUTES;
const DAY_MS = 86_400_000;
const POLL_MS = 200;
const MAX_WAIT_MS = 300_000;

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const folder = mkdtempSync(join(tmpdir(), "gw-"));
const line = await Line.open(Math.random);
const service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true", PUBLIC_BASE_URL: line.url });
line.target = Number(new URL(service.url).port);
const [stream, video] = [await StreamingCamera.open("mjpeg"), await StreamingCamera.open("video")];
const children: ChildProcess[] = [];
/** Ends everything that runs, even after an error. */
async function end(code: number): Promise<never> {
  for (const child of children) child.kill("SIGKILL");
  for (const camera of [stream, video]) camera.close();
  line.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
process.once("uncaughtException", (thrown) => {
  console.error(thrown);
  void end(1);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end(1));
const site = await newSite(service);
await entitle(service, site);

const inbox = join(folder, "inbox");
mkdirSync(inbox);
const sources = {
  stream: { type: "snapshot", url: stream.url, timeoutSeconds: 60 },
  video: { type: "command", command: ffmpegCommand(video.url), timeoutSeconds: 60 },
  screen: { type: "command", command: await screenshotCommand(CLOCK_PAGE), timeoutSeconds: 120 },
  backlog: { type: "folder", path: inbox, settleSeconds: 0.2 },
};
const config = join(folder, "gateway.json");
const given = {
  service: line.url,
  stateFolder: join(folder, "state"),
  spool: { maxMegabytes: 1_000, minFreeMegabytes: 0 },
  cameras: Object.entries(sources).map(([name, source]) => ({ name, source })),
};
writeFileSync(config, JSON.stringify(given), { mode: 0o600 });
const settings = readSettings(config);
const ids = new Map<string, string>();
for (const { name } of settings.cameras) {
  const made = z.looseObject({ id: z.string() });
  const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
  const { id } = await service.api(made, "POST", cameras, site.token, { name, captureIntervalMinutes: 1 });
  const code = z.looseObject({ pairingCode: z.string() });
  const { pairingCode } = await service.api(code, "POST", `/v1/cameras/${id}/enrollments`, site.token);
  await pair(settings, name, async () => pairingCode, new AbortController().signal);
  ids.set(name, id);
}
for (let index = 0; index < BACKLOG; index++) {
  const at = (Date.now() - 3 * DAY_MS + (index * 3 * DAY_MS) / BACKLOG) / 1_000;
  const file = join(folder, "next.jpg");
  writeFileSync(file, drawn(index, 960, 540));
  utimesSync(file, at, at);
  renameSync(file, join(inbox, `${index}.jpg`));
}

const program = await buildGateway(join(folder, "gateway.mjs"));
const unit = readFileSync("gateway/camera-gateway.service", "utf8");
const flags = /^ExecStart=\S+ (.*) \S+ run$/m.exec(unit)?.[1]?.split(" ") ?? [];
const environment =
  /^Environment=(.*)$/m
    .exec(unit)?.[1]
    ?.split(" ")
    .map((each) => each.split("=")) ?? [];
line.connections = 0;
const gateway = spawn(process.execPath, [...flags, program, "run", "--config", config], {
  env: { ...process.env, ...Object.fromEntries(environment) },
  stdio: ["ignore", "ignore", "inherit"],
});
children.push(gateway);
const peak = () =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) / 1_024;
const written = () => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${gateway.pid}/io`, "utf8"))?.[1]);

/** SHA-256 and size of each image by its id, as the gateway stored it before the first call. */
const stored = new Map<string, { checksum: string; size: number }>();
function look(): void {
  for (const { name } of settings.cameras) {
    const frames = join(cameraFolder(settings.stateFolder, name), "frames");
    for (const file of existsSync(frames) ? readdirSync(frames) : []) {
      const intent = intentOf(file);
      if (intent !== null) stored.set(intent.captureId, { checksum: intent.checksumSha256, size: intent.sizeBytes });
    }
  }
}
const isSent = (camera: { name: string; queueCount: number }) => camera.name === "backlog" || camera.queueCount === 0;
const beganAt = performance.now();
let status = await askStatus(settings.stateFolder);
for (;;) {
  await wait(POLL_MS);
  look();
  const ms = performance.now() - beganAt;
  if (ms < MINUTES * 60_000) continue;
  status = await askStatus(settings.stateFolder);
  if (status?.cameras.every(isSent) || ms > MINUTES * 60_000 + MAX_WAIT_MS) break;
}
const minutes = (performance.now() - beganAt) / 60_000;
const [resident, bytes, requests] = [peak(), written(), line.connections];
gateway.kill("SIGKILL");

const page = z.looseObject({ items: z.array(z.looseObject({ id: z.string(), checksumSha256: z.string() })) });
const rows: string[][] = [];
let [completed, drained] = [0, 0];
for (const { name, queueCount, totals } of status?.cameras ?? []) {
  const path = `/v1/cameras/${ids.get(name)}/captures?locationId=${site.locationId}&limit=200`;
  const { items } = await service.api(page, "GET", path, site.token);
  let identical = 0;
  for (const { id, checksumSha256 } of items) {
    const headers = { authorization: `Bearer ${site.token}` };
    const response = await fetch(`${service.url}/v1/camera-captures/${id}/download`, { headers });
    const hash = sha256(new Uint8Array(await response.arrayBuffer()));
    if (hash === checksumSha256 && hash === stored.get(id)?.checksum) identical++;
  }
  const ended = ["completed", "rejected", "refused", "dropped", "thinned", "damaged"].map((end) => totals[end] ?? 0);
  const captured = ended.reduce((sum, count) => sum + count, queueCount);
  rows.push([name, ...[captured, ...ended, queueCount, items.length, identical].map(String)]);
  completed += totals.completed ?? 0;
  if (name === "backlog") drained = (totals.completed ?? 0) / minutes;
}
const size = [...stored.values()].reduce((sum, each) => sum + each.size, 0);
const figures = [
  ["peak of the resident memory", `${resident.toFixed(0)} MB`],
  ["requests per completed image, with heartbeats and transfers", (requests / completed).toFixed(1)],
  ["bytes written to disk and network per byte of stored images", (bytes / size).toFixed(2)],
  ["backlog of one camera", `${drained.toFixed(1)} images a minute`],
  [
    `three days at an interval of ten minutes (${BACKLOG_OF_THREE_DAYS} images)`,
    `${(BACKLOG_OF_THREE_DAYS / drained).toFixed(0)} minutes`,
  ],
];
const head = [
  "camera",
  "captured",
  "completed",
  "rejected",
  "refused",
  "dropped",
  "thinned",
  "damaged",
  "waiting",
  "in the archive",
  "byte-identical",
];
const section = `${machine()}, load average ${loadavg()[0]?.toFixed(1)} at the end. One gateway with the flags of its unit beside the service, ${minutes.toFixed(1)}
minutes: an MJPEG stream of ffmpeg (\`stream\`), an ffmpeg command that reads a video stream (\`video\`) and screenshots of headless Chromium (\`screen\`), one image a
minute each, and a folder with a backlog of three days (\`backlog\`).

${table(head, rows)}

${table(["what", "measured"], figures)}`;
console.log(section);
writeSection("Gateway with real sources", section);
await end(0);
