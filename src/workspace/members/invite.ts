import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { auditStatement, type CapabilityMap, type Role } from "../../access";
import { memberships, users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, forbidden } from "../../platform/errors";
import { type RateLimit, takeShared } from "../../platform/http/rate";
import { HOUR } from "../../platform/time";
import { createInvitation, type NewInvitation } from "../invitations/create";
import { invitations } from "../tables";
import { type MemberRow, presentMember } from "./present";
import { requireManager, requireMayGive, roleStands } from "./rules";

/** Addresses one person may try: each answer tells an owner or admin whether an address has an account. */
const INVITATIONS_BY_PERSON: RateLimit = { limit: 100, windowMs: HOUR };

const alreadyMember = () =>
  new DomainError("already-exists", "They are a member already. Change their role or overrides instead.");

export interface Invite {
  email: string;
  role: Role;
  overrides?: CapabilityMap | undefined;
}

/**
 * Brings a person into the organization; for owners and admins. Whoever has an account with this
 * address, verified, becomes a member at once; any other address gets a one-use invitation. That the
 * answers differ is meant: the caller will see the member in the list in any case.
 * @throws DomainError 401, 403, 404, 409, 422, 429.
 */
export async function inviteMember(context: Context, organizationId: string, { email, role, overrides = {} }: Invite) {
  const { caller, own } = requireManager(context, organizationId);
  requireMayGive(caller, own, { role, overrides });
  await takeShared(context, `invite:${caller.userId}`, INVITATIONS_BY_PERSON);
  const given: NewInvitation = { organizationId, email, role, overrides, invitedBy: caller.userId, as: own.role };
  const [known] = await context.db
    .select({ userId: users.id, displayName: users.displayName })
    .from(users)
    .where(and(eq(users.email, email), isNotNull(users.emailVerifiedAt)));
  if (known === undefined) return { member: null, invitation: await createInvitation(context, given) };
  const row: MemberRow = { ...known, email, role, overrides, revision: 1, createdAt: context.now };
  await addMember(context, given, row);
  return { member: presentMember(row), invitation: null };
}

async function addMember(context: Context, given: NewInvitation, row: MemberRow): Promise<void> {
  const { db } = context;
  const { organizationId, email, role, overrides } = given;
  const { userId, createdAt } = row;
  const inIt = and(eq(memberships.organizationId, organizationId), eq(memberships.userId, userId));
  await beginChange(context)
    .guard(roleStands(organizationId, given.invitedBy, given.as), forbidden())
    .guard(sql`NOT EXISTS (SELECT 1 FROM ${memberships} WHERE ${inIt})`, alreadyMember())
    .add(db.insert(memberships).values({ organizationId, userId, role, overrides, createdAt }))
    .announce({ type: "membership-given", organizationId, userId, actorUserId: given.invitedBy }, organizationId)
    .add(
      db
        .delete(invitations)
        .where(
          and(eq(invitations.organizationId, organizationId), eq(invitations.email, email), isNull(invitations.usedAt)),
        ),
    )
    .add(
      auditStatement(context, {
        organizationId,
        action: "member.added",
        subjectType: "user",
        subjectId: userId,
        details: { role, overrides },
      }),
    )
    .commit();
}
