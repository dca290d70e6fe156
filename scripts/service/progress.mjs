import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Ticks of CPU time in a second, the same on every Linux. */
const TICKS = 100;

/** Whether work goes on: it shows something new from time to time. */
export class Progress {
  #shown = "";
  #at;

  /**
   * @param {number} patienceMs time without anything new after which the work counts as stopped
   * @param {() => number} now milliseconds
   */
  constructor(patienceMs, now = Date.now) {
    this.patienceMs = patienceMs;
    this.now = now;
    this.#at = now();
  }

  /** Takes what the work shows at this time. */
  see(...shown) {
    const all = JSON.stringify(shown);
    if (all === this.#shown) return;
    this.#shown = all;
    this.#at = this.now();
  }

  get hasStopped() {
    return this.now() - this.#at > this.patienceMs;
  }
}

/** Numbers of a process, from Linux: its group, and ticks of CPU of itself and of its children that have ended. */
function processStat(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name of the program, which ends with the last ")", can have spaces. Then follow state, parent, group, …
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return { group: fields[2], own: fields[11] + fields[12], ofChildren: fields[13] + fields[14] };
}

/**
 * CPU seconds of the children of this process that have ended, with their own children. Processes that leave their group, as a
 * killed service does, are not counted.
 * @returns {number | null} null if this machine does not tell
 */
export const cpuSecondsOfChildren = () =>
  existsSync("/proc/self/stat") ? processStat("self").ofChildren / TICKS : null;

/** CPU seconds of the processes of a group, from Linux. */
function secondsOnLinux(group) {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      const stat = processStat(pid);
      if (stat.group === group) ticks += stat.own;
    } catch {
      // The process has ended.
    }
  return ticks / TICKS;
}

/** Seconds in a time of `ps`, such as `1-02:03:04` or `3:04.56`. */
function secondsOf(time) {
  const [clock = "", days = "0"] = time.split("-").reverse();
  return clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}

/**
 * CPU seconds that the processes of a group have used; null if this machine does not tell.
 * @param {number} group
 * @returns {Promise<number | null>}
 */
export async function cpuSecondsOf(group) {
  if (process.platform === "win32") return null;
  if (existsSync("/proc/self/stat")) return secondsOnLinux(group);
  return new Promise((done) =>
    execFile("ps", ["-A", "-o", "pgid=,time="], (error, stdout) => {
      if (error !== null) return done(null);
      const mine = stdout
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .filter(([pgid]) => Number(pgid) === group);
      done(mine.reduce((sum, [, time = "0"]) => sum + secondsOf(time), 0));
    }),
  );
}
