import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNull, or, sql } from "drizzle-orm";
import {
  auditStatement,
  type CapabilityMap,
  capabilityMapSchema,
  type InvitationRedeemer,
  markVerified,
  ROLES,
  type Role,
  requireOrganizationAdmin,
  requireUser,
} from "../access";
import { memberships, organizations, users } from "../access/tables";
import type { Context } from "../platform/context";
import { randomHex, sha256Hex } from "../platform/crypto/hash";
import { beginChange, type Change } from "../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../platform/db/cursor";
import type { Statement } from "../platform/db/database";
import { DomainError, forbidden, notFound } from "../platform/errors";
import { networkOf } from "../platform/http/network";
import { InstanceLimiter } from "../platform/http/rate";
import { idSchema, newId } from "../platform/ids";
import { DAY, MINUTE, toUtc, utcSchema } from "../platform/time";
import { idKey } from "./fields";
import { hasRole } from "./members/rules";
import { findOrganization, requireUnrestrictedToken } from "./organizations";
import { invitations } from "./tables";

type InvitationRow = typeof invitations.$inferSelect;

export const invitationSchema = z
  .object({
    id: idSchema,
    email: z.string(),
    role: z.enum(ROLES),
    overrides: capabilityMapSchema,
    invitedBy: idSchema,
    createdAtUtc: utcSchema,
    expiresAtUtc: utcSchema,
  })
  .openapi("Invitation");

export const newInvitationSchema = invitationSchema
  .extend({
    token: z.string().openapi({
      description: "Shown this once; register with it, or accept it when signed in. It does not verify the address.",
    }),
    link: z.string().openapi({ description: "The same as a link, to hand on." }),
    isMailed: z.boolean().openapi({ description: "Whether a link of its own was mailed, which verifies the address." }),
  })
  .openapi("CreatedInvitation");

const presentInvitation = (row: InvitationRow): z.infer<typeof invitationSchema> => ({
  id: row.id,
  email: row.email,
  role: row.role,
  overrides: row.overrides,
  invitedBy: row.invitedBy,
  createdAtUtc: toUtc(row.createdAt),
  expiresAtUtc: toUtc(row.expiresAt),
});

/** How long an invitation may be used. */
const INVITATION_LIFETIME_MS = 7 * DAY;

/** A new token, 64 hex characters, and the hash that is kept of it. */
async function newToken(): Promise<{ token: string; hash: string }> {
  const token = randomHex(32);
  return { token, hash: await hashOf(token) };
}

const hashOf = (token: string): Promise<string> => sha256Hex(token);

/** The link that an invited person opens; the fragment never reaches a server's log. */
const linkOf = ({ settings }: Pick<Context, "settings">, token: string): string =>
  `${settings.PUBLIC_BASE_URL}/invitations#${token}`;

/** Invitations an organization may have open. */
const MAX_OPEN_INVITATIONS = 500;

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
  new DomainError("rule-violated", `${MAX_OPEN_INVITATIONS} invitations are open, which is the most. Withdraw some.`);

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
    expiresAt: now + INVITATION_LIFETIME_MS,
    usedAt: null,
    mailedHash: mailed?.hash ?? null,
  };
  const open = and(eq(invitations.organizationId, organizationId), isNull(invitations.usedAt));
  const counted = sql`(SELECT count(*) FROM ${invitations} WHERE ${and(open, gt(invitations.expiresAt, now))})`;
  await beginChange(context)
    .guard(hasRole(organizationId, invitedBy, given.as), forbidden())
    .add(db.delete(invitations).where(and(open, eq(invitations.email, email))))
    .guard(sql`${counted} < ${MAX_OPEN_INVITATIONS}`, tooMany())
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

/** The organization's open invitations, in order of id; for owners and admins. */
export async function listInvitations(context: Context, organizationId: string, { limit, cursor }: PageQuery) {
  requireOrganizationAdmin(context, organizationId);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await context.db
    .select()
    .from(invitations)
    .where(
      and(
        eq(invitations.organizationId, organizationId),
        gt(invitations.id, after),
        isNull(invitations.usedAt),
        gt(invitations.expiresAt, context.now),
      ),
    )
    .orderBy(asc(invitations.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentInvitation);
}

/** For floods alone: nobody guesses a token. */
const previews = new InstanceLimiter({ limit: 120, windowMs: MINUTE });

/** What an invitation is to, for whoever holds its link. @throws DomainError invitation-ended, rate-limited. */
export async function previewInvitation(context: Context, token: string) {
  previews.take(networkOf(context.origin?.ip ?? "unknown"), context.now);
  const { row } = await findOpenInvitation(context, token);
  const [organization] = await context.db
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, row.organizationId));
  return { email: row.email, organizationName: organization?.name ?? "", role: row.role };
}

const invitationEnded = () =>
  new DomainError("invitation-ended", "This invitation was used, withdrawn or has expired. Ask for a new one.");

/**
 * An invitation that may be used now, by the secret its inviter was shown or by the one that was mailed. Only the
 * mailed one proves the address: an inviter could use the other in anybody's name.
 * @throws DomainError invitation-ended, also for a token nobody made.
 */
async function findOpenInvitation(
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
  if (!wasOpen || row.expiresAt <= now) throw invitationEnded();
  return { row, provesAddress: row.mailedHash === hash };
}

/**
 * Uses an invitation up, once among any number of tries, and makes the person a member. Who is a member
 * already keeps the role they have.
 */
function redeemInvitation(context: Context, change: Change, row: InvitationRow, userId: string): void {
  const { db, now } = context;
  const { organizationId, role, overrides } = row;
  const usable = and(eq(invitations.id, row.id), isNull(invitations.usedAt), gt(invitations.expiresAt, now));
  change
    .add(db.update(invitations).set({ usedAt: now }).where(usable))
    .guardChanged(invitationEnded())
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

/** Accepts an invitation with an account of the address it was made for; the mailed link verifies that address. @throws DomainError 401, 403, 410. */
export async function acceptInvitation(context: Context, token: string) {
  const caller = requireUser(context);
  requireUnrestrictedToken(caller);
  const { db } = context;
  const { row, provesAddress } = await findOpenInvitation(context, token);
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, caller.userId));
  if (user?.email !== row.email)
    throw forbidden("This invitation is for another address. Sign in with the account of that address.");
  const change = beginChange(context);
  redeemInvitation(context, change, row, caller.userId);
  if (provesAddress) change.add(markVerified(context, caller.userId));
  await change.commit();
  const { organizationId } = row;
  const [membership] = await db
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, caller.userId)));
  if (membership === undefined) throw notFound();
  return { organizationId, role: membership.role };
}

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

/** Deletes the open invitations that a person has made: who may no longer give a role has not given it. */
export const withdrawInvitationsOf = ({ db }: Context, organizationId: string, userId: string): Statement =>
  db
    .delete(invitations)
    .where(
      and(
        eq(invitations.organizationId, organizationId),
        eq(invitations.invitedBy, userId),
        isNull(invitations.usedAt),
      ),
    );
