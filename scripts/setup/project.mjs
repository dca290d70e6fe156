import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** The project's own folders. Nothing outside of them is written. */
export const ROOT = resolve(import.meta.dirname, "../..");
export const CACHE = join(ROOT, ".cache");
export const WEB = join(ROOT, ".build/web");
const MODULES = join(ROOT, "node_modules");

/** Oldest Node that the tools run on; the scripts themselves run on 20. */
const TOOLS_NEED = 22;

/** The installed Node 24, or null before it is there. */
export const installedNode = () =>
  [join(MODULES, "node/bin/node"), join(MODULES, "node/bin/node.exe")].find((file) => existsSync(file)) ?? null;

export const runsTools = () => Number(process.versions.node.split(".")[0]) >= TOOLS_NEED;

/** A Node that the tools run on. @throws when there is none: the installation is not complete. */
export function nodeForTools() {
  const node = installedNode() ?? (runsTools() ? process.execPath : null);
  if (node === null) throw new Error("Node 24 is not installed in node_modules; run `npm start` or `npm test`.");
  return node;
}

/** The program of an installed package, to be run with `nodeForTools`. */
export const TOOLS = {
  wrangler: join(MODULES, "wrangler/bin/wrangler.js"),
  vitest: join(MODULES, "vitest/vitest.mjs"),
};

/**
 * The environment of every tool: the installed Node first on PATH, caches and settings of the tools
 * inside the project, and no call to another host (no telemetry, update check or look-up of a location).
 * wrangler's local traces are off: it would keep every request, with its address, in the state folder.
 */
export const toolEnvironment = (more = {}) => ({
  ...process.env,
  PATH: [join(MODULES, ".bin"), process.env.PATH ?? ""].join(delimiter),
  XDG_CACHE_HOME: join(CACHE, "xdg"),
  XDG_CONFIG_HOME: join(CACHE, "config"),
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  X_LOCAL_OBSERVABILITY: "false",
  WRANGLER_LOG_PATH: join(CACHE, "wrangler.log"),
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  ...more,
});

/** What is said to the person at the terminal when a step cannot be done; the process ends with 1. */
export class Refusal extends Error {}

/** Runs a script's main function: a refusal is one plain message, anything else keeps its stack. */
export function main(run) {
  run().catch((thrown) => {
    console.error(thrown instanceof Refusal ? `\n${thrown.message}` : thrown);
    process.exit(1);
  });
}
