import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildGateway } from "../../gateway/build.mjs";

/**
 * Builds the camera gateway and loads it.
 * @param {string} folder the built file is in it
 * @returns {Promise<typeof import("../../gateway/src/index")>}
 */
export async function loadGateway(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The gateway refuses a folder that other users can read.
  chmodSync(folder, 0o700);
  return import(pathToFileURL(await buildGateway(join(folder, "gateway.mjs"), "index")).href);
}

/**
 * Runs a gateway whose cameras are commands: each command writes one JPEG. It first pairs the cameras that have no credential.
 * @param {Awaited<ReturnType<typeof loadGateway>>} module
 * @param {object} options
 * @param {string} options.url address of the service
 * @param {string} options.folder credentials and images
 * @param {{ name: string, command: string[], pairingCode: () => Promise<string> }[]} options.cameras
 * @param {(line: string) => void} options.say
 * @param {AbortSignal} options.stopping
 */
export async function runGateway({ Gateway, pair, settingsSchema }, { url, folder, cameras, say, stopping }) {
  const settings = settingsSchema.parse({
    service: url,
    stateFolder: folder,
    cameras: cameras.map(({ name, command }) => ({ name, source: { type: "command", command } })),
  });
  const gateway = new Gateway({ settings, say });
  for (const [index, { name, paired }] of gateway.status().cameras.entries())
    if (!paired) await pair(settings, name, cameras[index].pairingCode, stopping);
  await gateway.run(stopping);
}
