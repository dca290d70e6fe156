import { sql } from "drizzle-orm";
import type { AccessFacts, UserCaller } from "../access";
import { NO_LIMITS } from "../platform/caller";
import type { Context } from "../platform/context";
import { rowsOf, runBatch } from "../platform/db/database";
import { reusable } from "../platform/db/statements";
import { KIND_PREFIXES, KINDS, type Kind, reachOf } from "./kinds";
import { GRANTS_WITHOUT_INDEX } from "./limits";
import { searchGuests } from "./tables";

/** The index of a guest in one organization: a copy of all postings that the guest may read there, under one scope. */
export interface GuestIndex {
  key: number;
  organizationId: string;
  /** The id of its scope. */
  scopeId: string;
  /** The number of changes of the guest's grants, and of the places of the organization. */
  revision: number;
}

type Grant = AccessFacts["grants"][number];

/** The kinds of resources to which grants of this kind lead, by their letters in terms. A token's limits do not count. */
export function kindsOfGrant(userId: string, grant: Grant): string {
  const facts = {
    userId,
    memberships: [],
    grants: [grant],
    limits: NO_LIMITS,
    databases: [],
  };
  return KINDS.filter((kind) => leadsAnywhere(facts, kind))
    .map((kind) => KIND_PREFIXES[kind].word)
    .join("");
}

function leadsAnywhere(facts: AccessFacts, kind: Kind): boolean {
  const { clusters, locations, documents } = reachOf(facts, kind, true);
  return clusters.length + locations.length + documents.length > 0;
}

/** Whether the grants of an index lead to a kind, within the limits of a token. One id stands for all targets of a grant. */
export function leadsTo(facts: AccessFacts, { organizationId, scopeId }: GuestIndex, kind: Kind): boolean {
  const grants = facts.grants
    .filter((grant) => grant.organizationId === organizationId)
    .map((grant) => ({ ...grant, targetIds: new Set([scopeId]) }));
  return leadsAnywhere({ ...facts, grants }, kind);
}

/** The facts without the grants that have an index. */
export function withoutGrantsIn(facts: AccessFacts, indexes: readonly GuestIndex[]): AccessFacts {
  if (indexes.length === 0) return facts;
  const indexed = new Set<string | null>(indexes.map(({ organizationId }) => organizationId));
  return { ...facts, grants: facts.grants.filter(({ organizationId }) => !indexed.has(organizationId)) };
}

const currentIndexes = reusable<"userId" | "now">(
  () => sql`SELECT ${searchGuests.key} AS "key", ${searchGuests.organizationId} AS "organizationId", ${searchGuests.revision} AS "revision"
    FROM ${searchGuests} WHERE ${searchGuests.userId} = ${sql.placeholder("userId")} AND ${searchGuests.current} = 1
      AND (${searchGuests.validUntil} IS NULL OR ${searchGuests.validUntil} > ${sql.placeholder("now")})
    ORDER BY ${searchGuests.key}`,
);

/** The indexes of a guest that have exactly what the grants of the guest give now. Callers with few grants have none. */
async function indexesOf({ workspace, now }: Context, { userId, facts }: UserCaller): Promise<GuestIndex[]> {
  const granted = facts.grants.reduce((sum, { targetIds }) => sum + targetIds.size, 0);
  if (granted <= GRANTS_WITHOUT_INDEX) return [];
  const [result] = await runBatch(workspace, [currentIndexes({ userId, now })]);
  return rowsOf<Omit<GuestIndex, "scopeId">>(result).map((row) => ({
    ...row,
    scopeId: `${userId}/${row.organizationId}`,
  }));
}

/**
 * Reads with the indexes of a guest. If a grant or a place changes meanwhile, it reads again without these indexes. So the answer never comes
 * from an index of earlier grants.
 */
export async function withIndexes<T>(
  context: Context,
  caller: UserCaller,
  isUsable: boolean,
  read: (indexes: readonly GuestIndex[]) => Promise<T>,
): Promise<T> {
  const indexes = isUsable ? await indexesOf(context, caller) : [];
  const answer = await read(indexes);
  if (indexes.length === 0) return answer;
  const after = await indexesOf(context, caller);
  const revisions = new Map(after.map(({ key, revision }) => [key, revision]));
  return indexes.every(({ key, revision }) => revisions.get(key) === revision) ? answer : read([]);
}
