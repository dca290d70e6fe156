import type { SQL } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { SECOND } from "../time";
import { isOutage } from "./failures";

/** The database as features see it: one D1 session, drizzle's query builder over it. */
export type Database = DrizzleD1Database & { $client: D1DatabaseSession };

/** A write that waits for its batch: one of drizzle's builders, or SQL of our own. */
export type Statement = SQL | { toSQL(): { sql: string; params: unknown[] } };

interface OpenDatabase {
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

/** How long a read waits before its second try: half of it to all of it, milliseconds. */
const RETRY_AFTER = 0.2 * SECOND;

const READS = /^\s*(?:select|with)\b/i;
const WRITES = /\b(?:insert|update|delete|replace)\s+(?:or\s+\w+\s+)?(?:into|from|["\w]+\s+set)\b/i;

/** Whether a statement changes nothing, so that it may run twice. */
export const isRead = (statement: string): boolean => READS.test(statement) && !WRITES.test(statement);

/** Runs a question to the database, and once more when it is a read and the database did not answer. */
async function ask<T>(isSafe: () => boolean, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (thrown) {
    if (!isOutage(thrown) || !isSafe()) throw thrown;
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER * (0.5 + Math.random() / 2)));
  return question();
}

/** A prepared statement that asks again, once, if it is a read. */
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
    return ask(this.#isRead, () => this.prepared.all());
  }

  run(): Promise<D1Result> {
    return ask(this.#isRead, () => this.prepared.run());
  }

  first(...column: [string]): Promise<unknown> {
    return ask(this.#isRead, () => this.prepared.first(...column));
  }

  raw(...options: [{ columnNames: true }]): Promise<unknown[]> {
    return ask(this.#isRead, () => this.prepared.raw(...options));
  }
}

/** A session whose reads, and batches of reads, are asked once more when the database did not answer. */
function retryReads(session: D1DatabaseSession): D1DatabaseSession {
  const retried = {
    prepare: (text: string) => new RetriedStatement(session.prepare(text), text),
    batch: (statements: RetriedStatement[]) =>
      ask(
        () => statements.every(({ text }) => isRead(text)),
        () => session.batch(statements.map(({ prepared }) => prepared)),
      ),
    getBookmark: () => session.getBookmark(),
  };
  return retried as unknown as D1DatabaseSession;
}
