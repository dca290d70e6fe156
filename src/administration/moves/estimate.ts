import { sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Carried } from "../../platform/db/carry/declare";
import { asStatement, countStatement } from "../../platform/db/carry/statements";
import { rowsOf, runBatch } from "../../platform/db/database";
import { inSet } from "../../platform/db/statements";

/** What there is to move. */
export interface Contents {
  rows: number;
  /** Passages of texts, of 1,200 characters at most. The index of each is built in the target. */
  passages: number;
}

/** Tables that one batch counts. */
const COUNTED_AT_ONCE = 20;

/** Counts the rows of workspaces, and the passages of their texts. */
export async function countWorkspaces(
  { workspace: database }: Pick<Context, "workspace">,
  tables: readonly Carried[],
  workspaces: readonly string[],
): Promise<Contents> {
  const [indexed] = await database.all<{ passages: number }>(sql`SELECT coalesce(sum(g.passage_count), 0) AS "passages"
    FROM search_scopes s CROSS JOIN search_groups g ON g.tenant_key = s.key
    WHERE ${inSet(sql`s.scope_id`, workspaces)} AND g.type = 'text'`);
  const contents = { rows: 0, passages: indexed?.passages ?? 0 };
  for (const workspace of workspaces)
    for (let at = 0; at < tables.length; at += COUNTED_AT_ONCE) {
      const some = tables.slice(at, at + COUNTED_AT_ONCE);
      const results = await runBatch(
        database,
        some.map((table) => asStatement(countStatement(table, workspace, null))),
      );
      for (const result of results) contents.rows += rowsOf<{ count: number }>(result)[0]?.count ?? 0;
    }
  return contents;
}

/** What a move does in a second, measured with local databases. */
const ROWS_A_SECOND = 4_000;
const PASSAGES_A_SECOND = 600;
/** The slices of a small move, and the time for which routes are remembered, seconds. */
const AT_LEAST_SECONDS = 8;

/** About how long a move closes workspaces to changes, seconds. */
export const secondsOf = ({ rows, passages }: Contents): number =>
  Math.ceil(AT_LEAST_SECONDS + rows / ROWS_A_SECOND + passages / PASSAGES_A_SECOND);
