import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { localSecrets } from "../../scripts/secrets.mjs";
import { migrate } from "../../scripts/service/migrate.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { type Call, caller } from "../requests/seed.ts";

export interface Person {
  call: Call;
  token: string;
  organizationId: string;
  locationId: string;
}

/** A user with a location for cameras. */
async function register(call: Call): Promise<Person> {
  const who = { email: `bench-${Date.now()}@people.test`, password: "correct horse battery", displayName: "Ada" };
  const session = String((await call("POST", "/v1/auth/register", undefined, who)).accessToken);
  const token = String((await call("POST", "/v1/auth/tokens", session, { name: "bench" })).token);
  const organizationId = String((await call("POST", "/v1/orgs", token, { name: "Bridges" })).id);
  const clusterId = String((await call("POST", "/v1/spatial/clusters", token, { organizationId, name: "North" })).id);
  const place = await call("POST", "/v1/spatial/locations", token, { clusterId, name: "Bridge" });
  return { call, token, organizationId, locationId: String(place.id) };
}

/**
 * Writes a camera with `count` images into the files of a stopped service. The images share one operation, so the same
 * object is read each time. @returns the id of the camera
 */
function addCamera(stateDir: string, { organizationId, locationId }: Person, count: number, bytes: Buffer): string {
  const folder = join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  const db = new DatabaseSync(join(folder, file ?? ""));
  const [cameraId, operationId, now] = [randomUUID(), randomUUID(), Date.now()];
  db.exec("BEGIN");
  db.prepare(
    `INSERT INTO cameras (id, tenant_id, organization_id, location_id, name, capture_interval_minutes, retention_days,
       capture_width, capture_height, jpeg_quality, time_zone, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'Camera', 1, 365, 1920, 1080, 90, 'UTC', 0, 0)`,
  ).run(cameraId, organizationId, organizationId, locationId);
  db.prepare("INSERT INTO camera_assignments (camera_id, generation, location_id, started_at) VALUES (?, 1, ?, 0)").run(
    cameraId,
    locationId,
  );
  const capture = db.prepare(
    `INSERT INTO camera_captures (id, tenant_id, organization_id, camera_id, location_id, assignment_generation, operation_id,
       captured_at, received_at, completed_at, clock_quality, size_bytes, checksum_sha256, crc32, width, height, preview_width, preview_height)
     VALUES (?1, ?2, ?2, ?3, ?4, 1, ?5, ?6, ?6, ?6, 'synchronized', ?7, ?8, ?9, 1920, 1080, 128, 72)`,
  );
  const checksum = createHash("sha256").update(bytes).digest("hex");
  for (let i = 0; i < count; i++)
    capture.run(
      randomUUID(),
      organizationId,
      cameraId,
      locationId,
      operationId,
      now - (count - i) * 60_000,
      bytes.length,
      checksum,
      crc32(bytes),
    );
  db.exec("COMMIT");
  db.close();
  const source = join(stateDir, `${operationId}.jpg`);
  writeFileSync(source, bytes);
  const key = `document-workspace/captures/${organizationId}/${cameraId}/${operationId}/original.jpg`;
  execFileSync("npx", ["wrangler", "r2", "object", "put", key, "--file", source, "--local", "--persist-to", stateDir]);
  return cameraId;
}

export interface Ready {
  url: string;
  totalBytes: number;
  seconds: number;
}

/** Requests an export of all images and waits until it is ready. */
export async function prepare({ call, token, locationId }: Person, cameraId: string): Promise<Ready> {
  const started = performance.now();
  const at = `/v1/cameras/${cameraId}/exports`;
  const { operationId } = await call("POST", `${at}?locationId=${locationId}`, token);
  for (;;) {
    const made = await call("GET", `${at}/${operationId}?locationId=${locationId}`, token);
    const seconds = (performance.now() - started) / 1_000;
    if (made.status === "ready") return { url: String(made.downloadUrl), totalBytes: Number(made.totalBytes), seconds };
    if (made.status !== "queued" && made.status !== "preparing") throw new Error(`the export is ${made.status}`);
    await new Promise((next) => setTimeout(next, 100));
  }
}

/** A running service with one location, whose cameras have these numbers of images. */
export async function openSite(
  port: number,
  stateDir: string,
  archives: readonly { count: number; bytes: Buffer }[],
  onLine: (line: string) => void = () => {},
) {
  await migrate(stateDir);
  const vars = { REGISTRATION: "open", DEFAULT_CAMERAS: "true" };
  const start = () => serve({ port, stateDir, secretsFile: localSecrets(stateDir), vars, onLine });
  const seeding = await start();
  const person = await register(caller(seeding.url));
  await seeding.stop();
  const cameraIds = archives.map(({ count, bytes }) => addCamera(stateDir, person, count, bytes));
  return { service: await start(), person, cameraIds };
}
