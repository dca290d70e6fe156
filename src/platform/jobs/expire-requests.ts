import { lte, sql } from "drizzle-orm";
import { ownDatabase } from "../context";
import { runBatch } from "../db/database";
import { inSet } from "../db/statements";
import { IDEMPOTENCY_RETENTION_MS } from "../http/idempotency";
import { committedRequests, idempotencyKeys } from "../http/tables";
import { DAY } from "../time";
import { complete, continueLater, type RecurringHandler } from "./handlers";
import { JOB_KINDS, type JobKindSpec } from "./kinds";

/** Retention of rate-limit windows. No limit has a longer window. */
const RATE_WINDOW_RETENTION_MS = DAY;
const JOB_RETENTION_MS = 30 * DAY;
/** Retention of failed recurring jobs, which can be many. */
const RECURRING_JOB_RETENTION_MS = DAY;
/** Rows of each table that one slice deletes. */
const BATCH = 500;

const recurringKinds = Object.entries<JobKindSpec>(JOB_KINDS).flatMap(([kind, { everyMs }]) =>
  everyMs === undefined ? [] : [kind],
);

/** Deletes expired idempotency keys and rate-limit windows, one batch of each table in a slice. */
export const expireRequests: RecurringHandler<"expire-requests"> = {
  side: "directory",
  hasWork: ({
    now,
  }) => sql`EXISTS (SELECT 1 FROM idempotency_keys WHERE created_at <= ${now - IDEMPOTENCY_RETENTION_MS})
    OR EXISTS (SELECT 1 FROM rate_windows WHERE started_at < ${now - RATE_WINDOW_RETENTION_MS})`,
  async run({ directory, databases, now }) {
    const old = lte(idempotencyKeys.createdAt, now - IDEMPOTENCY_RETENTION_MS);
    const keys = await directory.select({ id: idempotencyKeys.id }).from(idempotencyKeys).where(old).limit(BATCH);
    const ids = keys.map(({ id }) => id);
    // The marks first: a mark without its key would stay.
    if (ids.length > 0)
      for (const name of databases.names)
        await databases.open(name).delete(committedRequests).where(inSet(committedRequests.id, ids));
    const results = await runBatch(directory, [
      sql`DELETE FROM committed_requests WHERE ${inSet(sql`id`, ids)}`,
      sql`DELETE FROM idempotency_keys WHERE ${inSet(sql`id`, ids)}`,
      sql`DELETE FROM rate_windows WHERE bucket IN
        (SELECT bucket FROM rate_windows WHERE started_at < ${now - RATE_WINDOW_RETENTION_MS} LIMIT ${BATCH})`,
    ]);
    return results.some((result) => result.meta.changes >= BATCH) ? continueLater(null) : complete();
  },
};

/** Deletes the rows of ended jobs of one database after their retention, one batch of them in a slice. */
export const expireJobs: RecurringHandler<"expire-jobs"> = {
  side: "each",
  hasWork: ({
    now,
  }) => sql`EXISTS (SELECT 1 FROM jobs WHERE finished_at IS NOT NULL AND finished_at < ${now - JOB_RETENTION_MS})
    OR EXISTS (SELECT 1 FROM jobs WHERE ${inSet(sql`kind`, recurringKinds)} AND created_at < ${now - RECURRING_JOB_RETENTION_MS}
      AND is_kept = 1)`,
  async run(context) {
    const { now } = context;
    const results = await runBatch(ownDatabase(context), [
      sql`DELETE FROM jobs WHERE id IN
        (SELECT id FROM jobs WHERE finished_at IS NOT NULL AND finished_at < ${now - JOB_RETENTION_MS} LIMIT ${BATCH})`,
      sql`DELETE FROM jobs WHERE id IN
        (SELECT id FROM jobs WHERE ${inSet(sql`kind`, recurringKinds)} AND created_at < ${now - RECURRING_JOB_RETENTION_MS}
          AND is_kept = 1 LIMIT ${BATCH})`,
    ]);
    return results.some((result) => result.meta.changes >= BATCH) ? continueLater(null) : complete();
  },
};
