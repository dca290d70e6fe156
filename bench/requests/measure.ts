import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Clock ticks per second in /proc: 100 on every Linux that Node supports. */
const TICKS = 100;
/** Requests for one reading of the clock, because a tick is too long for one request. */
const REQUESTS_PER_READING = 20;

interface Status {
  pid: number;
  parent: number;
  name: string;
}

function processes(): Status[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${entry}/stat`, "latin1")) ?? [];
      return [{ pid: Number(entry), parent: Number(rest.split(" ")[1]), name }];
    } catch {
      return [];
    }
  });
}

/** The workerd processes of this process, with wrangler's proxy. */
export function runtimes(): number[] {
  const all = processes();
  const isOurs = (pid: number): boolean =>
    pid === process.pid || all.some((each) => each.pid === pid && each.parent > 1 && isOurs(each.parent));
  return all.filter(({ name, pid }) => name === "workerd" && isOurs(pid)).map(({ pid }) => pid);
}

const cpuMs = (pids: readonly number[]): number =>
  pids
    .map((pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
        .replace(/^.*\) /s, "")
        .split(" ");
      return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1_000;
    })
    .reduce((a, b) => a + b, 0);

const memoryMb = (pids: readonly number[], field: "VmRSS" | "VmHWM"): number =>
  pids
    .map((pid) => new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1])
    .reduce((sum, kib) => sum + (Number(kib) * 1024) / 1e6, 0);

/** The current memory of the runtime, MB. Resets its peak (proc(5), /proc/pid/clear_refs). */
export function restingMemory(): number {
  const pids = runtimes();
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, "5");
  return memoryMb(pids, "VmRSS");
}

/** The peak memory since `restingMemory`, MB. */
export const peakMemory = (): number => memoryMb(runtimes(), "VmHWM");

export interface Cost {
  /** Median CPU time of all runtime processes for each request, milliseconds. */
  cpuMs: number;
  /** Median time to the last byte, milliseconds. */
  wallMs: number;
  /** Peak resident memory of the runtime during the requests, MB. */
  peakMb: number;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Sends `requests` requests one after another, after a fifth as many for warming up. */
export async function measure(send: () => Promise<unknown>, requests: number): Promise<Cost> {
  for (let i = 0; i < requests / 5; i++) await send();
  const pids = runtimes();
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const [cpu, wall]: [number[], number[]] = [[], []];
  const span = Math.min(REQUESTS_PER_READING, requests);
  for (let sent = 0; sent < requests; sent += span) {
    const before = cpuMs(pids);
    for (let i = 0; i < span; i++) {
      const started = performance.now();
      await send();
      wall.push(performance.now() - started);
    }
    cpu.push((cpuMs(pids) - before) / span);
  }
  return { cpuMs: median(cpu), wallMs: median(wall), peakMb: memoryMb(pids, "VmHWM") };
}
