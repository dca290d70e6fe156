import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import type { WorkspaceDatabase } from "../../src/platform/db/database";

/**
 * Number of rows that D1 reports as read for the queries of `work`. drizzle drops that count, so each statement runs
 * again by itself. `work` must change nothing.
 */
export async function rowsRead(work: (workspace: WorkspaceDatabase) => Promise<unknown>): Promise<number> {
  const asked: D1PreparedStatement[] = [];
  const recorder = {
    prepare: (statement: string) => ({
      bind(...values: unknown[]) {
        const bound = env.DB.prepare(statement).bind(...values);
        asked.push(bound);
        return bound;
      },
    }),
    batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
  };
  await work(drizzle(recorder as unknown as D1Database) as unknown as WorkspaceDatabase);
  const counts = await Promise.all(asked.map(async (statement) => (await statement.all()).meta.rows_read));
  return counts.reduce((sum, count) => sum + count, 0);
}
