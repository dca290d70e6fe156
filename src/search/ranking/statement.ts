import { type SQL, sql } from "drizzle-orm";
import type { Composed } from "../../platform/db/database";
import { literal, reusableForms } from "../../platform/db/statements";
import {
  type AccessScope,
  type AccessScopeForm,
  accessScopeRows,
  visibleGroupsAndEntries,
  visibleLanguages,
  visibleRows,
} from "../access-scope";
import { detailColumns, detailJoins, placeJoins } from "../details";
import { MAX_LISTED_PASSAGES, MAX_PASSAGES_PER_DOCUMENT, MAX_RESULTS, MAX_SCORED_SECTIONS } from "../limits";
import type { Query } from "../query";
import {
  conditions,
  countOf,
  formOf,
  isComplete,
  laneColumns,
  laneNames,
  laneOf,
  laneSums,
  lanesOf,
  limitsOf,
  listOfOccurrences,
  occurrencesInPassages,
  phraseQueries,
  postings,
  type QueryForm,
  type ReadLimits,
  termQueries,
  UNITS_OF_WORD,
  valuesOf,
} from "./postings";

/**
 * The parameters of BM25F (Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, 3.6):
 * the term counts of the fields are weighted, normalized by length, added, and then saturated.
 */
const BM25F = {
  /** Saturation: with a smaller value, repetitions of a word count less. */
  k1: 1.2,
  /** Weight of one word in the title, in words of the body. */
  titleWeight: 4,
  /** Normalization by the length of a field, 0 (none) to 1 (full). */
  b: 0.6,
  /** Maximum of the mean count of a word in the rows that contain it (Kwok 1996), a factor of its weight. */
  maxMeanCount: 4,
  /** Weight of the score of a passage beside the score of its section. */
  passageWeight: 0.75,
} as const;

/** The sort key of the last hit of the previous page. */
export type After = readonly [score: number, rank: number, resource: string];

/** The part of the hits that is returned. */
export interface Wanted {
  limit: number;
  after: After | null;
  /** Only this document, with more of its passages; null for all resources. */
  documentId: string | null;
}

/** Passages of a document in a hit. */
const passagesOf = ({ documentId }: Wanted): number =>
  documentId === null ? MAX_PASSAGES_PER_DOCUMENT : MAX_LISTED_PASSAGES;

interface Form extends QueryForm {
  access: AccessScopeForm;
  limits: ReadLimits;
  limit: number;
  after: boolean;
  /** Whether one document is asked for. */
  single: boolean;
  passages: number;
}

const wordsOf = ({ words }: QueryForm): number[] => Array.from({ length: words }, (_, word) => word);
const each = (form: QueryForm, write: (word: number) => SQL): SQL => sql.join(wordsOf(form).map(write), sql`, `);

/** Joins expressions in halves: D1 limits the depth of an expression to 100. */
function joined(parts: readonly SQL[], operator: SQL): SQL {
  if (parts.length <= 1) return parts[0] ?? sql`0`;
  const half = Math.ceil(parts.length / 2);
  return sql`(${joined(parts.slice(0, half), operator)} ${operator} ${joined(parts.slice(half), operator)})`;
}
const sumOf = (form: QueryForm, write: (word: number) => SQL): SQL => joined(wordsOf(form).map(write), sql`+`);
const column = (name: string, word: number): SQL => sql.raw(`${name}${word}`);

/** The count of a word in the columns `name0`, `name1`, … */
const counted = (name: string, word: number): SQL => countOf(word, column(name, laneOf(word)));

/** The normalized count of a field of this length. `rate` is BY_LENGTH over the mean length of the field. */
const normalized = (count: SQL, length: SQL, rate: SQL, weight = 1): SQL =>
  sql`${count} / (${literal(((1 - BM25F.b) * UNITS_OF_WORD) / weight)} + ${rate} * ${length})`;
const BY_LENGTH = BM25F.b * UNITS_OF_WORD;

/**
 * The sum of the saturated counts of all words. Each is `w * tf * (k1 + 1) / (tf + k1)`, written as
 * `w * (k1 + 1) - k1 * (k1 + 1) * (w / (tf + k1))`, because SQLite then computes `tf` once, and all first parts and factors once.
 */
const scoreOf = (form: QueryForm, body: (word: number) => SQL, length: SQL, rate: SQL): SQL => {
  const { k1, titleWeight } = BM25F;
  const missing = sumOf(form, (word) => {
    const title = normalized(counted("t", word), sql`title_length`, sql`title_rate`, titleWeight);
    return sql`${column("w", word)} / (${title} + ${normalized(body(word), length, rate)} + ${literal(k1)})`;
  });
  return sql`full - ${literal(k1 * (k1 + 1))} * (${missing})`;
};

