import { auditStatement, type CapabilityMap, type Role, type UserCaller } from "../../access";
import { memberships } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { forbidden } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { withdrawInvitationsOf } from "../invitations/withdraw";
import { findMember } from "./list";
import { type MemberRow, presentMember } from "./present";
import {
  hasOwner,
  holdsLess,
  isAsRead,
  isLower,
  lastOwner,
  requireManager,
  requireMayGive,
  requireMayManage,
  roleStands,
  type Standing,
} from "./rules";

export interface MemberChange {
  role?: Role | undefined;
  overrides?: CapabilityMap | undefined;
}

/** An owner's overrides go: an owner has none. */
const nextOf = (row: MemberRow, given: MemberChange): Standing => {
  const role = given.role ?? row.role;
  const kept = role === "owner" && row.role !== "owner" ? {} : row.overrides;
  return { role, overrides: given.overrides ?? kept };
};

/** One's own role goes down alone, and one's own overrides stay. @throws DomainError forbidden. */
function requireOwnChange(caller: UserCaller, row: MemberRow, given: MemberChange): void {
  if (caller.userId !== row.userId) return;
  if (given.overrides !== undefined) throw forbidden("Nobody changes their own overrides. Ask another owner or admin.");
  if (given.role !== undefined && isLower(row.role, given.role))
    throw forbidden("Nobody raises their own role. Ask an owner.");
}

/**
 * Changes a member's role or overrides; for owners and admins. Who comes to hold less loses the
 * invitations they have open. @throws DomainError 401, 403, 404, 409, 412, 422.
 */
export async function updateMember(
  context: Context,
  organizationId: string,
  userId: string,
  given: MemberChange,
  precondition: Precondition,
) {
  const { caller, own } = requireManager(context, organizationId);
  const row = await findMember(context, organizationId, userId);
  const next = nextOf(row, given);
  requireMayManage(own, row);
  requireOwnChange(caller, row, given);
  requireMayGive(caller, own, next);
  checkPrecondition(precondition, row.revision);
  const changed: MemberRow = { ...row, ...next, revision: row.revision + 1 };
  const change = beginChange(context)
    .guard(roleStands(organizationId, caller.userId, own.role), forbidden())
    .add(
      context.db
        .update(memberships)
        .set({ ...next, revision: changed.revision })
        .where(isAsRead(organizationId, row)),
    )
    .guardChanged(staleRevision())
    .guard(hasOwner(organizationId), lastOwner())
    .announce({ type: "access-changed", userIds: [userId] }, organizationId)
    .add(
      auditStatement(context, {
        organizationId,
        action: "member.changed",
        subjectType: "user",
        subjectId: userId,
        details: { from: { role: row.role, overrides: row.overrides }, to: next },
      }),
    );
  if (holdsLess(organizationId, next, row)) change.add(withdrawInvitationsOf(context, organizationId, userId));
  await change.commit();
  return presentMember(changed);
}
