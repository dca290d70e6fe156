import { and, eq } from "drizzle-orm";
import type { Database } from "../db/database";
import { describeFailure, log } from "../log";
import { MINUTE } from "../time";
import type { Claim } from "./claim";
import { JOB_KINDS, type JobKind } from "./kinds";
import { jobs } from "./tables";

/** A slice that is not done after this long counts as stuck, and loses its lease. */
export const LONGEST_SLICE = 10 * MINUTE;

/**
 * Renews a claim's lease while its slice runs, so that leases can be short: a dead worker is noticed
 * soon, a slow one is not taken for dead. Returns what ends the renewing.
 */
export function keepLease(db: Database, { row, leaseToken }: Claim, kind: JobKind): () => void {
  const { leaseMs } = JOB_KINDS[kind];
  const giveUpAt = Date.now() + LONGEST_SLICE;
  let stopped = false;
  const renew = async (): Promise<void> => {
    const now = Date.now();
    if (stopped || now >= giveUpAt) return;
    try {
      await db
        .update(jobs)
        .set({ leaseUntil: now + leaseMs })
        .where(and(eq(jobs.id, row.id), eq(jobs.leaseToken, leaseToken)));
    } catch (thrown) {
      log("warn", "job.lease-not-renewed", { jobId: row.id, kind, ...describeFailure(thrown) });
    }
    if (!stopped) timer = setTimeout(renew, leaseMs / 3);
  };
  let timer = setTimeout(renew, leaseMs / 3);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
