import { env } from "cloudflare:workers";
import { ne } from "drizzle-orm";
import { app } from "../../../src/app";
import { openContext } from "../../../src/compose";
import { jobHandlers } from "../../../src/job-handlers";
import { newId } from "../../../src/platform/ids";
import type { JobQueues } from "../../../src/platform/jobs/queues";
import { claimJob, runJob } from "../../../src/platform/jobs/run";
import { sweepJobs } from "../../../src/platform/jobs/sweep";
import { jobs } from "../../../src/platform/jobs/tables";
import { testDatabase } from "../../support/statements";

const execution = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;

/**
 * The whole Worker over real D1 and R2, with a queue that the simulator controls. Its messages are lost when the
 * server restarts, as with a local service. Only the sweeper sends them again.
 */
export class Server {
  #queue: { jobId: string; dueAt: number }[] = [];
  readonly #env = {
    ...env,
    LIVE_JOBS: this.#lane(false),
    DELIVERY_JOBS: this.#lane(false),
    JOBS: this.#lane(false),
    EXTRACTION_JOBS: this.#lane(false),
    VERIFICATION_JOBS: this.#lane(true),
    PRINTING_JOBS: this.#lane(false),
    RECOGNITION_JOBS: this.#lane(false),
  } as unknown as Cloudflare.Env;
  requests = 0;

  /** The simulator does not test live delivery and notifications, so the messages of these lanes are dropped. */
  #lane(kept: boolean): JobQueues["light"] {
    return {
      sendBatch: async (messages) => {
        for (const { body, delaySeconds = 0 } of messages)
          if (kept) this.#queue.push({ jobId: body.jobId, dueAt: Date.now() + 1_000 * delaySeconds });
        return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
      },
      metrics: () => env.JOBS.metrics(),
    };
  }

  fetch(request: Request): Promise<Response> {
    this.requests++;
    return Promise.resolve(app.fetch(request, this.#env, execution));
  }

  /**
   * Runs the verifications that are due. `dies` decides which workers end directly after they have claimed their job.
   */
  async work(dies: () => boolean): Promise<void> {
    const { context } = openContext(this.#env, () => undefined);
    // The end of a job admits the next job of the organization to the queue.
    for (let due = this.#takeDue(); due.length > 0; due = this.#takeDue())
      await Promise.all(
        due.map(async (jobId) => {
          if (dies()) await claimJob(context.workspace, jobId, Date.now(), true);
          else await runJob(context, jobHandlers, jobId, { isDelivered: true });
        }),
      );
  }

  #takeDue(): string[] {
    const due = this.#queue.filter(({ dueAt }) => dueAt <= Date.now());
    this.#queue = this.#queue.filter(({ dueAt }) => dueAt > Date.now());
    return due.map(({ jobId }) => jobId);
  }

  /** Loses what the queue holds. */
  restart(): void {
    this.#queue = [];
  }

  /** The work of the sweeper's alarm. */
  async sweep(): Promise<void> {
    await testDatabase().delete(jobs).where(ne(jobs.kind, "verify-capture"));
    await sweepJobs(openContext(this.#env, () => undefined).context, jobHandlers);
  }

  /** The recurring job that expires operations and deletes their leftovers. */
  async expire(): Promise<void> {
    const { context } = openContext(this.#env, () => undefined);
    const id = newId();
    for (let slices = 0; slices < 20; slices++)
      if ((await runJob(context, jobHandlers, id, { recurring: "clean-frames" })) !== "continued") return;
  }
}
