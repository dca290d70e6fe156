import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** `column IN (values)` with the whole set in one bound parameter: D1 takes 100 a statement. */
export const inSet = (column: SQLWrapper, values: readonly (string | number)[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;

/** The same with a set that a reusable statement is given under a name, as JSON. */
export const inGiven = (column: SQLWrapper, name: string): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${sql.placeholder(name)}))`;

/**
 * An integer of ours written into a statement: SQLite plans a statement again, at each run, when a limit is a
 * parameter, and for a long one that costs as much as running it. Never text, and nothing a caller chose unchecked.
 */
export function literal(value: number): SQL {
  if (!Number.isFinite(value)) throw new TypeError("A literal is a finite number.");
  return sql.raw(String(value));
}
