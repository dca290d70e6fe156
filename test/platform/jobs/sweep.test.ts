import { createExecutionContext, createMessageBatch, getQueueResult, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { jobHandlers } from "../../../src/job-handlers";
import type { Context } from "../../../src/platform/context";
import { newId } from "../../../src/platform/ids";
import { consumeJobs } from "../../../src/platform/jobs/consume";
import { complete } from "../../../src/platform/jobs/handlers";
import { JOB_KINDS } from "../../../src/platform/jobs/kinds";
import { sendJobs } from "../../../src/platform/jobs/queues";
import { LOST_AFTER_MS, type Looks, queueRecurring, recurringId, sweepJobs } from "../../../src/platform/jobs/sweep";
import { jobs } from "../../../src/platform/jobs/tables";
import { DAY, MINUTE } from "../../../src/platform/time";
import worker from "../../../src/worker";
import { costsOf } from "../../support/costs";
import {
  everyLane,
  handlersWith,
  hasSucceeded,
  insertJob,
  readJobRow,
  silentQueues,
  systemContext,
} from "../../support/job-rows";
import { eventually, stopClock } from "../../support/patience";
import { testDatabase } from "../../support/statements";

/** A time so long ago that recently taken jobs have overtaken it. */
const longAgo = () => Date.now() - 3 * LOST_AFTER_MS;
const dead = () => ({
  status: "running" as const,
  leaseToken: "of a dead worker",
  leaseUntil: Date.now() - 1,
  attempts: 1,
  sentAt: longAgo(),
});

/** Sweeps until none of these jobs is sent any more, and returns the number of times that each of `ids` was sent. */
async function sweep(...ids: string[]): Promise<number[]> {
  const { queues, sent } = silentQueues();
  await sweepJobs(systemContext({ queues }), jobHandlers);
  return ids.map((id) => sent.filter(({ jobId }) => jobId === id).length);
}

/** Ends every job, so that none waits. */
const endAll = () => testDatabase().delete(jobs);

describe("a sweep", () => {
  test("sends only lost jobs and jobs of dead workers again", async () => {
    const now = Date.now();
    const lost = await insertJob({ sentAt: longAgo() });
    const left = await insertJob(dead());
    const others = [
      await insertJob(),
      await insertJob({ runAt: now + 60_000, sentAt: now + 60_000 }),
      // A job of another lane: while a lane works on one, no job of it counts as lost.
      await insertJob({ ...dead(), lane: "printing", leaseUntil: now + 60_000 }),
      await insertJob({ status: "failed", sentAt: null, isKept: true, finishedAt: now }),
    ];
    expect(await sweep(lost, left, ...others)).toEqual([1, 1, 0, 0, 0, 0]);
    expect(await sweep(lost, left)).toEqual([0, 0]);
  });

  test("sends each lost job once, also if several run at the same time", async () => {
    const id = await insertJob({ sentAt: longAgo() });
    const sends = await Promise.all(Array.from({ length: 8 }, () => sweep(id)));
    expect(sends.flat().reduce((sum, n) => sum + n, 0)).toBe(1);
  });

  test("is not blocked by jobs of an unknown kind", async () => {
    const unknown = await Promise.all(
      Array.from({ length: 210 }, () => insertJob({ kind: "of-a-later-version", sentAt: 1 })),
    );
    const lost = await insertJob({ sentAt: longAgo() });
    expect(await sweep(lost)).toEqual([1]);
    expect((await readJobRow(unknown[0] ?? "")).status).toBe("queued");
  });

  test("leaves a job for the next sweep if the queue refuses it", async () => {
    const id = await insertJob({ sentAt: longAgo() });
    const broken = { sendBatch: () => Promise.reject(new Error("down")), metrics: () => env.JOBS.metrics() };
    await sweepJobs(systemContext({ queues: everyLane(() => broken) }), jobHandlers);
    expect((await readJobRow(id)).status).toBe("queued");
    await systemContext().workspace.update(jobs).set({ sentAt: longAgo() }).where(eq(jobs.id, id));
    expect(await sweep(id)).toEqual([1]);
  });

  test("returns whether a job is soon due", async () => {
    const context = systemContext({ queues: silentQueues().queues });
    const now = stopClock();
    // The recurring jobs of this period are queued once after those that other tests left have ended, and they end
    // too.
    await endAll();
    await sweepJobs(context, jobHandlers);
    await endAll();
    await insertJob({ runAt: now + 3_600_000, sentAt: now + 3_600_000 });
    expect(await sweepJobs(context, jobHandlers)).toMatchObject({ pending: false });
    await insertJob({ runAt: now + 5_000, sentAt: now + 5_000 });
    expect(await sweepJobs(context, jobHandlers)).toMatchObject({ pending: true });
  });
});

describe("recurring work", () => {
  /** The real handlers. The kinds that these tests use have work or have none. */
  const handlersThat = (has: boolean) => ({
    ...jobHandlers,
    "expire-uploads": { ...jobHandlers["expire-uploads"], hasWork: () => (has ? sql`1` : sql`0`) },
  });
  const { everyMs } = JOB_KINDS["expire-uploads"];
  const ofPeriod = (context: Context, now: number) =>
    context.workspace
      .select()
      .from(jobs)
      .where(eq(jobs.id, recurringId("expire-uploads", everyMs, now)));

  test("is queued once by any number of sweeps at the same time", async () => {
    await endAll();
    const now = 4_000_000_000_000;
    const context = systemContext({ queues: silentQueues().queues, now });
    const queueTen = () => Promise.all(Array.from({ length: 10 }, () => queueRecurring(context, handlersThat(true))));
    await queueTen();
    expect(await ofPeriod(context, now)).toHaveLength(1);
    await queueTen();
    expect(await ofPeriod(context, now)).toHaveLength(1);
    expect(await ofPeriod(context, now + everyMs)).toEqual([]);
  });

  test("is not queued without work, and a sweeper looks once in each period", async () => {
    await endAll();
    const now = 5_000_000_000_000;
    const context = (at: number) => systemContext({ queues: silentQueues().queues, now: at });
    const looks: Looks = new Map();
    await queueRecurring(context(now), handlersThat(false), looks);
    await queueRecurring(context(now + 1), handlersThat(true), looks);
    expect(await ofPeriod(context(now), now)).toEqual([]);
    await queueRecurring(context(now + everyMs), handlersThat(true), looks);
    expect(await ofPeriod(context(now), now + everyMs)).toHaveLength(1);
    await endAll();
    await queueRecurring(context(now + everyMs + 1), handlersThat(true), looks);
    expect(await ofPeriod(context(now), now + everyMs)).toEqual([]);
  });

  test("of a day without activity writes no rows", async () => {
    await endAll();
    const now = stopClock();
    const { queues, sent } = silentQueues();
    const looks: Looks = new Map();
    const { rowsWritten } = await costsOf(async () => {
      for (let at = now; at < now + DAY; at += 30 * MINUTE) {
        stopClock(at);
        await sweepJobs(systemContext({ queues, now: at }), jobHandlers, looks);
      }
    });
    expect([rowsWritten, sent]).toEqual([0, []]);
  });
});

describe("a delivery", () => {
  const deliver = async (queue: string, bodies: unknown[], consume = worker.queue) => {
    const batch = createMessageBatch(
      queue,
      bodies.map((body, n) => ({ id: `message-${n}`, timestamp: new Date(), attempts: 1, body })),
    );
    const execution = createExecutionContext();
    await consume(batch, env, execution);
    return getQueueResult(batch, execution);
  };

  test("settles each message separately: invalid messages, duplicates and absent jobs affect no other", async () => {
    const [id, absent] = [await insertJob(), newId()];
    const bodies = ["not a message", { jobId: 7 }, { jobId: absent }, { jobId: id }, { jobId: id }];
    const result = await deliver("document-workspace-jobs", bodies);
    expect(result.explicitAcks).toHaveLength(bodies.length);
    expect(result.retryMessages).toEqual([]);
    expect(await hasSucceeded(id)).toBe(true);
  });

  test("of a database that this Worker does not have is retried, and runs nothing", async () => {
    const id = await insertJob();
    const bodies = [{ jobId: id, database: "second" }];
    const result = await deliver("document-workspace-jobs", bodies);
    expect([result.explicitAcks, result.retryMessages.length]).toEqual([[], 1]);
    expect((await readJobRow(id)).status).toBe("queued");
  });

  test("whose outcome cannot be stored is retried alone", async () => {
    const [bad, good] = [await insertJob(), await insertJob()];
    const handlers = handlersWith({
      async run(_, job) {
        if (job.id === bad) await systemContext().workspace.delete(jobs).where(eq(jobs.id, bad));
        return complete();
      },
    });
    const flaky = systemContext({ queues: silentQueues().queues });
    const lostDatabase = new Proxy(flaky.workspace, {
      get: (db, name) => (name === "update" ? throwOnce() : Reflect.get(db, name)),
    });
    let thrown = false;
    const throwOnce = () => {
      if (thrown) return flaky.workspace.update.bind(flaky.workspace);
      thrown = true;
      throw new Error("D1 does not answer");
    };
    const result = await deliver("document-workspace-jobs", [{ jobId: bad }, { jobId: good }], (batch) =>
      consumeJobs({ ...flaky, workspace: lostDatabase }, handlers, batch),
    );
    expect(result.retryMessages.map(({ msgId }) => msgId)).toEqual(["message-0"]);
    expect((await readJobRow(bad)).status).toBe("queued");
    expect(await hasSucceeded(good)).toBe(true);
  });

  test("of the live queue runs in parallel, and of the light queue job by job", async () => {
    const batchOf = async (queue: string, sideBySide: boolean) => {
      let [working, most] = [0, 0];
      const handlers = handlersWith({
        async run() {
          most = Math.max(most, ++working);
          // In parallel, all jobs begin before one ends. Otherwise each job gives the next one some time to begin.
          for (let n = 0; most < 3 && (sideBySide || n < 50); n++) await env.DB.prepare("SELECT 1").run();
          working--;
          return complete();
        },
      });
      const bodies = [{ jobId: await insertJob() }, { jobId: await insertJob() }, { jobId: await insertJob() }];
      const result = await deliver(queue, bodies, (batch) =>
        consumeJobs(systemContext({ queues: silentQueues().queues }), handlers, batch, { sideBySide }),
      );
      expect(result.explicitAcks).toHaveLength(3);
      return most;
    };
    expect(await batchOf("document-workspace-live-jobs", true)).toBe(3);
    expect(await batchOf("document-workspace-jobs", false)).toBe(1);
  });

  test("in the dead-letter queue leaves the job to the sweeper", async () => {
    const [waiting, ended] = [
      await insertJob(),
      await insertJob({ status: "failed", isKept: true, finishedAt: Date.now() }),
    ];
    const before = await readJobRow(ended);
    const result = await deliver("document-workspace-jobs-dead", [{ jobId: waiting }, { jobId: ended }, "junk"]);
    expect(result.explicitAcks).toHaveLength(3);
    expect(await readJobRow(waiting)).toMatchObject({ status: "queued", attempts: 0 });
    expect(await readJobRow(ended)).toEqual(before);
    expect(await sweep(waiting)).toEqual([1]);
  });

  test("of a queue without a consumer is an error", async () => {
    await expect(deliver("another-queue", [{}])).rejects.toThrow("no consumer for queue another-queue");
  });
});

/* The last jobs: from here on the sweeper continues without the test. */
describe("the real queue and the sweeper's alarm", () => {
  test("finish a job whose message was lost and one whose worker died", async () => {
    const ids = [await insertJob({ sentAt: longAgo() }), await insertJob(dead())];
    const sweeper = env.JOB_SWEEPER.getByName("sweeper");
    await sweeper.wake();
    await runDurableObjectAlarm(sweeper);
    await eventually(async () => {
      for (const id of ids) expect(await hasSucceeded(id)).toBe(true);
    });
  });

  test("end a job as failed when all its workers died", async () => {
    const { maxAttempts } = JOB_KINDS["expire-requests"];
    const id = await insertJob({ ...dead(), attempts: maxAttempts });
    await runDurableObjectAlarm(env.JOB_SWEEPER.getByName("sweeper"));
    await eventually(async () => expect((await readJobRow(id)).status).toBe("failed"));
    expect(await readJobRow(id)).toMatchObject({ errorCode: "worker-died" });
  });

  test("deliver a delayed job in time", async () => {
    const runAt = Date.now() + 1_500;
    const id = await insertJob({ runAt, sentAt: runAt, isKept: true });
    await sendJobs(systemContext(), [{ id, kind: "expire-requests", delayMs: 1_500 }]);
    await eventually(async () => expect((await readJobRow(id)).status).toBe("succeeded"));
    expect((await readJobRow(id)).startedAt).toBeGreaterThanOrEqual(runAt);
  });
});
