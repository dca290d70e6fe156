import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll } from "vitest";
import { DAY } from "../../src/platform/time";

/*
 * The sweeper sleeps in tests: it would send a job again that a test keeps for itself for half a minute, and
 * begin recurring work in the middle of another. Its alarm is set, so no request wakes it.
 */

const sweeper = () => env.JOB_SWEEPER.getByName("sweeper");
const sleep = () => runInDurableObject(sweeper(), (_, { storage }) => storage.setAlarm(Date.now() + 365 * DAY));

beforeAll(sleep);

/** One sweep, now. */
export async function sweepOnce(): Promise<void> {
  await runDurableObjectAlarm(sweeper());
  await sleep();
}
