import { z } from "@hono/zod-openapi";
import { eq, type SQL, sql } from "drizzle-orm";
import { groupByPlace, readIn, requireOrganizationAdmin, requireUser, type UserCaller } from "../access";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import { beginChange, inTurn } from "../platform/db/change";
import { areUnmoved, isHere, isMoving, isUnmoved, NO_WORKSPACE, workspaceMoves } from "../platform/db/residence";
import { inPlaceholder, literal, reusable } from "../platform/db/statements";
import { DomainError, notFound } from "../platform/errors";
import { idSchema, newId } from "../platform/ids";
import { complete, continueLater, type RecurringHandler } from "../platform/jobs/handlers";
import { DAY, instantSchema, toUtc, utcSchema } from "../platform/time";
import type { SearchScope } from "./access-scope";
import { RESULT_TYPES } from "./kinds";
import { MAX_INSIGHT_QUERIES, MAX_INTERACTIONS, MAX_STORED_TERM_LENGTH } from "./limits";
import type { SearchRequest, SearchResponse } from "./schemas";
import { searchImpressionOrganizations, searchImpressions, searchInteractions } from "./tables";

const value = (name: string) => sql.placeholder(name);

const insertImpression = reusable<string>(
  () => sql`INSERT INTO ${searchImpressions}
      (id, user_id, term, corrected_term, result_count, results, first_position, created_at)
    VALUES (${value("id")}, ${value("userId")}, ${value("term")}, nullif(${value("correctedTerm")}, ''),
      ${value("resultCount")}, ${value("results")}, ${value("firstPosition")}, ${value("createdAt")})`,
);

/** Only for organizations that still exist: one may have been deleted since the caller was authenticated. */
const countForOrganizations = reusable<string>(
  () => sql`INSERT INTO ${searchImpressionOrganizations} (organization_id, created_at, search_id)
    SELECT id, ${value("createdAt")}, ${value("id")} FROM ${organizations}
    WHERE ${inPlaceholder(sql`id`, "organizationIds")} AND ${isHere(sql`id`)}`,
);

/**
 * Records a search, so that clients can report interactions with its results. A search for more passages of one
 * document belongs to the search before it, and does not count.
 */
export async function recordImpression(
  context: Context,
  caller: UserCaller,
  { term, scope, documentId }: Pick<SearchRequest, "term" | "scope" | "documentId">,
  { searchId, results, correctedTerm }: Pick<SearchResponse, "searchId" | "results" | "correctedTerm">,
): Promise<void> {
  const counted = documentId === undefined ? countsFor(caller, scope, results) : [];
  const values = {
    id: searchId,
    userId: caller.userId,
    term: foldedTerm(term),
    correctedTerm: correctedTerm === null ? "" : foldedTerm(correctedTerm),
    resultCount: results.length,
    results: JSON.stringify(results.map(idsOf)),
    firstPosition: results[0]?.rankPosition ?? 1,
    createdAt: context.now,
    organizationIds: JSON.stringify(counted),
  };
  // It is with the organizations that it counts for, or else with the personal workspace.
  const places = await groupByPlace(context, counted.length === 0 ? [caller.userId] : counted);
  await readIn(context, [...places.keys()], async (there, name) => {
    const workspaces = places.get(name) ?? [];
    const change = beginChange({ ...there, idempotency: null }, NO_WORKSPACE)
      .guard(areUnmoved(workspaces), workspaceMoves())
      .add(insertImpression(values));
    if (counted.length > 0) change.add(countForOrganizations(values));
    try {
      await change.commit();
    } catch (thrown) {
      // A search is answered even while its workspace moves, but then it has no interactions.
      if (!isMoving(thrown)) throw thrown;
    }
  });
}

/** The ids of a result and of its passages, each once. */
const idsOf = ({ resultId, passages }: SearchResponse["results"][number]): string[] => [
  ...new Set([resultId, ...passages.map((passage) => passage.resultId)]),
];

/** Organizations that one search counts for. */
const MAX_ORGANIZATIONS = 20;

/**
 * The organizations whose insights include the search: the organizations in the request that the caller is a member of.
 * If the request names none, it is the caller's only organization, or the organizations of the results.
 */
function countsFor(
  { facts }: UserCaller,
  { organizationIds }: SearchScope,
  results: SearchResponse["results"],
): string[] {
  const own = facts.memberships.map((membership) => membership.organizationId);
  const named = organizationIds ?? (own.length === 1 ? own : results.map(({ organizationId }) => organizationId));
  return own.filter((id) => named.includes(id)).slice(0, MAX_ORGANIZATIONS);
}

const RESULT_ACTIONS = ["ResultClick", "PreviewOpen", "DocumentOpen", "Download", "SnippetCopy"] as const;

