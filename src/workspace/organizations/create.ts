import { sql } from "drizzle-orm";
import { auditStatement, requireUser, type UserCaller } from "../../access";
import { memberships, organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { requireUncut } from "../uncut";
import { type OrganizationRow, presentOrganization } from "./present";

/** Organizations one person may own: each brings storage and jobs of its own. */
export const MOST_OWNED_ORGANIZATIONS = 50;

const tooMany = () =>
  new DomainError(
    "rule-violated",
    `You own ${MOST_OWNED_ORGANIZATIONS} organizations, which is the most. Delete one, or give one to another owner.`,
  );

/** Makes an organization with the operator's default entitlements; the caller becomes its owner. */
export async function createOrganization(context: Context, { name }: { name: string }) {
  const caller = requireUser(context);
  requireUncut(caller);
  const { db, now, settings } = context;
  const row: OrganizationRow = {
    id: newId(),
    name,
    revision: 1,
    cameras: settings.DEFAULT_CAMERAS,
    externalShares: settings.DEFAULT_EXTERNAL_SHARES,
    documentStorageBytes: settings.DEFAULT_STORAGE_BYTES,
    jobsPerMonth: settings.DEFAULT_JOBS_PER_MONTH,
    maxRetentionDays: settings.DEFAULT_MAX_RETENTION_DAYS,
    createdAt: now,
    updatedAt: now,
  };
  const membership = { organizationId: row.id, userId: caller.userId, role: "owner" as const, overrides: {} };
  const owned = sql`(SELECT count(*) FROM ${memberships} WHERE ${memberships.userId} = ${caller.userId} AND ${memberships.role} = 'owner')`;
  await beginChange(context)
    .guard(sql`${owned} < ${MOST_OWNED_ORGANIZATIONS}`, tooMany())
    .add(db.insert(organizations).values(row))
    .add(db.insert(memberships).values({ ...membership, createdAt: now }))
    .add(
      auditStatement(context, {
        organizationId: row.id,
        action: "organization.created",
        subjectType: "organization",
        subjectId: row.id,
        details: { name },
      }),
    )
    .commit();
  return presentOrganization(asOwner(caller, row), row);
}

/** The caller with the membership this change gave: the answer shows what is true after it. */
const asOwner = (caller: UserCaller, row: OrganizationRow): UserCaller => {
  const { cameras, externalShares } = row;
  const membership = { organizationId: row.id, role: "owner" as const, overrides: {}, cameras, externalShares };
  return { ...caller, facts: { ...caller.facts, memberships: [...caller.facts.memberships, membership] } };
};
