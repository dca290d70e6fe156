import { type SQLWrapper, sql } from "drizzle-orm";
import { credentialKey, type GrantRow, limitsOf, parseMap, selectGrants, type TokenRow, toFacts } from "../access";
import { accessTokens, grants, memberships, organizations, sessions } from "../access/tables";
import {
  type AccessFacts,
  type CredentialRef,
  type MembershipFact,
  NO_LIMITS,
  type TokenLimits,
} from "../platform/caller";
import type { Role } from "../platform/capabilities";
import { type Composed, type Databases, readBoth, rowsOf } from "../platform/db/database";
import { reusable } from "../platform/db/statements";
import { locations } from "./tables";

/** The path of a location. */
interface LocationPathRow {
  id: string;
  tenantId: string;
  organizationId: string | null;
  clusterId: string;
}

export interface AccessAtLocation {
  /** Null if the location is deleted. */
  location: LocationPathRow | null;
  /** The facts that decide at this location, by `credentialKey`. Ended credentials are missing. */
  facts: ReadonlyMap<string, AccessFacts>;
  /** The earliest end of a credential's grants here, milliseconds since the epoch. Credentials without an end are missing. */
  endsAt: ReadonlyMap<string, number>;
  /** The results of `alongside`, of the same moment. */
  alongside: readonly D1Result[];
}

type LiveTokens = Pick<TokenRow, "organizationIds" | "ceiling"> & { ids: string };
interface Members {
  organizationId: string;
  role: Role;
  overrides: string;
  cameras: number;
  externalShares: number;
  userIds: string;
}

const isInSet = (set: string) => sql`IN (SELECT value FROM json_each(${sql.placeholder(set)}))`;
const here = sql`${locations.id} = ${sql.placeholder("locationId")}`;

const place = reusable<"locationId">(
  () => sql`SELECT ${locations.id} AS id, ${locations.tenantId} AS tenantId, ${locations.organizationId} AS organizationId,
    ${locations.clusterId} AS clusterId FROM ${locations} WHERE ${here} AND ${locations.deletedAt} IS NULL`,
);

/*
 * Most of a thousand listeners have the same role and unrestricted tokens. So the queries group credentials and members
 * that differ only in their ids, and join the ids with commas.
 */
const isLive = (ends: SQLWrapper, revoked: SQLWrapper) =>
  sql`${revoked} IS NULL AND (${ends} IS NULL OR ${ends} > ${sql.placeholder("now")})`;
const liveSessions = reusable<"sessionIds" | "now">(
  () => sql`SELECT group_concat(${sessions.id}) AS ids FROM ${sessions}
    WHERE ${sessions.id} ${isInSet("sessionIds")} AND ${isLive(sessions.expiresAt, sessions.revokedAt)}`,
);
const liveTokens = reusable<"tokenIds" | "now">(
  () => sql`SELECT ${accessTokens.organizationIds} AS organizationIds, ${accessTokens.capabilities} AS ceiling,
    group_concat(${accessTokens.id}) AS ids FROM ${accessTokens}
    WHERE ${accessTokens.id} ${isInSet("tokenIds")} AND ${isLive(accessTokens.expiresAt, accessTokens.revokedAt)}
    GROUP BY ${accessTokens.organizationIds}, ${accessTokens.capabilities}`,
);
const members = reusable<"locationId" | "userIds">(
  () => sql`SELECT ${memberships.organizationId} AS organizationId, ${memberships.role} AS role, ${memberships.overrides} AS overrides,
    ${organizations.cameras} AS cameras, ${organizations.externalShares} AS externalShares, group_concat(${memberships.userId}) AS userIds
    FROM ${memberships} JOIN ${organizations} ON ${organizations.id} = ${memberships.organizationId}
    WHERE ${memberships.organizationId} = (SELECT ${locations.organizationId} FROM ${locations} WHERE ${here})
      AND ${memberships.userId} ${isInSet("userIds")} GROUP BY ${memberships.role}, ${memberships.overrides}`,
);
const granted = reusable<"locationId" | "targetIds" | "userIds" | "now">(() =>
  selectGrants(
    sql`(${grants.targetId} ${isInSet("targetIds")}
      OR ${grants.targetId} = (SELECT ${locations.clusterId} FROM ${locations} WHERE ${here}))
      AND ${grants.userId} ${isInSet("userIds")}`,
    sql.placeholder("now"),
  ),
);

