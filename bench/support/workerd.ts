import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

/** The cost of one run for the whole workerd process. */
export interface Cost {
  /** Peak resident memory above the memory before the run, MB (10⁶ bytes). */
  peakMb: number;
  /** CPU time of all threads, seconds. */
  cpuSeconds: number;
}

/** Clock ticks per second in /proc: 100 on every Linux that Node supports. */
const TICKS = 100;

/** The program of the runtime. The script that starts it is not measured. */
const PROGRAM = `node_modules/@cloudflare/workerd-linux-${process.arch === "arm64" ? "arm64" : "64"}/bin/workerd`;

/** The configuration of a single Worker in a workerd process, which can fetch only from loopback addresses. */
const CONFIG = (port: number, v8Flags: readonly string[]) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ${JSON.stringify(v8Flags)},
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-10-20")),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;

/** Bundles the entry of a Worker like a deployment. */
async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "esnext",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    minify: true,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

/** A Worker in a separate workerd process, measured with /proc. Linux only. */
export class MeasuredWorker {
  private readonly process: ChildProcess;
  private readonly folder: string;
  private readonly address: string;

  private constructor(process: ChildProcess, folder: string, address: string) {
    [this.process, this.folder, this.address] = [process, folder, address];
  }

  /** Bundles `entry` and starts it on a loopback port. Returns when the Worker is loaded. */
  static async start(entry: string, port: number, v8Flags: readonly string[] = []): Promise<MeasuredWorker> {
    const folder = mkdtempSync(join(tmpdir(), "bench-"));
    writeFileSync(join(folder, "worker.js"), await bundle(entry));
    writeFileSync(join(folder, "config.capnp"), CONFIG(port, v8Flags));
    const child = spawn(PROGRAM, ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    });
    const control = child.stdio[3];
    if (control === undefined || control === null) throw new Error("workerd has no control pipe");
    await Promise.race([
      once(control, "data"),
      once(child, "exit").then(() => Promise.reject(new Error("workerd ended"))),
    ]);
    const worker = new MeasuredWorker(child, folder, `http://127.0.0.1:${port}`);
    await worker.call("/");
    return worker;
  }

  get url(): string {
    return this.address;
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  async call(path: string): Promise<string> {
    const response = await fetch(this.address + path);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
    return text;
  }

  /** Runs `work` and returns its cost above the current state of the process. */
  async measure<T>(
    work: (call: (path: string) => Promise<string>) => Promise<T>,
  ): Promise<{ result: T; cost: Cost; heldMb: number }> {
    const [idle, cpu] = [memory(this.pid, "VmRSS"), cpuSeconds(this.pid)];
    // Resets the peak (proc(5), /proc/pid/clear_refs).
    writeFileSync(`/proc/${this.pid}/clear_refs`, "5");
    const result = await work((path) => this.call(path));
    const cost = { peakMb: memory(this.pid, "VmHWM") - idle, cpuSeconds: cpuSeconds(this.pid) - cpu };
    return { result, cost, heldMb: memory(this.pid, "VmRSS") - idle };
  }

  async stop(): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.kill();
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}

/** A field of /proc/pid/status, MB. */
function memory(pid: number, field: "VmRSS" | "VmHWM"): number {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return (Number(kib) * 1024) / 1e6;
}

/** User and system time of a process, seconds. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
