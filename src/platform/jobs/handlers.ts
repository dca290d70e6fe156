import type { Context } from "../context";
import type { Change } from "../db/change";
import type { JobKind, JobPayload } from "./kinds";

/** A job as its handler sees it. */
export interface Job<K extends JobKind = JobKind> {
  id: string;
  kind: K;
  tenantId: string | null;
  payload: JobPayload<K>;
  /** What the previous slice left; parse it with zod. */
  state: unknown;
  /** Counts this try. */
  attempts: number;
  progress: Progress;
  requestedBy: string | null;
}

export interface Progress {
  done: number;
  total: number;
}

/**
 * How a slice ended. The change is committed together with the job's new state, and only while the
 * lease is still held: a worker that lost its lease changes nothing.
 */
export type Outcome =
  | { kind: "complete"; change?: Change; progress?: Progress }
  | { kind: "continue"; change?: Change; state: unknown; progress?: Progress; delayMs?: number };

export const complete = (change?: Change, progress?: Progress): Outcome => ({
  kind: "complete",
  ...(change && { change }),
  ...(progress && { progress }),
});

/** The job goes on in another slice, which gets `state`. Resets the count of tries. */
export const continueLater = (
  state: unknown,
  more: { change?: Change; progress?: Progress; delayMs?: number } = {},
): Outcome => ({
  kind: "continue",
  state,
  ...more,
});

/** Ends the job as failed at once: a reason a person can act on, no retry. */
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
  /** One slice of work. It may run twice: effects outside its `Outcome.change` must be idempotent. */
  run(context: Context, job: Job<K>): Promise<Outcome>;
  /** What else changes when the job ends as failed, committed with it. */
  failed?(
    context: Context,
    job: Job<K>,
    change: Change,
    reason: { code: string; detail: string },
  ): Promise<void> | void;
}

export type JobHandlers = { readonly [K in JobKind]: JobHandler<K> };
