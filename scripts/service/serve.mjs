import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { nodeForTools, Refusal, ROOT, TOOLS, toolEnvironment, WEB } from "../setup/project.mjs";
import { makeWritable } from "./options.mjs";
import { preparedOptions } from "./prepared.mjs";
import { cpuSecondsOf, Progress } from "./progress.mjs";

/** Time without progress after which a start counts as failed. */
const PATIENCE_MS = 90_000;
/** Time between two measurements of the CPU time that a start has used. */
const MEASURE_MS = 2_000;
/** Time between two lines that say that the start still goes on. */
const STILL_MS = 60_000;
const STOP_TIMEOUT_MS = 8_000;
/** Last lines of output that are shown if the start fails. */
const MAX_KEPT_LINES = 40;

/**
 * A running service.
 * @typedef {object} Service
 * @property {string} url the address of the service
 * @property {() => Promise<void>} stop stops it; no process remains
 * @property {() => Promise<void>} kill ends it like a power failure
 * @property {Promise<void>} ended resolves when it has ended, for any reason
 */

/**
 * Starts the Worker and waits until it is ready: under `wrangler dev`, or in only the runtime if it is prepared and has no
 * configuration of its own.
 * @param {{ port: number, stateDir: string, secretsFile: string, config?: string, entry?: string, prepared?: string, hasExplorer?: boolean, vars?: Record<string, string>,
 * environment?: Record<string, string>, inspectorPort?: number, onLine?: (line: string) => void }} options
 * @returns {Promise<Service>}
 */
export async function serve({
  port,
  stateDir,
  secretsFile,
  config,
  entry,
  prepared,
  hasExplorer = false,
  vars = {},
  environment = {},
  inspectorPort = 0,
  onLine = () => {},
}) {
  const url = `http://127.0.0.1:${port}`;
  // Wrangler does not start without the folder of the pages. A benchmark needs no page in it.
  makeWritable(WEB);
  const settings = { PUBLIC_BASE_URL: url, ...vars };
  const args = [
    TOOLS.wrangler,
    "dev",
    ...(entry === undefined ? [] : [entry]),
    ...(prepared === undefined ? [] : [join(prepared, "worker.js"), "--no-bundle"]),
    "--config",
    config ?? "wrangler.toml",
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
  const command = () => {
    if (prepared === undefined || config !== undefined) return args;
    const options = preparedOptions(prepared);
    const given = { options, folder: prepared, port, stateDir, secretsFile, vars: settings, hasExplorer };
    return [join(import.meta.dirname, "run-prepared.mjs"), JSON.stringify(given)];
  };
  // A separate process group: a Ctrl-C reaches it only through this process, and the whole group can be ended.
  const child = spawn(nodeForTools(), command(), {
    cwd: ROOT,
    env: toolEnvironment({ CI: "true", ...environment }),
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const last = [];
  let lines = 0;
  const cannotStart = new AbortController();
  const keep = (line) => {
    lines++;
    last.push(line);
    if (last.length > MAX_KEPT_LINES) last.shift();
    // wrangler would wait for a change of the source, even after a wrong setting.
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
    await Promise.race([ended, wait(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    signalGroup("SIGKILL");
    await ended;
  };
  const kill = async () => {
    signalGroup("SIGKILL");
    await ended;
  };

  try {
    await Promise.race([ready(url, cannotStart.signal, child.pid, () => lines), ended.then(() => cannotStart.abort())]);
    if (cannotStart.signal.aborted) throw new Refusal(`The service did not start:\n${last.join("\n")}`);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { url, stop, kill, ended };
}

/**
 * Waits until the service is ready or `givenUp`, as long as it makes progress. Before its first answer it prints lines or
 * computes, as on a slow machine; after that only another answer counts, because each answer takes lines and CPU time.
 * @throws Refusal with its last answer
 */
async function ready(url, givenUp, group, linesOf) {
  const progress = new Progress(PATIENCE_MS);
  const began = Date.now();
  let [said, told, measured, seconds] = [null, began, 0, 0];
  while (!progress.hasStopped) {
    if (givenUp.aborted) return;
    try {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      said = await response.text();
      if (response.ok) return;
    } catch {
      // The service is not listening yet.
    }
    const now = Date.now();
    if (said === null && now - measured > MEASURE_MS)
      [measured, seconds] = [now, Math.floor((await cpuSecondsOf(group)) ?? 0)];
    if (said === null) progress.see(linesOf(), seconds);
    else progress.see(said.replace(/"(requestId|instance)":"[^"]*"/g, ""));
    if (now - told > STILL_MS) {
      told = now;
      console.error(`The service is still starting, for ${Math.round((now - began) / 1_000)} s. Ctrl-C stops it.`);
    }
    await wait(200);
  }
  throw new Refusal(
    `The service is not ready, and makes no progress for ${PATIENCE_MS / 1_000} s. It answers: ${said ?? "nothing"}`,
  );
}
