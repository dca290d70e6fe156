import { sql } from "drizzle-orm";
import {
  auditStatement,
  insertMembership,
  type Person,
  pruneAfter,
  removeGrantsOf,
  removeMembership,
  updateMembership,
} from "../../access";
import type { memberships } from "../../access/tables";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { staleRevision } from "../../platform/http/revision";
import { withdrawInvitationsOf } from "../invitations/invitations";
import { givesLess, isMember } from "../roles";

/*
 * The writes that begin, change and end a membership. A person causes them, or the claim of an issuer. Each function adds its writes
 * to a change. The caller adds the guards before.
 */

type Membership = typeof memberships.$inferSelect;
type Standing = Pick<Membership, "role" | "overrides" | "origin">;

/** Guard: this user is not a member. */
export const isNoMember = (organizationId: string, userId: string) => sql`NOT ${isMember(organizationId, userId)}`;

export const alreadyMember = () =>
  new DomainError("already-exists", "This person is a member already. Change their role or overrides instead.");

/** What the audit trail says of a membership that the claim of an issuer brought. */
const byClaim = (origin: string | null) => (origin === null ? {} : { origin });

/** Adds the beginning of a membership. @param actorUserId who gives it; null: an issuer */
export function addGiven(
  context: Context,
  change: Change,
  person: Person,
  row: Omit<Membership, "userId" | "revision">,
  actorUserId: string | null,
): Change {
  const { organizationId, role, overrides, origin } = row;
  return change
    .add(...insertMembership(context, person, row))
    .announce({ type: "membership-given", organizationId, userId: person.id, actorUserId }, organizationId)
    .add(
      auditStatement(context, {
        organizationId,
        action: "member.added",
        subjectType: "user",
        subjectId: person.id,
        details: { role, overrides, ...byClaim(origin) },
      }),
    );
}

/** Adds the change of a membership. It commits only at the revision that was read. */
export function addChanged(
  context: Context,
  change: Change,
  row: Omit<Membership, "createdAt">,
  next: Standing,
  actorUserId: string | null,
): Change {
  const { organizationId, userId, role, overrides, origin } = row;
  change
    .add(updateMembership(context, row, next))
    .guardChanged(staleRevision())
    .announce({ type: "access-changed", userIds: [userId] }, organizationId)
    .announce({ type: "membership-changed", organizationId, userId, action: "changed", actorUserId }, organizationId)
    .add(
      auditStatement(context, {
        organizationId,
        action: "member.changed",
        subjectType: "user",
        subjectId: userId,
        details: {
          from: { role, overrides, ...byClaim(origin) },
          to: { role: next.role, overrides: next.overrides, ...byClaim(next.origin) },
        },
      }),
    );
  return givesLess(organizationId, next, row)
    ? change.add(withdrawInvitationsOf(context, organizationId, userId))
    : change;
}

/**
 * Adds the end of a membership, with the person's grants in the organization and the open invitations that they made. It commits
 * only at the revision that was read. The caller adds the entry of the audit trail.
 */
export const addEnd = (
  context: Context,
  change: Change,
  row: Pick<Membership, "organizationId" | "userId" | "revision">,
  actorUserId: string | null,
): Change => {
  const { organizationId, userId } = row;
  return pruneAfter(context, change, userId, organizationId)
    .add(removeMembership(context, row))
    .guardChanged(staleRevision())
    .announce({ type: "access-changed", userIds: [userId] }, organizationId)
    .announce({ type: "membership-changed", organizationId, userId, action: "removed", actorUserId }, organizationId)
    .add(removeGrantsOf(context, organizationId, userId))
    .add(withdrawInvitationsOf(context, organizationId, userId));
};
