import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import { onTestFinished } from "vitest";
import type { Database } from "../../src/platform/db/database";

/*
 * Every statement that the service prepares in a test file is written down here, whoever caused it:
 * a request, a job of the queue, the sweeper. `query-plans` judges them when the file ends.
 */

/** Distinct statements that are kept; a file that prepares more has seen enough of the rest. */
const MOST_KEPT = 3_000;

/** What the sweeper and the queue's consumers begin with, who work whenever they do: their sessions are not counted. */
const JOBS = /\bjobs\b/;

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
    let isBackground: boolean | null = null;
    const prepare = session.prepare.bind(session);
    session.prepare = (statement) => {
      isBackground ??= JOBS.test(statement);
      if (!isBackground) {
        prepared++;
        roundTrips++;
      }
      if (distinct.size < MOST_KEPT) distinct.add(statement);
      return prepare(statement);
    };
    const batch = session.batch.bind(session);
    session.batch = (statements) => {
      if (isBackground !== true) roundTrips -= statements.length - 1;
      return batch(statements);
    };
    return session;
  };
  return () => {
    prototype.withSession = withSession;
  };
}

/**
 * Holds back the answers to the service's statements that say `part`, once the database has done them, so that
 * a test decides what comes first. None is held after `release`. Flags, since an object of its own cannot be
 * woken by a promise of the test's.
 */
export function holdAnswers(part: string): { isReached: () => boolean; release: () => void } {
  let [isReached, isReleased] = [false, false];
  const prototype = Object.getPrototypeOf(env.DB) as D1Database;
  const { withSession } = prototype;
  prototype.withSession = function (this: D1Database, constraint) {
    const session = withSession.call(this, constraint);
    const prepare = session.prepare.bind(session);
    session.prepare = (statement) => {
      const prepared = prepare(statement);
      if (!statement.includes(part)) return prepared;
      const bind = prepared.bind.bind(prepared);
      prepared.bind = (...values) => {
        const bound = bind(...values);
        const run = bound.run.bind(bound);
        bound.run = async () => {
          const answer = await run<never>();
          isReached = true;
          while (!isReleased) await scheduler.wait(5);
          return answer;
        };
        return bound;
      };
      return prepared;
    };
    return session;
  };
  const release = () => {
    prototype.withSession = withSession;
    isReleased = true;
  };
  onTestFinished(release);
  return { isReached: () => isReached, release };
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

/** The fewest statements that `work` takes in a few runs: what goes on beside it is counted in some of them at most. */
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
