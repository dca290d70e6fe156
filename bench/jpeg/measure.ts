import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { CANDIDATES } from "./candidates";

/*
 * One candidate on one file, in a process of its own: `measure.ts <candidate> <file> <small file>`. Prints the
 * least CPU time of five runs, milliseconds, and the most memory that a first one took beside the file, megabytes.
 */
const [name = "", file = "", small = ""] = process.argv.slice(2);
const load = CANDIDATES[name];
if (load === undefined) throw new Error(`no candidate ${name}`);
const candidate = await load();

/** Most memory the process has held since `forgetPeak`, bytes; since its begin where there is no /proc. */
function peakRss(): number {
  if (!existsSync("/proc/self/status")) return process.resourceUsage().maxRSS * 1024;
  return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}
function forgetPeak(): void {
  if (existsSync("/proc/self/clear_refs")) writeFileSync("/proc/self/clear_refs", "5");
}

// The small file has the code loaded, so that what is measured is its work (and its compiling).
candidate(new Uint8Array(readFileSync(small)));
const bytes = new Uint8Array(readFileSync(file));
globalThis.gc?.();
forgetPeak();
const before = process.memoryUsage.rss();
candidate(bytes);
const peakMb = Math.max(0, peakRss() - before) / 1e6;
let cpuMs = Number.POSITIVE_INFINITY;
for (let run = 0; run < 5; run++) {
  const start = process.cpuUsage();
  candidate(bytes);
  const { user, system } = process.cpuUsage(start);
  cpuMs = Math.min(cpuMs, (user + system) / 1000);
}
process.stdout.write(JSON.stringify({ cpuMs, peakMb }));
