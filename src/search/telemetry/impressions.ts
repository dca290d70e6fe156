import { sql } from "drizzle-orm";
import type { UserCaller } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { reusable } from "../../platform/db/reusable";
import { inGiven } from "../../platform/db/sets";
import type { SearchScope } from "../reach";
import type { SearchResponse } from "../schemas";
import { searchImpressionOrganizations, searchImpressions } from "../tables";
import { foldedTerm } from "./term";

const value = (name: string) => sql.placeholder(name);

const insertImpression = reusable<string>(
  () => sql`INSERT INTO ${searchImpressions}
      (id, user_id, term, corrected_term, result_count, results, first_position, created_at)
    VALUES (${value("id")}, ${value("userId")}, ${value("term")}, nullif(${value("correctedTerm")}, ''),
      ${value("resultCount")}, ${value("results")}, ${value("firstPosition")}, ${value("createdAt")})`,
);

/** Of those that are there still: an organization may have been deleted since the caller was authenticated. */
const countForOrganizations = reusable<string>(
  () => sql`INSERT INTO ${searchImpressionOrganizations} (organization_id, created_at, search_id)
    SELECT id, ${value("createdAt")}, ${value("id")} FROM ${organizations} WHERE ${inGiven(sql`id`, "organizationIds")}`,
);

/** Records an answered search, so that what is done with it can be reported. */
export async function recordImpression(
  context: Context,
  caller: UserCaller,
  scope: SearchScope,
  term: string,
  { searchId, results, correctedTerm }: Pick<SearchResponse, "searchId" | "results" | "correctedTerm">,
): Promise<void> {
  const counted = countsFor(caller, scope, results);
  const values = {
    id: searchId,
    userId: caller.userId,
    term: foldedTerm(term),
    correctedTerm: correctedTerm === null ? "" : foldedTerm(correctedTerm),
    resultCount: results.length,
    results: JSON.stringify(results.map(({ resultId }) => resultId)),
    firstPosition: results[0]?.rankPosition ?? 1,
    createdAt: context.now,
    organizationIds: JSON.stringify(counted),
  };
  const change = beginChange({ ...context, idempotency: null }).add(insertImpression(values));
  if (counted.length > 0) change.add(countForOrganizations(values));
  await change.commit();
}

/** Organizations one search counts for at most. */
const MOST_ORGANIZATIONS = 20;

/**
 * Whose insights a search belongs to: the caller's own organizations that it named; without a name
 * the only one, or those that its results came from. An admin never learns what was asked elsewhere.
 */
function countsFor(
  { facts }: UserCaller,
  { organizationIds }: SearchScope,
  results: SearchResponse["results"],
): string[] {
  const own = facts.memberships.map((membership) => membership.organizationId);
  const named = organizationIds ?? (own.length === 1 ? own : results.map(({ organizationId }) => organizationId));
  return own.filter((id) => named.includes(id)).slice(0, MOST_ORGANIZATIONS);
}
