import { env } from "cloudflare:workers";

/** Failures of D1 in Cloudflare's own words, and two that nobody has seen yet. All of them pass. */
export const OUTAGES = [
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  "Network connection lost.",
  "D1_ERROR: D1 DB reset because its code was updated.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
  "D1_ERROR: database is locked: SQLITE_BUSY",
  "internal error; reference = 0f3kq1v9a2s8d7f6g5h4j3k2",
  "D1_ERROR: internal error; reference = 0f3kq1v9a2s8d7f6g5h4j3k2",
  "D1_ERROR: Currently processing a long-running export.",
  "D1_ERROR: Currently processing a long-running import.",
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: Failed to parse body as JSON, got: error code: 1031",
  "D1_ERROR: disk I/O error: SQLITE_IOERR",
  "D1_ERROR: the database took a coffee break",
  "A failure that no list contains.",
] as const;

/**
 * The database with an outage: `fails` decides for each statement that is sent, with its text and its number from 1,
 * whether it fails with `message`. `asked` has the texts of those that `counts` accepts.
 */
export function failingDatabase(message: string, fails: (text: string, call: number) => boolean) {
  let calls = 0;
  let failures = 0;
  const ask = (text: string) => {
    calls++;
    if (!fails(text, calls)) return;
    failures++;
    throw new Error(message);
  };
  const texts = new WeakMap<D1PreparedStatement, string>();
  const wrapped = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    texts.set(statement, text);
    return new Proxy(statement, {
      get(target, name) {
        if (name === "inner") return target;
        if (name === "bind") return (...values: unknown[]) => wrapped(target.bind(...values), text);
        const method = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          ask(text);
          return method.apply(target, given);
        };
      },
    });
  };
  const session = (constraint?: string) => {
    const real = env.DB.withSession(constraint);
    return {
      prepare: (text: string) => wrapped(real.prepare(text), text),
      batch: async (statements: (D1PreparedStatement & { inner: D1PreparedStatement })[]) => {
        ask(statements.map(({ inner }) => texts.get(inner) ?? "").join(";\n"));
        return real.batch(statements.map(({ inner }) => inner));
      },
      getBookmark: () => real.getBookmark(),
    };
  };
  return {
    DB: { withSession: session } as unknown as D1Database,
    calls: () => calls,
    failures: () => failures,
  };
}
