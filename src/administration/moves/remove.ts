import { z } from "@hono/zod-openapi";
import type { Context } from "../../platform/context";
import type { Carried } from "../../platform/db/carry/declare";
import { asStatement, deleteStatement, type TakenRow, takeStatement } from "../../platform/db/carry/statements";
import { beginChange } from "../../platform/db/change";
import { rowsOf, runBatch } from "../../platform/db/database";
import { NO_WORKSPACE } from "../../platform/db/residence";
import { removeIndex } from "../../search";

export const removalPlaceSchema = z.strictObject({ workspace: z.int(), table: z.int() });
type RemovalPlace = z.infer<typeof removalPlaceSchema>;

/** Tables whose rows belong to people, and to searches that can count for other organizations too. */
const KEPT = new Set(["people", "search_impressions", "search_interactions"]);

/** The tables in the order in which rows are removed. */
const removalOrder = (tables: readonly Carried[], isDirectory: boolean): Carried[] =>
  [...tables]
    .reverse()
    // What a person did with the account stays in the directory.
    .filter(({ name, id }) => !KEPT.has(name) && !(isDirectory && id === "audit_entries.own"));

/**
 * Removes the rows of workspaces from a database that does not have them any more, until `isFull`. Their objects stay: the rows of the
 * other database name them.
 * @param context of the move, whose guard is in each change
 * @returns where the next slice begins; null when nothing is left
 */
export async function removeRows(
  context: Context,
  tables: readonly Carried[],
  workspaces: readonly string[],
  from: RemovalPlace,
  isFull: () => boolean,
): Promise<RemovalPlace | null> {
  const order = removalOrder(tables, context.database === context.directoryName);
  let at = from;
  for (;;) {
    const workspace = workspaces[at.workspace];
    if (workspace === undefined) return null;
    const table = order[at.table];
    if (table === undefined) {
      await beginChange(context, NO_WORKSPACE)
        .add(...removeIndex(workspace))
        .commit();
      // Counts of storage are written again by the triggers of other tables.
      const left = (await readFirst(context, order, workspace)).some((rows) => rows.length > 0);
      at = { workspace: left ? at.workspace : at.workspace + 1, table: 0 };
    } else {
      const [rows = []] = await readFirst(context, [table], workspace);
      if (rows.length === 0) at = { ...at, table: at.table + 1 };
      else await removeTaken(context, table, rows);
    }
    if (isFull()) return at;
  }
}

/** Removes all rows of a workspace in one table: triggers have written rows there that the source does not have. */
export async function emptyTable(context: Context, table: Carried, workspace: string): Promise<void> {
  for (;;) {
    const [rows = []] = await readFirst(context, [table], workspace);
    if (rows.length === 0) return;
    await removeTaken(context, table, rows);
  }
}

const removeTaken = (context: Context, table: Carried, rows: readonly TakenRow[]) =>
  beginChange(context, NO_WORKSPACE)
    .add(
      asStatement(
        deleteStatement(
          table,
          rows.map(({ identity }) => identity),
        ),
      ),
    )
    .commit();

async function readFirst({ workspace }: Context, tables: readonly Carried[], id: string): Promise<TakenRow[][]> {
  const results = await runBatch(
    workspace,
    tables.map((table) => asStatement(takeStatement(table, id))),
  );
  return results.map((result) => [...rowsOf<TakenRow>(result)]);
}
