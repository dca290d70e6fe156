import type { SQL } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { retryReads } from "./retry-reads";

/** The database as features see it: one D1 session, drizzle's query builder over it. */
export type Database = DrizzleD1Database & { $client: D1DatabaseSession };

/** A write that waits for its batch: one of drizzle's builders, or SQL of our own. */
export type Statement = SQL | { toSQL(): { sql: string; params: unknown[] } };

export interface OpenDatabase {
  db: Database;
  /** Where this session stands, for `X-Bookmark`; null before its first statement. */
  bookmark: () => string | null;
}

/**
 * Opens one D1 session. Its first statement goes to the primary, so a revocation counts at once;
 * what follows may be answered by a replica that is no older than that. A read that the database did not answer is
 * asked once more.
 */
export function openDatabase(d1: D1Database): OpenDatabase {
  const session = retryReads(d1.withSession("first-primary"));
  // drizzle calls `prepare` and `batch` alone, which a session has as the database has them.
  const db = drizzle(session as unknown as D1Database) as unknown as Database;
  return { db, bookmark: () => session.getBookmark() };
}

const dialect = new SQLiteAsyncDialect();

export const compile = (statement: Statement) =>
  "toSQL" in statement ? statement.toSQL() : dialect.sqlToQuery(statement);

/** The rows of a statement in a batch; `Row` names what that statement selects. */
export const rowsOf = <Row>(result: D1Result | undefined): readonly Row[] => (result?.results ?? []) as Row[];

/** Runs statements as one atomic D1 batch. drizzle's own `batch` cannot bind parameters of raw SQL. */
export async function runBatch(db: Database, statements: readonly Statement[]): Promise<D1Result[]> {
  const prepared = statements.map((statement) => {
    const { sql, params } = compile(statement);
    return db.$client.prepare(sql).bind(...params);
  });
  return prepared.length === 0 ? [] : db.$client.batch(prepared);
}
