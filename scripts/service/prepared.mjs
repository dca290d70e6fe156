import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writePdfjs } from "../setup/pdfjs.mjs";
import { CACHE } from "../setup/project.mjs";
import { unlessDone } from "../setup/stamp.mjs";
import { migrate, wrangler } from "./migrate.mjs";

/** The bundle of the Worker, and a state with the migrated database that nobody has used. */
const WORKER = join(CACHE, "prepared/worker");
const STATE = join(CACHE, "prepared/state");

/** Everything that the bundle of the Worker is made from. */
const WORKER_INPUTS = ["src", "wrangler.toml", "package.json", "package-lock.json", "scripts/setup"];

/** The bundle that `prepareService` has made, an option of `serve`. */
export const preparedWorker = { entry: join(WORKER, "worker.js"), isBundled: true };

/**
 * Writes the bundle of a deployment to a folder: `worker.js` with the modules that it loads.
 * @param {string} folder
 */
export async function bundleWorker(folder) {
  rmSync(folder, { recursive: true, force: true });
  writePdfjs();
  await wrangler("deploy", "--dry-run", "--outdir", folder);
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
 * its files. A start then takes a quarter of the CPU.
 */
export async function prepareService() {
  await unlessDone({ stamp: join(CACHE, "prepared/worker.json"), inputs: WORKER_INPUTS }, () =>
    makeWhole(WORKER, bundleWorker),
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
