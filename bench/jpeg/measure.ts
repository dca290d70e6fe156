import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { CANDIDATES } from "./candidates";

/*
 * Measures one candidate on one file in a separate process: `measure.ts <candidate> <file> <small file>`. Prints the
 * smallest CPU time of five runs, milliseconds, and the peak memory of the first run beside the file, megabytes.
 */
const [name = "", file = "", small = ""] = process.argv.slice(2);
const load = CANDIDATES[name];
if (load === undefined) throw new Error(`no candidate ${name}`);
const candidate = await load();

/** Peak memory of the process since `forgetPeak`, bytes; since its start on a machine without /proc. */
function peakRss(): number {
  if (!existsSync("/proc/self/status")) return process.resourceUsage().maxRSS * 1024;
  return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}
function forgetPeak(): void {
  if (existsSync("/proc/self/clear_refs")) writeFileSync("/proc/self/clear_refs", "5");
}

// The small file loads the code, so the measurement has only the work and the compilation.
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
