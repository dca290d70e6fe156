import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** The folders of the project. Nothing outside of them is written. */
export const ROOT = resolve(import.meta.dirname, "../..");
export const CACHE = join(ROOT, ".cache");
export const WEB = join(ROOT, ".build/web");
/** The types of the client, which are made from the API's description. */
export const SCHEMA = join(ROOT, "client/src/schema.ts");
const MODULES = join(ROOT, "node_modules");

/** Oldest Node version for the tools. The scripts themselves need version 20. */
const MIN_TOOLS_NODE = 22;

/** The installed Node 24; null before its installation. */
export const installedNode = () =>
  [join(MODULES, "node/bin/node"), join(MODULES, "node/bin/node.exe")].find((file) => existsSync(file)) ?? null;

/**
 * The Node of this process; "node" of PATH if an installation has just replaced it. npm puts the installed Node first
 * on PATH.
 */
export const presentNode = () => (existsSync(process.execPath) ? process.execPath : "node");

export const runsTools = () =>
  Number(process.versions.node.split(".")[0]) >= MIN_TOOLS_NODE && presentNode() === process.execPath;

/** A Node for the tools. @throws Error if the installation is not complete. */
export function nodeForTools() {
  const node = installedNode() ?? (runsTools() ? process.execPath : null);
  if (node === null) throw new Error("Node 24 is not installed in node_modules; run `npm start` or `npm test`.");
  return node;
}

/** The programs of installed packages. Run them with `nodeForTools`. */
export const TOOLS = {
  wrangler: join(MODULES, "wrangler/bin/wrangler.js"),
  vitest: join(MODULES, "vitest/vitest.mjs"),
};

/**
 * The environment of every tool: the installed Node first on PATH, caches and settings of the tools
 * inside the project, and no calls to other hosts (no telemetry, update check or look-up of a location).
 * wrangler's local traces are off, because they would store every request with its address in the state folder.
 */
export const toolEnvironment = (more = {}) => ({
  ...process.env,
  PATH: [join(MODULES, ".bin"), process.env.PATH ?? ""].join(delimiter),
  XDG_CACHE_HOME: join(CACHE, "xdg"),
  XDG_CONFIG_HOME: join(CACHE, "config"),
  // The tools are large: most of the time of their start is compilation.
  NODE_COMPILE_CACHE: join(CACHE, "compiled"),
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  X_LOCAL_OBSERVABILITY: "false",
  WRANGLER_LOG_PATH: join(CACHE, "wrangler.log"),
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  ...more,
});

/** The environment of a tool that works on the account: the user's own settings have the sign-in of `wrangler login`. */
export function accountEnvironment(more = {}) {
  const { XDG_CONFIG_HOME: _, ...environment } = toolEnvironment(more);
  const own = process.env.XDG_CONFIG_HOME;
  return own === undefined ? environment : { ...environment, XDG_CONFIG_HOME: own };
}

/** A message for the user at the terminal when a step fails. The process then ends with 1. */
export class Refusal extends Error {}

/** Runs the main function of a script. A Refusal prints only its message; other errors print their stack. */
export function main(run) {
  run().catch((thrown) => {
    console.error(thrown instanceof Refusal ? `\n${thrown.message}` : thrown);
    process.exit(1);
  });
}
