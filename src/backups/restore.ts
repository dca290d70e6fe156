import type { Carried } from "../platform/db/carry/declare";
import type { Slice } from "../platform/db/carry/read";
import type { Source } from "../platform/db/carry/statements";
import { carryIn, findDifferences, type Target } from "../platform/db/carry/write";
import { FIRST_DATABASE } from "../platform/db/database";
import { beginArrival, endArrival } from "../platform/db/residence";
import { newId } from "../platform/ids";
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
  readRows,
  rowFilesOf,
  slicesOf,
} from "./format";
import type { Tables } from "./take";

/** A database into which rows are restored. */
export type Restored = Source & Target;

export interface Restoring {
  store: BackupStore;
  manifest: Manifest;
  /** The tables of this version. */
  tables: Tables;
  database: Restored;
  /**
   * Whether the rows are of an export, which anybody can have written: the addresses in it are not verified, and its rows refer to
   * no other workspace.
   */
  isExport?: boolean;
  /** Writes an object of the backup into the bucket, unless it is there. */
  putObject: (name: string, object: ObjectProperties & { key: string }) => Promise<void>;
}

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

export const run = async <Row>(database: Source, sql: string, params: (string | number)[] = []): Promise<Row[]> => {
  const [rows = []] = await database.batch([{ sql, params }]);
  return rows as Row[];
};

/** The tables with the columns that the backup has. @throws BackupError if this version does not know one */
export const tablesOf = (tables: readonly Carried[], { columns }: Manifest): Carried[] =>
  tables.flatMap((table) => {
    const names = columns[table.id];
    if (names === undefined) return [];
    const found = names.map((name) => {
      const column = table.columns.find((one) => one.name === name);
      if (column === undefined)
        throw new BackupError(`The backup has ${table.name}.${name}, which this version does not know.`);
      return column;
    });
    return [{ ...table, columns: found }];
  });

/** What a backup has of a workspace. @throws BackupError if it has not everything */
export async function contentsOf({ store, manifest }: Pick<Restoring, "store" | "manifest">, id: string) {
  const contents = await readContents(store, manifest.stamp, id);
  if (contents?.isWhole !== true) throw new BackupError(`The backup has no workspace ${id}.`);
  return contents;
}

/** Objects that are written at the same time. */
const MAX_PARALLEL = 4;

/** Writes the objects of a workspace. `rename` gives a key another name. */
export async function restoreObjects(
  { store, putObject }: Pick<Restoring, "store" | "putObject">,
  contents: Contents,
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
        await putObject(name, { ...(JSON.parse(properties) as ObjectProperties), key: rename(next.value) });
      }
    };
    await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
  }
}

export const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Whether the rows of a table of a workspace have an id. */
export const hasOwnId = ({ name, identity, columns }: Carried): boolean =>
  name !== "people" &&
  identity.join() === "id" &&
  columns.some((column) => column.name === "id" && column.type === "text");

type Change = (table: Carried, lines: string[]) => readonly string[];

/** Gives the slices of a workspace to `carryIn`, table by table. */
export const slicesIn = (store: BackupStore, contents: Contents, change: Change = (_, lines) => lines) => {
  const byTable = Map.groupBy(slicesOf(contents), ({ table }) => table);
  return async function* (table: Carried): AsyncIterable<readonly string[]> {
    for (const slice of byTable.get(table.id) ?? []) {
      if (slice.rows === 0) continue;
      const lines = change(table, await readRows(store, slice));
      if (lines.length > 0) yield lines;
    }
  };
};

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
export async function advanceClock({ store, database }: Restoring, directory: Contents, tables: readonly Carried[]) {
  const clock = tables.find(({ id }) => id === CLOCK);
  if (clock === undefined) return;
  for await (const lines of slicesIn(store, directory)(clock))
    for (const line of lines)
      await run(database, `UPDATE ${clock.name} SET seq = max(seq, CAST(?1 AS INTEGER))`, [
        Number((JSON.parse(line) as number[])[1]),
      ]);
}