/** `scoreOf` of a row without a word in its title, which most rows are. It has half the operations. */
const scoreWithoutTitle = (form: QueryForm, body: (word: number) => SQL, length: SQL, rate: SQL): SQL =>
  sql`full - ${literal(BM25F.k1 * (BM25F.k1 + 1))} * (${sumOf(form, (word) => sql`${column("w", word)} / (${normalized(body(word), length, rate)} + ${literal(BM25F.k1)})`)})`;

/** The part of the weight of all words that the words with `has` have. */
const covered = (form: QueryForm, has: (word: number) => SQL): SQL =>
  sql`(${sumOf(form, (word) => sql`${column("w", word)} * (${has(word)} > 0)`)}) / weight_of_all`;

/** A number above all counts of occurrences: the sum of a word is its occurrences plus its rows times this number. */
const ROW = 2 ** 32;
/** The number that a row with this count of a word adds to the sum of the word. */
const occurrences = (count: SQL): SQL => sql`${count} + ${literal(ROW)}`;

/** The weight of a word that occurs in some of `n` rows, of the sum `summed` of its counts; 0 where it does not occur. */
const weight = sql`coalesce(iif(summed >> 32 > 0, typed * ln(1 + (n - (summed >> 32) + 0.5) / ((summed >> 32) + 0.5))
  * min(${literal(BM25F.maxMeanCount)}, max(1.0, (summed & ${literal(ROW - 1)}) / ${literal(UNITS_OF_WORD)}.0 / (summed >> 32))), 0), 0)`;

/**
 * The sums of each word over the texts or over the other rows, as `(tenant, of_text, s0, s1, …)`. A query has at most
 * 100 columns in D1, so each kind has its own rows.
 */
const sumsOf = (form: Form, isText: 0 | 1): SQL => sql`
  SELECT ${form.access.hasOneTenant ? sql`max(tenant) AS tenant` : sql`tenant`}, ${literal(isText)} AS of_text,
    ${each(form, (word) => sql`sum(iif(${counted("x", word)}, ${occurrences(counted("x", word))}, 0)) AS ${column("s", word)}`)}
  FROM matches WHERE is_text = ${literal(isText)} ${form.access.hasOneTenant ? sql`` : sql`GROUP BY tenant`}`;

/** The mean length in the rows of `visible` that have the kind `of_text`, at least 1. */
const mean = (length: SQL, count: SQL): SQL => {
  const ofKind = (column: SQL): SQL => sql`sum(iif(is_text = of_text, ${column}, 0))`;
  return sql`max(1.0, 1.0 * ${ofKind(length)} / max(1, ${ofKind(count)}))`;
};

/**
 * Computes the score of each visible row, and of the passages of the best sections, from the statistics of visible
 * rows. Statistics of texts come only from texts, statistics of the few other rows from all rows. A row has the counts
 * of all words, so SQLite looks it up once and never sorts counts. `LIMIT -1` has no effect on rows: it keeps SQLite
 * from computing a sum again at each of its uses. Only the last queries have window functions: SQLite adds the depths
 * of all queries that read from one with a window, and D1 allows 100.
 */
