import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zipSync } from "fflate";
import { localSecrets } from "../secrets.mjs";
import { openClient } from "../seed/client.mjs";
import { seedDemo } from "../seed/seed.mjs";
import { migrate } from "../service/migrate.mjs";
import { freePort } from "../service/options.mjs";
import { serve } from "../service/serve.mjs";
import { main, Refusal, ROOT } from "../setup/project.mjs";
import { pairDevice, sendImage } from "./device.mjs";

/** What `npm start` leaves in its state folder, without its logs. */
const KEPT = /^(v3\/|secrets\.env$)/;

/** The tests of later years still find the image. */
const RETENTION_DAYS = 36_500;

/** Fills a service through its API. @returns what a test has to know about the contents */
async function fill(url, stateDir) {
  const { email, password, token, search } = await seedDemo(url, stateDir, (line) => console.log(line));
  const owner = openClient(url, token);
  const { items: organizations } = await owner.request("GET", "/v1/orgs");
  const organizationId = organizations[0].id;
  const entitlements = `/v1/orgs/${organizationId}/entitlements`;
  const { documentStorageBytes, jobsPerMonth } = await owner.request("GET", entitlements);
  const granted = { documentStorageBytes, jobsPerMonth, cameras: true, externalShares: true };
  await owner.request("PUT", entitlements, { ...granted, maxRetentionDays: RETENTION_DAYS });
  const { items: found } = await owner.request("GET", "/v1/spatial/locations");
  const locationId = found[0].id;
  const camera = { name: "Gate of the release", retentionDays: RETENTION_DAYS };
  const { id: cameraId } = await owner.request("POST", `/v1/spatial/locations/${locationId}/cameras`, camera);
  const device = await pairDevice(url, owner, cameraId);
  const captureId = await sendImage(url, device, readFileSync(join(ROOT, "test/fixtures/jpeg/baseline-420.jpg")));
  const shares = `/v1/spatial/locations/${locationId}/camera-shares`;
  const { token: shareToken } = await owner.request("POST", shares, { name: "Visitors", cameraIds: [cameraId] });
  const bytes = Buffer.from("A note that was deleted before the release.");
  const upload = await owner.send(locationId, { fileName: "deleted.txt", contentType: "text/plain", bytes });
  const { id: deletedId } = await upload.complete();
  await owner.request("DELETE", `/v1/documents/${deletedId}`);
  return {
    email,
    password,
    token,
    search,
    organizationId,
    locationId,
    cameraId,
    device,
    captureId,
    shareToken,
    deletedId,
  };
}

/** Takes the rows of the log into each database, and its free pages out. */
function compact(stateDir) {
  for (const name of filesOf(stateDir).filter((name) => name.endsWith(".sqlite"))) {
    const database = new DatabaseSync(join(stateDir, name));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  }
}

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"));

/** `npm run release-state -- <file>`: writes a state that this version of the service has filled, for the tests of later ones. */
main(async () => {
  const file = process.argv[2];
  if (file === undefined) throw new Refusal("Usage: npm run release-state -- test/fixtures/releases/v1.2.3.zip");
  const stateDir = mkdtempSync(join(tmpdir(), "release-state-"));
  try {
    await migrate(stateDir);
    const vars = { REGISTRATION: "open", FIRST_USER_IS_ADMIN: "true", RECOGNITION_BROWSERS: "0" };
    const service = await serve({ port: await freePort(), stateDir, secretsFile: localSecrets(stateDir), vars });
    let contents;
    try {
      contents = await fill(service.url, stateDir);
    } finally {
      await service.stop();
    }
    compact(stateDir);
    const kept = filesOf(stateDir).filter((name) => KEPT.test(name) && !/-(wal|shm)$/.test(name));
    const entries = Object.fromEntries(kept.map((name) => [name, readFileSync(join(stateDir, name))]));
    entries["contents.json"] = Buffer.from(JSON.stringify(contents, null, 2));
    writeFileSync(resolve(file), zipSync(entries, { level: 9 }));
    console.log(`${file} has ${kept.length} files of the state.`);
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
});
