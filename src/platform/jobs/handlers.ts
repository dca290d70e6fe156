import type { SQL } from "drizzle-orm";
import type { Context } from "../context";
import type { AnyChange, Change } from "../db/change";
import { queriesOf } from "../db/database";
import { NO_WORKSPACE, type Workspaces } from "../db/residence";
import type { Side } from "../db/sides";
import type { JobKind, JobPayload, RecurringKind } from "./kinds";

/** A job as its handler sees it. */
export interface Job<K extends JobKind = JobKind> {
  id: string;
  kind: K;
  tenantId: string | null;
  payload: JobPayload<K>;
  /** The state from the previous slice. Parse it with zod. */
  state: unknown;
  /** The number of tries, including the current try. */
  attempts: number;
  progress: Progress;
  requestedBy: string | null;
}

/** The workspace of a job, for its changes. */
export const workspaceOf = ({ tenantId }: Pick<Job, "tenantId">): Workspaces => tenantId ?? NO_WORKSPACE;

export interface Progress {
  done: number;
  total: number;
}

/**
 * The outcome of a slice. Its change is committed together with the job's new state, and only while the worker holds
 * the lease: a worker without the lease changes nothing.
 */
export type Outcome =
  | { kind: "complete"; change?: AnyChange; progress?: Progress }
  | { kind: "continue"; change?: AnyChange; state: unknown; progress?: Progress; delayMs?: number };

export const complete = (change?: AnyChange, progress?: Progress): Outcome => ({
  kind: "complete",
  ...(change && { change }),
  ...(progress && { progress }),
});

/** The job continues in another slice, which gets `state`. The count of tries starts again. */
export const continueLater = (
  state: unknown,
  more: { change?: AnyChange; progress?: Progress; delayMs?: number } = {},
): Outcome => ({
  kind: "continue",
  state,
  ...more,
});

/**
 * Queries after which a slice of one row after another ends. D1 refuses more than 1,000 in an invocation. The jobs of a batch share
 * an invocation, and the last row and the end of the slice need some more.
 */
const MAX_QUERIES_PER_SLICE = 300;

/** Begins to count the queries of a slice. @returns whether the slice should end now. */
export function countQueries({ directory }: Pick<Context, "directory">): () => boolean {
  const before = queriesOf(directory);
  return () => queriesOf(directory) - before >= MAX_QUERIES_PER_SLICE;
}

/** Ends the job as failed without a retry. `detail` says what a user can do. */
export class JobFailure extends Error {
  constructor(
    readonly code: string,
    readonly detail: string,
  ) {
    super(`${code}: ${detail}`);
    this.name = "JobFailure";
  }
}

export interface JobHandler<K extends JobKind> {
  /** Runs one slice. It can run twice, so effects outside of its `Outcome.change` must be idempotent. */
  run(context: Context, job: Job<K>): Promise<Outcome>;
  /** Adds to the change that ends the job as failed. */
  failed?(
    context: Context,
    job: Job<K>,
    change: Change,
    reason: { code: string; detail: string },
  ): Promise<void> | void;
}

/** The handler of a recurring kind. The sweeper queues its job only when there is work: idle time writes no rows. */
export interface RecurringHandler<K extends RecurringKind> extends JobHandler<K> {
  /** SQL that is true when there is work now. It must cost one look at an index for each part. */
  hasWork(context: Pick<Context, "now" | "settings" | "databases" | "stores" | "backups">): SQL;
  /**
   * The side whose tables `hasWork` reads: its job runs in each database of that side. The workspace's if it is absent; `each`
   * for the tables that each database has.
   */
  side?: Side | "each";
}

export type JobHandlers = {
  readonly [K in JobKind]: K extends RecurringKind ? RecurringHandler<K> : JobHandler<K>;
};
