import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll } from "vitest";
import { DAY } from "../../src/platform/time";

/*
 * The sweeper sleeps in tests. Otherwise it would send a job again although a test runs the job itself, and start
 * recurring work in the middle of a test. Its alarm is set, so no request wakes it.
 */

const sweeper = () => env.JOB_SWEEPER.getByName("sweeper");
const sleep = () => runInDurableObject(sweeper(), (_, { storage }) => storage.setAlarm(Date.now() + 365 * DAY));

beforeAll(sleep);
// The sizes of the databases are measured: no test finds this work but its own.
beforeAll(() =>
  env.DB.exec("INSERT OR IGNORE INTO database_sizes (database, day, bytes, told) VALUES ('first', 1000000, 0, 0)"),
);

/** Runs one sweep now. */
export async function sweepOnce(): Promise<void> {
  await runDurableObjectAlarm(sweeper());
  await sleep();
}