/** Every workspace is in this database now, whatever its database was. */
const inFirst: Change = (table, lines) => {
  if (table.id !== "workspaces") return lines;
  const at = table.columns.findIndex(({ name }) => name === "database");
  return lines.map((line) => JSON.stringify((JSON.parse(line) as unknown[]).with(at, FIRST_DATABASE)));
};

/** The rows of the directory; those that exist stay. */
async function restoreDirectory(restoring: Restoring): Promise<void> {
  const { store, manifest, tables, database } = restoring;
  const contents = await contentsOf(restoring, DIRECTORY);
  const all = tablesOf(tables.service, manifest);
  const [before] = await run(database, "SELECT 1 FROM users LIMIT 1");
  const others = all.filter(({ id }) => id !== CLOCK).map((table) => ({ ...table, isKept: true }));
  await carryIn(database, others, slicesIn(store, contents, inFirst));
  // In a database that had accounts, rows of the directory stay, and there are more of them.
  if (before === undefined)
    await check(
      database,
      all.filter(({ id }) => id !== CLOCK).map((table) => ({ ...table, isKept: table.id === "workspaces" })),
      null,
      slicesOf(contents),
    );
  await advanceClock(restoring, contents, all);
  await giveWorkspaces(restoring);
}

/** The declaration of a table. */
export function declared({ workspace, service }: Tables, id: string): Carried {
  const found = [...workspace, ...service].find((table) => table.id === id);
  if (found === undefined) throw new TypeError(`${id} is no table`);
  return found;
}

/** Accounts of one statement. */
const ACCOUNTS = 1_000;

/** An account that is newer than the rows of the workspaces has its personal workspace here too. */
export async function giveWorkspaces({ database, tables }: Pick<Restoring, "database" | "tables">): Promise<void> {
  const [copies, accounts] = [declared(tables, "people").name, declared(tables, "users").name];
  for (let after = ""; ; ) {
    const page = await run<{ id: string }>(
      database,
      `SELECT id FROM ${accounts} WHERE id > ?1 ORDER BY id LIMIT ${ACCOUNTS}`,
      [after],
    );
    const copied = `SELECT id, email, display_name, named_at FROM ${accounts} WHERE id > ?1 ORDER BY id LIMIT ${ACCOUNTS}`;
    await database.batch([
      {
        sql: `INSERT INTO ${copies} (id, email, display_name, named_at) ${copied} ON CONFLICT DO NOTHING`,
        params: [after],
      },
      ...page.flatMap(({ id }) => [beginArrival(id), endArrival(id)]),
    ]);
    if (page.length < ACCOUNTS) return;
    after = page.at(-1)?.id ?? "";
  }
}

/** Jobs that build the index of the search again. */
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
 * Restores a whole backup into one database and its bucket. It can run again after an interruption. A workspace that the database
 * has already stays as it is. After it, search finds everything when its jobs have ended.
 * @returns how many workspaces were restored, and which were there already
 * @throws BackupError if a file is missing or the rows are not those of the backup
 */
export async function restoreBackup(restoring: Restoring): Promise<{ restored: number; present: string[] }> {
  const { store, manifest, tables } = restoring;
  const of = tablesOf(tables.workspace, manifest).map(keepPeople);
  const present: string[] = [];
  let restored = 0;
  for await (const id of idsOf(store, manifest.stamp)) {
    if (id === DIRECTORY) continue;
    // A workspace that was removed while the backup ran is not whole.
    const contents = await readContents(store, manifest.stamp, id);
    if (contents?.isWhole !== true) continue;
    // Objects come first, so no row refers to a missing one.
    await restoreObjects(restoring, contents);
    if (await restoreWorkspace(restoring, of, id, contents)) restored += 1;
    else present.push(id);
  }
  await restoreDirectory(restoring);
  await rebuildIndex(restoring);
  return { restored, present };
}
