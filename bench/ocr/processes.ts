import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Clock ticks per second in /proc: 100 on every Linux that Node supports. */
const TICKS = 100;

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

const statOf = (pid: number): string[] =>
  read(pid, "stat")
    .replace(/^.*\) /s, "")
    .split(" ");

const all = (): number[] => readdirSync("/proc").map(Number).filter(Number.isInteger);

/** The processes whose command line contains `text`, and all their descendants. */
function tree(text: string): number[] {
  const parents = new Map(all().map((pid) => [pid, Number(statOf(pid)[1])]));
  const within = new Set([...parents.keys()].filter((pid) => read(pid, "cmdline").includes(text)));
  for (let grew = true; grew; ) {
    grew = false;
    for (const [pid, parent] of parents)
      if (within.has(parent) && !within.has(pid)) {
        within.add(pid);
        grew = true;
      }
  }
  return [...within];
}

/** CPU seconds of those processes and of their ended children. */
export const cpuSecondsOf = (text: string): number =>
  tree(text).reduce((sum, pid) => {
    const fields = statOf(pid);
    return sum + [11, 12, 13, 14].reduce((ticks, at) => ticks + Number(fields[at] ?? 0), 0) / TICKS;
  }, 0);

const field = (pid: number, name: string): number =>
  (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(read(pid, "status"))?.[1] ?? 0) * 1024) / 1e6;

/** The runtime of a service that was started by this process: the workerd with the most memory below it. */
export function runtimeBelow(): number {
  const parents = new Map(all().map((pid) => [pid, Number(statOf(pid)[1])]));
  const isOurs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === process.pid) return true;
    return false;
  };
  const runtimes = all().filter((pid) => read(pid, "cmdline").includes("workerd") && isOurs(pid));
  return runtimes.sort((a, b) => field(b, "VmRSS") - field(a, "VmRSS"))[0] ?? 0;
}

/** Runs `work` and returns the peak of a process's memory above its state before, MB. */
export async function peakAbove<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; peakMb: number }> {
  const before = field(pid, "VmRSS");
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const result = await work();
  return { result, peakMb: field(pid, "VmHWM") - before };
}
