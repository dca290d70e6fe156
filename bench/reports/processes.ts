import { readdirSync, readFileSync } from "node:fs";

/** Pause between two readings of the memory, milliseconds. */
const EVERY = 50;

export interface Memory {
  /** Memory that only these processes have. */
  privateMb: number;
  /** The same, and their share of what they have together with others (proc(5), `Pss`). */
  shareMb: number;
}

/** A process with all its children. */
function family(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const parent = Number(
        readFileSync(`/proc/${entry}/stat`, "latin1")
          .replace(/^.*\) /s, "")
          .split(" ")[1],
      );
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // It has ended meanwhile.
    }
  }
  const all = [root];
  for (const pid of all) all.push(...(children.get(pid) ?? []));
  return all;
}

/** The memory of browsers with all their processes, now. Linux only. */
function memoryOf(roots: readonly number[]): Memory {
  const sum = { privateMb: 0, shareMb: 0 };
  for (const pid of roots.flatMap(family)) {
    let rollup: string;
    try {
      rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
    } catch {
      continue;
    }
    const of = (field: string) =>
      (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1] ?? 0) * 1024) / 1e6;
    sum.privateMb += of("Private_Clean") + of("Private_Dirty");
    sum.shareMb += of("Pss");
  }
  return sum;
}

/** Runs `work`. Returns its result, and the most memory that the browsers had meanwhile. */
export async function peakOf<T>(
  roots: () => readonly number[],
  work: () => Promise<T>,
): Promise<{ result: T; peak: Memory }> {
  const peak: Memory = { privateMb: 0, shareMb: 0 };
  const read = () => {
    const now = memoryOf(roots());
    peak.privateMb = Math.max(peak.privateMb, now.privateMb);
    peak.shareMb = Math.max(peak.shareMb, now.shareMb);
  };
  const watch = setInterval(read, EVERY);
  const result = await work().finally(() => clearInterval(watch));
  read();
  return { result, peak };
}
