import { and, eq, type SQL, sql } from "drizzle-orm";
import { auditStatement, requireOrganizationAdmin } from "../../access";
import { grants, memberships, organizations } from "../../access/tables";
import { brandingAssets } from "../../branding/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, forbidden } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { storageUsage, storedObjects, uploads } from "../../uploads/tables";
import { clusters, invitations, jobUsage } from "../tables";
import { findOrganization } from "./read";

const notEmpty = (detail: string) => new DomainError("not-empty", detail);

/**
 * Deletes an organization; for its owners. Refused while it holds anything: clusters, those in the trash
 * and in deletion too, objects that are not purged yet, uploads under way. Other members are no hindrance: their
 * memberships, and all invitations, grants and counts go with it. Its audit trail stays.
 */
export async function deleteOrganization(
  context: Context,
  organizationId: string,
  precondition: Precondition,
): Promise<void> {
  const caller = requireOrganizationAdmin(context, organizationId);
  const { role } = caller.facts.memberships.find((m) => m.organizationId === organizationId) ?? {};
  if (role !== "owner") throw forbidden("Only an owner may delete an organization.");
  const row = await findOrganization(context, organizationId);
  checkPrecondition(precondition, row.revision);
  const { db } = context;
  const none = (rows: SQL) => sql`NOT EXISTS (${rows})`;
  await beginChange(context)
    .guard(
      none(sql`SELECT 1 FROM ${clusters} WHERE ${clusters.tenantId} = ${organizationId}`),
      notEmpty(
        "It still holds clusters, counting those in the trash. Purge them, and wait until their contents are gone.",
      ),
    )
    .guard(
      none(sql`SELECT 1 FROM ${brandingAssets} WHERE ${brandingAssets.organizationId} = ${organizationId}`),
      notEmpty("It still has a logo or a banner. Delete them first."),
    )
    .guard(
      none(
        sql`SELECT 1 FROM ${uploads} WHERE ${uploads.tenantId} = ${organizationId} AND ${uploads.cleanedAt} IS NULL`,
      ),
      notEmpty("Uploads are under way, or their leftovers may still arrive. Try again in an hour or two."),
    )
    .guard(
      none(sql`SELECT 1 FROM ${storedObjects} WHERE ${storedObjects.tenantId} = ${organizationId}`),
      notEmpty("Stored files are still being removed. Try again in some minutes."),
    )
    .add(db.delete(uploads).where(eq(uploads.tenantId, organizationId)))
    .add(db.delete(grants).where(eq(grants.tenantId, organizationId)))
    .add(db.delete(invitations).where(eq(invitations.organizationId, organizationId)))
    .add(db.delete(memberships).where(eq(memberships.organizationId, organizationId)))
    .add(db.delete(storageUsage).where(eq(storageUsage.tenantId, organizationId)))
    .add(db.delete(jobUsage).where(eq(jobUsage.tenantId, organizationId)))
    .add(
      db
        .delete(organizations)
        .where(and(eq(organizations.id, organizationId), eq(organizations.revision, row.revision))),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId,
        action: "organization.deleted",
        subjectType: "organization",
        subjectId: organizationId,
        details: { name: row.name },
      }),
    )
    .commit();
}
