import type { Carried } from "../platform/db/carry/declare";
import type { Slice } from "../platform/db/carry/read";
import type { Source } from "../platform/db/carry/statements";
import { carryIn, findDifferences } from "../platform/db/carry/write";
import { beginArrival, endArrival } from "../platform/db/residence";
import { newId, numberOf } from "../platform/ids";
import type { BackupStore, ObjectProperties } from "../platform/objects/backup-store";
import {
  BackupError,
  type Contents,
  DIRECTORY,
  idsOf,
  type KeptRows,
  type Manifest,
  objectName,
  readContents,
  readKeys,
  readManifests,
  rowFilesOf,
  slicesOf,
} from "./format";
import { databasesOf, directoryOf, type Places, placesOfBackup } from "./places";
import { type Change, contentsOf, type Restored, type Restoring, run, slicesIn, tablesOf } from "./restoring";
import type { Tables } from "./take";

/**
 * The complete backup with this stamp, or the last one.
 * @throws BackupError if there is none
 */
export async function chooseBackup(store: BackupStore, stamp?: string): Promise<Manifest> {
  const complete = (await readManifests(store)).filter(({ completedAtUtc }) => completedAtUtc !== null);
  const chosen = stamp === undefined ? complete.at(-1) : complete.find((one) => one.stamp === stamp);
  if (chosen !== undefined) return chosen;
  const known = complete.map((one) => one.stamp).join(", ");
  throw new BackupError(
    known === "" ? "There is no complete backup." : `There is no complete backup ${stamp}. There are ${known}.`,
  );
}

/** Objects that are written at the same time. */
const MAX_PARALLEL = 4;

/** Writes the objects of a workspace into the bucket of a database. `rename` gives a key another name. */
export async function restoreObjects(
  { store, putObject }: Pick<Restoring, "store" | "putObject">,
  contents: Contents,
  database: string,
  rename = (key: string) => key,
): Promise<void> {
  for (const { file, keys } of rowFilesOf(contents)) {
    if (keys === 0) continue;
    const left = (await readKeys(store, file))[Symbol.iterator]();
    const work = async () => {
      for (let next = left.next(); !next.done; next = left.next()) {
        const name = await objectName(next.value);
        const properties = await store.read(`${name}.json`);
        // The list of missing objects has it.
        if (properties === null) continue;
        const object = JSON.parse(properties) as ObjectProperties;
        await putObject(name, { ...object, key: rename(next.value) }, database);
      }
    };
    await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
  }
}

/** @throws BackupError if the database has not the rows of the backup */
export async function check(
  database: Source,
  tables: readonly Carried[],
  id: string | null,
  slices: readonly Slice<KeptRows>[],
): Promise<void> {
  const different = await findDifferences(database, tables, id, slices);
  if (different.length === 0) return;
  throw new BackupError(
    `The restored rows of ${id ?? "the directory"} are not those of the backup: ${different.join(" ")} Do not use this database.`,
  );
}

/** A person has a row in each of their workspaces: a restored one does not bring an old name back. */
export const keepPeople = (table: Carried): Carried => (table.name === "people" ? { ...table, isKept: true } : table);

/** The rows of one workspace. While they arrive, its state is `coming`: nobody can change it. @returns whether it was not there */
async function restoreWorkspace(
  { store, database }: Restoring,
  tables: readonly Carried[],
  id: string,
  contents: Contents,
) {
  const [row] = await run<{ state: string }>(database, "SELECT state FROM residents WHERE workspace_id = ?1", [id]);
  if (row !== undefined && row.state !== "coming") return false;
  if (contents.isResident) await database.batch([beginArrival(id)]);
  await carryIn(database, tables, slicesIn(store, contents));
  await check(database, tables, id, slicesOf(contents));
  await database.batch([endArrival(id)]);
  return true;
}

const CLOCK = "notification_clock";

/** The clock of notifications never goes back. */
export async function advanceClock(restoring: Restoring, directory: Contents, tables: readonly Carried[]) {
  const { store } = restoring;
  const clock = tables.find(({ id }) => id === CLOCK);
  if (clock === undefined) return;
  // Several clocks are set apart, and are later than what they gave.
  if (databasesOf(restoring).size > 1) return;
  for await (const lines of slicesIn(store, directory)(clock))
    for (const line of lines)
      await run(restoring.database, `UPDATE ${clock.name} SET seq = max(seq, CAST(?1 AS INTEGER))`, [
        Number((JSON.parse(line) as number[])[1]),
      ]);
}

/** Each workspace gets the database into which it is restored. Its former database does not matter. */
const placedBy =
  (places: Places): Change =>
  (table, lines) => {
    if (table.id !== "workspaces") return lines;
    const [id, at] = ["id", "database"].map((name) => table.columns.findIndex((column) => column.name === name));
    return lines.map((line) => {
      const values = JSON.parse(line) as unknown[];
      return JSON.stringify(values.with(at ?? 0, places.of(String(values[id ?? 0]))));
    });
  };

