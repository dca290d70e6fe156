import { v5 } from "uuid";
import type { Carried } from "../platform/db/carry/declare";
import { deleteStatement, type TakenRow, takeStatement } from "../platform/db/carry/statements";
import { carryIn, findDifferences } from "../platform/db/carry/write";
import { beginArrival, endArrival } from "../platform/db/residence";
import { numberOf } from "../platform/ids";
import { hashOfText } from "../platform/text-hash";
import { BackupError, type Contents, DIRECTORY, slicesOf } from "./format";
import { databasesOf, directoryOf, Places } from "./places";
import { refuseForeignReferences } from "./references";
import { advanceClock, declared, giveWorkspaces, keepPeople, rebuildIndex, restoreObjects } from "./restore";
import { contentsOf, hasOwnId, IDS, type Restored, type Restoring, run, slicesIn, tablesOf } from "./restoring";

/** An account of a backup or of a database. */
export interface Account {
  id: string;
  email: string;
  /** Null while the address is not verified. */
  verifiedAt: number | null;
}

interface MatchedPeople {
  /** The accounts here, by the ids of the same people there. An id that both have is not in it. */
  renamed: ReadonlyMap<string, string>;
  /** Ids of people who have an account here. */
  matched: ReadonlySet<string>;
  /** Ids of people whose account can be added. */
  added: ReadonlySet<string>;
  /**
   * Ids of people who get no account: another account here has their address, and one of the two is not verified. So nobody gets
   * the access of somebody else by an address that is not theirs.
   */
  apart: ReadonlySet<string>;
}

/**
 * Matches the people of one installation with the accounts of another one: by id, otherwise by an address that is verified in both.
 * @param theirs the accounts of the people who arrive
 * @param ours accounts of this installation with one of these ids or addresses
 */
export function matchPeople(theirs: readonly Account[], ours: readonly Account[]): MatchedPeople {
  const ids = new Set(ours.map(({ id }) => id));
  const byEmail = new Map(ours.map((account) => [account.email, account]));
  const renamed = new Map<string, string>();
  const [matched, added, apart] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { id, email, verifiedAt } of theirs) {
    const same = byEmail.get(email);
    if (ids.has(id)) matched.add(id);
    else if (same === undefined) added.add(id);
    else if (verifiedAt !== null && same.verifiedAt !== null) {
      renamed.set(id, same.id);
      matched.add(id);
    } else apart.add(id);
  }
  return { renamed, matched, added, apart };
}

/** Values of one statement. */
const CHUNK = 500;
const chunksOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, n) => all.slice(n * CHUNK, (n + 1) * CHUNK));

/** The values of some columns of the rows of a backup. */
async function* valuesOf({ store }: Restoring, contents: Contents, table: Carried, names: readonly string[]) {
  const at = names.map((name) => table.columns.findIndex((column) => column.name === name));
  for await (const lines of slicesIn(store, contents)(table))
    yield lines.map((line) => {
      const values = JSON.parse(line) as (string | number | null)[];
      return at.map((n) => values[n] ?? null);
    });
}

/** The new names of what an import changes. The same import makes the same names, so that it can be repeated. */
interface Names {
  idOf(id: string): string;
  /** By the table whose numbers they are. */
  numbers: ReadonlyMap<string, ReadonlyMap<number, number>>;
  isUnchanged: boolean;
}

/** Chooses the names: ids and numbers stay unless this database has them. */
async function chooseNames(
  restoring: Restoring,
  tables: readonly Carried[],
  contents: Contents,
  people: MatchedPeople,
  id: string,
): Promise<Names> {
  const { database } = restoring;
  const others = [...databasesOf(restoring).values()];
  const taken = new Set<number>();
  for (const table of tables.filter(hasOwnId))
    for await (const rows of valuesOf(restoring, contents, table, ["id"])) {
      const ids = rows.map(([value]) => String(value));
      const sql = `SELECT id FROM ${table.name} WHERE id IN (SELECT value FROM json_each(?1))`;
      for (const one of others)
        for (const { id: used } of await run<{ id: string }>(one, sql, [JSON.stringify(ids)]))
          taken.add(hashOfText(used));
    }
  const numbers = new Map<string, Map<number, number>>();
  for (const table of tables)
    for (const [column, space] of Object.entries(table.numbers)) {
      if (space !== table.name) continue;
      const known = numbers.get(space) ?? new Map<number, number>();
      numbers.set(space, known);
      for await (const rows of valuesOf(restoring, contents, table, [column])) {
        const values = rows.map(([value]) => Number(value));
        const sql = `SELECT ${column} AS number FROM ${space} WHERE ${column} IN (SELECT value FROM json_each(?1))`;
        for (const { number } of await run<{ number: number }>(database, sql, [JSON.stringify(values)])) {
          let free = number + 1;
          const isFree = async (candidate: number) =>
            !known.has(candidate) &&
            (await run(database, `SELECT 1 FROM ${space} WHERE ${column} = CAST(?1 AS INTEGER)`, [candidate]))
              .length === 0;
          while (!(await isFree(free))) free += 1;
          known.set(number, free);
        }
      }
    }
  const isUnchanged =
    taken.size === 0 && people.renamed.size === 0 && [...numbers.values()].every(({ size }) => size === 0);
  return {
    idOf: (one) => people.renamed.get(one) ?? (taken.has(hashOfText(one)) ? v5(one, id) : one),
    numbers,
    isUnchanged,
  };
}

