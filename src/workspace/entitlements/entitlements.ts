import { z } from "@hono/zod-openapi";
import { and, eq, sql } from "drizzle-orm";
import { auditStatement, READ, requireAdmin, requireLevel, requireUser, updateOrganization } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { toUtc } from "../../platform/time";
import { storageUsage } from "../../uploads/tables";
import { findOrganization, type OrganizationRow, resumeRecognition } from "../organizations/organizations";
import { organizationPath } from "../spatial";
import { jobUsage } from "../tables";

/** Entitlements that a platform admin sets. */
export const entitlementFields = {
  cameras: z.boolean(),
  externalShares: z.boolean(),
  documentStorageBytes: z.int().min(0),
  jobsPerMonth: z.int().min(0),
  maxRetentionDays: z.int().min(1).max(36_500),
};

export const entitlementsSchema = z
  .object({
    ...entitlementFields,
    usage: z.object({
      usedBytes: z.int(),
      reservedBytes: z.int().openapi({ description: "Bytes of uploads that have not ended yet." }),
      jobsThisMonth: z.int().openapi({ description: "Number of jobs in this calendar month, UTC." }),
    }),
    revision: z.int().openapi({ description: "The organization's revision." }),
  })
  .openapi("Entitlements");

interface Usage {
  usedBytes: number;
  reservedBytes: number;
  jobsThisMonth: number;
}

const entitlementsOf = (row: OrganizationRow) => ({
  cameras: row.cameras,
  externalShares: row.externalShares,
  documentStorageBytes: row.documentStorageBytes,
  jobsPerMonth: row.jobsPerMonth,
  maxRetentionDays: row.maxRetentionDays,
});

const presentEntitlements = (row: OrganizationRow, usage: Usage): z.infer<typeof entitlementsSchema> => ({
  ...entitlementsOf(row),
  usage,
  revision: row.revision,
});

/** The part of the ETag for the usage. The usage changes the answer without a new revision. */
export const usageTag = ({ usage }: { usage: Usage }): string =>
  [usage.usedBytes, usage.reservedBytes, usage.jobsThisMonth].join("-");

/** Reads an organization's entitlements and usage, for its members and for platform admins. @throws DomainError 401, 404. */
export async function readEntitlements(context: Context, organizationId: string) {
  if (!requireUser(context).isAdmin)
    requireLevel(context, organizationPath(organizationId), "OrganizationView", "OrganizationView", READ);
  const row = await findOrganization(context, organizationId);
  return presentEntitlements(row, await readUsage(context, organizationId));
}

/** The calendar month of a time in UTC, for example `2026-11`. */
export const monthOf = (now: number): string => toUtc(now).slice(0, 7);

/** Reads a tenant's storage usage, and the jobs that it was charged for this month. */
async function readUsage({ workspace, now }: Context, tenantId: string): Promise<Usage> {
  const [[storage], [jobs]] = await workspace.batch([
    workspace.select().from(storageUsage).where(eq(storageUsage.tenantId, tenantId)),
    workspace
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

/** The number of jobs that an organization can still run this month. */
export async function freeJobs(context: Context, organizationId: string): Promise<number> {
  const { jobsPerMonth } = await findOrganization(context, organizationId);
  return jobsPerMonth - (await readUsage(context, organizationId)).jobsThisMonth;
}

/**
 * Charges an organization for jobs of this month. Concurrent charges are counted exactly. The change fails with
 * rule-violated when the entitlement is used up.
 */
export function chargeJobs(context: Context, change: Change, organizationId: string, count = 1): void {
  const month = monthOf(context.now);
  const mine = and(eq(jobUsage.tenantId, organizationId), eq(jobUsage.month, month));
  change
    .add(
      context.workspace
        .insert(jobUsage)
        .values({ tenantId: organizationId, month, jobs: count })
        .onConflictDoUpdate({
          target: [jobUsage.tenantId, jobUsage.month],
          set: { jobs: sql`${jobUsage.jobs} + ${count}` },
        }),
    )
    .guard(
      sql`EXISTS (SELECT 1 FROM ${organizations} JOIN ${jobUsage} ON ${mine}
        WHERE ${organizations.id} = ${organizationId} AND ${jobUsage.jobs} <= ${organizations.jobsPerMonth})`,
      new DomainError(
        "rule-violated",
        "This month's jobs are used up. Wait for the next month, or ask the operator for more.",
      ),
    );
}

/**
 * Sets an organization's entitlements, for platform admins. When the storage limit is below the used bytes, new uploads
 * are refused; nothing is hidden or deleted. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function setEntitlements(
  context: Context,
  organizationId: string,
  given: ReturnType<typeof entitlementsOf>,
  precondition: Precondition,
) {
  requireAdmin(context);
  const row = await findOrganization(context, organizationId);
  checkPrecondition(precondition, row.revision);
  const next = { ...row, ...given, revision: row.revision + 1, updatedAt: context.now };
  const change = beginChange(context, organizationId)
    .add(updateOrganization(context, row, given))
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId,
        action: "entitlements.changed",
        subjectType: "organization",
        subjectId: organizationId,
        details: { from: entitlementsOf(row), to: given },
      }),
    );
  if (given.jobsPerMonth > row.jobsPerMonth) resumeRecognition(change, organizationId);
  await change.commit();
  return presentEntitlements(next, await readUsage(context, organizationId));
}
