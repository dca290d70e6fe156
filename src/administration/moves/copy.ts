import { z } from "@hono/zod-openapi";
import type { Context } from "../../platform/context";
import type { Carried } from "../../platform/db/carry/declare";
import {
  asStatement,
  type Cursor,
  type PageRow,
  pageStatement,
  readSums,
  sumStatements,
  writeStatements,
} from "../../platform/db/carry/statements";
import { beginChange } from "../../platform/db/change";
import { rowsOf, runBatch } from "../../platform/db/database";
import { NO_WORKSPACE } from "../../platform/db/residence";
import { JobFailure } from "../../platform/jobs/handlers";
import { hasOtherNumbers, NUMBERED, type Numbers, renumber } from "./numbers";
import { emptyTable } from "./remove";

export const NO_NUMBERS: Numbers = { events: {}, notifications: 0 };

export const cursorSchema = z.array(z.union([z.string(), z.number()])).nullable();

/** Where the copy of the workspaces ends so far. */
export const copyPlaceSchema = z.strictObject({ workspace: z.int(), table: z.int(), after: cursorSchema });
type CopyPlace = z.infer<typeof copyPlaceSchema>;

/** Reads the next rows of a table in the source, and writes them to the target. @returns the last row; null after the last one */
async function copyRows(
  source: Context,
  target: Context,
  table: Carried,
  workspace: string | null,
  after: Cursor | null,
  numbers: Numbers = NO_NUMBERS,
): Promise<{ last: Cursor | null; rows: number; numbers: Numbers }> {
  const asked = pageStatement(table, workspace, { after, to: null });
  const [result] = await runBatch(source.workspace, [asStatement(asked)]);
  const page = rowsOf<PageRow>(result);
  const read = page.map(({ line }) => line);
  const given =
    NUMBERED.has(table.name) && read.length > 0 ? await renumber(source, target, table, read, numbers) : null;
  const lines = given?.lines ?? read;
  if (lines.length > 0)
    await beginChange(target, NO_WORKSPACE)
      .add(...writeStatements(table, lines).map(asStatement))
      .commit();
  const last = page.at(-1);
  const isWhole = last === undefined || page.length < table.slice;
  return {
    last: isWhole ? null : table.key.map((_, n) => last[`k${n}`] ?? ""),
    rows: page.length,
    numbers: given?.numbers ?? numbers,
  };
}

/**
 * Copies a table that belongs to no workspace, such as the marks of requests, until `isFull`.
 * @param since takes the place of the workspace
 * @returns where the next slice begins; null at the end
 */
export async function copyTable(
  source: Context,
  target: Context,
  table: Carried,
  since: string | null,
  from: Cursor | null,
  isFull: () => boolean,
): Promise<Cursor | null> {
  for (let after = from; ; ) {
    const { last } = await copyRows(source, target, table, since, after);
    if (last === null || isFull()) return last;
    after = last;
  }
}

/** The tables in the order of writing: those that triggers of others change come at the end, some of them once more. */
export const inOrder = (tables: readonly Carried[]): Carried[] => [
  ...tables.filter(({ written }) => written !== "after"),
  ...tables.filter(({ written }) => written !== "before"),
];

/**
 * Copies the rows of workspaces, table by table, until `isFull`. Repeated, it writes the same rows again.
 * @returns where the next slice begins, and null at the end; the rows that were copied
 */
export async function copyWorkspaces(
  source: Context,
  target: Context,
  order: readonly Carried[],
  workspaces: readonly string[],
  from: CopyPlace,
  given: Numbers,
  isFull: () => boolean,
): Promise<{ next: CopyPlace | null; rows: number; numbers: Numbers }> {
  let [at, rows, numbers] = [from, 0, given];
  for (;;) {
    const [workspace, table] = [workspaces[at.workspace], order[at.table]];
    if (workspace === undefined) return { next: null, rows, numbers };
    if (table === undefined) {
      at = { workspace: at.workspace + 1, table: 0, after: null };
      continue;
    }
    if (table.written === "after" && at.after === null) await emptyTable(target, table, workspace);
    const copied = await copyRows(source, target, table, workspace, at.after, numbers);
    numbers = copied.numbers;
    rows += copied.rows;
    at = copied.last === null ? { ...at, table: at.table + 1, after: null } : { ...at, after: [...copied.last] };
    if (isFull()) return { next: at, rows, numbers };
  }
}

/** Tables whose rows in the target can be newer: another workspace shares them. Only their counts are compared. */
const SHARED = new Set(["people", "people.searches"]);

/** Compares the counts and sums of all tables. @throws JobFailure if a table differs */
export async function compareWorkspaces(
  source: Context,
  target: Context,
  tables: readonly Carried[],
  workspaces: readonly string[],
  numbers: Numbers,
): Promise<void> {
  for (const workspace of workspaces) {
    const asked = sumStatements(tables, workspace, "full").map(asStatement);
    // One after the other: a long statement of each database is alone in its round trip.
    const read = async ({ workspace: database }: Context) => readSums((await runBatch(database, asked)).map(rowsOf));
    const [there, here] = [await read(source), await read(target)];
    const isCounted = ({ id, name }: Carried) => SHARED.has(id) || (hasOtherNumbers(numbers) && NUMBERED.has(name));
    for (const [n, table] of tables.entries()) {
      const [one, other] = [there[n], here[n]];
      const isSame = one?.rows === other?.rows && (isCounted(table) || (one?.a === other?.a && one?.b === other?.b));
      if (!isSame)
        throw new JobFailure(
          "copies-differ",
          `The table ${table.id} has ${one?.rows} rows in the source and ${other?.rows} in the target, or other contents.`,
        );
    }
  }
}
