import { join } from "node:path";
import { runCamera } from "../fake-camera/run.mjs";
import { openClient } from "./client.mjs";
import { CAMERAS } from "./demo.mjs";

/** The backlog of the demo's cameras: two days of images, except seven hours without power until an hour ago. */
const BACKLOG = { hours: 48, outage: [8, 1] };

/**
 * Allows cameras for the organization and creates those of the demo.
 * @param {ReturnType<typeof openClient>} admin
 * @param {string} organizationId
 * @param {Map<string, string>} locationIds by name
 * @param {(name: string, path: string, body: object) => Promise<{ id: string }>} create
 * @param {<T>(name: string, work: () => Promise<T>) => Promise<T>} step
 * @returns {Promise<{ id: string, site: number }[]>}
 */
export async function seedCameras(admin, organizationId, locationIds, create, step) {
  await step("cameras allowed", async () => {
    const path = `/v1/orgs/${organizationId}/entitlements`;
    const { documentStorageBytes, jobsPerMonth, maxRetentionDays, externalShares } = await admin.request("GET", path);
    await admin.request("PUT", path, {
      cameras: true,
      externalShares,
      documentStorageBytes,
      jobsPerMonth,
      maxRetentionDays,
    });
    return true;
  });
  const made = [];
  for (const [site, { location, ...settings }] of CAMERAS.entries()) {
    const { id } = await create(settings.name, `/v1/spatial/locations/${locationIds.get(location)}/cameras`, settings);
    made.push({ id, site });
  }
  return made;
}

/**
 * Runs the demo's cameras until the service stops. Like every device, they pair, respect the limits and send their
 * backlog image by image, so the archive fills while you watch it.
 */
export function runCameras({ url, token, cameras, stateDir, say, stopping }) {
  const owner = openClient(url, token);
  for (const { id, site } of cameras) {
    const pairingCode = async () => (await owner.request("POST", `/v1/cameras/${id}/enrollments`)).pairingCode;
    const folder = join(stateDir, "cameras", id);
    runCamera({ url, folder, pairingCode, site, backlog: BACKLOG, say, stopping }).catch((thrown) => {
      if (!stopping.aborted) say(`A camera of the demo stops: ${thrown.message}`);
    });
  }
}
