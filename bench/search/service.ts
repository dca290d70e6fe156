import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const CONFIG = "bench/search/wrangler.toml";
const WRANGLER = "node_modules/.bin/wrangler";

/** Creates the database of a service below `state` and returns the path of its file. */
export function makeDatabase(state: string): string {
  const command = ["d1", "migrations", "apply", "bench-search", "--local", "-c", CONFIG, "--persist-to", state];
  execFileSync(WRANGLER, command, { stdio: "pipe", env: { ...process.env, CI: "1" } });
  const folder = join(state, "v3/d1/miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  if (file === undefined) throw new Error("wrangler made no database");
  return join(folder, file);
}

/** The service in `wrangler dev`, on a loopback port. */
export class BenchService {
  private readonly process: ChildProcess;
  private readonly address: string;

  private constructor(process: ChildProcess, address: string) {
    [this.process, this.address] = [process, address];
  }

  static async start(state: string, port: number): Promise<BenchService> {
    const options = ["--ip", "127.0.0.1", "--port", String(port), "--inspector-port", String(port + 1)];
    const child = spawn(WRANGLER, ["dev", "-c", CONFIG, "--persist-to", state, ...options], {
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
    });
    const service = new BenchService(child, `http://127.0.0.1:${port}`);
    const until = Date.now() + 120_000;
    while (!(await service.isUp())) {
      if (Date.now() > until) {
        await service.stop();
        throw new Error("wrangler dev did not start");
      }
      await pause(250);
    }
    return service;
  }

  private async isUp(): Promise<boolean> {
    try {
      return (await fetch(`${this.address}/healthz`)).ok;
    } catch {
      return false;
    }
  }

  /** Posts JSON and returns the answer. @throws for an error answer. */
  async post(path: string, body: unknown, token?: string): Promise<unknown> {
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const response = await fetch(this.address + path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  /** Returns the JSON at a path. @throws for an error answer. */
  async get(path: string, token?: string): Promise<unknown> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(this.address + path, { headers });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
  }

  async stop(): Promise<void> {
    const ended = once(this.process, "exit");
    // Ends the whole group, because wrangler starts the runtime as a separate process.
    if (this.process.pid !== undefined) process.kill(-this.process.pid, "SIGTERM");
    await ended;
  }
}
