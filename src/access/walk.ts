import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../platform/context";
import { beginDirectoryChange } from "../platform/db/change";
import type { WorkspaceDatabase } from "../platform/db/database";
import { numberOf } from "../platform/ids";
import { complete, continueLater, countQueries, type Outcome, type RecurringHandler } from "../platform/jobs/handlers";
import { MINUTE } from "../platform/time";
import { grants, memberships, pointers, users, walks, workspaces } from "./tables";

/*
 * An installation with one database has no pointers, and can have workspaces that the directory does not know. When an operator adds a
 * second database, this walk writes them for everything that exists. Until it has ended, requests ask the first database for
 * everybody (`selectPlaces`).
 */

/** The name of the walk in `walks`. */
const NAME = "pointers";

/** Condition: the pointers of everything are written. */
export const isWalked: SQL = sql`EXISTS (SELECT 1 FROM ${walks} WHERE name = ${sql.raw(`'${NAME}'`)} AND finished_at IS NOT NULL)`;

/** Rows of a page. */
const PAGE = 500;
/** Time between the two passes, milliseconds: workers of the former deployment, which write no pointers, have ended by then. */
const SECOND_PASS_MS = 15 * MINUTE;

/** What is walked in each database, in this order. */
const TABLES = ["residents", "memberships", "grants"] as const;

const stateSchema = z
  .strictObject({ pass: z.int(), database: z.int(), table: z.int(), after: z.array(z.string()) })
  .nullable();
type Place = NonNullable<z.infer<typeof stateSchema>>;

/** A page of a table: the pairs of a person and a workspace, or the workspaces; and the key of its last row. */
interface Page {
  pairs: string[][];
  last: string[] | null;
}

async function readPage(
  workspace: WorkspaceDatabase,
  table: (typeof TABLES)[number],
  after: readonly string[],
): Promise<Page> {
  const [first = "", second = ""] = after;
  const pageOf = (rows: string[][], keyOf: (row: string[]) => string[]): Page => {
    const last = rows.at(-1);
    return { pairs: rows, last: last === undefined || rows.length < PAGE ? null : keyOf(last) };
  };
  if (table === "residents") {
    const rows = await workspace.all<{ id: string }>(
      sql`SELECT workspace_id AS id FROM residents WHERE workspace_id > ${first} AND state IN ('here', 'leaving') ORDER BY workspace_id LIMIT ${PAGE}`,
    );
    return pageOf(
      rows.map(({ id }) => [id]),
      (row) => row,
    );
  }
  if (table === "memberships") {
    const rows = await workspace.all<{ workspaceId: string; userId: string }>(
      sql`SELECT organization_id AS "workspaceId", user_id AS "userId" FROM ${memberships}
        WHERE (organization_id, user_id) > (${first}, ${second}) ORDER BY organization_id, user_id LIMIT ${PAGE}`,
    );
    return pageOf(
      rows.map(({ workspaceId, userId }) => [workspaceId, userId]),
      (row) => row,
    );
  }
  const rows = await workspace.all<{ id: string; workspaceId: string; userId: string }>(
    sql`SELECT id, tenant_id AS "workspaceId", user_id AS "userId" FROM ${grants} WHERE id > ${first} ORDER BY id LIMIT ${PAGE}`,
  );
  return {
    ...pageOf(
      rows.map(({ workspaceId, userId }) => [workspaceId, userId]),
      () => [rows.at(-1)?.id ?? ""],
    ),
  };
}

/** Writes what a page says into the directory. What it has stays: a later pointer is as good. */
async function writePage(
  context: Context,
  name: string,
  table: (typeof TABLES)[number],
  { pairs }: Page,
): Promise<void> {
  if (pairs.length === 0) return;
  const statement =
    table === "residents"
      ? sql`INSERT INTO ${workspaces} (id, number, database) SELECT value ->> 0, value ->> 1, ${name}
          FROM json_each(${JSON.stringify(pairs.map(([id = ""]) => [id, numberOf(id)]))}) WHERE true ON CONFLICT DO NOTHING`
      : sql`INSERT INTO ${pointers} (user_id, workspace_id) SELECT u.id, j.value ->> 0
          FROM json_each(${JSON.stringify(pairs)}) AS j CROSS JOIN ${users} AS u ON u.id = j.value ->> 1
          WHERE true ON CONFLICT DO NOTHING`;
  await beginDirectoryChange(context).add(statement).commit();
}

const nextOf = (place: Place, last: string[] | null): Place => {
  if (last !== null) return { ...place, after: last };
  if (place.table + 1 < TABLES.length) return { ...place, table: place.table + 1, after: [] };
  return { ...place, database: place.database + 1, table: 0, after: [] };
};

/** Ends a pass. The second one ends the walk. */
async function endPass(context: Context, { pass }: Place): Promise<Outcome> {
  if (pass === 1) return continueLater({ pass: 2, database: 0, table: 0, after: [] }, { delayMs: SECOND_PASS_MS });
  const now = Date.now();
  const change = beginDirectoryChange(context).add(
    sql`INSERT INTO ${walks} (name, begun_at, finished_at) VALUES (${NAME}, ${now}, ${now})
      ON CONFLICT DO UPDATE SET finished_at = excluded.finished_at`,
  );
  return complete(change);
}

/** Writes the pointers and places of everything that exists, page by page. With one database again, they count no more. */
export const walkPointers: RecurringHandler<"walk-pointers"> = {
  side: "directory",
  hasWork: ({ databases }) =>
    databases.names.length > 1 ? sql`NOT ${isWalked}` : sql`EXISTS (SELECT 1 FROM ${walks} WHERE name = ${NAME})`,
  async run(context, job) {
    const { names, open } = context.databases;
    if (names.length === 1)
      return complete(beginDirectoryChange(context).add(sql`DELETE FROM ${walks} WHERE name = ${NAME}`));
    const isFull = countQueries(context);
    let place: Place = stateSchema.parse(job.state) ?? { pass: 1, database: 0, table: 0, after: [] };
    for (;;) {
      const [name, table] = [names[place.database], TABLES[place.table]];
      if (name === undefined || table === undefined) return endPass(context, place);
      const page = await readPage(open(name), table, place.after);
      await writePage(context, name, table, page);
      place = nextOf(place, page.last);
      if (isFull()) return continueLater(place);
    }
  },
};
