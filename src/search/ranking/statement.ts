import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../platform/db/database";
import { literal, reusableForms } from "../../platform/db/statements";
import { type AccessScope, type AccessScopeForm, accessScopeRows, visibleEntries } from "../access-scope";
import { detailColumns, detailJoins, placeJoins } from "../details";
import {
  MAX_COUNTED_ENTRIES,
  MAX_LISTED_PASSAGES,
  MAX_PASSAGES_PER_DOCUMENT,
  MAX_PHRASE_VARIANTS,
  MAX_PREFIX_POSTINGS,
  MAX_RESULTS,
} from "../limits";
import type { Query, QueryTerm, QueryWord } from "../query";
import { AFTER_STEM, completedStems, type LanguageSet, STEM_END } from "../text";

/** The sort key of the last hit of the previous page. */
export type After = readonly [score: number, rank: number, resource: string];

/** The part of the hits that is returned. */
export interface Wanted {
  limit: number;
  after: After | null;
  /** Only this document, with more of its passages; null for all resources. */
  documentId: string | null;
}

/** The parts of a query that the text of the statement depends on. */
interface Form {
  access: AccessScopeForm;
  words: number;
  /** The number of words that match as beginnings. */
  beginnings: number;
  phrases: readonly PhraseForm[];
  phrasesAreWords: boolean;
  excludes: boolean;
  limit: number;
  after: boolean;
  /** Whether one document is asked for. */
  single: boolean;
}

interface PhraseForm {
  terms: number;
  /** Whether the last term is a beginning. */
  open: boolean;
}

/** No word begins with this character. It ends the range of all words with the same beginning. */
const LAST_CHARACTER = "\u{10ffff}";

const quoted = (text: string): SQL => sql.raw(`'${text}'`);
const given = (name: string): SQL => sql`json_each(${sql.placeholder(name)})`;
const phraseAt = (at: number): string => `phrase${at}`;

/**
 * The ranges of terms of stems under each of `prefixes`: `low` to `high` contains all forms of one stem. They are
 * computed once, because SQLite compares every instance with them. `stems` names a parameter with an array of `[stem,
 * languages, …]`; `columns` reads its other fields. Only the languages of visible texts count.
 */
const rangesOf = (stems: string, columns: SQL): SQL => sql`
  SELECT prefixes.scope AS scope, prefix || (w.value ->> 0) || ${quoted(STEM_END)} AS low,
    prefix || (w.value ->> 0) || ${quoted(AFTER_STEM)} AS high, ${columns}
  FROM prefixes CROSS JOIN ${given(stems)} w
  WHERE EXISTS (SELECT 1 FROM spoken WHERE spoken.languages & (w.value ->> 1))`;

type GivenStem = readonly [stem: string, languages: LanguageSet, word: number, factor: number];

/** The stems of each word: its own stems, and for a prefix the shorter stems of possible completions. */
function exactStems(words: readonly QueryWord[]): GivenStem[] {
  return words.flatMap(({ stems, surface, prefix }, i) => [
    ...stems.map(({ stem, languages }): GivenStem => [stem, languages, i, 1]),
    ...(prefix ? completedStems(surface) : [])
      .filter(({ stem }) => stems.every((own) => own.stem !== stem))
      .map(({ stem, languages }): GivenStem => [stem, languages, i, PREFIX_WEIGHT]),
  ]);
}

/** The prefixes of terms in all spellings, each with the stem in its range that has the full weight. */
const prefixRanges = (words: readonly QueryWord[]) =>
  words
    .map((word, i) => ({ ...word, i }))
    .filter(({ prefix }) => prefix)
    .flatMap(({ stems, spellings, i }, at) =>
      spellings.map(({ surface, languages }) => {
        const own = stems.find(({ stem }) => stem.startsWith(surface));
        return [own?.stem ?? surface, languages, i, surface, at] as const;
      }),
    );

