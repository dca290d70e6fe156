import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installedNode, main, presentNode, Refusal, ROOT, runsTools, toolEnvironment } from "./project.mjs";

const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));

/**
 * Whether node_modules has all packages of the lock file in their versions. Parts of other platforms can be missing.
 */
function isInstalled() {
  if (!existsSync(join(ROOT, "node_modules/.package-lock.json"))) return false;
  const locked = readJson("package-lock.json").packages;
  const present = readJson("node_modules/.package-lock.json").packages;
  return Object.entries(locked).every(
    ([path, { version, optional, peer }]) =>
      path === "" || present[path]?.version === version || (present[path] === undefined && (optional || peer)),
  );
}

/**
 * Flags of every npm call. The Node of node_modules runs packages that do not support this Node, so npm's warnings
 * about them need no action. Errors are still printed.
 */
export const NPM_FLAGS = ["--no-audit", "--no-fund", "--loglevel=error"];

/** Runs the npm that started this script, or else the npm on PATH. */
function npm(args) {
  const { npm_execpath } = process.env;
  const [command, first] = npm_execpath?.endsWith(".js") ? [presentNode(), [npm_execpath]] : ["npm", []];
  const shell = command === "npm" && process.platform === "win32";
  return new Promise((done, fail) => {
    const child = spawn(command, [...first, ...args, ...NPM_FLAGS], {
      cwd: ROOT,
      env: toolEnvironment(),
      stdio: "inherit",
      shell,
    });
    child.on("error", fail);
    child.on("exit", (code) =>
      code === 0 ? done() : fail(new Refusal(`\`npm ${args.join(" ")}\` failed. The reason is above.`)),
    );
  });
}

/**
 * Installs the packages of the lock file if they are missing. The only install script that runs is the script of
 * `node`, and only if this machine's Node is too old for the tools.
 */
export async function ensureInstalled() {
  if (!isInstalled()) {
    console.log("Installing the packages of package-lock.json (once, about a minute) …");
    await npm(["ci", "--ignore-scripts"]);
  }
  if (installedNode() === null && !runsTools()) {
    console.log("Installing Node 24 for the tools inside node_modules …");
    await npm(["rebuild", "node", "--ignore-scripts=false", "--foreground-scripts"]);
    if (installedNode() === null) throw new Refusal("Node 24 could not be installed. Install Node 22 or later.");
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(ensureInstalled);