function scoredRows(form: Form): SQL {
  const { access, excludes, phrasesAreWords, limits } = form;
  const { k1 } = BM25F;
  const inRow = (word: number): SQL => counted("x", word);
  const inPassage = (word: number): SQL => sql`(${counted("t", word)} + ${counted("b", word)})`;
  const ofBody = (word: number): SQL => sql`(${inRow(word)} - ${counted("t", word)})`;
  const hasTitle = joined(
    lanesOf(form).map((lane) => column("t", lane)),
    sql`OR`,
  );
  const ofText = sql`is_text AND (${joined(
    wordsOf(form).map((word) => sql`${ofBody(word)} > 0`),
    sql`OR`,
  )})`;
  // A phrase must occur, even if it counts as a word.
  const allowed = phrasesAreWords
    ? joined([conditions(form), ...wordsOf(form).map(inRow)], sql`AND`)
    : conditions(form);
  const passageLength = sql`body_length * ((ends ->> position) - iif(position = 0, 0, ends ->> (position - 1))) / max(1.0, ends ->> (passage_count - 1))`;
  return sql`
    access AS MATERIALIZED (${accessScopeRows}),
    ${visibleGroupsAndEntries(access)},
    spoken AS MATERIALIZED (${visibleLanguages}),
    ${termQueries(form, sql`SELECT languages FROM spoken`, limits)},
    matches AS MATERIALIZED (
      SELECT *, ${allowed} AS allowed FROM (${visibleRows(
        access,
        sql`(SELECT row, scope, ${laneSums(form, "x", sql`occurrence`)}, ${laneSums(form, "t", sql`iif(occurrence < 0, occurrence, NULL)`)},
          ${listOfOccurrences} AS occurrences FROM (${postings(form, access, limits)}) GROUP BY row, scope)`,
        sql`g.tenant, g.is_text, f.row, r.resource_key, r.title_length, r.body_length, ${laneColumns(form, "x")}, ${laneColumns(form, "t")}, occurrences`,
      )})),
    counts AS MATERIALIZED (
      SELECT count(DISTINCT iif(allowed, resource_key, NULL)) AS found, count(*) - count(tenant) AS marks FROM matches),
    sums AS MATERIALIZED (${sumsOf(form, 1)} UNION ALL ${sumsOf(form, 0)}),
    totals AS MATERIALIZED (
      SELECT tenant, of_text AS is_text, sum(row_count) AS n, ${literal(BY_LENGTH / BM25F.titleWeight)} / ${mean(sql`title_length`, sql`row_count`)} AS title_rate,
        ${literal(BY_LENGTH)} / ${mean(sql`body_length`, sql`row_count`)} AS body_rate, ${literal(BY_LENGTH)} / ${mean(sql`body_length`, sql`passage_count`)} AS passage_rate
      FROM (SELECT 1 AS of_text UNION ALL SELECT 0) CROSS JOIN visible ON is_text >= of_text GROUP BY tenant, of_text),
    weighed AS MATERIALIZED (
      SELECT of_tenant, of_text, title_rate, body_rate, passage_rate, json_group_array(${weight} ORDER BY word) AS list FROM (
        SELECT of_tenant, of_text, title_rate, body_rate, passage_rate, n, c.key AS word, c.value AS summed, ${sql.placeholder("weights")} ->> c.key AS typed FROM (
          SELECT a.tenant AS of_tenant, a.is_text AS of_text, n, title_rate, body_rate, passage_rate,
            '[' || ${joined(
              wordsOf(form).map((word) => sql`sum(${column("s", word)})`),
              sql`|| ',' ||`,
            )} || ']' AS summed
          FROM totals a CROSS JOIN sums u ON u.tenant = a.tenant AND u.of_text >= a.is_text GROUP BY a.tenant, a.is_text)
          CROSS JOIN json_each(summed) c LIMIT -1) GROUP BY of_tenant, of_text),
    weights AS MATERIALIZED (
      SELECT *, ${literal(k1 + 1)} * weight_of_all AS full FROM (SELECT *, ${sumOf(form, (word) => column("w", word))} AS weight_of_all FROM (
        SELECT of_tenant, of_text, title_rate, body_rate, passage_rate, ${each(form, (word) => sql`list ->> ${literal(word)} AS ${column("w", word)}`)} FROM weighed LIMIT -1) LIMIT -1)),
    top AS MATERIALIZED (
      SELECT *, row_number() OVER (PARTITION BY is_text ORDER BY score DESC, row) <= ${literal(MAX_SCORED_SECTIONS)} AS is_deep FROM (
        SELECT row, tenant, is_text, resource_key, ${ofText} AS holds, ${laneColumns(form, "t")}, occurrences,
          iif(is_text, 0, pow(${covered(form, inRow)}, 2)) AS covered, iif(${hasTitle}, ${scoreOf(form, ofBody, sql`body_length`, sql`body_rate`)}, ${scoreWithoutTitle(form, inRow, sql`body_length`, sql`body_rate`)}) AS score
        FROM matches CROSS JOIN weights ON of_tenant = tenant AND of_text = is_text
        WHERE allowed ORDER BY score DESC, row LIMIT ${literal(MAX_RESULTS)})),
    ${phraseQueries(form, sql`top`)}
    cells AS MATERIALIZED (SELECT row, tenant, ${laneColumns(form, "t")}, position, ${laneSums(form, "b", sql`occurrence`)} FROM (
      ${occurrencesInPassages(form, sql`(SELECT * FROM top WHERE is_deep AND holds)`, ["row", "tenant", ...laneNames(form, "t")])})
      WHERE position IS NOT NULL GROUP BY row, position),
    passages AS MATERIALIZED (
      SELECT row, position, (${scoreOf(form, (word) => counted("b", word), sql`passage_length`, sql`passage_rate`)}) * pow(${covered(form, inPassage)}, 2) AS own
      FROM (SELECT c.*, title_length, ${passageLength} AS passage_length FROM cells c CROSS JOIN search_rows r ON r.id = row LIMIT -1)
      CROSS JOIN weights ON of_tenant = tenant AND of_text),
    hits AS (
      SELECT resource_key, t.row AS row, is_text, holds, occurrences,
        iif(NOT holds, 0, coalesce(p.position, ${excludes ? sql`NULL` : sql`iif(is_deep, 0, NULL)`})) AS position,
        score + ${literal(BM25F.passageWeight)} * coalesce(own, iif(is_deep, score * covered, 0)) AS score
      FROM top t LEFT JOIN passages p ON p.row = t.row)`;
}

