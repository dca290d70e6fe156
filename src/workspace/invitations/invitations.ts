import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import {
  auditStatement,
  type CapabilityMap,
  capabilityMapSchema,
  contextOfNumber,
  insertMembership,
  type Person,
  ROLES,
  type Role,
  readPerson,
  requireOrganizationAdmin,
  requireUser,
  verifyAfter,
  withPointer,
} from "../../access";
import { memberships, organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { randomHex, sha256Hex } from "../../platform/crypto/bytes";
import { beginChange, type Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { Statement } from "../../platform/db/database";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { InstanceLimiter, networkOf } from "../../platform/http/rate-limit";
import { idSchema, newIdIn, numberOf } from "../../platform/ids";
import { readerLanguage } from "../../platform/languages/reader";
import { invitationPath } from "../../platform/paths";
import { MINUTE, SECOND, toUtc, utcSchema } from "../../platform/time";
import { idKey } from "../fields";
import { INVITATION_LIFETIME_MS, INVITATION_PREVIEWS_PER_NETWORK, MAX_OPEN_INVITATIONS } from "../limits";
import { invitationMail } from "../messages";
import { findOrganization, requireUnrestrictedToken } from "../organizations/organizations";
import { hasRole, mayHaveRole, ownsMost } from "../roles";
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
async function newToken(organizationId: string): Promise<{ token: string; hash: string }> {
  const token = numberOf(organizationId).toString(16).padStart(6, "0") + randomHex(29);
  return { token, hash: await hashOf(token) };
}

/** The context in the database of the organization that a token names. */
export const inPlaceOf = (context: Context, token: string): Promise<Context> =>
  contextOfNumber(context, Number.parseInt(token.slice(0, 6), 16) || 0);

const hashOf = (token: string): Promise<string> => sha256Hex(token);

/** The link that an invited person opens. The token is in the fragment, so no server logs it. */
const linkOf = ({ settings }: Pick<Context, "settings">, token: string): string =>
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

const tooManyInvitations = () =>
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
  };
  const open = and(eq(invitations.organizationId, organizationId), isNull(invitations.usedAt));
  const replaced = and(open, eq(invitations.email, email));
  const counted = sql`(SELECT count(*) FROM ${invitations} WHERE ${and(open, gt(invitations.expiresAt, now))})`;
  await beginChange(context, organizationId)
    .guard(hasRole(organizationId, invitedBy, given.as), forbidden())
    .guard(isNotHeld(replaced), invitationHeld())
    .add(workspace.delete(invitations).where(replaced))
    .guard(sql`${counted} < ${MAX_OPEN_INVITATIONS}`, tooManyInvitations())
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
  if (context.mailer === null) return false;
  const { name } = await findOrganization(context, organizationId);
  // The invited person may have no account. People invite others who speak their language.
  return context.mailer({ to: email, ...invitationMail(readerLanguage(context), name, link) });
}

/** Lists the organization's open invitations, ordered by id. Only owners and admins may. */
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
        gt(invitations.expiresAt, context.now),
      ),
    )
    .orderBy(asc(invitations.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentInvitation);
}

const previewRateLimit = new InstanceLimiter("invitation-previews", INVITATION_PREVIEWS_PER_NETWORK);

/** Shows the organization, role and address of an invitation to the holder of its link. @throws DomainError invitation-ended, rate-limited. */
export async function previewInvitation(given: Context, token: string) {
  previewRateLimit.consume(given, networkOf(given.origin?.ip ?? "unknown"));
  const context = await inPlaceOf(given, token);
  const { row } = await findOpenInvitation(context, token);
  const [organization] = await context.workspace
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, row.organizationId));
  return { email: row.email, organizationName: organization?.name ?? "", role: row.role };
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

/**
 * Uses an invitation and makes the person a member. Only one of several concurrent tries succeeds. A person who is a
 * member already keeps their role. @param held the condition under which this person may use it
 * @param follow adds to the change before it commits
 */
export const redeemInvitation = (
  context: Context,
  row: InvitationRow,
  person: Person,
  held: SQL | undefined,
  follow: (change: Change) => void = () => {},
): Promise<unknown> =>
  withPointer(context, person.id, row.organizationId, async (requirePointer) => {
    const change = requirePointer(await redemption(context, row, person, held));
    follow(change);
    return change.commit();
  });

export async function redemption(
  context: Context,
  row: InvitationRow,
  person: Person,
  held: SQL | undefined,
): Promise<Change> {
  const { workspace, now } = context;
  const { organizationId, role, overrides } = row;
  const userId = person.id;
  return beginChange(context, organizationId)
    .guard(await mayHaveRole(context, organizationId, userId, role), ownsMost())
    .add(
      workspace
        .update(invitations)
        .set({ usedAt: now })
        .where(and(eq(invitations.id, row.id), isNull(invitations.usedAt), held)),
    )
    .guardChanged(invitationEnded())
    .add(...insertMembership(context, person, { organizationId, role, overrides, createdAt: now }))
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

export const isHeldBy = (registrationId: string): SQL => eq(invitations.registrationId, registrationId);
export const isFree = (now: number) =>
  and(isNull(invitations.usedAt), isNull(invitations.registrationId), gt(invitations.expiresAt, now));

/** Time that a registration has from its reservation of an invitation to its account, milliseconds. Then a job decides it. */
export const RESERVATION_MS = MINUTE;

/**
 * Accepts an invitation. The caller's account must have the invitation's address; the mailed link verifies that
 * address. @throws DomainError 401, 403, 410, 422 (the caller owns the maximum of organizations).
 */
export async function acceptInvitation(given: Context, token: string) {
  const caller = requireUser(given);
  requireUnrestrictedToken(caller);
  const context = await inPlaceOf(given, token);
  const { workspace } = context;
  const { row, provesAddress } = await findOpenInvitation(context, token);
  const person = await readPerson(context, caller.userId);
  if (person?.email !== row.email)
    throw forbidden("This invitation is for another address. Sign in with the account of that address.");
  await redeemInvitation(context, row, person, isFree(context.now), (change) => {
    if (provesAddress) verifyAfter(context, change, caller.userId);
  });
  const { organizationId } = row;
  const [membership] = await workspace
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, caller.userId)));
  if (membership === undefined) throw notFound();
  return { organizationId, role: membership.role };
}

const invitationHeld = () =>
  new DomainError("conflict", "A person registers with this invitation now. Try again in a minute.", {
    retryAfter: RESERVATION_MS / SECOND,
  });

/** Condition: no registration has reserved the invitations of `which`. */
const isNotHeld = (which: SQL | undefined): SQL =>
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

/** Deletes the open invitations that a person has made, when that person may no longer give those roles. */
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