/** Gives the rows of a table their new names. */
const rename =
  ({ idOf, numbers, isUnchanged }: Names) =>
  (table: Carried, lines: string[]): string[] => {
    if (isUnchanged) return lines;
    const changed = Object.entries(table.numbers).map(([column, space]) => ({
      at: table.columns.findIndex(({ name }) => name === column),
      by: numbers.get(space),
    }));
    return lines.map((line) => {
      const renamed = line.replace(IDS, idOf);
      if (changed.every(({ by }) => by === undefined || by.size === 0)) return renamed;
      const values = JSON.parse(renamed) as unknown[];
      for (const { at, by } of changed) values[at] = by?.get(Number(values[at])) ?? values[at];
      return JSON.stringify(values);
    });
  };

/** Deletes the rows that an interrupted import has left. People stay: other workspaces may have them. */
async function clear(database: Restored, tables: readonly Carried[], id: string): Promise<void> {
  // Rows that are found through other rows go before those.
  const isFound = ({ from, name }: Carried) => from !== `${name} AS row`;
  const order = [...tables].reverse();
  for (const table of [...order.filter(isFound), ...order.filter((one) => !isFound(one))]) {
    if (table.name === "people") continue;
    for (;;) {
      const { sql, params } = takeStatement(table, id);
      const rows = await run<TakenRow>(database, sql, params);
      if (rows.length === 0) break;
      await database.batch([
        deleteStatement(
          table,
          rows.map(({ identity }) => identity),
        ),
      ]);
    }
  }
}

interface DirectoryRows {
  accounts: Account[];
  /** The lines of the accounts, by id. */
  lines: Map<string, string>;
  users: Carried;
}

/** The accounts of people in the directory of a backup. */
async function accountsOf(
  restoring: Restoring,
  directory: Contents,
  people: ReadonlySet<string>,
): Promise<DirectoryRows> {
  const { store, manifest, tables } = restoring;
  const users = tablesOf(tables.service, manifest).find(({ id }) => id === "users");
  if (users === undefined) throw new BackupError("The backup has no accounts.");
  const at = (name: string) => users.columns.findIndex((column) => column.name === name);
  const [id, email, verified] = [at("id"), at("email"), at("email_verified_at")];
  const lines = new Map<string, string>();
  const accounts: Account[] = [];
  for await (const some of slicesIn(store, directory)(users))
    for (const line of some) {
      const values = JSON.parse(line) as (string | number | null)[];
      const own = String(values[id]);
      if (!people.has(own)) continue;
      lines.set(own, line);
      accounts.push({ id: own, email: String(values[email]), verifiedAt: values[verified] as number | null });
    }
  return { accounts, lines, users };
}

/** The accounts of a database with one of these ids or addresses. */
async function accountsHere(database: Restored, wanted: readonly Account[]): Promise<Account[]> {
  const found: Account[] = [];
  for (const some of chunksOf(wanted))
    found.push(
      ...(await run<Account>(
        database,
        `SELECT id, email, email_verified_at AS verifiedAt FROM users WHERE id IN (SELECT value ->> 'id' FROM json_each(?1))
          UNION SELECT id, email, email_verified_at FROM users WHERE email IN (SELECT value ->> 'email' FROM json_each(?1))`,
        [JSON.stringify(some)],
      )),
    );
  return found;
}

/** Adds accounts. None of them is a platform administrator here, and an identity of an issuer stays with its account. */
async function addAccounts(
  restoring: Restoring,
  { users, lines }: DirectoryRows,
  added: ReadonlySet<string>,
): Promise<void> {
  const [database, isExport] = [directoryOf(restoring), restoring.isExport === true];
  const at = (name: string) => users.columns.findIndex((column) => column.name === name);
  const [isAdmin, issuer, subject] = [at("is_admin"), at("external_issuer"), at("external_subject")];
  const [verified, createdAt] = [at("email_verified_at"), at("created_at")];
  const written: string[] = [];
  for (const id of added) {
    const values = JSON.parse(lines.get(id) ?? "[]") as (string | number | null)[];
    values[isAdmin] = 0;
    if (isExport) [values[verified], values[createdAt]] = [null, Date.now()];
    const sql = "SELECT 1 FROM users WHERE external_issuer = ?1 AND external_subject = ?2";
    const identity = [values[issuer], values[subject]];
    if (identity.every((one) => typeof one === "string") && (await run(database, sql, identity as string[])).length > 0)
      [values[issuer], values[subject]] = [null, null];
    written.push(JSON.stringify(values));
  }
  await carryIn(database, [{ ...users, isKept: true }], async function* () {
    yield* chunksOf(written);
  });
}

