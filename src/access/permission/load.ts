import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { AccessFacts, GrantTarget, TokenLimits } from "../../platform/caller";
import type { CapabilityMap, Role } from "../../platform/capabilities";
import {
  type Composed,
  type Databases,
  readBoth,
  rowsOf,
  runBatch,
  type WorkspaceDatabase,
} from "../../platform/db/database";
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
const selectMemberships = (where: SQL): SQL => sql`SELECT ${memberships.userId} AS userId, ${memberships.role} AS role,
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

const memberOf = reusable<"userId">(() => selectMemberships(sql`${memberships.userId} = ${sql.placeholder("userId")}`));
const granted = reusable<"userId" | "now">(() =>
  selectGrants(sql`${grants.userId} = ${sql.placeholder("userId")}`, sql.placeholder("now")),
);

/**
 * Reads the current facts about a user beside statements of the directory, such as the statement that reads the
 * credential: both take one round trip. The directory's answer decides whether the facts count.
 */
export async function factsOfUser(
  databases: Databases,
  ofDirectory: readonly Composed[],
  userId: string,
  now: number,
): Promise<{ found: D1Result[]; facts: (limits: TokenLimits) => AccessFacts }> {
  const results = await readBoth(databases, {
    directory: ofDirectory,
    workspace: [memberOf({ userId }), granted({ userId, now })],
  });
  const [memberRows, grantRows] = results.workspace;
  return {
    found: results.directory,
    facts: (limits) => toFacts(userId, limits, rowsOf(memberRows), rowsOf(grantRows)),
  };
}

/** Loads the current facts about one user: two statements in one batch. */
export async function loadFacts(
  workspace: WorkspaceDatabase,
  userId: string,
  limits: TokenLimits,
  now: number,
): Promise<AccessFacts> {
  const [memberRows, grantRows] = await runBatch(workspace, [memberOf({ userId }), granted({ userId, now })]);
  return toFacts(userId, limits, rowsOf(memberRows), rowsOf(grantRows));
}

/** The ends of a user's grants, milliseconds since the epoch: the latest one that has passed, and the next one. */
export interface GrantEnds {
  last: number | null;
  next: number | null;
}

const grantEnds = reusable<"userIds" | "since" | "now">(
  () => sql`SELECT ${grants.userId} AS userId,
    max(CASE WHEN ${grants.expiresAt} <= ${sql.placeholder("now")} THEN ${grants.expiresAt} END) AS last,
    min(CASE WHEN ${grants.expiresAt} > ${sql.placeholder("now")} THEN ${grants.expiresAt} END) AS next
    FROM ${grants} WHERE ${grants.userId} IN (SELECT value FROM json_each(${sql.placeholder("userIds")}))
      AND ${grants.expiresAt} > ${sql.placeholder("since")} GROUP BY ${grants.userId}`,
);

/**
 * Reads when the grants of these users end: one answer for each, in their order.
 * @param since earlier ends do not count, milliseconds since the epoch
 */
export async function loadGrantEnds(
  workspace: WorkspaceDatabase,
  userIds: readonly string[],
  since: number,
  now: number,
): Promise<GrantEnds[]> {
  const [rows] = await runBatch(workspace, [grantEnds({ userIds: JSON.stringify(userIds), since, now })]);
  const known = new Map(rowsOf<GrantEnds & { userId: string }>(rows).map((row) => [row.userId, row]));
  return userIds.map((userId) => {
    const { last, next } = known.get(userId) ?? { last: null, next: null };
    return { last, next };
  });
}
