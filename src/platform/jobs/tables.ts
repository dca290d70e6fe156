import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { JOB_LANES } from "./kinds";

export const JOB_STATUSES = ["queued", "running", "succeeded", "failed"] as const;

/** The outbox: one row a job, written with the change that causes it; the queue only carries ids. */
export const jobs = sqliteTable("jobs", {
  id: text().primaryKey(),
  kind: text().notNull(),
  /** The queue it goes through. */
  lane: text({ enum: JOB_LANES }).notNull(),
  tenantId: text("tenant_id"),
  payload: text({ mode: "json" }).$type<unknown>().notNull(),
  /** What a job that works in slices carries from one slice to the next. */
  state: text({ mode: "json" }).$type<unknown>(),
  status: text({ enum: JOB_STATUSES }).notNull(),
  attempts: integer().notNull().default(0),
  runAt: integer("run_at").notNull(),
  /** When the queue was told of it, or will be for the time it is due; null while it stands in line. */
  sentAt: integer("sent_at"),
  /** How often it was sent again since it was taken last. */
  resends: integer().notNull().default(0),
  /** When a delivery of the queue was last taken for it. */
  claimedAt: integer("claimed_at"),
  leaseToken: text("lease_token"),
  leaseUntil: integer("lease_until"),
  progressDone: integer("progress_done").notNull().default(0),
  progressTotal: integer("progress_total").notNull().default(0),
  errorCode: text("error_code"),
  errorDetail: text("error_detail"),
  dedupeKey: text("dedupe_key"),
  requestedBy: text("requested_by"),
  requestId: text("request_id").notNull(),
  createdAt: integer("created_at").notNull(),
  startedAt: integer("started_at"),
  finishedAt: integer("finished_at"),
});

export type JobRow = typeof jobs.$inferSelect;
