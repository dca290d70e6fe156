import type { SQL } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { SECOND } from "../time";
import { isOutage } from "./failures";

/** The database of features: drizzle's query builder over one D1 session. */
export type Database = DrizzleD1Database & { $client: D1DatabaseSession };

/** A statement of a batch: a drizzle builder or a `sql` template. */
export type Statement = SQL | { toSQL(): { sql: string; params: unknown[] } };

interface OpenDatabase {
  db: Database;
  /** The session's bookmark, for `X-Bookmark`; null before its first statement. */
  bookmark: () => string | null;
}

/**
 * Opens one D1 session. Its first statement goes to the primary, so a revocation takes effect at once. A replica that
 * is at least as new can answer the later statements. If the database does not answer a read, the read runs once more.
 */
export function openDatabase(d1: D1Database): OpenDatabase {
  const session = retryReads(d1.withSession("first-primary"));
  // drizzle calls only `prepare` and `batch`, which a session has too.
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

/** Longest pause before the second try of a read, milliseconds; the pause is random, at least half of it. */
const MAX_RETRY_DELAY_MS = 0.2 * SECOND;

const READS = /^\s*(?:select|with)\b/i;
const WRITES = /\b(?:insert|update|delete|replace)\s+(?:or\s+\w+\s+)?(?:into|from|["\w]+\s+set)\b/i;

/** Whether a statement only reads, so that it can run twice. */
export const isRead = (statement: string): boolean => READS.test(statement) && !WRITES.test(statement);

/** Runs `statement`, and once more if it is safe to repeat and the database did not answer. */
async function retryOnce<T>(isSafe: () => boolean, statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (thrown) {
    if (!isOutage(thrown) || !isSafe()) throw thrown;
  }
  await new Promise((resolve) => setTimeout(resolve, MAX_RETRY_DELAY_MS * (0.5 + Math.random() / 2)));
  return statement();
}

/** A prepared statement that runs once more if it is a read and the database did not answer. */
class RetriedStatement {
  constructor(
    readonly prepared: D1PreparedStatement,
    readonly text: string,
  ) {}

  readonly #isRead = () => isRead(this.text);

  bind(...values: unknown[]): RetriedStatement {
    return new RetriedStatement(this.prepared.bind(...values), this.text);
  }

  all(): Promise<D1Result> {
    return retryOnce(this.#isRead, () => this.prepared.all());
  }

  run(): Promise<D1Result> {
    return retryOnce(this.#isRead, () => this.prepared.run());
  }

  first(...column: [string]): Promise<unknown> {
    return retryOnce(this.#isRead, () => this.prepared.first(...column));
  }

  raw(...options: [{ columnNames: true }]): Promise<unknown[]> {
    return retryOnce(this.#isRead, () => this.prepared.raw(...options));
  }
}

/** A session that repeats a read, or a batch of reads, once if the database did not answer. */
function retryReads(session: D1DatabaseSession): D1DatabaseSession {
  const retried = {
    prepare: (text: string) => new RetriedStatement(session.prepare(text), text),
    batch: (statements: RetriedStatement[]) =>
      retryOnce(
        () => statements.every(({ text }) => isRead(text)),
        () => session.batch(statements.map(({ prepared }) => prepared)),
      ),
    getBookmark: () => session.getBookmark(),
  };
  return retried as unknown as D1DatabaseSession;
}
