import { and, eq, isNull } from "drizzle-orm";
import { auditStatement, requireOrganizationAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { invitations } from "../tables";

/** Withdraws an invitation that was not used; for owners and admins. @throws DomainError 401, 403, 404. */
export async function revokeInvitation(context: Context, organizationId: string, invitationId: string): Promise<void> {
  requireOrganizationAdmin(context, organizationId);
  const open = and(
    eq(invitations.id, invitationId),
    eq(invitations.organizationId, organizationId),
    isNull(invitations.usedAt),
  );
  await beginChange(context)
    .add(context.db.delete(invitations).where(open))
    .guardChanged(notFound())
    .add(
      auditStatement(context, {
        organizationId,
        action: "invitation.revoked",
        subjectType: "invitation",
        subjectId: invitationId,
      }),
    )
    .commit();
}
