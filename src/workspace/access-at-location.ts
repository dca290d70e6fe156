import { sql } from "drizzle-orm";
import {
  type GrantRow,
  isBarred,
  liveLimitsIn,
  parseMap,
  placesIn,
  readLiveCredentials,
  selectGrants,
  toFacts,
} from "../access";
import { grants, memberships, organizations } from "../access/tables";
import type { AccessFacts, CredentialRef, MembershipFact, SignInRequirement } from "../platform/caller";
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

interface AccessAtLocation {
  /** Null if the location is deleted. */
  location: LocationPathRow | null;
  /** For each credential, in the given order, the facts that decide at this location; null for an ended credential. */
  held: readonly (HeldAccess | null)[];
  /** The results of `alongside`, of the same moment. */
  alongside: readonly D1Result[];
}

/** The access of one credential at a location. */
interface HeldAccess {
  facts: AccessFacts;
  /** The earliest end of its grants here, milliseconds since the epoch; null if none ends. */
  endsAt: number | null;
}

interface Members {
  organizationId: string;
  role: Role;
  overrides: string;
  cameras: number;
  externalShares: number;
  requirement: SignInRequirement;
  /** Places of the users in the list of the statement, joined with commas. */
  places: string;
}

const isInSet = (set: string) => sql`IN (SELECT value FROM json_each(${sql.placeholder(set)}))`;
const here = sql`${locations.id} = ${sql.placeholder("locationId")}`;

const pathOfLocation = reusable<"locationId">(
  () => sql`SELECT ${locations.id} AS id, ${locations.tenantId} AS tenantId, ${locations.organizationId} AS organizationId,
    ${locations.clusterId} AS clusterId FROM ${locations} WHERE ${here} AND ${locations.deletedAt} IS NULL`,
);

/** Most of a thousand listeners have the same role. So members that differ only in their ids are one row. */
const members = reusable<"locationId" | "userIds">(
  () => sql`SELECT ${memberships.organizationId} AS organizationId, ${memberships.role} AS role, ${memberships.overrides} AS overrides,
    ${organizations.cameras} AS cameras, ${organizations.externalShares} AS externalShares,
    ${organizations.signInRequirement} AS requirement, group_concat(given.key) AS places
    FROM json_each(${sql.placeholder("userIds")}) AS given CROSS JOIN ${memberships} JOIN ${organizations} ON ${organizations.id} = ${memberships.organizationId}
    WHERE ${memberships.userId} = given.value AND ${memberships.organizationId} = (SELECT ${locations.organizationId} FROM ${locations} WHERE ${here})
      AND ${organizations.deletedAt} IS NULL GROUP BY ${memberships.role}, ${memberships.overrides}`,
);
/** By target: a resource has at most MAX_GRANTS_PER_RESOURCE grants, a person ten times as many. `+` keeps SQLite from the index by person. */
const granted = reusable<"locationId" | "targetIds" | "userIds" | "now">(() =>
  selectGrants(
    sql`${grants.targetId} IN (SELECT value FROM json_each(${sql.placeholder("targetIds")})
      UNION ALL SELECT ${locations.clusterId} FROM ${locations} WHERE ${here})
      AND +${grants.userId} ${isInSet("userIds")}`,
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
  const userIds = JSON.stringify(refs.map((ref) => ref.userId));
  const targetIds = JSON.stringify([locationId, ...documentIds]);
  const { directory: credentials, workspace: access } = await readBoth(databases, {
    directory: readLiveCredentials(refs, now),
    workspace: [
      pathOfLocation({ locationId }),
      members({ locationId, userIds }),
      granted({ locationId, targetIds, userIds, now }),
      ...alongside,
    ],
  });
  const memberOf: { shared: readonly MembershipFact[]; requirement: SignInRequirement; role: Role }[] = [];
  for (const row of rowsOf<Members>(access[1])) {
    const { organizationId, role, requirement } = row;
    const entitlements = { cameras: row.cameras === 1, externalShares: row.externalShares === 1 };
    const shared = [{ organizationId, role, overrides: parseMap(row.overrides), ...entitlements }];
    for (const place of placesIn(row.places)) memberOf[place] = { shared, requirement, role };
  }
  const grantsOf = Map.groupBy(rowsOf<GrantRow>(access[2]), (row) => row.userId);
  const held = liveLimitsIn(credentials, refs, now).map((limits, i) => {
    const userId = refs[i]?.userId;
    if (limits === null || userId === undefined) return null;
    const standing = memberOf[i];
    // The grants here are in the organization of the membership.
    if (standing !== undefined && isBarred(standing.requirement, standing.role, limits))
      return { facts: toFacts(userId, limits, [], []), endsAt: null };
    const own = grantsOf.get(userId) ?? [];
    const ends = own.flatMap((grant) => grant.endsAt ?? []);
    const facts = { ...toFacts(userId, limits, [], own), memberships: standing?.shared ?? [] };
    return { facts, endsAt: ends.length === 0 ? null : Math.min(...ends) };
  });
  return { location: rowsOf<LocationPathRow>(access[0])[0] ?? null, held, alongside: access.slice(3) };
}