/** The postings of terms that begin with a word, in order of terms, up to MAX_PREFIX_POSTINGS for each word. */
const prefixPostings = (beginnings: number): SQL =>
  sql.join(
    Array.from(
      { length: beginnings },
      (_, at) => sql` UNION ALL SELECT * FROM (
      SELECT b.word, v.doc, b.scope, iif(v.col = 'title', ${literal(PREFIX_WEIGHT)}, 0), iif(v.col = 'title', 0, ${literal(PREFIX_WEIGHT)})
      FROM beginnings b
      CROSS JOIN search_term_instances v ON v.term >= b.beginning AND v.term < b.ending AND (v.term < b.low OR v.term >= b.high)
      WHERE b.at = ${literal(at)} LIMIT ${literal(MAX_PREFIX_POSTINGS)})`,
    ),
    sql``,
  );

/** The mean of a sum over the rows of some visible entries, at least 1. */
const meanOf = (sum: string, where: string): SQL =>
  sql.raw(`max(1.0, 1.0 * sum(${sum}) FILTER (WHERE ${where}) / sum(row_count) FILTER (WHERE ${where}))`);

/** The weight of a word that occurs `n` times in `df` of `rows` visible rows; 0 where it does not occur. */
const weightOf = (rows: SQL, df: SQL, n: SQL): SQL => sql`iif(${df} > 0, (q.value ->> 0)
  * ln(1 + (${rows} - ${df} + 0.5) / (${df} + 0.5)) * min(${literal(BM25F.maxMeanCount)}, max(1.0, 1.0 * ${n} / ${df})), 0)`;

/**
 * Computes the score of each visible row, only from the statistics of visible rows. The statistics of passages come
 * only from passages; those of the few other rows come from all rows. SQLite evaluates a named query again at each use,
 * so each one is used as rarely as possible.
 */
function scoredRows({ access, beginnings, phrases, phrasesAreWords }: Form): SQL {
  const { k1, titleWeight, b, coverageWeight } = BM25F;
  const [fixed, variable] = [literal(1 - b), literal(b)];
  return sql`
    access AS MATERIALIZED (${accessScopeRows}),
    visible AS MATERIALIZED (${visibleEntries(access)}),
    stats AS MATERIALIZED (
      SELECT tenant, sum(row_count) AS n, sum(row_count) FILTER (WHERE type = 'text') AS n_text,
        ${meanOf("title_length * row_count", "type <> 'text'")} AS title, ${meanOf("title_length * row_count", "type = 'text'")} AS text_title,
        ${meanOf("body_length", "type <> 'text'")} AS body, ${meanOf("body_length", "type = 'text'")} AS text_body
      FROM visible GROUP BY tenant),
    prefixes AS MATERIALIZED (SELECT DISTINCT scope, scope || kind AS prefix FROM access),
    spoken AS MATERIALIZED (SELECT DISTINCT languages FROM visible),
    terms AS MATERIALIZED (${rangesOf("stems", sql`w.value ->> 2 AS word, w.value ->> 3 AS factor`)}),
    beginnings AS MATERIALIZED (${rangesOf(
      "beginnings",
      sql`w.value ->> 4 AS at, w.value ->> 2 AS word, prefix || (w.value ->> 3) AS beginning, prefix || (w.value ->> 3) || char(1114111) AS ending`,
    )}),
    counted AS MATERIALIZED (
      SELECT word, row, scope, sum(t) AS t, sum(b) AS b FROM (
        SELECT word, v.doc AS row, scope, iif(v.col = 'title', factor, 0) AS t, iif(v.col = 'title', 0, factor) AS b
        FROM terms CROSS JOIN search_term_instances v ON v.term >= terms.low AND v.term < terms.high
        ${phrasesAreWords ? phrasePostings(phrases) : prefixPostings(beginnings)})
      GROUP BY word, row, scope),
    matches AS MATERIALIZED (
      SELECT visible.tenant, word, row, entry, visible.type = 'text' AS is_text, title_length, r.body_length, t, b
      FROM counted CROSS JOIN search_rows r ON r.id = row
      CROSS JOIN visible ON visible.entry = r.entry_key AND visible.scope = counted.scope),
    frequencies AS MATERIALIZED (
      SELECT *, sum(weight) OVER together AS total, sum(text_weight) OVER together AS text_total FROM (
        SELECT matches.tenant, word, title, text_title, body, text_body,
          ${weightOf(sql`n`, sql`count(*)`, sql`sum(t + b)`)} AS weight,
          ${weightOf(sql`n_text`, sql`sum(is_text)`, sql`sum((t + b) * is_text)`)} AS text_weight
        FROM matches CROSS JOIN stats ON stats.tenant = matches.tenant CROSS JOIN ${given("weights")} q ON q.key = word
        GROUP BY matches.tenant, word)
      WINDOW together AS (PARTITION BY tenant)),
    weighted AS (
      SELECT row, entry, b > 0 OR NOT is_text AS is_own, iif(is_text, text_weight, weight) AS weight, iif(is_text, text_total, total) AS total,
        ${literal(titleWeight)} * t / (${fixed} + ${variable} * title_length / iif(is_text, text_title, title))
        + b / (${fixed} + ${variable} * body_length / iif(is_text, text_body, body)) AS tf
      FROM matches CROSS JOIN frequencies f ON f.tenant = matches.tenant AND f.word = matches.word),
    scored AS (
      SELECT row, entry, found, is_own, round(score * (1 + ${literal(coverageWeight)} * is_own * covered * covered), 6) AS score FROM (
        SELECT row, entry, count(*) AS found, max(is_own) AS is_own, sum(weight) / total AS covered,
          sum(weight * (${literal(k1 + 1)} - ${literal(k1 * (k1 + 1))} / (tf + ${literal(k1)}))) AS score
        FROM weighted GROUP BY row))`;
}

