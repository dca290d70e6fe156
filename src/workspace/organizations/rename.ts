import { and, eq, sql } from "drizzle-orm";
import { auditStatement, requireOrganizationAdmin } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { presentOrganization } from "./present";
import { findOrganization } from "./read";

/** Renames an organization; for its owners and admins. @throws DomainError 401, 403, 404, 409, 412. */
export async function renameOrganization(
  context: Context,
  organizationId: string,
  { name }: { name: string },
  precondition: Precondition,
) {
  const caller = requireOrganizationAdmin(context, organizationId);
  const row = await findOrganization(context, organizationId);
  checkPrecondition(precondition, row.revision);
  await beginChange(context)
    .add(
      context.db
        .update(organizations)
        .set({ name, revision: sql`${organizations.revision} + 1`, updatedAt: context.now })
        .where(and(eq(organizations.id, organizationId), eq(organizations.revision, row.revision))),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId,
        action: "organization.renamed",
        subjectType: "organization",
        subjectId: organizationId,
        details: { from: row.name, to: name },
      }),
    )
    .commit();
  return presentOrganization(caller, { ...row, name, revision: row.revision + 1, updatedAt: context.now });
}
