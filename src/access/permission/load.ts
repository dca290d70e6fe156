import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { AccessFacts, GrantTarget, TokenLimits } from "../../platform/caller";
import type { CapabilityMap, Role } from "../../platform/capabilities";
import { type Composed, rowsOf, runBatch, type WorkspaceDatabase } from "../../platform/db/database";
import { reusable } from "../../platform/db/statements";
import { grants, memberships, organizations } from "../tables";

/*
 * The queries group memberships and grants that differ only in their ids: thousands of grants become a few rows. The
 * number of rows decides how long D1's answer takes.
 */

const entitlements = sql`${organizations.cameras} AS cameras, ${organizations.externalShares} AS externalShares`;

export interface MembershipRow {
  userId: string;
  role: Role;
  overrides: string;
  /** Joined by commas. */
  organizationIds: string;
  cameras: number;
  externalShares: number;
}

/** Reads `MembershipRow`s: memberships with their organizations' entitlements. */
export const selectMemberships = (
  where: SQL,
): SQL => sql`SELECT ${memberships.userId} AS userId, ${memberships.role} AS role,
  ${memberships.overrides} AS overrides, group_concat(${memberships.organizationId}) AS organizationIds, ${entitlements}
  FROM ${memberships} JOIN ${organizations} ON ${organizations.id} = ${memberships.organizationId}
  WHERE ${where} GROUP BY ${memberships.userId}, ${memberships.role}, ${memberships.overrides}, cameras, externalShares`;

export interface GrantRow {
  userId: string;
  organizationId: string | null;
  target: GrantTarget;
  capabilities: string;
  /** Joined by commas. */
  targetIds: string;
  /** The earliest end of these grants, milliseconds since the epoch. Null if none ends. */
  endsAt: number | null;
  /** Null in a personal workspace. */
  cameras: number | null;
  externalShares: number | null;
}

/** Reads `GrantRow`s: grants that have not expired at `now`, with the entitlements of their organization. */
export const selectGrants = (where: SQL, now: Placeholder): SQL =>
  sql`SELECT ${grants.userId} AS userId, ${grants.organizationId} AS organizationId, ${grants.target} AS target,
  ${grants.capabilities} AS capabilities, group_concat(${grants.targetId}) AS targetIds, min(${grants.expiresAt}) AS endsAt, ${entitlements}
  FROM ${grants} LEFT JOIN ${organizations} ON ${organizations.id} = ${grants.organizationId}
  WHERE ${where} AND (${grants.expiresAt} IS NULL OR ${grants.expiresAt} > ${now})
  GROUP BY ${grants.userId}, ${grants.organizationId}, ${grants.target}, ${grants.capabilities}`;

/** Parses a stored map of capabilities and levels. */
export const parseMap = (text: string): CapabilityMap => JSON.parse(text) as CapabilityMap;

/** The access facts in the rows of one user. */
export const toFacts = (
  userId: string,
  limits: TokenLimits,
  memberOf: readonly MembershipRow[],
  granted: readonly GrantRow[],
): AccessFacts => ({
  userId,
  limits,
  memberships: memberOf.flatMap(({ organizationIds, role, overrides, cameras, externalShares }) => {
    const given = {
      role,
      overrides: parseMap(overrides),
      cameras: cameras === 1,
      externalShares: externalShares === 1,
    };
    return organizationIds.split(",").map((organizationId) => ({ organizationId, ...given }));
  }),
  grants: granted.map(({ target, organizationId, capabilities, targetIds, cameras, externalShares }) => ({
    target,
    organizationId,
    targetIds: new Set(targetIds.split(",")),
    capabilities: parseMap(capabilities),
    cameras: cameras === 1,
    externalShares: externalShares === 1,
  })),
});

type Values<Name extends string> = Readonly<Record<Name | "now", string | number>>;

/**
 * Makes a query of the current facts about the user whose id the subquery `user` selects. It runs in one batch after the
 * statements `before`, so that the credential and the facts take one round trip. `user` names its values as placeholders.
 */
export function factsAfter<Name extends string>(user: () => SQL) {
  const memberOf = reusable<Name | "now">(() => selectMemberships(sql`${memberships.userId} = (${user()})`));
  const granted = reusable<Name | "now">(() =>
    selectGrants(sql`${grants.userId} = (${user()})`, sql.placeholder("now")),
  );
  return async (workspace: WorkspaceDatabase, before: readonly Composed[], values: Values<Name>) => {
    const results = await runBatch(workspace, [...before, memberOf(values), granted(values)]);
    return {
      found: results.slice(0, before.length),
      facts: (userId: string, limits: TokenLimits): AccessFacts =>
        toFacts(userId, limits, rowsOf(results.at(-2)), rowsOf(results.at(-1))),
    };
  };
}

const ofUser = factsAfter<"userId">(() => sql`${sql.placeholder("userId")}`);

/** Reads the facts of a user by id, in one batch after the statements `before`. */
export const factsOfUser = (workspace: WorkspaceDatabase, before: readonly Composed[], userId: string, now: number) =>
  ofUser(workspace, before, { userId, now });

/** Loads the current facts about one user: two statements in one batch. */
export async function loadFacts(
  workspace: WorkspaceDatabase,
  userId: string,
  limits: TokenLimits,
  now: number,
): Promise<AccessFacts> {
  const { facts } = await factsOfUser(workspace, [], userId, now);
  return facts(userId, limits);
}