/** The first term of a range in the index, without reading its occurrences. */
const firstTerm = (from: SQL, before: SQL): SQL =>
  sql`(SELECT v.term FROM search_term_instances v WHERE v.term >= ${from} AND v.term < ${before} LIMIT 1)`;

const matches = (variant: SQL, open: SQL): SQL => sql`search_terms MATCH '"' || ${variant} || iif(${open}, '" *', '"')`;

/**
 * The rows of one phrase, as `(doc, scope)`: its terms are next to each other in one field. The index finds only
 * phrases of written terms. So each place of the phrase gets every form of its stem that occurs, from left to right,
 * and a variant is dropped as soon as its first terms occur nowhere. Common words and long phrases stay cheap.
 */
function phraseRows({ terms, open }: PhraseForm, at: number): SQL {
  const last = literal(terms - 1);
  const isOpen = open ? sql`place = ${last}` : sql`0`;
  return sql`
    SELECT f.rowid AS doc, scope FROM (
      WITH RECURSIVE places AS MATERIALIZED (${rangesOf(phraseAt(at), sql`w.value ->> 2 AS place, prefix || (w.value ->> 0) AS beginning`)}),
      forms (scope, place, high, term) AS (
        SELECT scope, place, high, iif(${isOpen}, beginning, ${firstTerm(sql`low`, sql`high`)}) FROM places
        UNION ALL
        SELECT scope, place, high, ${firstTerm(sql`forms.term || char(1)`, sql`high`)} FROM forms WHERE term IS NOT NULL AND NOT ${isOpen}),
      written AS MATERIALIZED (SELECT scope, place, term, substr(term, length(scope) + 1, 1) AS kind FROM forms WHERE term IS NOT NULL),
      variants (scope, kind, place, text) AS (
        SELECT scope, kind, place, term FROM written WHERE place = 0
        UNION ALL
        SELECT v.scope, v.kind, n.place, v.text || ' ' || n.term
        FROM variants v JOIN written n ON n.scope = v.scope AND n.kind = v.kind AND n.place = v.place + 1
        WHERE EXISTS (SELECT 1 FROM search_terms WHERE ${matches(sql`v.text || ' ' || n.term`, open ? sql`n.place = ${last}` : sql`0`)})
        ORDER BY 3 DESC LIMIT ${literal(MAX_PHRASE_VARIANTS)})
      SELECT scope, text FROM variants WHERE place = ${last}) found
    CROSS JOIN search_terms f WHERE f.${matches(sql`found.text`, open ? sql`1` : sql`0`)}`;
}

