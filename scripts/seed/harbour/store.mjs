import { join } from "node:path";
import { getPlatformProxy } from "wrangler";
import { readDatabases } from "../../service/deployment.mjs";
import { configOf, configTextOf } from "../../service/several.mjs";

/** Tries while the running service writes to the database. */
const MAX_TRIES = 20;

async function persistently(work) {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (thrown) {
      if (tries === MAX_TRIES || !/BUSY|locked/.test(String(thrown))) throw thrown;
      await new Promise((done) => setTimeout(done, 100 * tries));
    }
}

/** The database with the cameras of the demo. All are of one organization. */
async function databaseOf(env, stateDir, cameraId) {
  const asked = "SELECT 1 FROM cameras WHERE id = ?";
  for (const { binding } of readDatabases(configTextOf(stateDir)).workspaces)
    if (await persistently(() => env[binding].prepare(asked).bind(cameraId).first())) return env[binding];
  throw new Error(`no database has the camera ${cameraId}`);
}

/**
 * Opens the database with the cameras of the demo and the bucket of a local service, beside the service itself.
 * @param {string} stateDir
 * @param {string} secretsFile
 * @param {string} cameraId one of the cameras
 */
export async function openStore(stateDir, secretsFile, cameraId) {
  const proxy = await getPlatformProxy({
    configPath: configOf(stateDir),
    persist: { path: join(stateDir, "v3") },
    envFiles: [secretsFile],
    remoteBindings: false,
  });
  const { BUCKET } = proxy.env;
  const DB = await databaseOf(proxy.env, stateDir, cameraId);

  const insertAll = (table, rows) => {
    const columns = Object.keys(rows[0]);
    return DB.prepare(
      `INSERT OR IGNORE INTO ${table} (${columns.join(", ")})
       SELECT ${columns.map((column) => `value ->> '${column}'`).join(", ")} FROM json_each(?) WHERE true`,
    ).bind(JSON.stringify(rows));
  };

  /**
   * Writes pictures as the service publishes them: their objects, and a row for each.
   * @param {ReturnType<typeof import("./past.mjs").captureAt>[]} pictures
   * @param {(picture: ReturnType<typeof import("./past.mjs").captureAt>) => boolean} [isSeen] whether the objects of a
   * picture are needed: objects that nobody looks at only take time and space
   */
  async function publish(pictures, isSeen = () => true) {
    const objects = pictures.filter(isSeen).flatMap((picture) => picture.objects);
    await Promise.all(
      objects.map(({ key, bytes }) =>
        persistently(() => BUCKET.put(key, bytes, { httpMetadata: { contentType: "image/jpeg" } })),
      ),
    );
    const rows = pictures.map(({ row }) => row);
    await persistently(() => insertAll("camera_captures", rows).run());
  }

  return { DB, persistently, publish, dispose: () => proxy.dispose() };
}
