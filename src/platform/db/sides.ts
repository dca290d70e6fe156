import { type SQLiteTable, type SQLiteTableFn, sqliteTable, type TableConfig } from "drizzle-orm/sqlite-core";

/**
 * The two sides of the data. The directory knows people, their credentials and what counts requests. A workspace
 * database has everything that belongs to a workspace. Today one D1 database holds both sides. No statement reads or
 * writes both, so that workspaces can be in separate databases later.
 */
export type Side = "directory" | "workspace";

/** A table that every database has: work to do, guards and the audit trail of its changes. */
type SideOrEach = Side | "each";

/** A table that a statement of this side can name. */
export type TableOf<S extends Side> = SQLiteTable<TableConfig & { schema: S | "each" }>;

const sides = new WeakMap<SQLiteTable, SideOrEach>();

/** The type of a table names its side instead of a schema. The SQL does not: SQLite has no schemas. */
const declares =
  (side: SideOrEach) =>
  (...declaration: Parameters<SQLiteTableFn>): SQLiteTable => {
    const table = sqliteTable(...declaration);
    sides.set(table, side);
    return table;
  };

/** Declares a table of the directory. */
export const directoryTable = declares("directory") as unknown as SQLiteTableFn<"directory">;
/** Declares a table of the workspace databases. */
export const workspaceTable = declares("workspace") as unknown as SQLiteTableFn<"workspace">;
/** Declares a table that every database has. A statement reads and writes only rows of its database. */
export const eachTable = declares("each") as unknown as SQLiteTableFn<"each">;

/** The side of a declared table. Null for a table that was declared in another way. */
export const sideOf = (table: SQLiteTable): SideOrEach | null => sides.get(table) ?? null;
