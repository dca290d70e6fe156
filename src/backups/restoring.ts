import type { Carried } from "../platform/db/carry/declare";
import type { Source } from "../platform/db/carry/statements";
import type { Target } from "../platform/db/carry/write";
import type { BackupStore, ObjectProperties } from "../platform/objects/backup-store";
import { BackupError, type Contents, type Manifest, readContents, readRows, slicesOf } from "./format";
import type { Tables } from "./take";

/** A database into which rows are restored. */
export type Restored = Source & Target;

export interface Restoring {
  store: BackupStore;
  manifest: Manifest;
  /** The tables of this version. */
  tables: Tables;
  /** The database of the workspace that is restored now. Without `databases`, it is the only one. */
  database: Restored;
  /** The database of the directory, if there are several. */
  directory?: Restored;
  /** The workspace databases by name, the first one first, and those that take new workspaces, if there are several. */
  databases?: ReadonlyMap<string, Restored>;
  open?: readonly string[];
  /**
   * Whether the rows are of an export, which anybody can have written: the addresses in it are not verified, and its rows refer to
   * no other workspace.
   */
  isExport?: boolean;
  /** Writes an object of the backup into the bucket of a database, unless it is there. */
  putObject: (name: string, object: ObjectProperties & { key: string }, database: string) => Promise<void>;
}

export const run = async <Row>(database: Source, sql: string, params: (string | number)[] = []): Promise<Row[]> => {
  const [rows = []] = await database.batch([{ sql, params }]);
  return rows as Row[];
};

/** A table as the version that made the backup read it. */
function asThen(table: Carried, { columns }: Manifest): Carried {
  if (table.former === null || table.former.without in columns) return table;
  return { ...table, from: `${table.name} AS row`, where: table.former.where };
}

/** The tables with the columns that the backup has. @throws BackupError if this version does not know one */
export const tablesOf = (tables: readonly Carried[], manifest: Manifest): Carried[] =>
  tables.flatMap((now) => {
    const [{ columns }, table] = [manifest, asThen(now, manifest)];
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

export const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Whether the rows of a table of a workspace have an id. */
export const hasOwnId = ({ name, identity, columns }: Carried): boolean =>
  name !== "people" &&
  identity.join() === "id" &&
  columns.some((column) => column.name === "id" && column.type === "text");

export type Change = (table: Carried, lines: string[]) => readonly string[];

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