/** The postings of phrases that count as words. */
const phrasePostings = (phrases: readonly PhraseForm[]): SQL =>
  sql.join(
    phrases.map(
      (phrase, at) => sql` UNION ALL SELECT ${literal(at)}, doc, scope, 0, 1 FROM (${phraseRows(phrase, at)})`,
    ),
    sql``,
  );

const holdsPhrase = (phrase: PhraseForm, at: number): SQL => sql`row IN (SELECT doc FROM (${phraseRows(phrase, at)}))`;

/** The rows with an excluded term. A beginning has the end of its range as the second value. */
const holdsExcluded = sql`row IN (
  SELECT v.doc FROM (${rangesOf("excluded", sql`prefix || (w.value ->> 0) AS beginning, prefix || (w.value ->> 3) AS ending`)}) r
  CROSS JOIN search_term_instances v ON v.term >= iif(r.ending IS NULL, r.low, r.beginning) AND v.term < coalesce(r.ending, r.high))`;

function conditions({ words, phrases, phrasesAreWords, excludes }: Form): SQL {
  const terms = phrasesAreWords ? [sql`found = ${literal(words)}`] : phrases.map(holdsPhrase);
  if (excludes) terms.push(sql`NOT ${holdsExcluded}`);
  return terms.length === 0 ? sql`1` : sql.join(terms, sql` AND `);
}

/**
 * The best rows, grouped by resource. A group has the score of its best row, and is a `document` if a title matched.
 * Passages that contain a word of the query come first, then passages that only have a matching title.
 * The resources are counted among the rows that are ranked anyway: exactly up to MAX_COUNTED_ENTRIES entries, from
 * there on by the share of documents that match in the title and in the text too.
 */
const rankedRows = reusableForms<Form>((form) => {
  const beyond = form.after
    ? sql`(-score, rank, resource) > (${sql.placeholder("afterScore")}, ${sql.placeholder("afterRank")}, ${sql.placeholder("afterResource")})`
    : sql`1`;
  const wanted = form.single ? sql`resource = ${sql.placeholder("documentId")}` : sql`1`;
  const passages = literal(form.single ? MAX_LISTED_PASSAGES : MAX_PASSAGES_PER_DOCUMENT);
  const counted = literal(MAX_COUNTED_ENTRIES);
  return sql`
    WITH ${scoredRows(form)},
    best AS MATERIALIZED (
      SELECT row, entry, is_own, score FROM (
        SELECT *, count(*) FILTER (WHERE found = ${literal(form.words)}) OVER () AS complete FROM scored
        WHERE ${conditions(form)})
      WHERE complete < ${literal(MIN_COMPLETE_RESULTS)} OR found = ${literal(form.words)}),
    entries AS MATERIALIZED (SELECT DISTINCT entry FROM best),
    placed AS (
      SELECT *, CASE type WHEN 'document' THEN 0 WHEN 'text' THEN 1 WHEN 'location' THEN 2 WHEN 'cluster' THEN 3 ELSE 4 END AS rank FROM (
        SELECT e.resource_id AS resource, row AS passage, is_own AND e.type = 'text' AS holds, score AS passage_score,
          min(e.type) OVER together AS type, max(score) OVER together AS score,
          count(*) FILTER (WHERE is_own AND e.type = 'text') OVER together AS passages, row_number() OVER together AS place
        FROM (SELECT * FROM best ORDER BY score DESC, row LIMIT ${literal(MAX_RESULTS)}) CROSS JOIN search_entries e ON e.key = entry
        WINDOW together AS (PARTITION BY e.resource_id ORDER BY e.type <> 'text', is_own DESC, score DESC, row
          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))),
    page AS (
      SELECT *, dense_rank() OVER (ORDER BY score DESC, rank, resource) AS at FROM placed
      WHERE (place = 1 OR holds AND place <= ${passages}) AND ${wanted} AND ${beyond})
    SELECT known, entries, resources, score, rank, r.type AS "type", resource, passage AS "passageId", passage_score AS "passageScore",
      holds, passages, ${detailColumns}
    FROM (SELECT json_group_array(DISTINCT word) AS known FROM frequencies)
    CROSS JOIN (SELECT count(*) AS entries FROM entries)
    CROSS JOIN (SELECT count(DISTINCT e.resource_id) AS resources
      FROM (SELECT entry FROM entries LIMIT ${counted}) CROSS JOIN search_entries e ON e.key = entry)
    LEFT JOIN page r ON r.at <= ${literal(form.limit)}
    ${detailJoins} ${placeJoins}
    ORDER BY score DESC, rank, resource, place`;
});