export const interactionBody = z
  .strictObject({
    searchId: idSchema,
    action: z.enum([...RESULT_ACTIONS, "QueryReformulated"]),
    resultId: z.string().max(200).optional(),
    resultType: z.enum(RESULT_TYPES).optional(),
    rankPosition: z.int().min(1).optional(),
    dwellMilliseconds: z.int().min(0).max(DAY).optional(),
    reformulatedTerm: z.string().optional().openapi({ description: "Required with QueryReformulated." }),
  })
  .openapi("SearchInteraction");
type InteractionRequest = z.infer<typeof interactionBody>;

const refused = (detail: string): DomainError => new DomainError("rule-violated", detail);

/**
 * Records an interaction of the caller with a result of their own search.
 * @throws DomainError 404 for another person's search, 422 for a result that the search did not return.
 */
export async function recordInteraction(context: Context, request: InteractionRequest): Promise<void> {
  const caller = requireUser(context);
  const found = await readIn(context, caller.facts.databases, async (there) => {
    const which = eq(searchImpressions.id, request.searchId);
    const [impression] = await there.workspace.select().from(searchImpressions).where(which);
    return impression?.userId === caller.userId ? [{ there, impression }] : [];
  });
  const places = found.flat();
  const [first] = places;
  if (first === undefined) throw notFound();
  const { impression } = first;
  const rankPosition = checkedPosition(request, impression);
  const row = {
    id: newId(),
    searchId: request.searchId,
    action: request.action,
    resultId: request.resultId ?? null,
    rankPosition,
    dwellMs: request.dwellMilliseconds ?? null,
    reformulatedTerm: request.reformulatedTerm === undefined ? null : foldedTerm(request.reformulatedTerm),
    createdAt: context.now,
  };
  const kept = sql`SELECT count(*) FROM ${searchInteractions} WHERE search_id = ${request.searchId}`;
  // A search that counts for organizations in several databases is in each of them, with its interactions.
  for (const there of inTurn(places.map((place) => place.there)))
    await beginChange(there, NO_WORKSPACE)
      .guard(areOrganizationsUnmoved(sql`${row.searchId}`), workspaceMoves())
      .add(
        sql`INSERT INTO ${searchInteractions}
            (id, search_id, action, result_id, rank_position, dwell_ms, reformulated_term, created_at)
          SELECT ${row.id}, ${row.searchId}, ${row.action}, ${row.resultId}, ${row.rankPosition}, ${row.dwellMs},
            ${row.reformulatedTerm}, ${row.createdAt} WHERE (${kept}) < ${MAX_INTERACTIONS}`,
      )
      .commit();
}

/** Condition: no move and no backup holds an organization that the search counts for. */
const areOrganizationsUnmoved = (searchId: SQL): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM search_impression_organizations AS link
    WHERE link.search_id = ${searchId} AND NOT ${isUnmoved(sql`link.organization_id`)})`;

/** The rank position of the result; null for a reformulation. */
function checkedPosition(
  { action, resultId, resultType, rankPosition, reformulatedTerm }: InteractionRequest,
  { results, firstPosition }: { results: readonly (readonly string[])[]; firstPosition: number },
): number | null {
  if (action === "QueryReformulated") {
    if (reformulatedTerm === undefined) throw refused("Send the new query as `reformulatedTerm`.");
    if (resultId === undefined) return null;
  } else if (resultId === undefined) throw refused("Send the `resultId` of the result that the interaction is about.");
  const index = results.findIndex((ids) => ids.includes(resultId));
  if (index < 0) throw refused("This search did not return that result. Send the `resultId` of the response.");
  const position = firstPosition + index;
  if (rankPosition !== undefined && rankPosition !== position)
    throw refused(`The rank position of that result is ${position}. Send the \`rankPosition\` of the response.`);
  if (resultType !== undefined && !resultId.startsWith(`${resultType.toLowerCase()}:`))
    throw refused("That result has another type. Send the `resultType` of the response.");
  return position;
}

/** The form of a term in insights: lower case, single spaces, no control characters, bounded length. */
const foldedTerm = (term: string): string =>
  term
    .slice(0, MAX_STORED_TERM_LENGTH)
    .toWellFormed()
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();

/** Searches that a slice deletes, with their interactions. */
const EXPIRY_BATCH = 500;

/** Deletes searches that are older than SEARCH_TERMS_DAYS. */
export const expireSearches: RecurringHandler<"expire-searches"> = {
  hasWork: ({ now, settings }) =>
    sql`EXISTS (SELECT 1 FROM search_impressions WHERE created_at < ${now - settings.SEARCH_TERMS_DAYS * DAY})`,
  async run(context) {
    const before = context.now - context.settings.SEARCH_TERMS_DAYS * DAY;
    const old = sql`SELECT id FROM search_impressions WHERE created_at < ${before}
      AND ${areOrganizationsUnmoved(sql`search_impressions.id`)} LIMIT ${EXPIRY_BATCH}`;
    const [left] = await context.workspace.all<{ n: number }>(sql`SELECT count(*) AS "n" FROM (${old})`);
    const change = beginChange(context, NO_WORKSPACE).add(sql`DELETE FROM search_impressions WHERE id IN (${old})`);
    return left?.n === EXPIRY_BATCH ? continueLater(null, { change }) : complete(change);
  },
};

