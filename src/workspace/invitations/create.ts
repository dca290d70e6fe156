import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { auditStatement, type CapabilityMap, type Role } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, forbidden } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { roleStands } from "../members/rules";
import { findOrganization } from "../organizations/read";
import { invitations } from "../tables";
import { type InvitationRow, presentInvitation } from "./present";
import { INVITATION_LIFETIME, linkOf, newToken } from "./token";

/** Invitations an organization may have open. */
export const MOST_OPEN_INVITATIONS = 500;

export interface NewInvitation {
  organizationId: string;
  email: string;
  role: Role;
  overrides: CapabilityMap;
  invitedBy: string;
  /** The inviter's role, which must still stand when this is committed. */
  as: Role;
}

const tooMany = () =>
  new DomainError("rule-violated", `${MOST_OPEN_INVITATIONS} invitations are open, which is the most. Withdraw some.`);

/** Makes a one-use invitation, in place of an open one to the same address. Where mail is bound, a link with a secret of its own is mailed. */
export async function createInvitation(context: Context, given: NewInvitation) {
  const { db, now } = context;
  const { organizationId, email, role, overrides, invitedBy } = given;
  const { token, hash } = await newToken();
  const mailed = context.mailer === null ? null : await newToken();
  const row: InvitationRow = {
    id: newId(),
    organizationId,
    email,
    role,
    overrides,
    secretHash: hash,
    invitedBy,
    createdAt: now,
    expiresAt: now + INVITATION_LIFETIME,
    usedAt: null,
    mailedHash: mailed?.hash ?? null,
  };
  const open = and(eq(invitations.organizationId, organizationId), isNull(invitations.usedAt));
  const counted = sql`(SELECT count(*) FROM ${invitations} WHERE ${and(open, gt(invitations.expiresAt, now))})`;
  await beginChange(context)
    .guard(roleStands(organizationId, invitedBy, given.as), forbidden())
    .add(db.delete(invitations).where(and(open, eq(invitations.email, email))))
    .guard(sql`${counted} < ${MOST_OPEN_INVITATIONS}`, tooMany())
    .add(db.insert(invitations).values(row))
    .add(
      auditStatement(context, {
        organizationId,
        action: "invitation.created",
        subjectType: "invitation",
        subjectId: row.id,
        details: { email, role, overrides },
      }),
    )
    .commit();
  const link = linkOf(context, token);
  const isMailed = mailed !== null && (await mail(context, row, linkOf(context, mailed.token)));
  return { ...presentInvitation(row), token, link, isMailed };
}

async function mail(context: Context, { organizationId, email }: InvitationRow, link: string): Promise<boolean> {
  if (context.mailer === null) return false;
  const { name } = await findOrganization(context, organizationId);
  const text = `You are invited to ${name}.\n\nOpen this link within 7 days to join:\n${link}\n`;
  return context.mailer({ to: email, subject: `Invitation to ${name}`, text });
}