/**
 * Loads the access facts of many credentials at one location and at documents in it. It takes one round trip with sets as
 * parameters, so the number of credentials does not change the number of statements. The facts do not contain the
 * memberships and grants of other locations.
 * @param now milliseconds since the epoch.
 * @param alongside reads of the workspace that run in the same transaction, so that they are of the same moment
 */
export async function loadAccessAtLocation(
  databases: Databases,
  refs: readonly CredentialRef[],
  locationId: string,
  documentIds: readonly string[],
  now: number,
  alongside: readonly Composed[] = [],
): Promise<AccessAtLocation> {
  const idsOf = (kind: CredentialRef["kind"]) => {
    const ids = refs.filter((ref) => ref.kind === kind).map((ref) => ref.id);
    return JSON.stringify([...new Set(ids)]);
  };
  const userIds = JSON.stringify([...new Set(refs.map((ref) => ref.userId))]);
  const targetIds = JSON.stringify([locationId, ...documentIds]);
  const { directory: credentials, workspace: access } = await readBoth(databases, {
    directory: [liveSessions({ sessionIds: idsOf("session"), now }), liveTokens({ tokenIds: idsOf("pat"), now })],
    workspace: [
      place({ locationId }),
      members({ locationId, userIds }),
      granted({ locationId, targetIds, userIds, now }),
      ...alongside,
    ],
  });
  const limits = new Map<string, TokenLimits>();
  const note = (kind: CredentialRef["kind"], ids: string | null, cut: TokenLimits) => {
    for (const id of ids?.split(",") ?? []) limits.set(credentialKey({ kind, id }), cut);
  };
  for (const { ids } of rowsOf<{ ids: string | null }>(credentials[0])) note("session", ids, NO_LIMITS);
  for (const row of rowsOf<LiveTokens>(credentials[1])) note("pat", row.ids, limitsOf(row));
  const membershipOf = new Map<string, MembershipFact>();
  for (const row of rowsOf<Members>(access[1])) {
    const { organizationId, role } = row;
    const entitlements = { cameras: row.cameras === 1, externalShares: row.externalShares === 1 };
    const fact = { organizationId, role, overrides: parseMap(row.overrides), ...entitlements };
    for (const userId of row.userIds.split(",")) membershipOf.set(userId, fact);
  }
  const grantsOf = Map.groupBy(rowsOf<GrantRow>(access[2]), (row) => row.userId);
  const limitsFor = (ref: CredentialRef) => {
    if (ref.expiresAt !== null && ref.expiresAt <= now) return undefined;
    return ref.kind === "session" || ref.kind === "pat" ? limits.get(credentialKey(ref)) : NO_LIMITS;
  };
  const facts = new Map<string, AccessFacts>();
  const endsAt = new Map<string, number>();
  for (const ref of refs) {
    const cut = limitsFor(ref);
    if (cut === undefined) continue;
    const own = grantsOf.get(ref.userId) ?? [];
    const ends = own.flatMap((grant) => (grant.endsAt === null ? [] : [grant.endsAt]));
    if (ends.length > 0) endsAt.set(credentialKey(ref), Math.min(...ends));
    const membership = membershipOf.get(ref.userId);
    const memberOf = membership === undefined ? [] : [membership];
    facts.set(credentialKey(ref), { ...toFacts(ref.userId, cut, [], own), memberships: memberOf });
  }
  return { location: rowsOf<LocationPathRow>(access[0])[0] ?? null, facts, endsAt, alongside: access.slice(3) };
}
