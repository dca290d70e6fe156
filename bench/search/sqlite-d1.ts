import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** The number of statements and their time in SQLite, milliseconds. */
export interface SqlCost {
  statements: number;
  ms: number;
}

/** Characters of all prepared statements that the runtime keeps in a database. */
const MAX_PREPARED = 2 ** 20;

/**
 * Statements that stay prepared, by their texts. The Workers runtime does the same (`SqlStorage::exec` of workerd), and
 * local D1 runs on it: the least recently used statements leave.
 */
class PreparedStatements {
  readonly #kept = new Map<string, StatementSync>();
  #size = 0;

  of(sqlite: DatabaseSync, sql: string): StatementSync {
    const known = this.#kept.get(sql);
    const statement = known ?? sqlite.prepare(sql);
    if (known === undefined) this.#size += sql.length;
    this.#kept.delete(sql);
    this.#kept.set(sql, statement);
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= MAX_PREPARED) break;
      this.#size -= oldest.length;
      this.#kept.delete(oldest);
    }
    return statement;
  }
}

/**
 * D1's interface with SQLite in this process, which measures the time of SQLite. Local D1 measures only whole
 * milliseconds, and its path through the runtime costs more than most of these statements.
 */
export class TimedD1 {
  readonly #statements = new PreparedStatements();
  #cost: SqlCost = { statements: 0, ms: 0 };
  /** The statements of the call that `cpuOf` measures. */
  #asked: (() => unknown)[] | null = null;

  constructor(readonly sqlite: DatabaseSync) {}

  /** The cost since the last call. */
  take(): SqlCost {
    const cost = this.#cost;
    this.#cost = { statements: 0, ms: 0 };
    return cost;
  }

  /**
   * The CPU time of the statements of a call that only reads, milliseconds: the mean of some runs, one after the other. The
   * system counts the time of a thread in steps of up to 4 ms. Other work on the machine has less effect than on elapsed time.
   */
  async cpuOf(call: () => Promise<unknown>, runs: number): Promise<number> {
    const asked: (() => unknown)[] = [];
    this.#asked = asked;
    await call();
    this.#asked = null;
    const before = process.threadCpuUsage();
    for (let run = 0; run < runs; run += 1) for (const ask of asked) ask();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000 / runs;
  }

  #timed<T>(work: () => T): T {
    const before = performance.now();
    try {
      return work();
    } finally {
      const ms = performance.now() - before;
      this.#cost = { statements: this.#cost.statements + 1, ms: this.#cost.ms + ms };
    }
  }

  prepare(sql: string) {
    return this.#bound(sql, []);
  }

  #bound(sql: string, params: SQLInputValue[]) {
    const statement = () => this.#statements.of(this.sqlite, sql);
    const ask = () => statement().all(...params);
    const all = () => {
      this.#asked?.push(ask);
      return this.#timed(() => ({ results: ask(), success: true, meta: {} }));
    };
    const raw = () =>
      this.#timed(() => {
        const prepared = statement();
        prepared.setReturnArrays(true);
        try {
          return prepared.all(...params);
        } finally {
          prepared.setReturnArrays(false);
        }
      });
    return {
      bind: (...given: SQLInputValue[]) => this.#bound(sql, given),
      all: async () => all(),
      run: async () => all(),
      raw: async () => raw(),
      now: all,
    };
  }

  async batch(statements: { now: () => unknown }[]) {
    this.#timed(() => this.sqlite.exec("BEGIN"));
    try {
      const results = statements.map((statement) => statement.now());
      this.#timed(() => this.sqlite.exec("COMMIT"));
      return results;
    } catch (thrown) {
      this.sqlite.exec("ROLLBACK");
      throw thrown;
    }
  }

  withSession() {
    return this;
  }

  getBookmark() {
    return null;
  }
}

/** Opens a database file. */
export function openDatabaseFile(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON");
  return db;
}

/** Creates a database file with the service's schema. */
export function openSchema(file: string): DatabaseSync {
  const db = openDatabaseFile(file);
  for (const name of readdirSync("migrations").sort()) db.exec(readFileSync(`migrations/${name}`, "utf8"));
  return db;
}
