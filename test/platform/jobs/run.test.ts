import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterAll, describe, expect, test, vi } from "vitest";
import { beginChange } from "../../../src/platform/db/change";
import { NO_WORKSPACE } from "../../../src/platform/db/residence";
import { DomainError } from "../../../src/platform/errors";
import { newId } from "../../../src/platform/ids";
import { complete, continueLater, JobFailure } from "../../../src/platform/jobs/handlers";
import { JOB_KINDS } from "../../../src/platform/jobs/kinds";
import { claimJob, retryDelay, runJob } from "../../../src/platform/jobs/run";
import { jobs } from "../../../src/platform/jobs/tables";
import { IsolateBusy } from "../../../src/platform/pace";
import { costsOf } from "../../support/costs";
import { mintResident } from "../../support/factories";
import { handlersWith, hasSucceeded, insertJob, readJobRow, silentQueues, systemContext } from "../../support/job-rows";
import { eventually, stopClock } from "../../support/patience";

const { maxAttempts, leaseMs } = JOB_KINDS["expire-requests"];
const quiet = () => systemContext({ queues: silentQueues().queues });
const running = { status: "running", leaseToken: "somebody", attempts: 1 } as const;

/** A statement with a countable effect: one row for each commit. */
const effect = (person: string) =>
  sql`INSERT INTO people (id, email, display_name, named_at) VALUES (${person}, '', '', 1)
      ON CONFLICT (id) DO UPDATE SET named_at = named_at + 1`;
const effects = async (person: string): Promise<number> =>
  (await env.DB.prepare("SELECT named_at FROM people WHERE id = ?").bind(person).first<number>("named_at")) ?? 0;

// These tests leave jobs with workers that do not exist.
afterAll(() => env.DB.prepare("UPDATE jobs SET status = 'failed' WHERE status = 'running'").run());

test("a job whose turn does not come in its isolate waits, and the try does not count", async () => {
  const id = await insertJob();
  let runs = 0;
  const handlers = handlersWith({
    async run() {
      if (++runs <= 2 * maxAttempts) throw new IsolateBusy();
      return complete();
    },
  });
  const again = () => env.DB.prepare("UPDATE jobs SET run_at = 1 WHERE id = ?").bind(id).run();
  for (let n = 0; n < 2 * maxAttempts; n++, await again()) expect(await runJob(quiet(), handlers, id)).toBe("put-off");
  expect(await readJobRow(id)).toMatchObject({ status: "queued", attempts: 0, errorCode: null });
  expect(await runJob(quiet(), handlers, id)).toBe("succeeded");
});

describe("a claim", () => {
  test("is given to exactly one of twenty workers", async () => {
    const id = await insertJob();
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => claimJob(systemContext().workspace, id, Date.now())),
    );
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    expect(await readJobRow(id)).toMatchObject({ status: "running", attempts: 1 });
  });

  test("takes the job of a dead worker once, and never the job of a live worker", async () => {
    const alive = await insertJob({ ...running, leaseUntil: Date.now() + 60_000 });
    expect(await claimJob(systemContext().workspace, alive, Date.now())).toBeNull();
    const dead = await insertJob({ ...running, leaseUntil: Date.now() - 1 });
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => claimJob(systemContext().workspace, dead, Date.now())),
    );
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    expect((await readJobRow(dead)).attempts).toBe(2);
  });

  test("does not take a job that is not due, has ended, or has an unknown kind", async () => {
    const { workspace: db } = systemContext();
    const now = Date.now();
    const ended = { finishedAt: now, startedAt: now };
    const ids = [
      await insertJob({ runAt: now + 60_000, sentAt: now + 60_000 }),
      await insertJob({ status: "succeeded", sentAt: null, isKept: true, ...ended }),
      await insertJob({ status: "failed", sentAt: null, isKept: true, ...ended }),
      await insertJob({ kind: "of-a-later-version" }),
    ];
    for (const id of ids) expect(await claimJob(db, id, now)).toBeNull();
  });
});

