import { isRead } from "../../src/platform/db/database";
import { sides as declared } from "./declared";
import { tablesOf } from "./query-plans";
import type { Batch } from "./statements";

/*
 * Judges which side each statement reads and writes: the directory, or a workspace database. The tables come from the
 * program that SQLite compiles, so the tables of triggers and foreign keys are among them.
 */

/** Tables that drizzle does not know: the full-text index is of the workspace side, the guards are in each database. */
const UNDECLARED = (table: string) => (table.startsWith("search_term") ? "workspace" : "each");

const FULL_TEXT = /\bsearch_term(?:s|_list|_instances)\b/;

/** The sides that a statement reads or writes. */
async function sidesOf(statement: string, tablesOf: TablesOf): Promise<Set<string>> {
  const tables = await tablesOf(statement);
  const sides = new Set(tables.map((table) => declared.get(table) ?? UNDECLARED(table)));
  // A virtual table has no root page.
  if (FULL_TEXT.test(statement)) sides.add("workspace");
  sides.delete("each");
  return sides;
}

/** Finds the tables of a statement. */
type TablesOf = (statement: string) => Promise<readonly string[]>;

/** Statements and batches that read or write both sides. A batch of `readBoth` may read both: its statements can run apart. */
export async function crossings(
  statements: readonly string[],
  batches: readonly Batch[],
  tablesFound: TablesOf = tablesOf,
): Promise<string[]> {
  const known = new Map<string, Set<string>>();
  const sidesKnown = async (statement: string) => {
    const sides = known.get(statement) ?? (await sidesOf(statement, tablesFound));
    known.set(statement, sides);
    return sides;
  };
  const found: string[] = [];
  for (const statement of statements) if ((await sidesKnown(statement)).size > 1) found.push(`statement: ${statement}`);
  for (const { statements: together, isApart } of batches) {
    const sides = new Set<string>();
    for (const statement of together) for (const side of await sidesKnown(statement)) sides.add(side);
    if (sides.size > 1 && !(isApart && together.every(isRead))) found.push(`batch: ${together.join(";\n  ")}`);
  }
  return found;
}