/** The statement that ranks a query among visible entries, with its values. */
export function rankingOf(
  { form: access, values }: AccessScope,
  query: Query,
  { limit, after, documentId }: Wanted,
): Statement {
  const { words, phrases, phrasesAreWords, excluded } = query;
  const beginnings = prefixRanges(words);
  const stemsOf = (terms: readonly QueryTerm[]): string =>
    JSON.stringify(
      terms.flatMap(({ stems, beginning }, place) =>
        stems.map(({ stem, languages }) => [stem, languages, place, ...(beginning ? [stem + LAST_CHARACTER] : [])]),
      ),
    );
  const form: Form = {
    access,
    words: words.length,
    beginnings: words.filter(({ prefix }) => prefix).length,
    phrases: phrases.map((terms) => ({ terms: terms.length, open: terms.at(-1)?.beginning === true })),
    phrasesAreWords,
    excludes: excluded.length > 0,
    limit,
    after: after !== null,
    single: documentId !== null,
  };
  const [score = 0, rankAfter = 0, resource = ""] = after ?? [];
  return rankedRows(form, {
    ...values,
    stems: JSON.stringify(exactStems(words)),
    beginnings: JSON.stringify(beginnings),
    weights: JSON.stringify(words.map(({ weight }) => [weight])),
    ...Object.fromEntries(phrases.map((terms, at) => [phraseAt(at), stemsOf(terms)])),
    excluded: stemsOf(excluded),
    ...{ afterScore: -score, afterRank: rankAfter, afterResource: resource, documentId: documentId ?? "" },
  });
}

/**
 * The parameters of BM25F (Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, 3.6):
 * the term counts of the fields are weighted, normalized by length, added, and then saturated.
 */
export const BM25F = {
  /** Saturation: with a smaller value, repetitions of a word count less. */
  k1: 1.2,
  /** Weight of one word in the title, in words of the body. */
  titleWeight: 3,
  /** Normalization by the length of a field, 0 (none) to 1 (full). */
  b: 0.6,
  /** Maximum of the mean count of a word in the rows that contain it (Kwok 1996), a factor of its weight. */
  maxMeanCount: 4,
  /** What a row gains if it contains all words: this part of its score. */
  coverageWeight: 0.5,
} as const;

/** Weight of a word that only begins with the typed word; the typed word itself has weight 1. */
const PREFIX_WEIGHT = 0.5;

/** With fewer results that contain every word, results that contain some of the words are added. */
const MIN_COMPLETE_RESULTS = 10;
