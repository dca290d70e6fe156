import { SECOND } from "../time";
import { isOutage } from "./failures";

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
export function retryReads(session: D1DatabaseSession): D1DatabaseSession {
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
