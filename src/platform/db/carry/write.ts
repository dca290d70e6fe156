import type { Carried } from "./declare";
import { type Asked, writeStatements } from "./statements";

/** A database into which rows are written. A batch is written whole or not at all. */
export interface Target {
  batch(statements: readonly Asked[]): Promise<unknown>;
}

/**
 * Writes rows that were read with the same declarations. It can be repeated after an interruption: each row is written again
 * with the same values. Rows that triggers count are written last, so they have the counts of the rows that were read.
 * @param slicesOf the slices of a table, each as its lines
 */
export async function carryIn(
  target: Target,
  tables: readonly Carried[],
  slicesOf: (table: Carried) => AsyncIterable<readonly string[]>,
): Promise<void> {
  const first = tables.filter(({ written }) => written !== "after");
  const last = tables.filter(({ written }) => written !== "before");
  for (const table of [...first, ...last])
    for await (const lines of slicesOf(table)) {
      const statements = writeStatements(table, lines);
      if (statements.length > 0) await target.batch(statements);
    }
}
