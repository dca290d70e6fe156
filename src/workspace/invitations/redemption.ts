import { and, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import {
  auditStatement,
  countElsewhere,
  insertGrantIfNone,
  insertMembership,
  type Person,
  readPerson,
  removeExpiredGrants,
  requireUser,
  verifyAfter,
  withPointer,
} from "../../access";
import { grants, memberships, organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { rowsOf } from "../../platform/db/database";
import { forbidden, notFound } from "../../platform/errors";
import { InstanceLimiter, networkOf } from "../../platform/http/rate-limit";
import { newIdIn } from "../../platform/ids";
import { toUtcOrNull } from "../../platform/time";
import type { ShareableKind } from "../grantable";
import { manyOfPerson, manyOnResource } from "../grants/grants";
import { INVITATION_PREVIEWS_PER_NETWORK, MAX_GRANTS_PER_RESOURCE, MAX_GRANTS_PER_USER } from "../limits";
import { requireUnrestrictedToken } from "../organizations/organizations";
import { mayHaveRole, ownsMost } from "../roles";
import { queueSharedIndex } from "../spatial";
import { invitations } from "../tables";
import { findOpenInvitation, type InvitationRow, inPlaceOf, invitationEnded, isFree } from "./invitations";

/** The kinds of resources that an invitation can share. */
export type Kinds = readonly ShareableKind[];

/** What an invitation shares: the resource and what the grant gives. Null if it gives a membership. */
interface Shared {
  kind: ShareableKind;
  id: string;
}

function sharedBy(kinds: Kinds, { target, targetId }: InvitationRow): Shared | null {
  if (targetId === null) return null;
  const kind = kinds.find((one) => one.target === target);
  if (kind === undefined) throw new Error(`nothing shares a ${target}`);
  return { kind, id: targetId };
}

/** Reads the name of what an invitation shares. @throws DomainError invitation-ended if it is deleted. */
async function nameOf(context: Context, { kind, id }: Shared): Promise<string> {
  const [exists] = rowsOf<{ one: number }>(await context.workspace.run(sql`SELECT 1 AS one WHERE ${kind.exists(id)}`));
  const described = exists === undefined ? null : await kind.describe(context, id);
  if (described === null) throw invitationEnded();
  return described.name;
}

const previewRateLimit = new InstanceLimiter("invitation-previews", INVITATION_PREVIEWS_PER_NETWORK);

/**
 * Shows the organization, the role, the address and what is shared to the holder of the link of an invitation.
 * @throws DomainError invitation-ended, rate-limited.
 */
export async function previewInvitation(given: Context, kinds: Kinds, token: string) {
  previewRateLimit.consume(given, networkOf(given.origin?.ip ?? "unknown"));
  const context = await inPlaceOf(given, token);
  const { row } = await findOpenInvitation(context, token);
  const [organization] = await context.workspace
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, row.organizationId));
  const shared = sharedBy(kinds, row);
  return {
    email: row.email,
    organizationName: organization?.name ?? "",
    role: row.role,
    share: shared === null ? null : { kind: shared.kind.target, id: shared.id, name: await nameOf(context, shared) },
  };
}

/**
 * Uses an invitation and gives the person what it carries. Only one of several concurrent tries succeeds. A person who is a
 * member already keeps their role, and a person with a grant on the resource keeps that grant.
 * @param held the condition under which this person may use it
 * @param follow adds to the change before it commits
 */
export const redeemInvitation = (
  context: Context,
  kinds: Kinds,
  row: InvitationRow,
  person: Person,
  held: SQL | undefined,
  follow: (change: Change) => void = () => {},
): Promise<unknown> =>
  withPointer(context, person.id, row.organizationId, async (requirePointer) => {
    const change = requirePointer(await redemption(context, kinds, row, person, held));
    follow(change);
    return change.commit();
  });

export async function redemption(
  context: Context,
  kinds: Kinds,
  row: InvitationRow,
  person: Person,
  held: SQL | undefined,
): Promise<Change> {
  const change = beginChange(context, row.organizationId)
    .add(
      context.workspace
        .update(invitations)
        .set({ usedAt: context.now })
        .where(and(eq(invitations.id, row.id), isNull(invitations.usedAt), held)),
    )
    .guardChanged(invitationEnded());
  const shared = sharedBy(kinds, row);
  if (shared === null) await giveMembership(context, change, row, person);
  else await giveGrant(context, change, row, shared, person);
  return change;
}

/** The person who uses an invitation, as an actor of the audit trail. */
const actorOf = ({ caller }: Context, { id }: Person) => ({ userId: id, kind: caller.kind, credentialId: null });