/** The rows of the directory; those that exist stay. */
async function restoreDirectory(restoring: Restoring, places: Places): Promise<void> {
  const { store, manifest, tables } = restoring;
  const database = directoryOf(restoring);
  const contents = await contentsOf(restoring, DIRECTORY);
  const all = tablesOf(tables.service, manifest);
  const [before] = await run(database, "SELECT 1 FROM users LIMIT 1");
  const others = all.filter(({ id }) => id !== CLOCK).map((table) => ({ ...table, isKept: true }));
  await carryIn(database, others, slicesIn(store, contents, placedBy(places)));
  // In a database that had accounts, rows of the directory stay, and there are more of them.
  if (before === undefined)
    await check(
      database,
      all.filter(({ id }) => id !== CLOCK).map((table) => ({ ...table, isKept: table.id === "workspaces" })),
      null,
      slicesOf(contents),
    );
  await advanceClock(restoring, contents, all);
  await giveWorkspaces(restoring, places);
}

/** The declaration of a table. */
export function declared({ workspace, service }: Tables, id: string): Carried {
  const found = [...workspace, ...service].find((table) => table.id === id);
  if (found === undefined) throw new TypeError(`${id} is no table`);
  return found;
}

/** Accounts of one statement. */
const ACCOUNTS = 1_000;

interface Newer {
  id: string;
  /** Null for an account without a workspace. */
  place: string | null;
  /** JSON of the row of `people`. */
  person: string;
}

/** An account that is newer than the rows of the workspaces has its personal workspace here too. */
export async function giveWorkspaces(restoring: Restoring, places: Places): Promise<void> {
  const { tables } = restoring;
  const [copies, accounts, own] = ["people", "users", "workspaces"].map((id) => declared(tables, id).name);
  const [directory, all] = [directoryOf(restoring), databasesOf(restoring)];
  for (let after = ""; ; ) {
    const page = await run<Newer>(
      directory,
      `SELECT account.id, own.database AS place, json_array(account.id, email, display_name, named_at) AS person
        FROM ${accounts} AS account LEFT JOIN ${own} AS own ON own.id = account.id
        WHERE account.id > ?1 ORDER BY account.id LIMIT ${ACCOUNTS}`,
      [after],
    );
    if (all.size > 1)
      await places.read(
        restoring,
        page.map(({ id }) => id),
      );
    const placed = Map.groupBy(page, ({ id, place }) => (place !== null && all.has(place) ? place : places.of(id)));
    for (const [name, some] of placed) {
      const people = JSON.stringify(some.map(({ person }) => JSON.parse(person) as unknown));
      await (all.get(name) as Restored).batch([
        {
          sql: `INSERT INTO ${copies} (id, email, display_name, named_at)
            SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`,
          params: [people],
        },
        ...some.flatMap(({ id }) => [beginArrival(id), endArrival(id)]),
      ]);
      if (all.size === 1) continue;
      const missing = some.filter(({ place }) => place === null).map(({ id }) => [id, numberOf(id), name]);
      await run(
        directory,
        `INSERT INTO ${own} (id, number, database) SELECT value ->> 0, value ->> 1, value ->> 2
          FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`,
        [JSON.stringify(missing)],
      );
    }
    if (page.length < ACCOUNTS) return;
    after = page.at(-1)?.id ?? "";
  }
}

/** Jobs that build the index of the search of a database again. */
export async function rebuildIndex({ database, tables }: Pick<Restoring, "database" | "tables">): Promise<void> {
  const { name } = declared(tables, "jobs.service");
  for (const kind of ["backfill-assets", "backfill-documents"])
    await run(
      database,
      `INSERT INTO ${name} (id, kind, lane, payload, status, run_at, sent_at, is_kept, request_id, created_at)
       VALUES (?1, ?2, 'light', '{}', 'queued', ?3, 0, 1, 'restore', ?3)`,
      [newId(), kind, Date.now()],
    );
}

/**
 * Restores a whole backup into the databases and the bucket. It can run again after an interruption. A workspace that the database
 * has already stays as it is. After it, search finds everything when its jobs have ended.
 * @returns how many workspaces were restored, and which were there already
 * @throws BackupError if a file is missing or the rows are not those of the backup
 */
export async function restoreBackup(restoring: Restoring): Promise<{ restored: number; present: string[] }> {
  const { store, manifest, tables } = restoring;
  const of = tablesOf(tables.workspace, manifest).map(keepPeople);
  const [places, databases] = [await placesOfBackup(restoring), databasesOf(restoring)];
  const present: string[] = [];
  let restored = 0;
  for await (const id of idsOf(store, manifest.stamp)) {
    if (id === DIRECTORY) continue;
    // A workspace that was removed while the backup ran is not whole.
    const contents = await readContents(store, manifest.stamp, id);
    if (contents?.isWhole !== true) continue;
    // Objects come first, so no row refers to a missing one.
    const place = places.of(id);
    await restoreObjects(restoring, contents, place);
    const database = databases.get(place) ?? restoring.database;
    if (await restoreWorkspace({ ...restoring, database }, of, id, contents)) restored += 1;
    else present.push(id);
  }
  await restoreDirectory(restoring, places);
  for (const database of databases.values()) await rebuildIndex({ database, tables });
  return { restored, present };
}
