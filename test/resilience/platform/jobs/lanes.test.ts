import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { beginChange } from "../../../../src/platform/db/change";
import { NO_WORKSPACE } from "../../../../src/platform/db/residence";
import { newId } from "../../../../src/platform/ids";
import { complete } from "../../../../src/platform/jobs/handlers";
import { SLOTS_PER_WORKSPACE } from "../../../../src/platform/jobs/kinds";
import { claimJob, runJob } from "../../../../src/platform/jobs/run";
import { sweepJobs } from "../../../../src/platform/jobs/sweep";
import { mintResident } from "../../../support/factories";
import { everyLane, handlersWith, hasSucceeded, systemContext } from "../../../support/job-rows";
import { stopClock } from "../../../support/patience";

const SECOND = 1_000;

let starts = 0;
/** Each test begins at a later time than the end of the previous one, because the clock of a lane never goes back. */
const startsAt = (): number => Date.now() + ++starts * 24 * 3_600 * SECOND;

/**
 * A lane that the test controls: its queue delivers one message in each step, in order of arrival. The clock moves by
 * `stepMs` in each step, and then the sweeper runs.
 */
class Lane {
  readonly #mine = new Set<string>();
  #queue: string[] = [];
  /** The deliveries in their order. It contains a job once for each delivery. */
  readonly deliveries: string[] = [];
  readonly slices: string[] = [];
  isConsumed = true;
  isLost: (id: string) => boolean = () => false;
  isDown: () => boolean = () => false;
  dies: (id: string) => boolean = () => false;

  constructor(readonly stepMs: number) {
    stopClock(startsAt());
  }

  readonly #queues = everyLane(() => ({
    sendBatch: async (messages) => {
      if (this.isDown()) throw new Error("the queue does not answer");
      for (const { body } of messages)
        if (this.#mine.has(body.jobId) && !this.isLost(body.jobId)) this.#queue.push(body.jobId);
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    },
    metrics: () => env.JOBS.metrics(),
  }));

  readonly #handlers = handlersWith({
    run: async (_, job) => {
      this.slices.push(job.id);
      return complete();
    },
  });

  #context = () => systemContext({ queues: this.#queues });

  /** Queues jobs of a workspace, each with a separate change. */
  async add(tenantId: string, count: number): Promise<string[]> {
    await mintResident(tenantId);
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const change = beginChange(this.#context(), NO_WORKSPACE);
      const id = newId();
      this.#mine.add(id);
      ids.push(change.job("expire-requests", {}, { id, tenantId }));
      await change.commit();
    }
    return ids;
  }

  async step(): Promise<void> {
    vi.setSystemTime(Date.now() + this.stepMs);
    const id = this.isConsumed ? this.#queue.shift() : undefined;
    if (id !== undefined) {
      this.deliveries.push(id);
      if (this.dies(id)) await claimJob(systemContext().workspace, id, Date.now(), true);
      else await runJob(this.#context(), this.#handlers, id, { isDelivered: true });
    }
    await sweepJobs(this.#context(), this.#handlers);
  }

  async steps(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await this.step();
  }

  get inQueue(): number {
    return this.#queue.length;
  }
}

describe("a lane with many minutes of work", () => {
  test("gets each job once, and a new workspace's job waits for few others", async () => {
    const lane = new Lane(5 * SECOND);
    await lane.add(newId(), 60);
    expect(lane.inQueue).toBe(SLOTS_PER_WORKSPACE.light);
    const [newcomer = ""] = await lane.add(newId(), 1);
    await lane.steps(70);
    expect(lane.slices).toHaveLength(61);
    // 1.2 are allowed. Without a lost message, no job is sent twice.
    expect(lane.deliveries).toHaveLength(61);
    expect(lane.slices.indexOf(newcomer)).toBe(SLOTS_PER_WORKSPACE.light);
  });

  test("runs jobs of several workspaces in turn", async () => {
    const lane = new Lane(5 * SECOND);
    const [one, two] = [await lane.add(newId(), 25), await lane.add(newId(), 25)];
    await lane.steps(40);
    const firstForty = lane.slices.slice(0, 40);
    const done = (ids: string[]) => firstForty.filter((id) => ids.includes(id)).length;
    expect(Math.abs(done(one) - done(two))).toBeLessThanOrEqual(SLOTS_PER_WORKSPACE.light);
  });

  test("gets only lost jobs again while it makes progress", async () => {
    const lane = new Lane(5 * SECOND);
    const before = await lane.add(newId(), 5);
    let losses = 0;
    lane.isLost = () => ++losses === 1;
    const [lost = ""] = await lane.add(newId(), 1);
    const after: string[] = [];
    for (let n = 0; n < 12; n++) {
      after.push(...(await lane.add(newId(), 1)));
      await lane.step();
    }
    await lane.steps(20);
    const all = [...before, lost, ...after];
    expect(new Set(lane.slices)).toEqual(new Set(all));
    expect(lane.deliveries).toHaveLength(all.length);
    expect(lane.slices.indexOf(lost)).toBeGreaterThan(before.length);
  });
});

describe("a stalled lane", () => {
  test("gets its jobs again at growing intervals, and finishes them when it works again", async () => {
    const lane = new Lane(5 * SECOND);
    const ids = await lane.add(newId(), 3);
    lane.isConsumed = false;
    await lane.steps(120);
    // In ten minutes: sent at once, after 30 s, and then after 1, 2 and 4 more minutes.
    expect(lane.inQueue).toBe(3 * 5);
    lane.isConsumed = true;
    await lane.steps(16);
    expect(new Set(lane.slices)).toEqual(new Set(ids));
    expect(lane.slices).toHaveLength(3);
  });
});

test("the next sweeps finish all jobs after losses and crashes", async () => {
  const lane = new Lane(10 * SECOND);
  let n = 0;
  const every = (count: number) => () => ++n % count === 0;
  lane.isDown = every(4);
  lane.isLost = every(5);
  lane.dies = every(6);
  const ids = (await Promise.all([lane.add(newId(), 25), lane.add(newId(), 12), lane.add(newId(), 1)])).flat();
  for (let steps = 0; steps < 400 && new Set(lane.slices).size < ids.length; steps++) await lane.step();
  expect(new Set(lane.slices)).toEqual(new Set(ids));
  for (const id of ids) expect(await hasSucceeded(id)).toBe(true);
});