/** Period of a request without `fromUtc`. */
const DEFAULT_PERIOD_MS = 30 * DAY;

export const insightsQuery = z.object({
  organizationId: idSchema,
  fromUtc: instantSchema.optional(),
  toUtc: instantSchema.optional(),
});

const querySchema = z
  .object({ term: z.string(), searches: z.int(), clicks: z.int(), meanClickRank: z.number().nullable() })
  .openapi("SearchQueryStatistics");

export const insightsSchema = z
  .object({
    organizationId: idSchema,
    fromUtc: utcSchema,
    toUtc: utcSchema,
    searches: z.int(),
    clicks: z.int().openapi({
      description: "Searches with at least one result that a user opened, previewed, downloaded or copied from.",
    }),
    meanClickRank: z
      .number()
      .nullable()
      .openapi({ description: "Mean rank position of the clicked results; 1 is the first." }),
    mostFrequent: z.array(querySchema),
    zeroResults: z.array(querySchema),
    neverClicked: z.array(querySchema),
  })
  .openapi("SearchInsights");

/** One row of the result: the whole period, or one query in one of the lists. */
const rowSchema = querySchema.extend({
  list: z.enum(["all", "mostFrequent", "zeroResults", "neverClicked"]),
  term: z.string().nullable(),
});

/** Totals and lists of a period, from one pass over the first pages of its searches and their clicks. */
function periodOf(organizationId: string, from: number, to: number): SQL {
  const list = (name: string, where: SQL) => sql`SELECT * FROM (
    SELECT ${sql.raw(`'${name}'`)}, term, searches, clicks, rank FROM terms WHERE ${where}
    ORDER BY searches DESC, term LIMIT ${literal(MAX_INSIGHT_QUERIES)})`;
  return sql`WITH searched AS MATERIALIZED (
    SELECT i.term AS term, i.result_count AS results,
      (SELECT count(*) > 0 FROM search_interactions c WHERE c.search_id = i.id AND c.action <> 'QueryReformulated') AS clicked,
      (SELECT avg(c.rank_position) FROM search_interactions c WHERE c.search_id = i.id AND c.action <> 'QueryReformulated') AS click_rank
    FROM search_impression_organizations o CROSS JOIN search_impressions i ON i.id = o.search_id
    WHERE o.organization_id = ${organizationId} AND o.created_at >= ${from} AND o.created_at < ${to}
      AND i.first_position = 1 AND i.term <> ''),
  terms AS MATERIALIZED (
    SELECT term, count(*) AS searches, sum(clicked) AS clicks, round(avg(click_rank), 2) AS rank, max(results) AS results
    FROM searched GROUP BY term),
  answer (list, term, searches, clicks, rank) AS (
    SELECT 'all', NULL, count(*), coalesce(sum(clicked), 0), round(avg(click_rank), 2) FROM searched
    UNION ALL ${list("mostFrequent", sql`1`)}
    UNION ALL ${list("zeroResults", sql`results = 0`)}
    UNION ALL ${list("neverClicked", sql`results > 0 AND clicks = 0`)})
  SELECT list AS "list", term AS "term", searches AS "searches", clicks AS "clicks", rank AS "meanClickRank"
  FROM answer ORDER BY list, searches DESC, term`;
}

/** Search insights of an organization, for its owners and admins. @throws DomainError 400, 401, 403, 404. */
export async function readInsights(context: Context, query: z.output<typeof insightsQuery>) {
  requireOrganizationAdmin(context, query.organizationId);
  const { workspace, now } = context;
  const to = query.toUtc ?? now;
  const from = query.fromUtc ?? to - DEFAULT_PERIOD_MS;
  if (from >= to) throw new DomainError("validation-failed", "Send a `fromUtc` that is before `toUtc`.");
  const rows = z.array(rowSchema).parse(await workspace.all(periodOf(query.organizationId, from, to)));
  const listed = (name: z.infer<typeof rowSchema>["list"]) =>
    rows.flatMap(({ list, term, ...counts }) => (list === name && term !== null ? [{ term, ...counts }] : []));
  const all = rows.find(({ list }) => list === "all");
  return {
    organizationId: query.organizationId,
    fromUtc: toUtc(from),
    toUtc: toUtc(to),
    searches: all?.searches ?? 0,
    clicks: all?.clicks ?? 0,
    meanClickRank: all?.meanClickRank ?? null,
    mostFrequent: listed("mostFrequent"),
    zeroResults: listed("zeroResults"),
    neverClicked: listed("neverClicked"),
  };
}
