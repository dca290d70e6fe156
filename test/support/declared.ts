import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Side, sideOf } from "../../src/platform/db/sides";

const modules = import.meta.glob<Record<string, unknown>>("../../src/**/tables.ts", { eager: true });

/** The side of each declared table, by the name of the table. */
export const sides = new Map(
  Object.values(modules)
    .flatMap((module) => Object.values(module))
    .filter((value) => is(value, SQLiteTable))
    .map((table) => [getTableName(table), sideOf(table)]),
);

/** The names of the declared tables of one side. */
export const tablesOfSide = (side: Side): string[] =>
  [...sides].flatMap(([table, declared]) => (declared === side ? [table] : []));
