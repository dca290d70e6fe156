import { and, eq, gt, isNull, or } from "drizzle-orm";
import { auditStatement, type InvitationRedeemer } from "../../access";
import { memberships } from "../../access/tables";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { invitations } from "../tables";
import type { InvitationRow } from "./present";
import { hashOf } from "./token";

const ended = () =>
  new DomainError("invitation-ended", "This invitation was used, withdrawn or has expired. Ask for a new one.");

/**
 * An invitation that may be used now, by the secret its inviter was shown or by the one that was mailed. Only the
 * mailed one proves the address: an inviter could use the other in anybody's name.
 * @throws DomainError invitation-ended, also for a token nobody made.
 */
export async function findOpenInvitation(
  { db, now, idempotency }: Context,
  token: string,
): Promise<{ row: InvitationRow; provesAddress: boolean }> {
  const hash = await hashOf(token);
  const [row] = await db
    .select()
    .from(invitations)
    .where(or(eq(invitations.secretHash, hash), eq(invitations.mailedHash, hash)));
  // The answer of the very request that used it may have to be composed again.
  const wasOpen =
    row !== undefined && (row.usedAt === null || (idempotency?.kind === "composed" && row.usedAt === now));
  if (!wasOpen || row.expiresAt <= now) throw ended();
  return { row, provesAddress: row.mailedHash === hash };
}

/**
 * Uses an invitation up, once among any number of tries, and makes the person a member. Who is a member
 * already keeps the role they have.
 */
export function redeemInvitation(context: Context, change: Change, row: InvitationRow, userId: string): void {
  const { db, now } = context;
  const { organizationId, role, overrides } = row;
  const usable = and(eq(invitations.id, row.id), isNull(invitations.usedAt), gt(invitations.expiresAt, now));
  change
    .add(db.update(invitations).set({ usedAt: now }).where(usable))
    .guardChanged(ended())
    .add(
      db.insert(memberships).values({ organizationId, userId, role, overrides, createdAt: now }).onConflictDoNothing(),
    )
    .announce({ type: "membership-given", organizationId, userId, actorUserId: row.invitedBy }, organizationId)
    .add(
      auditStatement(context, {
        organizationId,
        action: "invitation.accepted",
        subjectType: "user",
        subjectId: userId,
        details: { invitationId: row.id, role, overrides, invitedBy: row.invitedBy },
        actor: { userId, kind: context.caller.kind, credentialId: null },
      }),
    );
}

/** How registration uses an invitation. */
export const invitationRedeemer: InvitationRedeemer = {
  async find(context, token) {
    const { row, provesAddress } = await findOpenInvitation(context, token);
    return {
      email: row.email,
      provesAddress,
      redeem: (change, userId) => redeemInvitation(context, change, row, userId),
    };
  },
};
