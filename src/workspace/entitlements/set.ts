import { and, eq } from "drizzle-orm";
import { auditStatement, requireAdmin } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { findOrganization } from "../organizations/read";
import { entitlementsOf, presentEntitlements } from "./present";
import { readUsage } from "./usage";

/**
 * Sets what an organization is entitled to; for platform admins. Less storage than is used hides and
 * deletes nothing: it stops new uploads. @throws DomainError 401, 403, 404, 409, 412.
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
  await beginChange(context)
    .add(
      context.db
        .update(organizations)
        .set(next)
        .where(and(eq(organizations.id, organizationId), eq(organizations.revision, row.revision))),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId,
        action: "entitlements.changed",
        subjectType: "organization",
        subjectId: organizationId,
        details: { from: entitlementsOf(row), to: given },
      }),
    )
    .commit();
  return presentEntitlements(next, await readUsage(context, organizationId));
}
