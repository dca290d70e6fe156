import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** The number of statements and their time in SQLite, milliseconds. */
export interface SqlCost {
  statements: number;
  ms: number;
}

/**
 * D1's interface with SQLite in this process, which measures the time of SQLite. Local D1 measures only whole
 * milliseconds, and its path through the runtime costs more than most of these statements.
 */
export class TimedD1 {
  #cost: SqlCost = { statements: 0, ms: 0 };

  constructor(readonly sqlite: DatabaseSync) {}

  /** The cost since the last call. */
  take(): SqlCost {
    const cost = this.#cost;
    this.#cost = { statements: 0, ms: 0 };
    return cost;
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
    const all = () =>
      this.#timed(() => {
        const statement = this.sqlite.prepare(sql);
        const results = statement.all(...params);
        return { results, success: true, meta: {} };
      });
    const raw = () =>
      this.#timed(() => {
        const statement = this.sqlite.prepare(sql);
        statement.setReturnArrays(true);
        return statement.all(...params);
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
