import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { requireOrganizationAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { literal } from "../../platform/db/statements";
import { DomainError } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { DAY, instantSchema, toUtc, utcSchema } from "../../platform/time";
import { MAX_INSIGHT_QUERIES } from "../limits";

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
  const { db, now } = context;
  const to = query.toUtc ?? now;
  const from = query.fromUtc ?? to - DEFAULT_PERIOD_MS;
  if (from >= to) throw new DomainError("validation-failed", "Send a `fromUtc` that is before `toUtc`.");
  const rows = z.array(rowSchema).parse(await db.all(periodOf(query.organizationId, from, to)));
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
