import { FIRST_DATABASE } from "../platform/db/database";
import { numberOf } from "../platform/ids";
import { DIRECTORY } from "./format";
import { contentsOf, type Restored, type Restoring, run, slicesIn, tablesOf } from "./restoring";

/*
 * Which database gets a workspace that is restored. All workspaces of a number are in one database. The directory decides; a workspace
 * that it does not know goes to the database of its name, or to the open one that has the fewest.
 */

/** The database of the directory. */
export const directoryOf = ({ database, directory }: Pick<Restoring, "database" | "directory">): Restored =>
  directory ?? database;

/** The workspace databases by name, the first one first. */
export const databasesOf = ({
  database,
  databases,
}: Pick<Restoring, "database" | "databases">): ReadonlyMap<string, Restored> =>
  databases ?? new Map([[FIRST_DATABASE, database]]);

/** Chooses databases by number, and remembers its choices. */
export class Places {
  readonly #chosen = new Map<number, string>();
  readonly #counts = new Map<string, number>();

  private constructor(
    readonly names: readonly string[],
    open: readonly string[],
  ) {
    for (const name of open.length > 0 ? open : names) this.#counts.set(name, 0);
  }

  /** @param restoring the target, whose directory has rows already */
  static async of(restoring: Restoring): Promise<Places> {
    const all = databasesOf(restoring);
    const places = new Places([...all.keys()], restoring.open ?? [...all.keys()]);
    if (all.size === 1) return places;
    for (const name of places.#counts.keys()) {
      const sql = "SELECT count(*) AS count FROM residents WHERE state <> 'gone'";
      const [found] = await run<{ count: number }>(all.get(name) as Restored, sql);
      places.#counts.set(name, found?.count ?? 0);
    }
    return places;
  }

  /** Notes where the workspaces of a number are. */
  note(number: number, name: string): void {
    if (this.names.includes(name) && !this.#chosen.has(number)) this.#chosen.set(number, name);
  }

  /** The database of a workspace. */
  of(id: string): string {
    const number = numberOf(id);
    const known = this.#chosen.get(number);
    if (known !== undefined) return known;
    const [fewest = this.names[0] ?? FIRST_DATABASE] =
      [...this.#counts].sort(([, one], [, other]) => one - other)[0] ?? [];
    this.#chosen.set(number, fewest);
    this.#counts.set(fewest, (this.#counts.get(fewest) ?? 0) + 1);
    return fewest;
  }

  /** Notes the places of these workspaces that the directory of the target has. */
  async read(restoring: Pick<Restoring, "database" | "directory">, ids: readonly string[]): Promise<void> {
    const sql = "SELECT number, database FROM workspaces WHERE number IN (SELECT value FROM json_each(?1))";
    const numbers = JSON.stringify(ids.map(numberOf));
    for (const { number, database } of await run<{ number: number; database: string }>(directoryOf(restoring), sql, [
      numbers,
    ]))
      this.note(number, database);
  }
}

/** The database of each workspace of a backup. The directory of the target decides first, then an interrupted run, then the backup. */
export async function placesOfBackup(restoring: Restoring): Promise<Places> {
  const places = await Places.of(restoring);
  if (places.names.length === 1) return places;
  const table = tablesOf(restoring.tables.service, restoring.manifest).find(({ id }) => id === "workspaces");
  if (table === undefined) return places;
  const [idAt, databaseAt] = ["id", "database"].map((name) => table.columns.findIndex((one) => one.name === name));
  const contents = await contentsOf(restoring, DIRECTORY);
  for await (const lines of slicesIn(restoring.store, contents)(table)) {
    const rows = lines.map((line) => JSON.parse(line) as string[]);
    const ids = rows.map((row) => row[idAt ?? 0] ?? "");
    await places.read(restoring, ids);
    for (const [name, database] of databasesOf(restoring)) {
      const sql =
        "SELECT workspace_id AS id FROM residents WHERE workspace_id IN (SELECT value FROM json_each(?1)) AND state <> 'gone'";
      for (const { id } of await run<{ id: string }>(database, sql, [JSON.stringify(ids)]))
        places.note(numberOf(id), name);
    }
    for (const [n, row] of rows.entries()) places.note(numberOf(ids[n] ?? ""), row[databaseAt ?? 0] ?? "");
  }
  return places;
}
