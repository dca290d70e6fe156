import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Refusal } from "../setup/project.mjs";
import { eachOf, withBucket } from "./bucket.mjs";
import { runCommand } from "./command.mjs";
import { ask, execute, migrate, readDump, withFolder } from "./database.mjs";
import { importable, named, quoted, writeText } from "./sql.mjs";

/** The table in which wrangler keeps the migrations that it has applied. */
const MIGRATIONS = "d1_migrations";

/** Refuses a database with accounts. */
async function requireEmpty(target) {
  const [{ people }] = await ask(target, "SELECT count(*) AS people FROM (SELECT 1 FROM users LIMIT 1)");
  if (people > 0)
    throw new Refusal("This database has accounts. Restore into an empty one: use a new STATE_DIR or a new database.");
}

/** The columns of each table's primary key. */
async function primaryKeys(target) {
  const rows = await ask(
    target,
    `SELECT m.name AS name, p.name AS key FROM sqlite_master m JOIN pragma_table_info(m.name) p
     WHERE m.type = 'table' AND m.name NOT LIKE 'search\\_terms%' ESCAPE '\\' AND m.name NOT LIKE '\\_cf%' ESCAPE '\\'
       AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND p.pk > 0 ORDER BY m.name, p.pk`,
  );
  const keys = Map.groupBy(rows, ({ name }) => name);
  return Object.fromEntries([...keys].map(([name, found]) => [name, found.map(({ key }) => key)]));
}

/** Jobs that rebuild the search index, which an export cannot contain. */
const rebuild = (kind, now) =>
  `INSERT INTO jobs (id, kind, lane, payload, status, run_at, sent_at, is_kept, request_id, created_at)
   VALUES (${quoted(randomUUID())}, ${quoted(kind)}, 'light', '{}', 'queued', ${now}, 0, 1, 'restore', ${now});`;

const whereKey = (key) =>
  Object.entries(key)
    .map(([name, value]) => `${named(name)} = ${typeof value === "number" ? value : quoted(value)}`)
    .join(" AND ");

/** The import file: all rows, without triggers that would count them again, and the open jobs. */
async function importOf(dump, exact, target) {
  const triggers = await ask(target, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'");
  const keys = await primaryKeys(target);
  const now = Date.now();
  return [
    "PRAGMA defer_foreign_keys = TRUE;",
    ...triggers.map(({ name }) => `DROP TRIGGER ${named(name)};`),
    // The migrations write rows, which the dump has too.
    ...Object.keys(keys).flatMap((table) => (table === MIGRATIONS ? [] : [`DELETE FROM ${named(table)};`])),
    ...importable(dump, keys),
    ...exact.flatMap(({ table, key, column, text }) => [...writeText(table, column, whereKey(key), text)]),
    // These jobs are in no queue.
    "UPDATE jobs SET sent_at = 0 WHERE status = 'queued';",
    "UPDATE jobs SET lease_until = 0 WHERE status = 'running';",
    // The job index-guests adds the sums again.
    "UPDATE search_guests SET current = 0, taken_until = 0;",
    ...["backfill-assets", "backfill-documents"].map((kind) => rebuild(kind, now)),
    ...triggers.map(({ sql }) => `${sql};`),
  ].join("\n");
}

/** Restores an object under its key, with its metadata. */
async function putObject(bucket, folder, { key, file, sizeBytes, ...how }) {
  const bytes = readFileSync(join(folder, file));
  if (bytes.length !== sizeBytes) throw new Refusal(`${file} is incomplete: the backup cannot be restored.`);
  await bucket.put(key, Uint8Array.from(bytes).buffer, how);
}

/** Restores a backup into an empty database and bucket. If it was interrupted during the objects, it can run again. */
export async function restore(folder, target) {
  const { takenAtUtc, objects, missing, exact } = JSON.parse(readFileSync(join(folder, "backup.json"), "utf8"));
  await migrate(target);
  await requireEmpty(target);
  // Objects come first, so no row refers to a missing one.
  await withBucket(target, (bucket) => eachOf(objects, (object) => putObject(bucket, folder, object)));
  await withFolder(async (work) => {
    const file = join(work, "import.sql");
    writeFileSync(file, await importOf(readDump(folder), exact, target), { mode: 0o600 });
    await execute(target, file);
  });
  console.log(`The database of ${takenAtUtc} and ${objects.length} objects are restored.`);
  if (missing.length > 0) console.log(`${missing.length} objects cannot be shown any more: ${missing.join(", ")}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) runCommand("restore", restore);