describe("a slice", () => {
  test("commits its change together with the job's end", async () => {
    const tenantId = await mintResident(newId());
    const id = await insertJob({ tenantId, requestedBy: "someone" });
    const context = quiet();
    const handlers = handlersWith({
      async run(given, job) {
        expect(job).toMatchObject({ id, tenantId, requestedBy: "someone", attempts: 1, state: null });
        expect(given.requestId).toBe("asked-for-it");
        return complete(beginChange(given, NO_WORKSPACE).add(effect(id)), { done: 3, total: 3 });
      },
    });
    expect(await runJob(context, handlers, id)).toBe("succeeded");
    expect(await effects(id)).toBe(1);
    expect(await hasSucceeded(id)).toBe(true);
    expect(await runJob(context, handlers, id)).toBe("not-due");
    expect(await effects(id)).toBe(1);
  });

  test("of a kept job leaves the row of its end", async () => {
    const id = await insertJob({ isKept: true });
    const handlers = handlersWith({ run: async () => complete(undefined, { done: 3, total: 3 }) });
    expect(await runJob(quiet(), handlers, id)).toBe("succeeded");
    expect(await readJobRow(id)).toMatchObject({
      status: "succeeded",
      progressDone: 3,
      progressTotal: 3,
      leaseToken: null,
      sentAt: null,
      finishedAt: expect.any(Number),
    });
    expect(await runJob(quiet(), handlers, id)).toBe("not-due");
  });

  test("costs with its queueing five rows: two to queue, two to claim and one to end", async () => {
    const tenantId = await mintResident(newId());
    const { rowsWritten } = await costsOf(async () => {
      const context = quiet();
      const change = beginChange(context, NO_WORKSPACE);
      const id = change.job("expire-requests", {}, { tenantId });
      await change.commit();
      const handlers = handlersWith({ run: async () => complete() });
      expect(await runJob(context, handlers, id, { isDelivered: true })).toBe("succeeded");
    });
    expect(rowsWritten).toBe(5);
  });

  test("passes its state and progress to the next one, which has all tries again", async () => {
    const id = await insertJob({ attempts: 2, errorCode: "internal", errorDetail: "before" });
    const { queues, sent } = silentQueues();
    const context = systemContext({ queues });
    const handlers = handlersWith({
      run: async (_, job) =>
        job.state === null
          ? continueLater({ at: 5 }, { progress: { done: 5, total: 9 } })
          : complete(undefined, { done: 9, total: 9 }),
    });
    expect(await runJob(context, handlers, id)).toBe("continued");
    expect(await readJobRow(id)).toMatchObject({
      status: "queued",
      state: { at: 5 },
      progressDone: 5,
      progressTotal: 9,
      attempts: 0,
      errorCode: null,
    });
    expect(sent).toEqual([{ lane: "light", jobId: id, delaySeconds: 0 }]);
    expect(await runJob(context, handlers, id)).toBe("succeeded");
  });

  test("that lost its lease changes nothing, not even the job", async () => {
    const id = await insertJob();
    const context = quiet();
    const slow = handlersWith({
      async run(given) {
        await given.workspace.update(jobs).set({ leaseToken: "another" }).where(eq(jobs.id, id));
        return complete(beginChange(given, NO_WORKSPACE).add(effect(id)));
      },
    });
    expect(await runJob(context, slow, id)).toBe("lease-lost");
    expect(await effects(id)).toBe(0);
    expect(await readJobRow(id)).toMatchObject({ status: "running", leaseToken: "another" });
  });

  test("that lost its lease and then fails leaves the job to its new worker", async () => {
    const id = await insertJob();
    const loses = (thrown: Error) =>
      handlersWith({
        async run(given) {
          await given.workspace.update(jobs).set({ leaseToken: "another", leaseUntil: 0 }).where(eq(jobs.id, id));
          throw thrown;
        },
      });
    for (const thrown of [new Error("broken"), new JobFailure("no-use", "It cannot be done.")])
      expect(await runJob(quiet(), loses(thrown), id)).toBe("lease-lost");
    expect(await readJobRow(id)).toMatchObject({ status: "running", leaseToken: "another" });
  });

  test("keeps its lease for as long as it works", async () => {
    const id = await insertJob();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    try {
      const handlers = handlersWith({
        async run(given) {
          const first = (await readJobRow(id)).leaseUntil ?? 0;
          for (let i = 0; i < 8; i++) {
            await vi.advanceTimersByTimeAsync(leaseMs / 4);
            // The renewal is a real statement. It must return before the next one is scheduled.
            await readJobRow(id);
          }
          vi.useRealTimers();
          await eventually(async () => expect((await readJobRow(id)).leaseUntil).toBeGreaterThan(first));
          return complete(beginChange(given, NO_WORKSPACE));
        },
      });
      expect(await runJob(quiet(), handlers, id)).toBe("succeeded");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a failure", () => {
  const broken = handlersWith({ run: () => Promise.reject(new Error("secret inner words")) });

  test("is retried with a growing delay, and shows no internal text", async () => {
    const id = await insertJob();
    const { queues, sent } = silentQueues();
    const now = stopClock();
    expect(await runJob(systemContext({ queues }), broken, id)).toBe("retry");
    const row = await readJobRow(id);
    expect(row).toMatchObject({ status: "queued", errorCode: "internal", leaseToken: null });
    expect(row.errorDetail).not.toContain("secret");
    expect(row.runAt).toBeGreaterThan(now);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.delaySeconds).toBeGreaterThanOrEqual(1);
    expect(await runJob(quiet(), broken, id)).toBe("not-due");
  });

  test("waits between half of the exponential time and all of it, at most fifteen minutes", () => {
    expect([1, 2, 3, 4].map((n) => [retryDelay(n, () => 0), retryDelay(n, () => 1)])).toEqual([
      [1_000, 2_000],
      [2_000, 4_000],
      [4_000, 8_000],
      [8_000, 16_000],
    ]);
    expect(retryDelay(50, () => 1)).toBe(15 * 60_000);
    expect(new Set(Array.from({ length: 20 }, () => retryDelay(6))).size).toBeGreaterThan(10);
  });

  test("ends the job after its last try, with the handler's change", async () => {
    const id = await insertJob({ attempts: maxAttempts - 1 });
    const handlers = handlersWith({
      run: () => Promise.reject(new DomainError("unavailable", "The store does not answer.")),
      failed: (_, job, change, reason) => {
        expect(reason.code).toBe("unavailable");
        change.add(effect(job.id));
      },
    });
    expect(await runJob(quiet(), handlers, id)).toBe("failed");
    expect(await readJobRow(id)).toMatchObject({
      status: "failed",
      errorCode: "unavailable",
      errorDetail: "The store does not answer. All tries are used up.",
      finishedAt: expect.any(Number),
    });
    expect(await effects(id)).toBe(1);
  });

  test("that a retry cannot correct ends the job at once, with a useful reason", async () => {
    const id = await insertJob();
    const handlers = handlersWith({ run: () => Promise.reject(new JobFailure("encrypted", "Remove the password.")) });
    expect(await runJob(quiet(), handlers, id)).toBe("failed");
    expect(await readJobRow(id)).toMatchObject({ errorCode: "encrypted", errorDetail: "Remove the password." });
  });

  test("of the worker ends the job when every try has crashed", async () => {
    const id = await insertJob({ ...running, attempts: maxAttempts, leaseUntil: Date.now() - 1 });
    const run = vi.fn();
    expect(
      await runJob(quiet(), handlersWith({ run, failed: (_, job, change) => void change.add(effect(job.id)) }), id),
    ).toBe("failed");
    expect(run).not.toHaveBeenCalled();
    expect(await readJobRow(id)).toMatchObject({ status: "failed", errorCode: "worker-died" });
    expect(await effects(id)).toBe(1);
  });

  test("to read the payload ends the job before its handler runs", async () => {
    const id = await insertJob({ payload: { of: "another version" } });
    const [run, failed] = [vi.fn(), vi.fn()];
    expect(await runJob(quiet(), handlersWith({ run, failed }), id)).toBe("failed");
    expect(await readJobRow(id)).toMatchObject({ status: "failed", errorCode: "unreadable-job" });
    expect(run).not.toHaveBeenCalled();
    expect(failed).not.toHaveBeenCalled();
  });

  test("in the handler's failure hook is retried a limited number of times", async () => {
    const handlers = handlersWith({
      run: () => Promise.reject(new JobFailure("no-use", "It cannot be done.")),
      failed: () => Promise.reject(new Error("nor this")),
    });
    const id = await insertJob();
    await expect(runJob(quiet(), handlers, id)).rejects.toThrow("nor this");
    expect((await readJobRow(id)).status).toBe("running");
    const old = await insertJob({ attempts: maxAttempts + 20 });
    expect(await runJob(quiet(), handlers, old)).toBe("failed");
  });
});