export interface Imported {
  /** The id of the workspace here. */
  id: string;
  /** The name of the database that has it. */
  database: string;
  /** Whether it was there already. Then nothing was changed. */
  isPresent: boolean;
  people: { matched: number; added: number; apart: number };
}

/** The state of a workspace. It is `coming` if its import into this database was interrupted. */
async function residentOf(restoring: Restoring, id: string) {
  const sql = "SELECT state, move FROM residents WHERE workspace_id = ?1 AND (state <> 'gone' OR ?2 = 1)";
  const all = [...databasesOf(restoring).values()];
  for (const database of all) {
    const [found] = await run<{ state: string; move: string | null }>(database, sql, [id, all.length === 1 ? 1 : 0]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The directory knows where each person may have something. */
async function writePointers(restoring: Restoring, id: string): Promise<void> {
  const { database, tables } = restoring;
  const [members, given, known] = ["memberships", "grants", "pointers"].map((table) => declared(tables, table).name);
  const people = await run<{ person: string }>(
    database,
    `SELECT user_id AS person FROM ${members} WHERE organization_id = ?1 UNION SELECT user_id FROM ${given} WHERE tenant_id = ?1`,
    [id],
  );
  for (const some of chunksOf(people))
    await run(
      directoryOf(restoring),
      `INSERT INTO ${known} (user_id, workspace_id) SELECT person.value, ?2 FROM json_each(?1) AS person
        JOIN users ON users.id = person.value WHERE true ON CONFLICT DO NOTHING`,
      [JSON.stringify(some.map(({ person }) => person)), id],
    );
}

/**
 * Restores one workspace of a backup beside others, also of another installation. Ids and numbers stay unless this database has them.
 * People are matched by `matchPeople`; the others get their accounts. It can run again after an interruption.
 * @throws BackupError if the backup has no such workspace, or the rows are not those of the backup
 */
export async function importWorkspace(given: Restoring, id: string): Promise<Imported> {
  const places = await Places.of(given);
  await places.read(given, [id]);
  const name = places.of(id);
  const restoring = { ...given, database: databasesOf(given).get(name) ?? given.database };
  const { manifest, tables, database, store } = restoring;
  const contents = await contentsOf(restoring, id);
  const directory = await contentsOf(restoring, DIRECTORY);
  const all = tablesOf(tables.workspace, manifest).map(keepPeople);
  const resident = await residentOf(restoring, id);
  const people = new Set<string>();
  for (const table of all.filter(({ name }) => name === "people"))
    for await (const rows of valuesOf(restoring, contents, table, ["id"]))
      for (const [person] of rows) people.add(String(person));
  const accounts = await accountsOf(restoring, directory, people);
  const matched = matchPeople(accounts.accounts, await accountsHere(directoryOf(restoring), accounts.accounts));
  const counts = { matched: matched.matched.size, added: matched.added.size, apart: matched.apart.size };
  // A person has one personal workspace.
  const isTaken = matched.renamed.has(id) || matched.apart.has(id);
  // The rows of a workspace that is being moved here are no rest of an interrupted import.
  if (isTaken || (resident !== undefined && (resident.state !== "coming" || resident.move !== null)))
    return { id, database: name, isPresent: true, people: counts };
  if (restoring.isExport === true) await refuseForeignReferences(restoring, all, contents, id);
  if (resident !== undefined) await clear(database, all, id);
  const carriedTables = all.filter((table) => table.id !== "pruned");
  const names = await chooseNames(restoring, carriedTables, contents, matched, id);
  await restoreObjects(restoring, contents, name, (key) => key.replace(IDS, names.idOf));
  await database.batch([beginArrival(id)]);
  await carryIn(database, carriedTables, slicesIn(store, contents, rename(names)));
  const slices = slicesOf(contents);
  const whole = Map.groupBy(slices, ({ table }) => table);
  const expected = [...whole].map(([table, some]) => ({
    ...{ table, after: null, to: null, a: 0, b: 0 },
    rows: some.reduce((sum, { rows }) => sum + rows, 0),
  }));
  // With new names, the rows have other sums and other places, but they are as many.
  const checked = names.isUnchanged ? carriedTables : carriedTables.map((table) => ({ ...table, isKept: true }));
  const different = await findDifferences(database, checked, id, names.isUnchanged ? slices : expected);
  if (different.length > 0)
    throw new BackupError(`The restored rows of ${id} are not those of the backup: ${different.join(" ")}`);
  await addAccounts(restoring, accounts, matched.added);
  const place = declared(tables, "workspaces").name;
  await run(
    directoryOf(restoring),
    `INSERT INTO ${place} (id, number, database) VALUES (?1, CAST(?2 AS INTEGER), ?3) ON CONFLICT DO NOTHING`,
    [id, numberOf(id), name],
  );
  if (databasesOf(restoring).size > 1) await writePointers(restoring, id);
  await advanceClock(restoring, directory, tablesOf(tables.service, manifest));
  await giveWorkspaces(restoring, places);
  await database.batch([endArrival(id)]);
  await rebuildIndex(restoring);
  return { id, database: name, isPresent: false, people: counts };
}
