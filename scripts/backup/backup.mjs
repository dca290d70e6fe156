import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writePrivately } from "../secrets.mjs";
import { eachOf, withBucket } from "./bucket.mjs";
import { runCommand } from "./command.mjs";
import { exportTables, readDump, tablesOf } from "./database.mjs";
import { exactTexts } from "./exact.mjs";
import { withFrozenState } from "./freeze.mjs";
import { readRow } from "./sql.mjs";

/** The exported rows of a table, each with its columns by name. */
function* rowsOf(dump, table) {
  for (const line of dump.split("\n")) {
    if (!line.startsWith(`INSERT INTO "${table}"`)) continue;
    const { columns, values } = readRow(line);
    yield Object.fromEntries(columns.map((column, i) => [column, values[i].text ?? values[i].sql]));
  }
}

/** The id in the bytes of an exported BLOB, such as X'0192…'. */
const idOf = (blob) =>
  blob
    .slice(2, -1)
    .toLowerCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** Names of the objects of a frame in its folder, by its status. */
const FRAME_OBJECTS = { completed: ["original.jpg", "thumbnail.jpg"], rejected: ["rejected"] };

/** Keys of the objects of cameras: a frame has objects while their bytes are charged. */
function* frameKeys(dump) {
  const places = new Map();
  for (const row of rowsOf(dump, "camera_places")) places.set(row.place, row);
  for (const { place, operation, status, charged_bytes } of rowsOf(dump, "camera_frames")) {
    if (charged_bytes === "0") continue;
    const { tenant_id, camera_id } = places.get(place);
    for (const name of FRAME_OBJECTS[status]) yield `captures/${tenant_id}/${camera_id}/${idOf(operation)}/${name}`;
  }
}

/** Keys of the objects that an exported database refers to. */
const keysIn = (dump) => [...[...rowsOf(dump, "stored_objects")].map(({ key }) => key), ...frameKeys(dump)];

/** The file of an object. Keys contain names that users choose, and can be longer than file names. */
const fileOf = (key) => `objects/${createHash("sha256").update(key).digest("hex")}`;

/**
 * Copies an object unless the folder has it, because a key never gets other bytes. @returns its entry, or null if it is
 * missing.
 */
async function copyObject(bucket, folder, key) {
  const file = fileOf(key);
  const path = join(folder, file);
  const head = await bucket.head(key);
  if (head === null) return null;
  const { size, httpMetadata, customMetadata, checksums } = head;
  if (!existsSync(path) || statSync(path).size !== size) {
    const object = await bucket.get(key);
    if (object === null) return null;
    writeFileSync(`${path}.part`, Buffer.from(await object.arrayBuffer()), { mode: 0o600 });
    renameSync(`${path}.part`, path);
  }
  const { sha256 } = checksums.toJSON();
  return {
    key,
    file,
    sizeBytes: size,
    httpMetadata: { ...httpMetadata },
    customMetadata: { ...customMetadata },
    ...(sha256 !== undefined && { sha256 }),
  };
}

async function copyState(folder, target) {
  const tables = await tablesOf(target);
  await exportTables(target, tables, join(folder, "database.sql"));
  const dump = readDump(folder);
  const exact = await exactTexts(target, tables, dump);
  const [objects, missing] = [[], []];
  await withBucket(target, (bucket) =>
    eachOf(keysIn(dump), async (key) => {
      const kept = await copyObject(bucket, folder, key);
      if (kept === null) missing.push(key);
      else objects.push(kept);
    }),
  );
  return { objects, missing, exact };
}

/**
 * Writes a consistent state of the database to a folder, then the objects that it refers to. The service can run
 * meanwhile: a resource that is deleted in between keeps its bytes for the recovery window.
 */
export async function backup(folder, target) {
  mkdirSync(join(folder, "objects"), { recursive: true, mode: 0o700 });
  const takenAtUtc = new Date().toISOString();
  const { objects, missing, exact } = await withFrozenState(target, (frozen) => copyState(folder, frozen));
  writePrivately(join(folder, "backup.json"), JSON.stringify({ takenAtUtc, objects, missing, exact }, null, 1));
  console.log(`${folder} contains the database of ${takenAtUtc} and ${objects.length} objects.`);
  if (missing.length > 0)
    console.log(`${missing.length} objects of the database are not in the bucket; backup.json lists them.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) runCommand("backup", backup);
