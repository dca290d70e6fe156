import { createHash, createHmac } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Refusal } from "../setup/project.mjs";

/** How long a statement waits while the local service writes, milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;
/** Prepared statements that stay in memory. */
const MAX_PREPARED = 100;

/** The id by which the runtime knows a local database. @param entry its entry in wrangler.toml */
export const idOf = ({ preview_database_id: preview, database_id: id, binding }) => preview ?? id ?? binding;

/** The name of the file of a local database: miniflare names it by its id as a Durable Object. */
function fileNameOf(entry) {
  const key = createHash("sha256").update("miniflare-D1DatabaseObject").digest();
  const hmac = (text) => createHmac("sha256", key).update(text).digest().subarray(0, 16);
  const name = hmac(idOf(entry));
  return `${Buffer.concat([name, hmac(name)]).toString("hex")}.sqlite`;
}

/** The file of a database in a state folder. @param entry its entry in wrangler.toml; null: the only one. @throws Refusal if there is none. */
function databaseFile(stateDir, entry) {
  const folder = join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const wanted = entry === null ? null : fileNameOf(entry);
  const name = names.find((one) =>
    wanted === null ? one.endsWith(".sqlite") && one !== "metadata.sqlite" : one === wanted,
  );
  if (name === undefined)
    throw new Refusal(
      `${stateDir} has no database${entry === null ? "" : ` ${entry.database_name}`}. Set STATE_DIR to the folder of a state.`,
    );
  return join(folder, name);
}

/**
 * The database of a local state, also while its service runs: a reader sees one state during a batch and hinders no writer.
 * @param {string} file
 * @param {{ readOnly?: boolean, schema?: string[] }} [options] `schema`: SQL that makes a new, temporary database
 */
export async function openFile(file, { readOnly = false, schema = [] } = {}) {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file, { readOnly });
  // A new database is temporary: nobody needs it after a crash.
  if (schema.length > 0) database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
  for (const sql of schema) database.exec(sql);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA foreign_keys = ON`);
  const prepared = new Map();
  const statement = (sql) => {
    const found = prepared.get(sql) ?? database.prepare(sql);
    // Slices have the same texts; the text of a range is seldom the same twice.
    if (prepared.size < MAX_PREPARED) prepared.set(sql, found);
    return found;
  };
  const run = async (asked) => {
    // Nothing else here waits, and Node frees statements and buffers only between two tasks.
    await setImmediate();
    return asked.map(({ sql, params }) =>
      statement(sql).all(Object.fromEntries(params.map((value, n) => [`?${n + 1}`, value]))),
    );
  };
  const transaction = async (work) => {
    database.exec(readOnly ? "BEGIN" : "BEGIN IMMEDIATE");
    try {
      const result = await work();
      database.exec("COMMIT");
      return result;
    } catch (thrown) {
      database.exec("ROLLBACK");
      throw thrown;
    }
  };
  // A connection has one transaction at a time.
  let last = Promise.resolve();
  const within = (work) => {
    const done = last.then(() => transaction(work));
    last = done.catch(() => {});
    return done;
  };
  return {
    batch: (asked) => within(() => run(asked)),
    /** All batches of `work` see one state. */
    readAtOneMoment: (work) => within(() => work({ batch: run })),
    close: () => database.close(),
  };
}

export const openLocal = (stateDir, entry, options) => openFile(databaseFile(stateDir, entry), options);
