import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll } from "vitest";
import { sweeperOf } from "../../src/platform/jobs/sweep";
import { DAY } from "../../src/platform/time";
import { everyDatabase } from "./spread";

/*
 * The sweeper sleeps in tests. Otherwise it would send a job again although a test runs the job itself, and start
 * recurring work in the middle of a test. Its alarm is set, so no request wakes it.
 */

const sweepers = () => everyDatabase.map(([name]) => env.JOB_SWEEPER.getByName(sweeperOf(name)));
const sleep = async (): Promise<void> => {
  for (const sweeper of sweepers())
    await runInDurableObject(sweeper, (_, { storage }) => storage.setAlarm(Date.now() + 365 * DAY));
};

beforeAll(sleep);
// The sizes of the databases are measured: no test finds this work but its own.
beforeAll(() =>
  env.DB.batch(
    everyDatabase.map(([name]) =>
      env.DB.prepare(
        "INSERT OR IGNORE INTO database_sizes (database, day, bytes, told) VALUES (?, 1000000, 0, 0)",
      ).bind(name),
    ),
  ),
);

/** Runs one sweep of each database now. */
export async function sweepOnce(): Promise<void> {
  for (const sweeper of sweepers()) await runDurableObjectAlarm(sweeper);
  await sleep();
}