/** The columns of the rows of a page. */
const OPENED = ["resource", "type", "score", "rank", "row", "shown_at", "holds", "own", "is_text"];

/**
 * The best rows, grouped by resource. A group is a `document` if a title matched. It has the score of its best
 * section, which has the title too: the card of a document has other statistics, and counts only alone.
 * Passages that contain a word of the query come first, then sections that only have a matching title. A passage of a
 * section after the best ones has the score of its section, and the passages with the most words come first.
 * Each mention of a named query makes SQLite analyze that query again, so the rows of a group are passed on as JSON.
 */
const rankedRows = reusableForms<Form>((form) => {
  const beyond = form.after
    ? sql`(-score, rank, resource) > (${sql.placeholder("afterScore")}, ${sql.placeholder("afterRank")}, ${sql.placeholder("afterResource")})`
    : sql`1`;
  const wanted = form.single ? sql`resource = ${sql.placeholder("documentId")}` : sql`1`;
  return sql`
    WITH ${scoredRows(form)},
    head AS MATERIALIZED (
      SELECT coalesce('' || ${joined(
        wordsOf(form).map((word) => sql`max(${column("s", word)} > 0)`),
        sql`||`,
      )}, '') AS known, max(found) AS total,
        ${isComplete(form, sql`max(marks)`)} AS is_exact FROM counts LEFT JOIN sums),
    page AS MATERIALIZED (
      SELECT * FROM (
        SELECT resource_id AS resource, kind AS type, score, rows, CASE kind WHEN 'document' THEN 0 WHEN 'text' THEN 1 WHEN 'location' THEN 2 WHEN 'cluster' THEN 3 ELSE 4 END AS rank FROM (
          SELECT resource_id, score, rows, iif(named, type, 'text') AS kind FROM (
            SELECT resource_key, max(NOT is_text) AS named, round(coalesce(max(iif(is_text, score, NULL)), max(score)), 6) AS score, json_group_array(json_array(row, position, holds, score, is_text, iif(holds AND position IS NULL, occurrences, NULL))) AS rows
            FROM hits GROUP BY resource_key) CROSS JOIN search_entries e ON e.key = resource_key))
      WHERE ${wanted} AND ${beyond} ORDER BY score DESC, rank, resource LIMIT ${literal(form.limit)}),
    opened AS (
      SELECT resource, page.type AS type, score, rank, h.value ->> 0 AS row, h.value ->> 1 AS shown_at, h.value ->> 2 AS holds, h.value ->> 3 AS own,
        h.value ->> 4 AS is_text, h.value ->> 5 AS occurrences FROM page CROSS JOIN json_each(rows) h LIMIT -1),
    numbered AS (
      SELECT *, count(*) FILTER (WHERE holds AND position IS NOT NULL) OVER together AS passages, row_number() OVER together AS nth
      FROM (SELECT resource, type, score, rank, row, coalesce(shown_at, position) AS position, holds, own, is_text, ${laneSums(form, "b", sql`iif(position IS NULL, NULL, occurrence)`)}
        FROM (${occurrencesInPassages(form, sql`opened`, OPENED)}) GROUP BY row, 6)
      WINDOW together AS (PARTITION BY resource ORDER BY is_text DESC, holds DESC, position IS NULL, own DESC, row, ${sumOf(form, (word) => sql`(${counted("b", word)} > 0)`)} DESC, position
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
    SELECT known, total, is_exact AS "isExact", score, rank, r.type AS "type", resource, row AS "row", r.position AS "position", round(own, 6) AS "passageScore",
      holds, passages, ${detailColumns}
    FROM head LEFT JOIN numbered r ON nth = 1 OR holds AND nth <= ${literal(form.passages)}
    ${detailJoins} ${placeJoins}
    ORDER BY score DESC, rank, resource, nth`;
});

/** The statement that ranks a query among visible entries, with its values. */
export function rankingOf(
  { form: access, values }: AccessScope,
  query: Query,
  wanted: Wanted,
  limits: ReadLimits = limitsOf(query),
): Composed {
  const { limit, after, documentId } = wanted;
  const [score = 0, rankAfter = 0, resource = ""] = after ?? [];
  const single = documentId !== null;
  return rankedRows(
    { ...formOf(query), access, limits, limit, after: after !== null, single, passages: passagesOf(wanted) },
    {
      ...values,
      ...valuesOf(query),
      weights: JSON.stringify(query.words.map(({ weight }) => weight)),
      ...{ afterScore: -score, afterRank: rankAfter, afterResource: resource, documentId: documentId ?? "" },
    },
  );
}
