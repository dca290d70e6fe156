import { integer, text } from "drizzle-orm/sqlite-core";
import { eachTable } from "../db/sides";
import { JOB_LANES } from "./kinds";

export const JOB_STATUSES = ["queued", "running", "succeeded", "failed"] as const;

/**
 * The outbox: each job is one row, which is written with its change. The queue has only ids. A job that succeeds leaves no
 * row unless it is kept.
 */
export const jobs = eachTable("jobs", {
  id: text().primaryKey(),
  kind: text().notNull(),
  /** The lane of the job, which has its own queue. */
  lane: text({ enum: JOB_LANES }).notNull(),
  tenantId: text("tenant_id"),
  payload: text({ mode: "json" }).$type<unknown>().notNull(),
  /** The state that a job passes from one slice to the next. */
  state: text({ mode: "json" }).$type<unknown>(),
  status: text({ enum: JOB_STATUSES }).notNull(),
  attempts: integer().notNull().default(0),
  runAt: integer("run_at").notNull(),
  /**
   * Time at which it was sent to the queue, or is due if it has a delay; null while it waits for a slot, and after its
   * end.
   */
  sentAt: integer("sent_at"),
  /** The number of resends since it was last claimed. */
  resends: integer().notNull().default(0),
  leaseToken: text("lease_token"),
  leaseUntil: integer("lease_until"),
  progressDone: integer("progress_done").notNull().default(0),
  progressTotal: integer("progress_total").notNull().default(0),
  errorCode: text("error_code"),
  errorDetail: text("error_detail"),
  /** Whether its row stays after its end: it failed, or a person reads its state. */
  isKept: integer("is_kept", { mode: "boolean" }).notNull().default(false),
  dedupeKey: text("dedupe_key"),
  requestedBy: text("requested_by"),
  requestId: text("request_id").notNull(),
  createdAt: integer("created_at").notNull(),
  startedAt: integer("started_at"),
  finishedAt: integer("finished_at"),
});

export type JobRow = typeof jobs.$inferSelect;

/** The progress of lanes whose jobs wait long. */
export const jobLanes = eachTable("job_lanes", {
  lane: text({ enum: JOB_LANES }).primaryKey(),
  /** Time at which a waiting job was last taken. */
  takenAt: integer("taken_at").notNull(),
  /** The latest `sent_at` of such jobs. */
  sentAt: integer("sent_at").notNull(),
});
