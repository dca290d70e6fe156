import { createExecutionContext, createMessageBatch, getQueueResult, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { jobHandlers } from "../../../src/job-handlers";
import type { Context } from "../../../src/platform/context";
import { FIRST_DATABASE } from "../../../src/platform/db/database";
import { newId } from "../../../src/platform/ids";
import { consumeJobs } from "../../../src/platform/jobs/consume";
import { complete, continueLater, type Outcome } from "../../../src/platform/jobs/handlers";
import { JOB_KINDS } from "../../../src/platform/jobs/kinds";
import { sendJobs } from "../../../src/platform/jobs/queues";
import { runJob } from "../../../src/platform/jobs/run";
import { LOST_AFTER_MS, type Looks, recurringId, sendRecurring, sweepJobs } from "../../../src/platform/jobs/sweep";
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

  test("sends each lost job once, even if several sweeps run at the same time", async () => {
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
    // The recurring jobs of this period are queued once, after the jobs that other tests left have ended. Then they end
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
  /** A time that begins a period, in the past: the clock of the workers is later. */
  const begin = Math.floor(Date.now() / everyMs) * everyMs - 10 * everyMs;
  const idAt = (now: number) => recurringId("expire-uploads", everyMs, now);

  test("is sent once in each period, and writes nothing", async () => {
    await endAll();
    const { queues, sent } = silentQueues();
    const looks: Looks = new Map();
    const send = (now: number, has: boolean) => sendRecurring(systemContext({ queues, now }), handlersThat(has), looks);
    const { rowsWritten } = await costsOf(async () => {
      await send(begin, false);
      // The sweeper has looked in this period.
      await send(begin + 1, true);
      await send(begin + everyMs, true);
      await send(begin + everyMs + 1, true);
      await send(begin + 2 * everyMs, true);
    });
    expect(sent.map(({ jobId }) => jobId)).toEqual([idAt(begin + everyMs), idAt(begin + 2 * everyMs)]);
    expect(rowsWritten).toBe(0);
  });

  test("is sent again by the next sweep if the queue refused it", async () => {
    const looks: Looks = new Map();
    const broken = { sendBatch: () => Promise.reject(new Error("down")), metrics: () => env.JOBS.metrics() };
    const send = (of: Partial<Context>) =>
      sendRecurring(systemContext({ now: begin, ...of }), handlersThat(true), looks);
    await send({ queues: everyLane(() => broken) });
    const { queues, sent } = silentQueues();
    await send({ queues });
    await send({ queues });
    expect(sent.map(({ jobId }) => jobId)).toEqual([idAt(begin)]);
  });

  /** Delivers a recurring job to this many workers at the same time. @returns what each of them did, and the costs */
  async function deliverRecurring(jobId: string, workers: number, run: () => Promise<Outcome>) {
    const handlers = handlersWith({ run });
    const results: string[] = [];
    const { rowsWritten } = await costsOf(async () => {
      const context = systemContext({ queues: silentQueues().queues });
      const recurring = { recurring: "expire-requests" as const, isDelivered: true };
      const all = Array.from({ length: workers }, () => runJob(context, handlers, jobId, recurring));
      results.push(...(await Promise.all(all)));
    });
    return { results: results.sort(), rowsWritten };
  }

  test("runs in one of several workers that get its message, and costs three rows", async () => {
    let end = () => {};
    const ended = new Promise<void>((done) => {
      end = done;
    });
    let runs = 0;
    const jobId = newId();
    const run = async () => {
      runs++;
      await ended;
      return complete();
    };
    const delivered = deliverRecurring(jobId, 1, run);
    await eventually(async () => expect((await readJobRow(jobId)).status).toBe("running"));
    const others = await deliverRecurring(jobId, 3, run);
    expect(others).toEqual({ results: ["not-due", "not-due", "not-due"], rowsWritten: 0 });
    end();
    expect(await delivered).toMatchObject({ results: ["succeeded"] });
    expect([runs, await hasSucceeded(jobId)]).toEqual([1, true]);
    expect(await deliverRecurring(newId(), 1, async () => complete())).toEqual({
      results: ["succeeded"],
      rowsWritten: 3,
    });
  });

  test("continues in another slice, and after the death of its worker, like every job", async () => {
    const jobId = newId();
    expect(await deliverRecurring(jobId, 1, async () => continueLater("half"))).toMatchObject({
      results: ["continued"],
    });
    expect(await readJobRow(jobId)).toMatchObject({ status: "queued", state: "half" });
    await testDatabase().update(jobs).set(dead()).where(eq(jobs.id, jobId));
    expect(await sweep(jobId)).toEqual([1]);
    // The message of its first slice comes once more.
    let state: unknown;
    const handlers = handlersWith({
      async run(_, job) {
        state = job.state;
        return complete();
      },
    });
    const delivery = { recurring: "expire-requests" as const, isDelivered: true };
    expect(await runJob(systemContext(), handlers, jobId, delivery)).toBe("succeeded");
    expect(state).toBe("half");
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
    await sendJobs(systemContext().queues, FIRST_DATABASE, [{ id, kind: "expire-requests", delayMs: 1_500 }]);
    await eventually(async () => expect((await readJobRow(id)).status).toBe("succeeded"));
    expect((await readJobRow(id)).startedAt).toBeGreaterThanOrEqual(runAt);
  });
});
