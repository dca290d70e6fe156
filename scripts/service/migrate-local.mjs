import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { idOf, openLocal } from "../backup/local.mjs";
import { main, Refusal } from "../setup/project.mjs";
import { allDatabases, readDatabases } from "./deployment.mjs";
import { loadMiniflare } from "./runtime.mjs";
import { configOf, configTextOf } from "./several.mjs";

/*
 * The process that migrates a local state: `node scripts/service/migrate-local.mjs <state folder>`. It does what
 * `wrangler d1 migrations apply --local` does, in one runtime: wrangler starts another one for each file, one second of CPU each.
 */

/** The list of applied files, as wrangler makes it. */
const CREATE_LIST = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;
const READ_LIST = "SELECT name FROM d1_migrations";
const ADD_TO_LIST = "INSERT INTO d1_migrations (name) VALUES (?)";

/** The names of the applied files, without a runtime. A database that has no file or no list yet has none. */
async function appliedIn(stateDir, entry) {
  let database;
  try {
    database = await openLocal(stateDir, entry, { readOnly: true });
    const [rows] = await database.batch([{ sql: READ_LIST, params: [] }]);
    return new Set(rows.map(({ name }) => name));
  } catch (thrown) {
    if (thrown instanceof Refusal || /no such table/.test(thrown.message)) return new Set();
    throw thrown;
  } finally {
    database?.close();
  }
}

/** The new files of each database: `{ binding, entry, files: { name, sql }[] }[]`. */
async function pendingIn(stateDir) {
  const config = configOf(stateDir);
  const all = allDatabases(readDatabases(configTextOf(stateDir)));
  const found = [];
  for (const { binding, entry } of all) {
    const folder = resolve(dirname(config), entry.migrations_dir);
    const applied = await appliedIn(stateDir, entry);
    const names = readdirSync(folder).filter((name) => name.endsWith(".sql") && !applied.has(name));
    const files = names.toSorted().map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));
    if (files.length > 0) found.push({ binding, entry, files });
  }
  return found;
}

/** Applies each file in one transaction together with its line in the list. @throws Refusal with the file that failed */
async function apply(stateDir, pending) {
  const { convertV4MiniflareOptions, Miniflare } = loadMiniflare();
  const { unstable_splitSqlQuery: statementsOf } = await import("wrangler");
  mkdirSync(stateDir, { recursive: true });
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: join(stateDir, "v3"),
      workers: [
        {
          modules: true,
          script: "export default {}",
          d1Databases: Object.fromEntries(pending.map(({ binding, entry }) => [binding, { id: idOf(entry) }])),
        },
      ],
    }),
  );
  try {
    for (const { binding, entry, files } of pending) {
      const database = await runtime.getD1Database(binding);
      await database.prepare(CREATE_LIST).run();
      for (const { name, sql } of files) {
        const statements = statementsOf(sql).map((text) => database.prepare(text));
        await database.batch([...statements, database.prepare(ADD_TO_LIST).bind(name)]).catch((thrown) => {
          throw new Refusal(`The migration ${name} of ${entry.database_name} failed: ${thrown.message}`);
        });
      }
    }
  } finally {
    await runtime.dispose();
  }
}

main(async () => {
  const stateDir = resolve(process.argv[2]);
  const pending = await pendingIn(stateDir);
  if (pending.length > 0) await apply(stateDir, pending);
});
