import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import {
  auditStatement,
  type CapabilityMap,
  capabilityMapSchema,
  limitLevel,
  type MembershipFact,
  type Person,
  personColumns,
  READ,
  ROLES,
  type Role,
  requireLevel,
  requireUser,
  type UserCaller,
  WRITE,
  withPointer,
} from "../../access";
import { grants, memberships, people, users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { consumeRateLimit } from "../../platform/http/rate-limit";
import { checkPrecondition, type Precondition } from "../../platform/http/revision";
import { orNull } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import type { Settings } from "../../platform/settings";
import { toUtc, utcSchema } from "../../platform/time";
import { idKey } from "../fields";
import { createInvitation, type NewInvitation, openMembership } from "../invitations/invitations";
import { INVITATION_RATE_LIMIT, MAX_AUDITED_GRANTS } from "../limits";
import {
  assertMayGive,
  assertMayManage,
  hasOwner,
  hasRole,
  isLower,
  isMember,
  lastOwner,
  mayHaveRole,
  personOwnsMost,
  type RoleAndOverrides,
  requireManager,
} from "../roles";
import { organizationPath } from "../spatial";
import { invitations } from "../tables";
import { addChanged, addEnd, addGiven, alreadyMember, isNoMember } from "./standing";

export const memberSchema = z
  .object({
    userId: idSchema,
    email: z.string(),
    displayName: z.string(),
    role: z.enum(ROLES),
    overrides: capabilityMapSchema.openapi({
      description: "Levels that replace the levels of the role. They can be higher or lower.",
    }),
    origin: orNull(
      z.string().openapi({
        description: "The issuer whose claim brought the membership; null: a person gave it.",
        example: "https://id.example.org",
      }),
    ),
    revision: z.int(),
    createdAtUtc: utcSchema,
  })
  .openapi("Member");

/** Columns of a membership, with the user's name and address. */
const memberColumns = {
  userId: memberships.userId,
  email: people.email,
  displayName: people.displayName,
  role: memberships.role,
  overrides: memberships.overrides,
  origin: memberships.origin,
  revision: memberships.revision,
  createdAt: memberships.createdAt,
};
type MemberRow = Omit<typeof memberships.$inferSelect, "organizationId"> &
  Pick<typeof people.$inferSelect, "email" | "displayName">;

export const presentMember = ({ createdAt, ...row }: MemberRow): z.infer<typeof memberSchema> => ({
  ...row,
  createdAtUtc: toUtc(createdAt),
});

/** Selects one page of members; `only` narrows it to one user. */
const selectMembers = (
  workspace: WorkspaceDatabase,
  organizationId: string,
  { after = null, only, limit }: { after?: string | null; only?: string | undefined; limit: number },
) =>
  workspace
    .select(memberColumns)
    .from(memberships)
    .innerJoin(people, eq(people.id, memberships.userId))
    .where(
      and(
        eq(memberships.organizationId, organizationId),
        gt(memberships.userId, after ?? ""),
        only === undefined ? undefined : eq(memberships.userId, only),
      ),
    )
    .orderBy(asc(memberships.userId))
    .limit(limit);

/** Members see all memberships; a guest sees only their own. @throws DomainError 401, 404. */
function visibleTo(context: Context, organizationId: string): { only: string | undefined } {
  const caller = requireUser(context);
  requireLevel(context, organizationPath(organizationId), "OrganizationView", "OrganizationView", READ);
  const role = caller.facts.memberships.find((m) => m.organizationId === organizationId)?.role;
  return { only: role === undefined || role === "guest" ? caller.userId : undefined };
}

/** Lists the organization's members, ordered by user id. */
export async function listMembers(context: Context, organizationId: string, { limit, cursor }: PageQuery) {
  const { only } = visibleTo(context, organizationId);
  const [after] = readCursor(cursor, idKey) ?? [null];
  const rows = await selectMembers(context.workspace, organizationId, { after, only, limit: limit + 1 });
  return toPage(rows, limit, (row) => [row.userId], presentMember);
}

/** Reads a membership without an access check. @throws DomainError 404. */
async function findMember({ workspace }: Context, organizationId: string, userId: string): Promise<MemberRow> {
  const [row] = await selectMembers(workspace, organizationId, { only: userId, limit: 1 });
  if (row === undefined) throw notFound();
  return row;
}

/** Reads a member of the organization. @throws DomainError 401, 404. */
export async function readMember(context: Context, organizationId: string, userId: string): Promise<MemberRow> {
  const { only } = visibleTo(context, organizationId);
  if (only !== undefined && only !== userId) throw notFound();
  return findMember(context, organizationId, userId);
}

interface Invite {
  email: string;
  role: Role;
  overrides?: CapabilityMap | undefined;
}

/**
 * Adds a person to the organization; only owners and admins may. A person whose account has this verified address
 * becomes a member at once. Any other address gets an invitation that can be used once. The answers differ on
 * purpose: the caller sees the member in the list anyway.
 * @throws DomainError 401, 403, 404, 409, 422, 429.
 */
export async function inviteMember(context: Context, organizationId: string, { email, role, overrides = {} }: Invite) {
  const { caller, own } = requireManager(context, organizationId);
  assertMayGive(caller, own, { role, overrides });
  await consumeRateLimit(context, `invite:${caller.userId}`, INVITATION_RATE_LIMIT, "invitations");
  const given: NewInvitation = { organizationId, email, role, overrides, invitedBy: caller.userId, as: own.role };
  const [known] = await context.directory
    .select(personColumns)
    .from(users)
    .where(and(eq(users.email, email), isNotNull(users.emailVerifiedAt)));
  if (known === undefined) return { member: null, invitation: await createInvitation(context, given) };
  const { id: userId, displayName } = known;
  const row: MemberRow = {
    userId,
    displayName,
    email,
    role,
    overrides,
    origin: null,
    revision: 1,
    createdAt: context.now,
  };
  await addMember(context, given, known, row);
  return { member: presentMember(row), invitation: null };
}

async function addMember(context: Context, given: NewInvitation, person: Person, row: MemberRow): Promise<void> {
  const { workspace } = context;
  const { organizationId, email, role, invitedBy } = given;
  const invited = openMembership(organizationId, email);
  const mayHave = await mayHaveRole(context, organizationId, row.userId, role);
  await withPointer(context, row.userId, organizationId, (requirePointer) => {
    const change = requirePointer(beginChange(context, organizationId))
      .guard(hasRole(organizationId, invitedBy, given.as), forbidden())
      .guard(isNoMember(organizationId, row.userId), alreadyMember())
      .guard(mayHave, personOwnsMost());
    const { overrides, origin, createdAt } = row;
    return addGiven(context, change, person, { organizationId, role, overrides, origin, createdAt }, invitedBy)
      .add(workspace.delete(invitations).where(invited))
      .commit();
  });
}

interface MemberChange {
  role?: Role | undefined;
  overrides?: CapabilityMap | undefined;
}

/** A person who becomes an owner loses their overrides, because an owner has none. */
const nextOf = (row: MemberRow, given: MemberChange): RoleAndOverrides => {
  const role = given.role ?? row.role;
  const kept = role === "owner" && row.role !== "owner" ? {} : row.overrides;
  return { role, overrides: given.overrides ?? kept };
};

/** Refuses a caller who raises their own role or changes their own overrides. @throws DomainError forbidden. */
function requireOwnChange(caller: UserCaller, row: MemberRow, given: MemberChange): void {
  if (caller.userId !== row.userId) return;
  if (given.overrides !== undefined)
    throw forbidden("You cannot change your own overrides. Ask another owner or admin.");
  if (given.role !== undefined && isLower(row.role, given.role))
    throw forbidden("You cannot raise your own role. Ask an owner.");
}

/**
 * Changes a member's role or overrides; only owners and admins may. A member whose rights become smaller loses the
 * open invitations that they made. @throws DomainError 401, 403, 404, 409, 412, 422.
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
  assertMayManage(own, row);
  requireOwnChange(caller, row, given);
  assertMayGive(caller, own, next);
  checkPrecondition(precondition, row.revision);
  // A person takes a membership of an issuer over: its claim does not change it any more.
  const changed: MemberRow = { ...row, ...next, origin: null, revision: row.revision + 1 };
  const change = beginChange(context, organizationId)
    .guard(hasRole(organizationId, caller.userId, own.role), forbidden())
    .guard(await mayHaveRole(context, organizationId, userId, next.role), personOwnsMost());
  await addChanged(context, change, { ...row, organizationId }, changed, caller.userId)
    .guard(hasOwner(organizationId), lastOwner())
    .commit();
  return presentMember(changed);
}

/** Reads the caller's own membership. The credential must have Write of OrganizationView. @throws DomainError 403, 404. */
function requireLeave(caller: UserCaller, organizationId: string): MembershipFact {
  const own = caller.facts.memberships.find((m) => m.organizationId === organizationId);
  if (own === undefined) throw notFound();
  const cut = limitLevel(WRITE, "OrganizationView", organizationId, own, caller.facts.limits);
  if (cut < READ) throw notFound();
  if (cut < WRITE) throw forbidden("This token may not change memberships. Use one that may, or sign in.");
  return own;
}

/** Whether the claims of an issuer bring memberships of an organization. */
const bringsMembership = ({ OIDC_ISSUERS }: Settings, origin: string | null, organizationId: string): boolean =>
  OIDC_ISSUERS.some(
    ({ issuer, memberships: claimed }) =>
      issuer === origin && claimed?.roles.some((given) => given.organizationId === organizationId),
  );

/** Without this refusal, the next request of the person would begin the membership again. */
const broughtBy = (issuer: string | null): DomainError =>
  new DomainError(
    "conflict",
    `${issuer} brings this membership, and would bring it again. Remove the person from the group there.`,
  );

/** Links for strangers that members made. The feature of the links provides it. */
export interface MadeLinks {
  /** Adds the end of all links that a person made in an organization. @returns what the audit trail says of them */
  revoke(
    context: Context,
    change: Change,
    organizationId: string,
    userId: string,
  ): Promise<{ linksRevoked: number; links: string[] }>;
}

/** Refuses a token that may not manage share links. The roles that remove members may. @throws DomainError forbidden */
function requireLinksManaged(caller: UserCaller, organizationId: string, own: MembershipFact): void {
  // Links end even while the organization may not share with strangers.
  const entitled = { ...own, externalShares: true };
  if (limitLevel(READ, "ExternalShareLinksManage", organizationId, entitled, caller.facts.limits) < READ)
    throw forbidden("This token may not revoke share links. Use one that may, or remove the member without it.");
}

/**
 * Removes a member. Owners and admins may do so, and each member for themself. The member's grants in the organization
 * and the open invitations that they made are deleted too, and with `links` the share links that they made end.
 * A membership that
 * the claim of an issuer brings ends there.
 * @throws DomainError 401, 403, 404, 409, 412.
 */
export async function removeMember(
  context: Context,
  organizationId: string,
  userId: string,
  precondition: Precondition,
  links: MadeLinks | null = null,
): Promise<void> {
  const caller = requireUser(context);
  const leaves = caller.userId === userId;
  const own = leaves ? requireLeave(caller, organizationId) : requireManager(context, organizationId).own;
  const row = await findMember(context, organizationId, userId);
  assertMayManage(own, row);
  if (links !== null) requireLinksManaged(caller, organizationId, own);
  checkPrecondition(precondition, row.revision);
  if (bringsMembership(context.settings, row.origin, organizationId)) throw broughtBy(row.origin);
  const change = beginChange(context, organizationId)
    .guard(isMember(organizationId, userId), notFound())
    .guard(hasRole(organizationId, caller.userId, own.role), forbidden());
  addEnd(context, change, { ...row, organizationId }, caller.userId).guard(hasOwner(organizationId), lastOwner());
  const revoked = await links?.revoke(context, change, organizationId, userId);
  await change
    .add(
      auditStatement(context, {
        organizationId,
        action: leaves ? "member.left" : "member.removed",
        subjectType: "user",
        subjectId: userId,
        details: { ...(await describe(context, organizationId, row)), ...revoked },
      }),
    )
    .commit();
}

const grantsOf = (organizationId: string, userId: string) =>
  and(eq(grants.tenantId, organizationId), eq(grants.userId, userId));

async function describe({ workspace }: Context, organizationId: string, { userId, role }: MemberRow) {
  const rows = await workspace
    .select({ target: grants.target, id: grants.targetId, total: sql<number>`count(*) OVER ()` })
    .from(grants)
    .where(grantsOf(organizationId, userId))
    .limit(MAX_AUDITED_GRANTS);
  return { role, grantsEnded: rows[0]?.total ?? 0, grants: rows.map(({ target, id }) => ({ target, id })) };
}
