import { env } from "cloudflare:workers";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { onTestFinished } from "vitest";
import { anyDatabase } from "./spread";

/*
 * Records every statement that the service prepares in a test file: statements of requests, of jobs and of the sweeper.
 * `query-plans` checks them at the end of the file.
 */

/** Maximum number of distinct statements that are kept. */
const MAX_KEPT = 3_000;

/** The first statements of the sweeper and of queue consumers, which run at any time. Their sessions are not counted. */
const JOBS = /\bjobs\b/;

const distinct = new Set<string>();

/** The text of a prepared statement. The runtime's own class has it, the type has not. */
export const textOf = (prepared: D1PreparedStatement): string =>
  (prepared as unknown as { statement: string }).statement;

/** The statements of a batch. */
export interface Batch {
  statements: readonly string[];
  /** Whether `readBoth` or `selectBoth` sent it: with two databases it is two batches. */
  isApart: boolean;
}
const batches = new Map<string, Batch>();

/** Functions of `src/platform/db/database.ts` that join the reads of both sides in one round trip. */
const JOINS_SIDES = /\b(?:readBoth|selectBoth)\b/;

/** V8's own hook (https://v8.dev/docs/stack-trace-api): what `stack` of a new error is. */
interface Traces {
  stackTraceLimit: number;
  prepareStackTrace: ((error: Error, sites: readonly { getFunctionName(): string | null }[]) => unknown) | undefined;
}

/**
 * The names of the functions that called, also those below the ten frames that an error has by itself: tests can add frames. Without
 * their places in the source, which take most of the time of a stack.
 */
function callers(): string {
  const traces = Error as unknown as Traces;
  const { stackTraceLimit, prepareStackTrace } = traces;
  traces.stackTraceLimit = 50;
  traces.prepareStackTrace = (_, sites) => sites.map((site) => site.getFunctionName()).join(" ");
  try {
    return new Error("where from").stack ?? "";
  } finally {
    traces.prepareStackTrace = prepareStackTrace;
    traces.stackTraceLimit = stackTraceLimit;
  }
}

let prepared = 0;
let roundTrips = 0;

/**
 * Changes each session that the service opens from now on. The service uses sessions of the database, and tests use `env.DB`.
 * @returns a function that ends it
 */
export function changeSessions(change: (session: D1DatabaseSession) => void): () => void {
  const prototype = Object.getPrototypeOf(anyDatabase) as D1Database;
  const { withSession } = prototype;
  prototype.withSession = function (this: D1Database, constraint) {
    const session = withSession.call(this, constraint);
    change(session);
    return session;
  };
  return () => {
    prototype.withSession = withSession;
  };
}

/**
 * Starts the recording, once in each file.
 * @returns a function that ends the recording, because the next file can have the same runtime.
 */
export function recordStatements(): () => void {
  return changeSessions((session) => {
    let isBackground: boolean | null = null;
    const prepare = session.prepare.bind(session);
    session.prepare = (statement) => {
      isBackground ??= JOBS.test(statement);
      if (!isBackground) {
        prepared++;
        roundTrips++;
      }
      if (distinct.size < MAX_KEPT) distinct.add(statement);
      return prepare(statement);
    };
    const batch = session.batch.bind(session);
    session.batch = (statements) => {
      if (isBackground !== true) roundTrips -= statements.length - 1;
      const texts = statements.map(textOf);
      const key = [...new Set(texts)].join(";");
      const known = batches.get(key);
      if (known?.isApart !== false && batches.size < MAX_KEPT) {
        const isApart = JOINS_SIDES.test(callers());
        batches.set(key, { statements: texts, isApart });
      }
      return batch(statements);
    };
  });
}

/**
 * Delays the answers to statements and batches of the service that contain `part`, after the database has run them. So a test decides
 * the order. `release` ends the delay. It uses flags, because a promise of the test cannot wake a Durable Object.
 */
export function holdAnswers(part: string): { isReached: () => boolean; release: () => void } {
  let [isReached, isReleased] = [false, false];
  const restore = changeSessions((session) => {
    const held = async <T>(answer: T): Promise<T> => {
      isReached = true;
      while (!isReleased) await scheduler.wait(5);
      return answer;
    };
    const prepare = session.prepare.bind(session);
    session.prepare = (statement) => {
      const prepared = prepare(statement);
      if (!statement.includes(part)) return prepared;
      const bind = prepared.bind.bind(prepared);
      prepared.bind = (...values) => {
        const bound = bind(...values);
        const run = bound.run.bind(bound);
        bound.run = async () => held(await run<never>());
        return bound;
      };
      return prepared;
    };
    const batch = session.batch.bind(session);
    session.batch = async (statements) => {
      const answers = await batch<never>(statements);
      return statements.some((one) => textOf(one).includes(part)) ? held(answers) : answers;
    };
  });
  const release = () => {
    restore();
    isReleased = true;
  };
  onTestFinished(release);
  return { isReached: () => isReached, release };
}

/** The longest text that the service binds to statements that contain `part` while `work` runs, characters. */
export async function longestParameter(part: string, work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  const restore = changeSessions((session) => {
    const prepare = session.prepare.bind(session);
    session.prepare = (statement) => {
      const prepared = prepare(statement);
      if (!statement.includes(part)) return prepared;
      const bind = prepared.bind.bind(prepared);
      prepared.bind = (...values) => {
        for (const value of values) if (typeof value === "string") longest = Math.max(longest, value.length);
        return bind(...values);
      };
      return prepared;
    };
  });
  try {
    await work();
  } finally {
    restore();
  }
  return longest;
}

export const recordedStatements = (): readonly string[] => [...distinct];

export const recordedBatches = (): readonly Batch[] => [...batches.values()];

/** Forgets recorded statements and batches that contain `part`: a test of the recorder seeded them. */
export function forgetRecorded(part: string): void {
  for (const statement of distinct) if (statement.includes(part)) distinct.delete(statement);
  for (const key of batches.keys()) if (key.includes(part)) batches.delete(key);
}

/** Number of statements that the service prepares while `work` runs, and number of its round trips to the database. */
export async function countStatements<T>(
  work: () => Promise<T>,
): Promise<{ result: T; statements: number; roundTrips: number }> {
  const before = { prepared, roundTrips };
  const result = await work();
  return { result, statements: prepared - before.prepared, roundTrips: roundTrips - before.roundTrips };
}

/** Minimum number of statements of `work` in a few runs. Background work adds to only some of them. */
export async function fewestStatements(work: () => Promise<unknown>, runs = 4): Promise<number> {
  const counts: number[] = [];
  for (let i = 0; i < runs; i++) counts.push((await countStatements(work)).statements);
  return Math.min(...counts);
}

/** Minimum number of round trips of `work` to the database in a few runs. */
export async function fewestRoundTrips(work: () => Promise<unknown>, runs = 4): Promise<number> {
  const counts: number[] = [];
  for (let i = 0; i < runs; i++) counts.push((await countStatements(work)).roundTrips);
  return Math.min(...counts);
}

/** The database for the queries of tests, which may read whole tables. */
export const testDatabase = (database: D1Database = env.DB) =>
  drizzle(database) as unknown as DrizzleD1Database & { $client: D1DatabaseSession };
