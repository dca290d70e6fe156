import { and, eq, sql } from "drizzle-orm";
import { auditStatement, cutLevel, type MembershipFact, READ, requireUser, type UserCaller, WRITE } from "../../access";
import { grants, memberships } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { forbidden, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { withdrawInvitationsOf } from "../invitations/withdraw";
import { findMember } from "./list";
import type { MemberRow } from "./present";
import { hasOwner, isAsRead, lastOwner, requireManager, requireMayManage, roleStands } from "./rules";

/** Grants that the audit row names one by one; it counts the rest. */
const AUDITED_GRANTS = 100;

/** The caller's own membership, through a credential that may write the organization. @throws DomainError 403, 404. */
function requireLeave(caller: UserCaller, organizationId: string): MembershipFact {
  const own = caller.facts.memberships.find((m) => m.organizationId === organizationId);
  if (own === undefined) throw notFound();
  const cut = cutLevel(WRITE, "OrganizationView", organizationId, own, caller.facts.limits);
  if (cut < READ) throw notFound();
  if (cut < WRITE) throw forbidden("This token may not change memberships. Use one that may, or sign in.");
  return own;
}

/**
 * Removes a member; for owners and admins, and for everybody themself. Their grants in the organization
 * and the invitations they have open go with them. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function removeMember(
  context: Context,
  organizationId: string,
  userId: string,
  precondition: Precondition,
): Promise<void> {
  const caller = requireUser(context);
  const leaves = caller.userId === userId;
  const own = leaves ? requireLeave(caller, organizationId) : requireManager(context, organizationId).own;
  const row = await findMember(context, organizationId, userId);
  requireMayManage(own, row);
  checkPrecondition(precondition, row.revision);
  const { db } = context;
  await beginChange(context)
    .guard(roleStands(organizationId, caller.userId, own.role), forbidden())
    .add(db.delete(memberships).where(isAsRead(organizationId, row)))
    .guardChanged(staleRevision())
    .guard(hasOwner(organizationId), lastOwner())
    .announce({ type: "access-changed", userIds: [userId] }, organizationId)
    .add(db.delete(grants).where(grantsOf(organizationId, userId)))
    .add(withdrawInvitationsOf(context, organizationId, userId))
    .add(
      auditStatement(context, {
        organizationId,
        action: leaves ? "member.left" : "member.removed",
        subjectType: "user",
        subjectId: userId,
        details: await describe(context, organizationId, row),
      }),
    )
    .commit();
}

const grantsOf = (organizationId: string, userId: string) =>
  and(eq(grants.tenantId, organizationId), eq(grants.userId, userId));

async function describe({ db }: Context, organizationId: string, { userId, role }: MemberRow) {
  const rows = await db
    .select({ target: grants.target, id: grants.targetId, total: sql<number>`count(*) OVER ()` })
    .from(grants)
    .where(grantsOf(organizationId, userId))
    .limit(AUDITED_GRANTS);
  return { role, grantsEnded: rows[0]?.total ?? 0, grants: rows.map(({ target, id }) => ({ target, id })) };
}
