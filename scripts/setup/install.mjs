import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installedNode, main, Refusal, ROOT, runsTools, toolEnvironment } from "./project.mjs";

const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));

/** Whether node_modules holds what the lock file names, by version; other platforms' parts may be missing. */
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
 * What every call of npm is told. Packages that are not for this Node are run by the one in node_modules, so that npm's
 * warnings of them say nothing that a person could act on; what goes wrong is still said.
 */
export const NPM_FLAGS = ["--no-audit", "--no-fund", "--loglevel=error"];

/** npm as it was started, or the one on PATH. */
function npm(args) {
  const { npm_execpath } = process.env;
  const [command, first] = npm_execpath?.endsWith(".js") ? [process.execPath, [npm_execpath]] : ["npm", []];
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
      code === 0 ? done() : fail(new Refusal(`\`npm ${args.join(" ")}\` did not succeed; its reason is above.`)),
    );
  });
}

/**
 * Installs what the lock file names when it is not there. No package's install script runs but that of
 * `node`, and that one only where this machine's Node is too old for the tools.
 */
export async function ensureInstalled() {
  if (!isInstalled()) {
    console.log("Installing the packages of package-lock.json (once, about a minute) …");
    await npm(["ci", "--ignore-scripts"]);
  }
  if (installedNode() === null && !runsTools()) {
    console.log(`Node ${process.versions.node} is too old for the tools: installing Node 24 inside node_modules …`);
    await npm(["rebuild", "node", "--ignore-scripts=false", "--foreground-scripts"]);
    if (installedNode() === null)
      throw new Refusal("Node 24 could not be installed. Install Node 22 or later yourself.");
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(ensureInstalled);
