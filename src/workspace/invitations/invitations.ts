import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import {
  auditStatement,
  type CapabilityMap,
  capabilityMapSchema,
  contextOfNumber,
  ROLES,
  type Role,
  requireOrganizationAdmin,
} from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { randomHex, sha256Hex } from "../../platform/crypto/bytes";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { Statement } from "../../platform/db/database";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { isWithinRate } from "../../platform/http/rate-limit";
import { idSchema, newIdIn, numberOf } from "../../platform/ids";
import { readerLanguage } from "../../platform/languages/reader";
import { invitationPath } from "../../platform/paths";
import { MINUTE, SECOND, toUtc, utcSchema } from "../../platform/time";
import { idKey } from "../fields";
import { INVITATION_LIFETIME_MS, INVITATION_MAILS_PER_ADDRESS, MAX_OPEN_INVITATIONS } from "../limits";
import { invitationMail } from "../messages";
import { findOrganization } from "../organizations/organizations";
import { hasRole } from "../roles";
import { invitations } from "../tables";

export type InvitationRow = typeof invitations.$inferSelect;

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
      description:
        "Shown only in this answer. Register with it, or accept it when signed in. It does not verify the address.",
    }),
    link: z.string().openapi({ description: "The token as a link that you can send to the person." }),
    isMailed: z
      .boolean()
      .openapi({ description: "Whether a separate link was mailed. The mailed link verifies the address." }),
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

/**
 * Makes a token of 64 hex characters, and the hash that is stored instead of it. It begins with the number of the
 * organization; 232 bits are secret.
 */
export async function newToken(organizationId: string): Promise<{ token: string; hash: string }> {
  const token = numberOf(organizationId).toString(16).padStart(6, "0") + randomHex(29);
  return { token, hash: await hashOf(token) };
}

/** The context in the database of the organization that a token names. */
export const inPlaceOf = (context: Context, token: string): Promise<Context> =>
  contextOfNumber(context, Number.parseInt(token.slice(0, 6), 16) || 0);

const hashOf = (token: string): Promise<string> => sha256Hex(token);

/** The link that an invited person opens. The token is in the fragment, so no server logs it. */
export const linkOf = ({ settings }: Pick<Context, "settings">, token: string): string =>
  settings.PUBLIC_BASE_URL + invitationPath(token);

export interface NewInvitation {
  organizationId: string;
  email: string;
  role: Role;
  overrides: CapabilityMap;
  invitedBy: string;
  /** The inviter's role. The change commits only if they still have it. */
  as: Role;
}

/** The columns of an invitation that gives a membership. */
const NO_SHARE = { target: null, targetId: null, capabilities: null, grantExpiresAt: null };

/** Condition: an unused invitation of an address that gives a membership. */
export const openMembership = (organizationId: string, email: string) =>
  and(
    eq(invitations.organizationId, organizationId),
    eq(invitations.email, email),
    isNull(invitations.usedAt),
    isNull(invitations.targetId),
  );

/** Guard: the organization has fewer open invitations than the maximum, those that carry a grant included. */
export const hasRoomForInvitation = (organizationId: string, now: number): SQL =>
  sql`(SELECT count(*) FROM ${invitations} WHERE ${and(eq(invitations.organizationId, organizationId), isNull(invitations.usedAt), gt(invitations.expiresAt, now))})
    < ${MAX_OPEN_INVITATIONS}`;

export const tooManyInvitations = () =>
  new DomainError(
    "rule-violated",
    `${MAX_OPEN_INVITATIONS} invitations are open, which is the maximum. Withdraw some.`,
  );

/**
 * Creates an invitation that can be used once. It replaces an open invitation to the same address. If mail is
 * configured, a link with a separate secret is mailed. @throws DomainError forbidden, rule-violated; conflict while a
 * person registers with the invitation that it would replace.
 */
export async function createInvitation(context: Context, given: NewInvitation) {
  const { workspace, now } = context;
  const { organizationId, email, role, overrides, invitedBy } = given;
  const { token, hash } = await newToken(organizationId);
  const mailed = context.mailer === null ? null : await newToken(organizationId);
  const row: InvitationRow = {
    id: newIdIn(organizationId),
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
    registrationId: null,
    ...NO_SHARE,
  };
  const replaced = openMembership(organizationId, email);
  await beginChange(context, organizationId)
    .guard(hasRole(organizationId, invitedBy, given.as), forbidden())
    .guard(isNotHeld(replaced), invitationHeld())
    .add(workspace.delete(invitations).where(replaced))
    .guard(hasRoomForInvitation(organizationId, now), tooManyInvitations())
    .add(workspace.insert(invitations).values(row))
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
  if (context.mailer === null || !(await canMailInvitation(context, email))) return false;
  const { name } = await findOrganization(context, organizationId);
  // The invited person may have no account. People invite others who speak their language.
  return context.mailer({ to: email, ...invitationMail(readerLanguage(context), name, link) });
}

