import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { nodeForTools, Refusal, ROOT, TOOLS, toolEnvironment } from "../setup/project.mjs";

const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 8_000;
/** Lines kept to show when the start goes wrong. */
const KEPT_LINES = 40;

/**
 * A running service.
 * @typedef {object} Service
 * @property {string} url where it answers
 * @property {() => Promise<void>} stop ends it in order; no process is left
 * @property {() => Promise<void>} kill ends it as a power failure would
 * @property {Promise<void>} ended resolves when it is gone, for whatever reason
 */

/**
 * Starts the Worker under `wrangler dev` and waits until it is ready.
 * @param {{ port: number, stateDir: string, secretsFile: string, config?: string, vars?: Record<string, string>, environment?: Record<string, string>, inspectorPort?: number, onLine?: (line: string) => void }} options
 * @returns {Promise<Service>}
 */
export async function serve({
  port,
  stateDir,
  secretsFile,
  config = "wrangler.toml",
  vars = {},
  environment = {},
  inspectorPort = 0,
  onLine = () => {},
}) {
  const url = `http://127.0.0.1:${port}`;
  const settings = { PUBLIC_BASE_URL: url, ...vars };
  const args = [
    "dev",
    "--config",
    config,
    "--ip",
    "127.0.0.1",
    "--port",
    String(port),
    "--inspector-port",
    String(inspectorPort),
    "--persist-to",
    stateDir,
  ];
  args.push("--env-file", secretsFile, "--show-interactive-dev-session=false", "--log-level", "log");
  for (const [name, value] of Object.entries(settings)) args.push("--var", `${name}:${value}`);
  // A process group of its own: a Ctrl-C reaches it through us alone, and nothing of it can be left.
  const child = spawn(nodeForTools(), [TOOLS.wrangler, ...args], {
    cwd: ROOT,
    env: toolEnvironment({ CI: "true", ...environment }),
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const last = [];
  const cannotStart = new AbortController();
  const keep = (line) => {
    last.push(line);
    if (last.length > KEPT_LINES) last.shift();
    // wrangler would wait for the source to change, and a wrong setting for ever.
    if (/Build failed|The service cannot start/.test(line)) setTimeout(() => cannotStart.abort(), 500);
    onLine(line);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", keep);

  const signalGroup = (signal) => {
    try {
      process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
    } catch (thrown) {
      if (thrown.code !== "ESRCH") throw thrown;
    }
  };
  const ended = once(child, "exit").then(() => signalGroup("SIGKILL"));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) signalGroup("SIGTERM");
    await Promise.race([ended, wait(STOP_WITHIN_MS, undefined, { ref: false })]);
    signalGroup("SIGKILL");
    await ended;
  };
  const kill = async () => {
    signalGroup("SIGKILL");
    await ended;
  };

  try {
    await Promise.race([ready(url, cannotStart.signal), ended.then(() => cannotStart.abort())]);
    if (cannotStart.signal.aborted) throw new Refusal(`The service did not start:\n${last.join("\n")}`);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { url, stop, kill, ended };
}

/** Waits until the service says that it is ready, or is given up. @throws Refusal with what it says instead. */
async function ready(url, givenUp) {
  const deadline = Date.now() + READY_WITHIN_MS;
  let said = "nothing";
  while (Date.now() < deadline) {
    if (givenUp.aborted) return;
    try {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      said = await response.text();
      if (response.ok) return;
    } catch {
      // It does not listen yet.
    }
    await wait(200);
  }
  throw new Refusal(`The service is not ready after ${READY_WITHIN_MS / 1_000} s. It answers: ${said}`);
}
