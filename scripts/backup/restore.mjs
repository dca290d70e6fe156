import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { pathToFileURL } from "node:url";
import { describeTarget } from "../service/deployment.mjs";
import { Refusal } from "../setup/project.mjs";
import { eachOf, withBucket } from "./bucket.mjs";
import { loadCarry } from "./carry.mjs";
import { runCommand } from "./command.mjs";
import { migrate, openDatabase } from "./database.mjs";
import { BackupFolder, DIRECTORY } from "./folder.mjs";

const run = async (database, sql, params = []) => (await database.batch([{ sql, params }]))[0];

/** Asks before it writes to a database with accounts. @throws Refusal without the answer */
async function confirm(database, target, { isConfirmed }) {
  const [{ people }] = await run(database, "SELECT count(*) AS people FROM (SELECT 1 FROM users LIMIT 1)");
  if (people === 0 || isConfirmed) return;
  const question = `The ${describeTarget(target)} has accounts. Rows that it has stay as they are. Restore into it? Enter "yes": `;
  if (!process.stdin.isTTY)
    throw new Refusal(`The ${describeTarget(target)} has accounts. Restore into an empty one, or add --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  if (answer.trim() !== "yes") throw new Refusal("Nothing was restored.");
}

/** The tables with the columns that the backup has. @throws Refusal if this version does not know one */
const tablesOf = (tables, columns) =>
  tables
    .filter(({ id }) => id in columns)
    .map((table) => ({
      ...table,
      columns: columns[table.id].map((name) => {
        const column = table.columns.find((one) => one.name === name);
        if (column === undefined)
          throw new Refusal(`The backup has ${table.name}.${name}, which this version does not know.`);
        return column;
      }),
    }));

/** Restores an object under its key, with its metadata. */
async function putObject(bucket, folder, key) {
  const object = folder.object(key);
  // The manifest lists it as missing.
  if (object === null) return;
  const { sizeBytes, httpMetadata, customMetadata, sha256 } = object;
  if ((await bucket.head(key))?.size === sizeBytes) return;
  const bytes = readFileSync(folder.objectFile(key));
  if (bytes.length !== sizeBytes)
    throw new Refusal(`${folder.objectFile(key)} is incomplete: the backup cannot be restored.`);
  await bucket.put(key, Uint8Array.from(bytes).buffer, {
    httpMetadata,
    customMetadata,
    ...(sha256 !== undefined && { sha256 }),
  });
}

/** Gives the slices of a workspace to `carryIn`, table by table. */
const slicesOf = (folder, id, map = (_, lines) => lines) => {
  const { slices } = folder.read(id) ?? { slices: [] };
  return async function* (table) {
    for (const slice of slices)
      if (slice.table === table.id && slice.rows > 0) yield map(table, folder.rows(id, slice));
  };
};

/** The rows of one workspace. While they arrive, its state is `coming`: nobody can change it. */
async function restoreWorkspace({ database, folder, carry, tables }, id) {
  const contents = folder.read(id);
  const [row] = await run(database, "SELECT state FROM residents WHERE workspace_id = ?1", [id]);
  if (row !== undefined && row.state !== "coming") return false;
  if (contents.isResident)
    await run(database, "INSERT INTO residents (workspace_id, state) VALUES (?1, 'coming') ON CONFLICT DO NOTHING", [
      id,
    ]);
  await carry.carryIn(database, tables, slicesOf(folder, id));
  await run(database, "UPDATE residents SET state = 'here' WHERE workspace_id = ?1", [id]);
  return true;
}

/**
 * The rows of the directory; those that exist stay. For one workspace: its number, and the accounts of its people.
 * @param {string | undefined} only
 */
async function restoreDirectory({ database, folder, carry, tables }, only) {
  const people = new Set();
  if (only !== undefined)
    for await (const lines of slicesOf(folder, only)({ id: "people" }))
      for (const line of lines) people.add(JSON.parse(line)[0]);
  const isWanted = ({ id }, line) =>
    only === undefined ||
    (id === "users" && people.has(JSON.parse(line)[0])) ||
    (id === "workspaces" && JSON.parse(line)[0] === only);
  const clock = tables.filter(({ id }) => id === "notification_clock");
  const others = tables.filter(({ id }) => id !== "notification_clock").map((table) => ({ ...table, isKept: true }));
  await carry.carryIn(
    database,
    others,
    slicesOf(folder, DIRECTORY, (table, lines) => lines.filter((line) => isWanted(table, line))),
  );
  // The clock never goes back.
  for await (const [line] of slicesOf(folder, DIRECTORY)(clock[0]))
    await run(database, "UPDATE notification_clock SET seq = max(seq, CAST(?1 AS INTEGER))", [JSON.parse(line)[1]]);
  // An account that is newer than the rows of the workspaces has its personal workspace here too.
  const copied = "SELECT id, email, display_name, named_at FROM users WHERE true";
  await run(database, `INSERT INTO people (id, email, display_name, named_at) ${copied} ON CONFLICT DO NOTHING`);
  await run(
    database,
    "INSERT INTO residents (workspace_id, state) SELECT id, 'here' FROM users WHERE true ON CONFLICT DO NOTHING",
  );
}

/** Jobs that build the index of the search again. */
async function rebuildIndex(database) {
  const now = Date.now();
  for (const kind of ["backfill-assets", "backfill-documents"])
    await run(
      database,
      `INSERT INTO jobs (id, kind, lane, payload, status, run_at, sent_at, is_kept, request_id, created_at)
       VALUES (?1, ?2, 'light', '{}', 'queued', ?3, 0, 1, 'restore', ?3)`,
      [randomUUID(), kind, now],
    );
}

/**
 * Restores a backup, or one workspace of it, into a database and a bucket. It can run again after an interruption. A workspace that
 * the database has already stays as it is.
 */
export async function restore(path, target, { workspace, isConfirmed = false } = {}) {
  const folder = new BackupFolder(path);
  const { takenAtUtc, columns, missing } = folder.manifest();
  const ids = workspace === undefined ? folder.workspaces() : [workspace];
  if (workspace !== undefined && folder.read(workspace) === null)
    throw new Refusal(`${path} has no workspace ${workspace}.`);
  const carry = await loadCarry();
  await migrate(target);
  const database = await openDatabase(target);
  try {
    await confirm(database, target, { isConfirmed });
    // Objects come first, so no row refers to a missing one.
    await withBucket(target, (bucket) => eachOf(folder.keys(ids), (key) => putObject(bucket, folder, key)));
    const given = { database, folder, carry };
    const of = { ...given, tables: tablesOf(carry.OF_WORKSPACE, columns) };
    let restored = 0;
    for (const id of ids) if (await restoreWorkspace(of, id)) restored += 1;
    await restoreDirectory({ ...given, tables: tablesOf(carry.OF_SERVICE, columns) }, workspace);
    await rebuildIndex(database);
    console.log(`${restored} workspaces of ${takenAtUtc} are restored.`);
    if (restored < ids.length)
      console.log(`${ids.length - restored} workspaces were there already, and stay as they are.`);
    if (missing.length > 0) console.log(`${missing.length} objects cannot be shown any more: ${missing.join(", ")}`);
  } finally {
    database.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) runCommand("restore", restore);
