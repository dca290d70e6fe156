import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { buildGateway } from "../../../gateway/build.mjs";
import { askStatus, type GatewayStatus } from "../../../gateway/src/gateway";

/**
 * A device with the built gateway: its program runs as a process of its own, and can lose its power at any moment.
 * It ends with the test that made it, whatever the result.
 */
export class Device {
  readonly folder = mkdtempSync(join(tmpdir(), "gw-"));
  readonly stateFolder = join(this.folder, "state");
  readonly #config = join(this.folder, "gateway.json");
  readonly #program = join(this.folder, "gateway.mjs");
  #running: ChildProcess | null = null;
  readonly #processes = new Set<ChildProcess>();
  /** What it said last. */
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

  /** Where a camera puts its images. */
  inbox(camera: string): string {
    return join(this.folder, camera);
  }

  #spawn(args: string[]): ChildProcess {
    const child = spawn(process.execPath, [this.#program, ...args, "--config", this.#config], { stdio: "pipe" });
    this.#processes.add(child);
    child.once("close", () => this.#processes.delete(child));
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (part: Buffer) => {
        this.said = (this.said + part.toString()).slice(-4_000);
      });
    return child;
  }

  /** Runs a command to its end. @returns its exit code, and what it printed */
  async command(args: string[], input = ""): Promise<{ code: number; output: string }> {
    const child = this.#spawn(args);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (part: Buffer) => {
        output += part.toString();
      });
    child.stdin?.end(input);
    const [code] = await once(child, "close");
    return { code, output };
  }

  start(): void {
    this.#running = this.#spawn(["run"]);
  }

  /** As when the power fails. */
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