/** Counts one mail to an address, over all organizations. @returns whether the limit allows it */
export const canMailInvitation = async (context: Context, email: string): Promise<boolean> =>
  isWithinRate(context, `invitation-mail:${await sha256Hex(`mail\n${email}`)}`, INVITATION_MAILS_PER_ADDRESS);

/** Lists the organization's open invitations to a membership, ordered by id. Only owners and admins may. */
export async function listInvitations(context: Context, organizationId: string, { limit, cursor }: PageQuery) {
  requireOrganizationAdmin(context, organizationId);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await context.workspace
    .select()
    .from(invitations)
    .where(
      and(
        eq(invitations.organizationId, organizationId),
        gt(invitations.id, after),
        isNull(invitations.usedAt),
        isNull(invitations.targetId),
        gt(invitations.expiresAt, context.now),
      ),
    )
    .orderBy(asc(invitations.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentInvitation);
}

export const invitationEnded = () =>
  new DomainError("invitation-ended", "This invitation was used, withdrawn or has expired. Ask for a new one.");

/**
 * Finds an open invitation by the token that its inviter saw or by the token that was mailed. Only the mailed token
 * proves the address, because the inviter could use the other token.
 * @throws DomainError invitation-ended for an ended invitation and for an unknown token.
 */
export async function findOpenInvitation(
  { workspace, now, idempotency }: Context,
  token: string,
): Promise<{ row: InvitationRow; provesAddress: boolean }> {
  const hash = await hashOf(token);
  const [{ row } = {}] = await workspace
    .select({ row: invitations })
    .from(invitations)
    .innerJoin(organizations, and(eq(organizations.id, invitations.organizationId), isNull(organizations.deletedAt)))
    .where(or(eq(invitations.secretHash, hash), eq(invitations.mailedHash, hash)));
  // A repeat of the request that used the invitation composes its answer again.
  const wasOpen =
    row !== undefined &&
    (row.usedAt === null || (idempotency?.kind === "composed" && (row.usedAt === now || row.registrationId !== null)));
  if (!wasOpen || row.expiresAt <= now) throw invitationEnded();
  return { row, provesAddress: row.mailedHash === hash };
}

export const isHeldBy = (registrationId: string): SQL => eq(invitations.registrationId, registrationId);
export const isFree = (now: number) =>
  and(isNull(invitations.usedAt), isNull(invitations.registrationId), gt(invitations.expiresAt, now));

/** Time that a registration has from its reservation of an invitation to its account, milliseconds. Then a job decides it. */
export const RESERVATION_MS = MINUTE;

export const invitationHeld = () =>
  new DomainError("conflict", "A person registers with this invitation now. Try again in a minute.", {
    retryAfter: RESERVATION_MS / SECOND,
  });

/** Condition: no registration has reserved the invitations of `which`. */
export const isNotHeld = (which: SQL | undefined): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${invitations} WHERE ${and(which, isNotNull(invitations.registrationId))})`;

/**
 * Withdraws an unused invitation. Only owners and admins may. A registration that has reserved it ends first: otherwise its
 * person would have an account without the membership. @throws DomainError 401, 403, 404, 409.
 */
export async function revokeInvitation(context: Context, organizationId: string, invitationId: string): Promise<void> {
  requireOrganizationAdmin(context, organizationId);
  const open = and(
    eq(invitations.id, invitationId),
    eq(invitations.organizationId, organizationId),
    isNull(invitations.usedAt),
    isNull(invitations.targetId),
  );
  await beginChange(context, organizationId)
    .guard(isNotHeld(open), invitationHeld())
    .add(context.workspace.delete(invitations).where(open))
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

/** Deletes the open invitations and waiting shares that a person has made, when that person may no longer give what they carry. */
export const withdrawInvitationsOf = ({ workspace }: Context, organizationId: string, userId: string): Statement =>
  workspace
    .delete(invitations)
    .where(
      and(
        eq(invitations.organizationId, organizationId),
        eq(invitations.invitedBy, userId),
        isNull(invitations.usedAt),
      ),
    );
