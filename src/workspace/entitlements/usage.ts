import { and, eq, sql } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { toUtc } from "../../platform/time";
import { storageUsage } from "../../uploads/tables";
import { jobUsage } from "../tables";
import type { Usage } from "./present";

/** The calendar month of a time, UTC: `2026-11`. */
export const monthOf = (now: number): string => toUtc(now).slice(0, 7);

/** What a tenant uses now, and the jobs it has been charged this month. */
export async function readUsage({ db, now }: Context, tenantId: string): Promise<Usage> {
  const [[storage], [jobs]] = await db.batch([
    db.select().from(storageUsage).where(eq(storageUsage.tenantId, tenantId)),
    db
      .select()
      .from(jobUsage)
      .where(and(eq(jobUsage.tenantId, tenantId), eq(jobUsage.month, monthOf(now)))),
  ]);
  return {
    usedBytes: storage?.usedBytes ?? 0,
    reservedBytes: storage?.reservedBytes ?? 0,
    jobsThisMonth: jobs?.jobs ?? 0,
  };
}

/**
 * Adds one job to what an organization has used this month, exactly under races; the change fails with
 * rule-violated when its entitlement is used up.
 */
export function chargeJob(context: Context, change: Change, organizationId: string): void {
  const month = monthOf(context.now);
  const mine = and(eq(jobUsage.tenantId, organizationId), eq(jobUsage.month, month));
  change
    .add(
      context.db
        .insert(jobUsage)
        .values({ tenantId: organizationId, month, jobs: 1 })
        .onConflictDoUpdate({ target: [jobUsage.tenantId, jobUsage.month], set: { jobs: sql`${jobUsage.jobs} + 1` } }),
    )
    .guard(
      sql`EXISTS (SELECT 1 FROM ${organizations} JOIN ${jobUsage} ON ${mine}
        WHERE ${organizations.id} = ${organizationId} AND ${jobUsage.jobs} <= ${organizations.jobsPerMonth})`,
      new DomainError("rule-violated", "This month's jobs are used up. Wait for the next month, or ask for more."),
    );
}
