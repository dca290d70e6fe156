import type { Carried } from "./declare";
import { type Asked, type Range, readSums, type Source, type Sums, sumStatement, writeStatements } from "./statements";

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

/** Slices whose rows one statement sums. */
const MAX_SLICES_A_SUM = 50;

/**
 * Compares the rows of a database with the slices from which they were written: their counts and sums.
 * @param workspace the id of the workspace; null for the directory
 * @param slices all slices of these tables, in the order in which they were read
 * @returns one sentence for each table that differs
 */
export async function findDifferences(
  source: Source,
  tables: readonly Carried[],
  workspace: string | null,
  slices: readonly (Range & Sums & { table: string })[],
): Promise<string[]> {
  const byTable = Map.groupBy(slices, ({ table }) => table);
  const found: string[] = [];
  for (const table of tables) {
    // A job that was interrupted counts as open when it is written, so it can be in the other part of its table.
    if (table.name === "jobs") continue;
    const [own, wanted, now] = [byTable.get(table.id) ?? [], { rows: 0, a: 0, b: 0 }, { rows: 0, a: 0, b: 0 }];
    const add = (total: Sums, { rows, a, b }: Sums) => {
      total.rows += rows;
      total.a += a;
      total.b += b;
    };
    for (let at = 0; at < own.length; at += MAX_SLICES_A_SUM) {
      const some = own.slice(at, at + MAX_SLICES_A_SUM);
      const range = { after: some[0]?.after ?? null, to: some.at(-1)?.to ?? null };
      for (const slice of some) add(wanted, slice);
      for (const sums of readSums(await source.batch([sumStatement(table, workspace, range)]))) add(now, sums);
    }
    // Triggers add the counts of a workspace that had none yet, and they are zero.
    if (table.written === "after" && wanted.rows === 0) continue;
    if (now.rows !== wanted.rows) found.push(`${table.id} has ${now.rows} rows instead of ${wanted.rows}.`);
    // A row that existed stays as it is.
    else if (table.isKept !== true && (now.a !== wanted.a || now.b !== wanted.b))
      found.push(`${table.id} has rows with other values.`);
  }
  return found;
}
