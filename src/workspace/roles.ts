import { type SQL, sql } from "drizzle-orm";
import {
  CAPABILITIES,
  countElsewhere,
  limitLevel,
  type MembershipFact,
  memberLevel,
  type Role,
  requireOrganizationAdmin,
  type UserCaller,
} from "../access";
import { memberships, organizations } from "../access/tables";
import type { Context } from "../platform/context";
import { DomainError, forbidden } from "../platform/errors";
import { MAX_OWNED_ORGANIZATIONS } from "./limits";

const ROLE_RANK: Readonly<Record<Role, number>> = { guest: 0, member: 1, admin: 2, owner: 3 };

export const isLower = (a: Role, b: Role): boolean => ROLE_RANK[a] < ROLE_RANK[b];

/** All entitlements. With them a role can be given while the organization lacks an entitlement. */
const ALL_ENTITLEMENTS = { cameras: true, externalShares: true };

export type RoleAndOverrides = Pick<MembershipFact, "role" | "overrides">;

/** Whether `next` gives less than `now`: a lower role, or a lower level of any capability. Entitlements are ignored. */
export function givesLess(organizationId: string, next: RoleAndOverrides, now: RoleAndOverrides): boolean {
  const levels = (standing: RoleAndOverrides) =>
    CAPABILITIES.map((c) => memberLevel({ organizationId, ...ALL_ENTITLEMENTS, ...standing }, c));
  const [after, before] = [levels(next), levels(now)];
  return isLower(next.role, now.role) || before.some((level, i) => (after[i] ?? level) < level);
}

/** Requires an owner or admin of the organization, and returns their membership. @throws DomainError 401, 403, 404. */
export function requireManager(context: Context, organizationId: string): { caller: UserCaller; own: MembershipFact } {
  const caller = requireOrganizationAdmin(context, organizationId);
  const own = caller.facts.memberships.find((m) => m.organizationId === organizationId);
  if (own === undefined) throw forbidden();
  return { caller, own };
}

/** Refuses a change of an owner's membership by a caller who is not an owner. @throws DomainError forbidden. */
export function assertMayManage(own: RoleAndOverrides, target: RoleAndOverrides): void {
  if (target.role === "owner" && own.role !== "owner") throw forbidden("Only an owner may change or remove an owner.");
}

/**
 * Refuses a role or overrides above the caller's own. Only owners make owners, and no capability may be higher than
 * the caller has through this credential. @throws DomainError forbidden, rule-violated.
 */
export function assertMayGive(caller: UserCaller, own: MembershipFact, given: RoleAndOverrides): void {
  if (given.role === "owner" && own.role !== "owner") throw forbidden("Only an owner may make an owner.");
  if (given.role === "owner" && Object.keys(given.overrides).length > 0)
    throw new DomainError("rule-violated", "An owner has no overrides. Send `overrides` as {}, or another role.");
  const { organizationId } = own;
  const next: MembershipFact = { ...own, ...given };
  const above = CAPABILITIES.filter(
    (c) =>
      memberLevel(next, c) > limitLevel(memberLevel(own, c), c, organizationId, ALL_ENTITLEMENTS, caller.facts.limits),
  );
  if (above.length > 0) throw forbidden(`You cannot give a higher level than you have yourself: ${above.join(", ")}.`);
}

/** Guard: the person still has this role in the organization. */
export const hasRole = (organizationId: string, userId: string, role: Role): SQL =>
  sql`EXISTS (SELECT 1 FROM ${memberships} WHERE ${memberships.organizationId} = ${organizationId} AND ${memberships.userId} = ${userId} AND ${memberships.role} = ${role})`;

/** Guard: this user is a member. */
export const isMember = (organizationId: string, userId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${memberships} WHERE ${memberships.organizationId} = ${organizationId} AND ${memberships.userId} = ${userId})`;

/** Guard: this user may have this role. Nobody owns more than the maximum of organizations. */
export const mayHaveRole = async (
  context: Context,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<SQL> =>
  role === "owner" ? sql`${hasRole(organizationId, userId, "owner")} OR ${await mayOwnMore(context, userId)}` : sql`1`;

const ownedHere = (userId: string): SQL =>
  sql`(SELECT count(*) FROM ${memberships} JOIN ${organizations} ON ${organizations.id} = ${memberships.organizationId}
    WHERE ${memberships.userId} = ${userId} AND ${memberships.role} = 'owner' AND ${organizations.deletedAt} IS NULL)`;

/** Guard: this user owns less than the maximum of organizations. What they own in other databases is counted before. */
export async function mayOwnMore(context: Context, userId: string): Promise<SQL> {
  const elsewhere = await countElsewhere(context, userId, ownedHere(userId));
  return sql`${ownedHere(userId)} < ${MAX_OWNED_ORGANIZATIONS - elsewhere}`;
}

/** The refusal of one more organization for the caller, who owns the maximum. */
export const ownsMost = (): DomainError =>
  new DomainError(
    "rule-violated",
    `You own ${MAX_OWNED_ORGANIZATIONS} organizations, which is the maximum. Delete one, or give one to another owner.`,
  );

/** The refusal of one more organization for another person, who owns the maximum. */
export const personOwnsMost = (): DomainError =>
  new DomainError(
    "rule-violated",
    `This person owns ${MAX_OWNED_ORGANIZATIONS} organizations, which is the maximum. Give them another role.`,
  );

/** Guard: the organization has an owner. */
export const hasOwner = (organizationId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${memberships} WHERE ${memberships.organizationId} = ${organizationId} AND ${memberships.role} = 'owner')`;

export const lastOwner = (): DomainError =>
  new DomainError("last-owner", "This is the organization's last owner. Make another member an owner first.");
