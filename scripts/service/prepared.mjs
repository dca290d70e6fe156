import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writePdfjs } from "../setup/pdfjs.mjs";
import { CACHE } from "../setup/project.mjs";
import { unlessDone } from "../setup/stamp.mjs";
import { migrate, wrangler } from "./migrate.mjs";
import { runtimeOptions } from "./runtime.mjs";

/** The bundle of the Worker, and a state with the migrated database that nobody has used. */
const WORKER = join(CACHE, "prepared/worker");
const STATE = join(CACHE, "prepared/state");

/** Everything that the bundle of the Worker is made from. */
const WORKER_INPUTS = [
  "src",
  "wrangler.toml",
  "package.json",
  "package-lock.json",
  "scripts/setup",
  "scripts/service/runtime.mjs",
];

/** The bundle that `prepareService` has made, an option of `serve`. */
export const preparedWorker = { prepared: WORKER };

const OPTIONS = "options.json";
/** The options of the runtime for a bundle that `prepareService` has made. */
export const preparedOptions = (folder) => JSON.parse(readFileSync(join(folder, OPTIONS), "utf8"));

/**
 * Writes the bundle of a deployment to a folder: `worker.js` with the modules that it loads.
 * @param {string} folder
 * @param {string} [config] a file of wrangler
 */
export async function bundleWorker(folder, config = "wrangler.toml") {
  rmSync(folder, { recursive: true, force: true });
  writePdfjs();
  await wrangler("deploy", "--dry-run", "--config", config, "--outdir", folder);
}

async function prepareWorker(folder) {
  await bundleWorker(folder);
  writeFileSync(join(folder, OPTIONS), JSON.stringify(await runtimeOptions("wrangler.toml")));
}

/** Makes a folder, so that another process sees all of it or nothing. */
async function makeWhole(folder, make) {
  const making = `${folder}.${process.pid}`;
  try {
    await make(making);
    rmSync(folder, { recursive: true, force: true });
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return [folder];
}

/**
 * Does once what every start of a service would do: bundles the Worker and migrates an empty database. A suite calls it before
 * its files.
 */
export async function prepareService() {
  await unlessDone({ stamp: join(CACHE, "prepared/worker.json"), inputs: WORKER_INPUTS }, () =>
    makeWhole(WORKER, prepareWorker),
  );
  await unlessDone({ stamp: join(CACHE, "prepared/state.json"), inputs: ["migrations", "wrangler.toml"] }, () =>
    makeWhole(STATE, migrate),
  );
}

/**
 * Gives a service that is not there yet the migrated database.
 * @param {string} stateDir its state folder
 */
export const copyPreparedState = (stateDir) => cpSync(STATE, stateDir, { recursive: true });
