import { env } from "cloudflare:workers";
import { loadFacts } from "../../src/access/permission/load";
import { openContext } from "../../src/compose";
import type { Context } from "../../src/platform/context";

interface Measured {
  inner: D1PreparedStatement;
}

/** A database that adds up the read rows that D1 reports: rows of tables, indexes and virtual tables. */
function metered(database: D1Database) {
  let rows = 0;
  const count = <T extends { meta: { rows_read?: number } }>(result: T): T => {
    rows += result.meta.rows_read ?? Number.NaN;
    return result;
  };
  const wrap = (inner: D1PreparedStatement): D1PreparedStatement & Measured =>
    ({
      inner,
      bind: (...values: unknown[]) => wrap(inner.bind(...values)),
      all: async () => count(await inner.all()),
      run: async () => count(await inner.run()),
      raw: async () => {
        throw new Error("what is read raw is not counted: measure something else, or teach this to count it");
      },
    }) as unknown as D1PreparedStatement & Measured;
  const session = database.withSession("first-primary");
  const measured = {
    prepare: (statement: string) => wrap(session.prepare(statement)),
    batch: async (statements: (D1PreparedStatement & Measured)[]) =>
      (await session.batch(statements.map(({ inner }) => inner))).map(count),
    getBookmark: () => session.getBookmark(),
  };
  return {
    database: { withSession: () => measured } as unknown as D1Database,
    take: () => {
      const taken = rows;
      rows = 0;
      return taken;
    },
  };
}

/** The number of rows that the database reads for a verb of this user, after the authentication. */
export async function rowsReadBy(userId: string, verb: (context: Context) => Promise<unknown>): Promise<number> {
  const { workspace: db } = openContext(env, () => {}).context;
  const facts = await loadFacts(db, userId, { organizationIds: null, ceiling: null }, Date.now());
  const meter = metered(env.DB);
  const caller = { kind: "pat" as const, tokenId: "test", userId, isAdmin: false, expiresAt: null, facts };
  const { context } = openContext({ ...env, DB: meter.database }, () => {}, { caller });
  await verb(context);
  return meter.take();
}
