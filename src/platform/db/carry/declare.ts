import { getTableName } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";

/*
 * Which rows of a table belong to a workspace, and how they are read by key, counted, summed and written. Each feature
 * declares its tables in its `carry.ts`; `src/carried.ts` has the whole list in the order of writing. Backups, exports and
 * moves read and write rows only by these declarations.
 *
 * In the SQL of a declaration, `row` is the table and `parent` the table through which its rows are found.
 */

/** SQL, or SQL that contains the parameter with the id of the workspace. */
type Text = string | ((workspace: string) => string);

/** Rows that are found through rows of another table, one parent after the other. */
interface Parent {
  /** The table or subquery, named `parent`. */
  rows: Text;
  /** The key by which parents are in order. */
  key: string;
  /** The condition that selects the parents of a workspace. Null if `rows` selects them. */
  where: Text | null;
  /** The column of the table with the key of the parent. */
  column: string;
  /** Whether a subquery gives the parents in order already, so that the statement sorts nothing. */
  isOrdered?: boolean;
}

/** The rows of a table in backups of earlier versions. */
interface Former {
  without: string;
  where: Text;
}

interface Declaration {
  /** The condition that selects the rows of a workspace. Without it all rows are selected. */
  where?: Text;
  /** The source of the rows where it is more than the table. */
  from?: Text;
  /** Names this part of the rows, where a table is read in several ways. */
  part?: string;
  parent?: Parent;
  /** The order of reading after the parent; the primary key if it is not given. */
  key?: readonly string[];
  /** The unique columns by which a row is written again; the primary key if they are not given. */
  identity?: readonly string[];
  /** SQL: when a row that exists already gets the values of the carried one. Always if it is not given. */
  replaced?: string;
  /** Columns that each database chooses itself. */
  omitted?: readonly string[];
  /** SQL in place of a column. */
  as?: Readonly<Record<string, string>>;
  /** Columns that change only together with another column of their row. The light sums leave them out, which saves reading long texts. */
  follows?: readonly string[];
  /** A number column whose value changes when a row is written again under the same key. The light sums include it. */
  mark?: string;
  /** Rows of a slice: fewer where rows are long, because a slice is in memory. */
  slice?: number;
  /** SQL: a JSON array of the keys of the row's objects in the bucket. */
  objects?: string;
  /** Columns with numbers that a database chooses, each with the table whose numbers they are. */
  numbers?: Readonly<Record<string, string>>;
  /** Columns that open something, such as digests of passwords and tokens. Exports for people do not have them. */
  secrets?: readonly string[];
  /** Which rows a backup has under this id if it has no table with the id `without`: it is of an earlier version. */
  former?: Former;
  /**
   * `after`: triggers of other tables write its rows, so it is written after all of them. `again`: other tables refer to it and
   * change it, so it is written before and after them.
   */
  written?: "after" | "again";
}

interface Column {
  name: string;
  type: "integer" | "real" | "text" | "blob";
  isNullable: boolean;
  /** Whether its text is JSON. */
  isJson: boolean;
}

/** A table as it is carried. */
export interface Carried {
  /** The name of the table, with its part. */
  id: string;
  name: string;
  columns: readonly Column[];
  from: Text;
  where: Text | null;
  parent: Parent | null;
  /** The cursor of a row: SQL, and whether it is a BLOB. The parent's key comes first. */
  key: readonly { sql: string; isBlob: boolean }[];
  identity: readonly string[];
  as: Readonly<Record<string, string>>;
  /** The columns of the light sums. Null: all columns, so that the light sums are the sums. */
  light: readonly Column[] | null;
  slice: number;
  objects: string | null;
  numbers: Readonly<Record<string, string>>;
  secrets: readonly string[];
  former: Former | null;
  replaced: string | null;
  /** Whether a row that exists stays as it is when the rows are written. */
  isKept?: boolean;
  written: "before" | "after" | "again";
}

/** Rows of a slice if its declaration says nothing else. */
const SLICE_ROWS = 500;

const typeOf = (type: string): Column["type"] =>
  type === "integer" || type === "real" || type === "blob" ? type : "text";

/** Declares how the rows of a table are carried. */
export function carried(table: SQLiteTable, declaration: Declaration): Carried {
  const { columns, primaryKeys } = getTableConfig(table);
  const omitted = declaration.omitted ?? [];
  const kept = columns
    .filter(({ name, generated }) => !omitted.includes(name) && generated === undefined)
    .map((column) => ({
      name: column.name,
      type: typeOf(column.getSQLType()),
      isNullable: !column.notNull,
      isJson: column.dataType === "json",
    }));
  const primary =
    primaryKeys[0]?.columns.map(({ name }) => name) ??
    columns.filter((column) => column.primary).map(({ name }) => name);
  const { parent, where = null } = declaration;
  const own = declaration.key ?? primary.filter((name) => name !== parent?.column).map((name) => `row.${name}`);
  const isBlob = (part: string) => kept.some(({ name, type }) => type === "blob" && part === `row.${name}`);
  const name = getTableName(table);
  const { follows, mark } = declaration;
  const light = follows && [
    ...kept.filter((column) => !follows.includes(column.name)),
    ...(mark === undefined ? [] : [{ name: mark, type: "integer" as const, isNullable: true, isJson: false }]),
  ];
  return {
    id: declaration.part === undefined ? name : `${name}.${declaration.part}`,
    name,
    columns: kept,
    from: declaration.from ?? `${name} AS row`,
    where,
    parent: parent ?? null,
    key: [...(parent === undefined ? [] : [parent.key]), ...own].map((part) => ({ sql: part, isBlob: isBlob(part) })),
    identity: declaration.identity ?? primary,
    as: declaration.as ?? {},
    replaced: declaration.replaced ?? null,
    light: light ?? null,
    slice: declaration.slice ?? SLICE_ROWS,
    objects: declaration.objects ?? null,
    numbers: declaration.numbers ?? {},
    secrets: declaration.secrets ?? [],
    former: declaration.former ?? null,
    written: declaration.written ?? "before",
  };
}

/** The condition of a table that has the id of the workspace in a column. */
export const ownedBy = (column: string) => ({ where: (workspace: string) => `row.${column} = ${workspace}` });

/** The rows of a table whose `column` has the `id` of a row of `parent`. The table `parent` has the id of the workspace in `tenant_id`. */
export const through = (parent: string, column: string) => ({
  parent: {
    rows: `${parent} AS parent`,
    key: "parent.id",
    where: (workspace: string) => `parent.tenant_id = ${workspace}`,
    column,
  },
});

/** The table as people get it: without its secrets. */
export const withoutSecrets = (table: Carried): Carried => ({
  ...table,
  columns: table.columns.filter(({ name }) => !table.secrets.includes(name)),
});
