import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "smol-toml";
import { DATABASE_BINDING, readDeployment } from "../service/deployment.mjs";
import { wrangler } from "../service/migrate.mjs";

/** Tables without a backup: short-lived tables, and tables that are rebuilt from others. */
export const EXCLUDED_TABLES = [
  "guards",
  "committed_requests",
  "idempotency_keys",
  "rate_windows",
  "password_resets",
  "search_groups",
  "search_entries",
  "search_rows",
  "search_guest_sums",
  "camera_exports",
  "camera_export_pages",
];

/** @typedef {{ stateDir: string, remote: boolean }} Target */

const run = (...args) => wrangler("d1", ...args);

const where = ({ stateDir, remote }) => (remote ? ["--remote"] : ["--local", "--persist-to", stateDir]);

/** Runs `work` with a temporary folder, and deletes the folder afterwards. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "document-workspace-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The rows of each query of `sql`. */
export async function askAll(target, sql) {
  const printed = await run("execute", DATABASE_BINDING, ...where(target), "--json", "--yes", "--command", sql);
  return JSON.parse(printed).map(({ results }) => results);
}

/** The rows of one query. */
export const ask = async (target, sql) => (await askAll(target, sql))[0];

/** Applies all new migrations. */
export const migrate = (target) => run("migrations", "apply", DATABASE_BINDING, ...where(target));

/** Runs a file of statements. */
export const execute = (target, file) => run("execute", DATABASE_BINDING, ...where(target), "--yes", "--file", file);

/** Tables with primary data. A table comes after the tables that it refers to. */
export async function tablesOf(target) {
  const rows = await ask(
    target,
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL ORDER BY rowid",
  );
  return rows
    .filter(({ sql }) => !sql.startsWith("CREATE VIRTUAL"))
    .map(({ name }) => name)
    .filter((name) => !/^(search_terms|d1_|sqlite_|_cf_)/.test(name) && !EXCLUDED_TABLES.includes(name));
}

/**
 * Writes a consistent state of these tables to a file. One export reads all of them, so no row can change in between.
 */
export function exportTables(target, tables, file) {
  const args = ["--no-schema", "--output", file, ...tables.flatMap((table) => ["--table", table])];
  if (target.remote) return run("export", DATABASE_BINDING, "--remote", ...args);
  // A local export looks for the state only beside its configuration.
  return withFolder((folder) => {
    const config = join(folder, "wrangler.toml");
    writeFileSync(config, stringify({ d1_databases: [readDeployment().database] }));
    mkdirSync(join(folder, ".wrangler"));
    symlinkSync(target.stateDir, join(folder, ".wrangler/state"), "junction");
    return run("export", DATABASE_BINDING, "--local", "--config", config, ...args);
  });
}

export const readDump = (folder) => readFileSync(join(folder, "database.sql"), "utf8");
