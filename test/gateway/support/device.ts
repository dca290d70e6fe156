import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { buildGateway } from "../../../gateway/build.mjs";
import { askStatus, type GatewayStatus } from "../../../gateway/src/gateway";
import { readSettings, type Settings } from "../../../gateway/src/settings";

/** Whether this machine lets a test mount file systems. */
export const canHaveDisks = process.getuid?.() === 0 && spawnSync("unshare", ["--mount", "true"]).status === 0;

/** Gives a process its input, and waits for its end. @returns its exit code and its output */
async function outcomeOf(child: ChildProcess, input = ""): Promise<{ code: number; output: string }> {
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (part: Buffer) => {
      output += part.toString();
    });
  child.stdin?.end(input);
  const [code] = await once(child, "close");
  return { code, output };
}

/**
 * A device with the built gateway. The program runs as a separate process, and can be killed at any moment. The device
 * is removed when the test that made it ends.
 */
export class Device {
  readonly folder = mkdtempSync(join(tmpdir(), "gw-"));
  readonly stateFolder = join(this.folder, "state");
  readonly #config = join(this.folder, "gateway.json");
  readonly #program = join(this.folder, "gateway.mjs");
  #running: ChildProcess | null = null;
  readonly #processes = new Set<ChildProcess>();
  /** The last lines that its commands printed. */
  said = "";

  private constructor(readonly cameras: readonly string[]) {}

  static async make(service: string, cameras: readonly string[], maxMegabytes = 1_000): Promise<Device> {
    const device = new Device(cameras);
    onTestFinished(() => device.#remove());
    await buildGateway(device.#program);
    for (const name of cameras) mkdirSync(device.inbox(name));
    const settings = {
      service,
      stateFolder: device.stateFolder,
      spool: { maxMegabytes, minFreeMegabytes: 0 },
      cameras: cameras.map((name) => ({
        name,
        source: { type: "folder", path: device.inbox(name), settleSeconds: 0.2 },
      })),
    };
    writeFileSync(device.#config, JSON.stringify(settings), { mode: 0o600 });
    return device;
  }

  /** The folder that a camera puts its images into. */
  inbox(camera: string): string {
    return join(this.folder, camera);
  }

  #spawn(args: string[], flags: string[] = [], environment: Record<string, string> = {}): ChildProcess {
    return this.#watch([process.execPath, ...flags, this.#program, ...args, "--config", this.#config], environment);
  }

  #watch([program = "", ...args]: string[], environment: Record<string, string> = {}): ChildProcess {
    const child = spawn(program, args, { stdio: "pipe", env: { ...process.env, ...environment } });
    this.#processes.add(child);
    child.once("close", () => this.#processes.delete(child));
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (part: Buffer) => {
        this.said = (this.said + part.toString()).slice(-4_000);
      });
    return child;
  }

  /** Runs a command to its end. @returns its exit code and its output */
  command(args: string[], input = ""): Promise<{ code: number; output: string }> {
    return outcomeOf(this.#spawn(args), input);
  }

  start(): void {
    this.#running = this.#spawn(["run"]);
  }

  /** Starts with the flags and the environment of the systemd unit. @returns the id of the process */
  startAsUnit(): number | undefined {
    const unit = readFileSync("gateway/camera-gateway.service", "utf8");
    const flags = /^ExecStart=\S+ (.*) \S+ run$/m.exec(unit)?.[1]?.split(" ") ?? [];
    const set = /^Environment=(.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
    this.#running = this.#spawn(["run"], flags, Object.fromEntries(set.map((each) => each.split("="))));
    return this.#running.pid;
  }

  /**
   * Starts with its state on a file system of this size, in memory. Needs `canHaveDisks`. The file system is lost when the
   * gateway ends. @returns the folder of the state, as this process sees it
   */
  startOnDisk(kilobytes: number): string {
    const script = `cp -a "$0" "$0.copy"; mount -t tmpfs -o size=$1k,mode=700 tmpfs "$0"; cp -a "$0.copy/." "$0"; shift; exec "$@"`;
    const command = [process.execPath, this.#program, "run", "--config", this.#config];
    const disk = ["unshare", "--mount", "sh", "-ec", script, this.stateFolder, String(kilobytes)];
    this.#running = this.#watch([...disk, ...command]);
    return `/proc/${this.#running.pid}/root${this.stateFolder}`;
  }

  /** Runs a command in the name space of mounts of the gateway. */
  #enter(command: readonly string[]): ChildProcess {
    return this.#watch(["nsenter", "--target", String(this.#running?.pid), "--mount", ...command], {});
  }

  /** Makes the disk of `startOnDisk` read-only, as after a fault of a card, or writable again. */
  async remount(mode: "ro" | "rw"): Promise<void> {
    const [code] = await once(this.#enter(["mount", "-o", `remount,${mode}`, this.stateFolder]), "close");
    if (code !== 0) throw new Error(this.said);
  }

  /** Runs a command beside the gateway of `startOnDisk`, which sees its disk. @returns its exit code and its output */
  inNamespace(args: string[]): Promise<{ code: number; output: string }> {
    return outcomeOf(this.#enter([process.execPath, this.#program, ...args, "--config", this.#config]));
  }

  /** The settings, for a gateway in this process. */
  settings = (): Settings => readSettings(this.#config);

  /** Ends the gateway as a power failure does. */
  async kill(): Promise<void> {
    const child = this.#running;
    this.#running = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  }

  status = (): Promise<GatewayStatus | null> => askStatus(this.stateFolder);

  async #remove(): Promise<void> {
    const ended = Array.from(this.#processes, (child) => once(child, "close"));
    for (const child of this.#processes) child.kill("SIGKILL");
    await Promise.all(ended);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
