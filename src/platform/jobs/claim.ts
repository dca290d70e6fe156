import { and, eq, lte, or, sql } from "drizzle-orm";
import { randomHex } from "../crypto/hash";
import type { Database } from "../db/database";
import { inSet } from "../db/sets";
import { JOB_KINDS } from "./kinds";
import { type JobRow, jobs } from "./tables";

/** How long a claim of each kind lasts, milliseconds: JSON, so that claiming is one statement. */
const LEASES = JSON.stringify(
  Object.fromEntries(Object.entries(JOB_KINDS).map(([kind, { leaseMs }]) => [kind, leaseMs])),
);

export interface Claim {
  row: JobRow;
  leaseToken: string;
}

/**
 * Takes the job for one slice: it must be due, or its last worker's lease must have run out.
 * Exactly one of any number of callers gets it. Counts the try.
 * `isDelivered` says that the queue brought it, which shows how far its lane has come.
 */
export async function claimJob(db: Database, jobId: string, now: number, isDelivered = false): Promise<Claim | null> {
  const leaseToken = randomHex(16);
  const [row] = await db
    .update(jobs)
    .set({
      status: "running",
      attempts: sql`${jobs.attempts} + 1`,
      leaseToken,
      resends: 0,
      ...(isDelivered ? { claimedAt: now } : {}),
      // From here on a new job with the same key may queue beside this one, which has read its inputs.
      dedupeKey: null,
      leaseUntil: sql`${now} + (SELECT value FROM json_each(${LEASES}) WHERE key = ${jobs.kind})`,
      startedAt: sql`coalesce(${jobs.startedAt}, ${now})`,
    })
    .where(
      and(
        eq(jobs.id, jobId),
        inSet(jobs.kind, Object.keys(JOB_KINDS)),
        or(
          and(eq(jobs.status, "queued"), lte(jobs.runAt, now)),
          and(eq(jobs.status, "running"), lte(jobs.leaseUntil, now)),
        ),
      ),
    )
    .returning();
  return row === undefined ? null : { row, leaseToken };
}
