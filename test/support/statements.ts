import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import type { Database } from "../../src/platform/db/database";

/*
 * Every statement that the service prepares in a test file is written down here, whoever caused it:
 * a request, a job of the queue, the sweeper. `query-plans` judges them when the file ends.
 */

/** Distinct statements that are kept; a file that prepares more has seen enough of the rest. */
const MOST_KEPT = 3_000;

const distinct = new Set<string>();
let prepared = 0;
let roundTrips = 0;

/**
 * Begins to record; called once a file. Sessions are what the service uses, `env.DB` itself is the tests' own.
 * Returns what ends it: the next file may find the same runtime.
 */
export function recordStatements(): () => void {
  const prototype = Object.getPrototypeOf(env.DB) as D1Database;
  const { withSession } = prototype;
  prototype.withSession = function (this: D1Database, constraint) {
    const session = withSession.call(this, constraint);
    const prepare = session.prepare.bind(session);
    session.prepare = (statement) => {
      prepared++;
      roundTrips++;
      if (distinct.size < MOST_KEPT) distinct.add(statement);
      return prepare(statement);
    };
    const batch = session.batch.bind(session);
    session.batch = (statements) => {
      roundTrips -= statements.length - 1;
      return batch(statements);
    };
    return session;
  };
  return () => {
    prototype.withSession = withSession;
  };
}

export const recordedStatements = (): readonly string[] => [...distinct];

/** How many statements the service prepares while `work` runs, and how often it goes to the database with them. */
export async function countStatements<T>(
  work: () => Promise<T>,
): Promise<{ result: T; statements: number; roundTrips: number }> {
  const before = { prepared, roundTrips };
  const result = await work();
  return { result, statements: prepared - before.prepared, roundTrips: roundTrips - before.roundTrips };
}

/**
 * The fewest statements that `work` takes in a few runs: what the sweeper prepares meanwhile is counted
 * in some of them, and never in all.
 */
export async function fewestStatements(work: () => Promise<unknown>, runs = 4): Promise<number> {
  const counts: number[] = [];
  for (let i = 0; i < runs; i++) counts.push((await countStatements(work)).statements);
  return Math.min(...counts);
}

/** The fewest times that `work` goes to the database in a few runs. */
export async function fewestRoundTrips(work: () => Promise<unknown>, runs = 4): Promise<number> {
  const counts: number[] = [];
  for (let i = 0; i < runs; i++) counts.push((await countStatements(work)).roundTrips);
  return Math.min(...counts);
}

/** The database for a test's own questions, which may read whole tables. */
export const testDatabase = (): Database => drizzle(env.DB) as unknown as Database;
