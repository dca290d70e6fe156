import { readdirSync, readFileSync } from "node:fs";
import jpeg from "jpeg-js";
import { startVitest } from "vitest/node";
import { machine, table, writeSection } from "../support/results.ts";
import { backlogFrame, FRAME_HEIGHT, FRAME_WIDTH } from "./frames.ts";

/** Clock ticks per second in /proc: 100 on every Linux that Node supports. */
const TICKS = 100;
const DECODED = 20;
const SAMPLE_MS = 250;
const which = ["simulator", "reference"].find((name) => name === process.argv[2]) ?? "drain";
process.env.BENCH_CAMERAS = which;

interface Process {
  pid: string;
  name: string;
  parent: string;
  cpu: number;
}

/** All running processes with their CPU seconds. */
function processes(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const [, name = ""] = /\((.*)\)/.exec(stat) ?? [];
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid, name, parent: fields[1] ?? "", cpu: (Number(fields[11]) + Number(fields[12])) / TICKS }];
      } catch {
        // The process has ended meanwhile.
        return [];
      }
    });
}

/** The CPU seconds of the runtimes below this process, by process id. They end with the tests. */
const runtimes = new Map<string, { cpu: number; peakMb: number }>();

function sampleRuntimes(): void {
  const all = new Map(processes().map((found) => [found.pid, found]));
  const isBelow = ({ parent }: Process): boolean => {
    if (parent === String(process.pid)) return true;
    const above = all.get(parent);
    return above !== undefined && isBelow(above);
  };
  for (const found of all.values()) {
    if (found.name !== "workerd" || !isBelow(found)) continue;
    try {
      // A process that has just ended has no memory.
      const [, peak = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${found.pid}/status`, "utf8")) ?? [];
      const peakMb = Math.max(Number(peak) / 1_000, runtimes.get(found.pid)?.peakMb ?? 0);
      runtimes.set(found.pid, { cpu: found.cpu, peakMb });
    } catch {
      // The process has ended meanwhile.
    }
  }
}

/**
 * CPU time to decode the same frames with jpeg-js, the usual way to check whether a file is complete; ms for each
 * frame.
 */
function decodeWithJpegJs(): number {
  const frames = Array.from({ length: DECODED }, (_, n) => backlogFrame(n));
  const began = process.cpuUsage();
  for (const frame of frames) jpeg.decode(frame, { useTArray: true });
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000 / DECODED;
}

const sampling = setInterval(sampleRuntimes, SAMPLE_MS);
const vitest = await startVitest("test", [], { config: "bench/cameras/vitest.config.mts", watch: false });
clearInterval(sampling);
const cost = {
  cpu: [...runtimes.values()].reduce((sum, { cpu }) => sum + cpu, 0),
  peakMb: Math.max(0, ...[...runtimes.values()].map(({ peakMb }) => peakMb)),
};
const [found] = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const counted = found?.meta().counted;
const isGood = found?.result().state === "passed" && counted !== undefined;
const n = (name: string, digits = 0): string =>
  (counted?.[name] ?? Number.NaN).toLocaleString("en-US", { maximumFractionDigits: digits });

if (isGood && which === "simulator")
  writeSection(
    "Devices with faults",
    `${machine()}. \`npm run bench:cameras -- simulator\`: devices, each with a plan of lost requests and answers, doubled calls,
restarts, damaged bytes and sleep, on servers that restart, lose their queue and have their workers die, with clocks that jump
over the life of addresses and operations. At the end, the run checks every frame: published once with identical bytes, or
rejected with the right cause, or still held by its device. None was otherwise.

${table(
  ["devices", "frames", "requests", "published", "rejected", "held", "lost or doubled", "time"],
  [
    [
      n("devices"),
      n("frames"),
      n("requests"),
      n("completed"),
      n("rejected"),
      n("held"),
      "0",
      `${((found.diagnostic()?.duration ?? 0) / 1_000).toFixed(0)} s`,
    ],
  ],
)}`,
  );
if (isGood && which === "reference")
  writeSection(
    "Camera archives against a plain reading",
    `${machine()}. \`npm run bench:cameras -- reference\`: random archives with bursts, changes of interval, years of silence, frames of the
same moment, deleted and expired ones. Timelines, each archive's on up to six clocks, and answers of seek, history, previews, film and
day strip, compared with a search through all frames, in workerd over D1. No answer differed.

${table(
  ["archives", "timelines", "gaps in them", "other answers", "differences", "time"],
  [
    [
      n("archives"),
      n("timelines"),
      n("gaps"),
      n("answers"),
      "0",
      `${((found.diagnostic()?.duration ?? 0) / 1_000).toFixed(0)} s`,
    ],
  ],
)}`,
  );
if (isGood && which === "drain") {
  const { frames = 1, wallMs = 1 } = counted;
  writeSection(
    "Camera backlogs",
    `${machine()}. Every camera sends a day's backlog of ${FRAME_WIDTH} × ${FRAME_HEIGHT} frames (${(backlogFrame(0).length / 1_000).toFixed(0)} kB) as fast as
it is let, through the whole Worker with D1 and R2 in one workerd process; the clock of limits runs ahead of the machine's. CPU and
memory are measured in that process: requests, storage and the devices' own part included. No frame was lost, doubled or wrongly refused.

${table(
  ["what", "figure"],
  [
    ["cameras, frames", `${n("cameras")}, ${n("frames")}`],
    ["minutes on the cameras' clocks; 18 is what 4 a minute allow", n("minutes", 1)],
    ["refused until the minute ended", n("refused")],
    ["requests; most of one camera in any minute (30 are allowed)", `${n("requests")}; ${n("busiest")}`],
    [
      "frames per minute that this machine accepts",
      ((60_000 * frames) / wallMs).toLocaleString("en-US", { maximumFractionDigits: 0 }),
    ],
    [
      "CPU for each frame, from its reservation to its receipt, with thumbnail and preview",
      `${((1_000 * cost.cpu) / frames).toFixed(0)} ms`,
    ],
    ["CPU of jpeg-js to only decode such a frame once", `${decodeWithJpegJs().toFixed(0)} ms`],
    ["peak memory of the process", `${cost.peakMb.toFixed(0)} MB`],
  ],
)}`,
  );
}
await vitest.close();
process.exit(isGood ? 0 : 1);
