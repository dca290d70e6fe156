import { fork } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { loadGateway, runGateway } from "../fake-camera/gateway.mjs";
import { nodeForTools, ROOT, toolEnvironment } from "../setup/project.mjs";
import { openClient } from "./client.mjs";
import { CAMERAS } from "./harbour/cameras.mjs";

/** A camera of the demo: its ids, and its number in the list of cameras. */
/** @typedef {{ id: string, organizationId: string, locationId: string, number: number }} SeededCamera */

/**
 * Allows cameras and links for the organization and creates the cameras of the demo.
 * @param {ReturnType<typeof openClient>} admin
 * @param {string} organizationId
 * @param {Map<string, string>} locationIds by name
 * @param {(name: string, path: string, body: object) => Promise<{ id: string }>} create
 * @param {<T>(name: string, work: () => Promise<T>) => Promise<T>} step
 * @returns {Promise<SeededCamera[]>}
 */
export async function seedCameras(admin, organizationId, locationIds, create, step) {
  await step("cameras allowed", async () => {
    const path = `/v1/orgs/${organizationId}/entitlements`;
    const { documentStorageBytes, jobsPerMonth, maxRetentionDays } = await admin.request("GET", path);
    await admin.request("PUT", path, {
      cameras: true,
      externalShares: true,
      documentStorageBytes,
      jobsPerMonth,
      maxRetentionDays,
    });
    return true;
  });
  const made = [];
  for (const [number, { settings }] of CAMERAS.entries()) {
    const { location, ...body } = settings;
    const locationId = locationIds.get(location);
    const { id } = await create(`camera ${body.name}`, `/v1/spatial/locations/${locationId}/cameras`, body);
    made.push({ id, organizationId, locationId, number });
  }
  return made;
}

const pairingOf = (owner, id) => async () => (await owner.request("POST", `/v1/cameras/${id}/enrollments`)).pairingCode;

/** Pairs a camera whose device sends nothing afterwards: its credential is not kept. */
async function pairOnce(url, owner, id) {
  const proposal = { credentialSecret: randomBytes(32).toString("hex"), redemptionId: randomUUID() };
  const pairingCode = await pairingOf(owner, id)();
  await openClient(url).request("POST", "/v1/camera-ingestion/enrollments/redeem", { pairingCode, ...proposal });
}

/**
 * Pairs the cameras that are silent now, and writes what all cameras took before the service started. It returns when every
 * camera has its newest picture; the archives fill behind it.
 * @param {{ url: string, token: string, cameras: SeededCamera[], stateDir: string, secretsFile: string,
 *   stopping: AbortSignal }} demo
 * @returns {Promise<{ filled: Promise<void> }>}
 */
export async function writePast({ url, token, cameras, stateDir, secretsFile, stopping }) {
  const owner = openClient(url, token);
  for (const { id, number } of cameras) if (!CAMERAS[number].live) await pairOnce(url, owner, id);
  const script = join(ROOT, "scripts/seed/harbour/write-past.mjs");
  const child = fork(script, [stateDir, secretsFile, JSON.stringify(cameras)], {
    cwd: ROOT,
    env: toolEnvironment({ CI: "true" }),
    execPath: nodeForTools(),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  stopping.addEventListener("abort", () => child.kill());
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const reached = (word) =>
    new Promise((done, fail) => {
      child.on("message", (message) => message === word && done());
      child.on("exit", () => fail(new Error(`The past of the cameras could not be written.\n${said.slice(-2_000)}`)));
    });
  const filled = reached("done");
  filled.catch(() => undefined);
  await reached("wall");
  return { filled };
}

/**
 * Runs the gateway of the demo's live cameras until the service stops. It pairs them and sends a picture at each interval.
 * @param {(line: string) => void} options.log writes a line of the gateway @param {(line: string) => void} options.say
 */
export async function runCameras({ url, token, cameras, stateDir, log, say, stopping }) {
  const owner = openClient(url, token);
  const shoot = join(import.meta.dirname, "harbour/shoot.mjs");
  const live = cameras
    .filter(({ number }) => CAMERAS[number].live)
    .map(({ id, number }) => ({
      name: id,
      command: [process.execPath, shoot, String(number)],
      pairingCode: pairingOf(owner, id),
    }));
  try {
    const folder = join(stateDir, "gateway");
    await runGateway(await loadGateway(folder), { url, folder, cameras: live, say: log, stopping });
  } catch (thrown) {
    if (!stopping.aborted) say(`The cameras of the demo stop: ${thrown.message}`);
  }
}