async function giveMembership(context: Context, change: Change, row: InvitationRow, person: Person): Promise<void> {
  const { organizationId, role, overrides } = row;
  const userId = person.id;
  change
    .guard(await mayHaveRole(context, organizationId, userId, role), ownsMost())
    .add(...insertMembership(context, person, { organizationId, role, overrides, createdAt: context.now }))
    .announce({ type: "membership-given", organizationId, userId, actorUserId: row.invitedBy }, organizationId)
    .add(
      auditStatement(context, {
        organizationId,
        action: "invitation.accepted",
        subjectType: "user",
        subjectId: userId,
        details: { invitationId: row.id, role, overrides, invitedBy: row.invitedBy },
        actor: actorOf(context, person),
      }),
    );
}

async function giveGrant(
  context: Context,
  change: Change,
  row: InvitationRow,
  { kind, id: targetId }: Shared,
  person: Person,
): Promise<void> {
  const { organizationId, invitedBy, grantExpiresAt: expiresAt } = row;
  const { target } = kind;
  const grantId = newIdIn(organizationId);
  const capabilities = row.capabilities ?? {};
  const mayStillShare = and(
    eq(memberships.organizationId, organizationId),
    eq(memberships.userId, invitedBy),
    or(eq(memberships.role, "owner"), eq(memberships.role, "admin")),
  );
  const heldBy = sql`(SELECT count(*) FROM ${grants} WHERE ${grants.userId} = ${person.id})`;
  const elsewhere = await countElsewhere(context, person.id, heldBy);
  const isGiven = sql`EXISTS (SELECT 1 FROM ${grants} WHERE ${grants.id} = ${grantId})`;
  queueSharedIndex(change, target, { id: targetId, tenantId: organizationId });
  if (expiresAt !== null) change.announce({ type: "access-changed", userIds: [person.id] }, organizationId);
  change
    .guard(kind.exists(targetId), invitationEnded())
    .guard(sql`EXISTS (SELECT 1 FROM ${memberships} WHERE ${mayStillShare})`, invitationEnded())
    .add(removeExpiredGrants(context, [targetId], person.id))
    .guard(
      sql`(SELECT count(*) FROM ${grants} WHERE ${grants.targetId} = ${targetId}) < ${MAX_GRANTS_PER_RESOURCE}`,
      manyOnResource(),
    )
    .guard(sql`${heldBy} < ${MAX_GRANTS_PER_USER - elsewhere}`, manyOfPerson())
    .add(
      ...insertGrantIfNone(context, person, {
        id: grantId,
        target,
        targetId,
        tenantId: organizationId,
        organizationId,
        capabilities,
        revision: 1,
        grantedBy: invitedBy,
        createdAt: context.now,
        expiresAt,
      }),
    )
    .announce({ type: "grant-given", grantId, actorUserId: invitedBy }, organizationId, isGiven)
    .add(
      auditStatement(context, {
        organizationId,
        action: "grant.created",
        subjectType: target,
        subjectId: targetId,
        details: {
          grantId,
          userId: person.id,
          capabilities,
          expiresAtUtc: toUtcOrNull(expiresAt),
          invitationId: row.id,
          invitedBy,
        },
        actor: actorOf(context, person),
        when: isGiven,
      }),
    );
}

/**
 * Accepts an invitation. The caller's account must have the invitation's address; the mailed link verifies that
 * address. @throws DomainError 401, 403, 410, 422 (the caller owns the maximum of organizations, or has the maximum of grants).
 */
export async function acceptInvitation(given: Context, kinds: Kinds, token: string) {
  const caller = requireUser(given);
  requireUnrestrictedToken(caller);
  const context = await inPlaceOf(given, token);
  const { workspace } = context;
  const { row, provesAddress } = await findOpenInvitation(context, token);
  const person = await readPerson(context, caller.userId);
  if (person?.email !== row.email)
    throw forbidden("This invitation is for another address. Sign in with the account of that address.");
  const shared = sharedBy(kinds, row);
  const name = shared === null ? "" : await nameOf(context, shared);
  await redeemInvitation(context, kinds, row, person, isFree(context.now), (change) => {
    if (provesAddress) verifyAfter(context, change, caller.userId);
  });
  const { organizationId } = row;
  const [membership] = await workspace
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, caller.userId)));
  if (shared !== null)
    return {
      organizationId,
      role: membership?.role ?? row.role,
      share: { kind: shared.kind.target, id: shared.id, name },
    };
  if (membership === undefined) throw notFound();
  return { organizationId, role: membership.role, share: null };
}

/** Condition: an open share that waits for an address. */
export const waitsFor = (email: string, now: number): SQL | undefined =>
  and(
    eq(invitations.email, email),
    sql`${invitations.targetId} IS NOT NULL`,
    isFree(now),
    gt(invitations.expiresAt, now),
  );
