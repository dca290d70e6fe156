import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Statement } from "../../platform/db/database";
import { reusableForms } from "../../platform/db/reusable";
import { literal } from "../../platform/db/sets";
import { completedStems } from "../query/completions";
import { BM25F } from "../ranking/parameters";
import { firstTerm } from "../ranking/statement";
import { type Reach, type ReachForm, reachedRows } from "../reach";
import { STOP_WORDS } from "../text/stop-words";
import { STEM_END, termOf, wordOfTerm } from "../text/terms";
import { isListed, type Word, wordsOf } from "../text/words";
import { isVisibleEntry } from "../visible";

/** Terms that are looked at, the first of the alphabet. */
const MAX_TERMS = 600;

/**
 * Rounds in which terms are weighed: the best of each round are weighed again, over more of their visible occurrences.
 * So a frequent word is told from a rare one at a bounded cost.
 */
const ROUNDS = [
  { occurrences: 4, best: 24 },
  { occurrences: 32, best: 12 },
  { occurrences: 256, best: 12 },
] as const;

const rowsSchema = z.array(z.object({ term: z.string(), weight: z.number() }));

/** The terms of a query `(term, ways)`, each with the weight of its first visible occurrences: a title counts more than text. */
const weighed = (terms: SQL, form: ReachForm, occurrences: number): SQL => sql`
  SELECT term, ways, (
    SELECT coalesce(sum(weight), 0) FROM (
      SELECT iif(v.col = 'title' AND e.type <> 'text', ${literal(BM25F.titleWeight)}, 1) AS weight
      FROM (
        SELECT w.value ->> 0 AS letter, w.value ->> 1 AS way, w.value ->> 2 AS id, w.value ->> 3 AS scope
        FROM json_each(c.ways) w) reach
      CROSS JOIN search_term_instances v ON v.term = reach.scope || reach.letter || c.term
      CROSS JOIN search_rows r ON r.id = v.doc CROSS JOIN search_entries e ON e.key = r.entry_key
      WHERE ${isVisibleEntry(form)} LIMIT ${literal(occurrences)})) AS weight
  FROM ${terms} c`;

/** Every round over the best of the one before it. */
const weighedTerms = (form: ReachForm): SQL =>
  ROUNDS.reduce(
    (terms, { occurrences, best }) => sql`(
      SELECT * FROM (${weighed(terms, form, occurrences)}) WHERE weight > 0
      ORDER BY weight DESC, term LIMIT ${literal(best)})`,
    sql`candidates`,
  );

/** Terms are walked from one to the next, past all occurrences of each: what a common word costs is one step. */
const readCandidates = reusableForms<ReachForm>(
  (form) => sql`
  WITH RECURSIVE reach AS MATERIALIZED (${reachedRows}),
  ranges AS MATERIALIZED (
    SELECT reach.*, scope || letter || b.value AS beginning, scope || letter || b.value || char(1114111) AS ending
    FROM reach CROSS JOIN json_each(${sql.placeholder("beginnings")}) b),
  walk AS (
    SELECT letter, way, id, scope, ending, ${firstTerm(sql`beginning`, sql`ending`)} AS posted FROM ranges
    UNION ALL
    SELECT letter, way, id, scope, ending, ${firstTerm(sql`posted || char(1)`, sql`ending`)}
    FROM walk WHERE posted IS NOT NULL LIMIT ${literal(MAX_TERMS)}),
  listed AS MATERIALIZED (
    SELECT DISTINCT letter, way, id, scope, substr(posted, length(scope || letter) + 1) AS term
    FROM walk WHERE posted IS NOT NULL),
  candidates AS MATERIALIZED (
    SELECT term, json_group_array(json_array(letter, way, id, scope)) AS ways FROM listed
    WHERE term NOT IN (SELECT value FROM json_each(${sql.placeholder("skipped")})) GROUP BY term)
  SELECT term AS "term", weight AS "weight" FROM ${weighedTerms(form)}`,
);

const STOP_TERMS = [...STOP_WORDS].flatMap((word) => [...wordsOf(word)]);

/**
 * Reads terms that may be what a word becomes, with what each weighs among visible things: those that begin like it,
 * and forms of the shorter stems it may be the beginning of.
 */
export function candidateWords({ form, values }: Reach, { surface, stem }: Word): Statement {
  const skipped = STOP_TERMS.filter((word) => word.surface.startsWith(surface));
  return readCandidates(form, {
    ...values,
    beginnings: JSON.stringify([surface, ...completedStems(surface).map((completed) => completed + STEM_END)]),
    skipped: JSON.stringify([...skipped, { surface, stem }].map(termOf)),
  });
}

/** Words that begin like this and occur in something visible, the weightiest first. */
export function matchingWords(rows: readonly unknown[], typed: string): string[] {
  return rowsSchema
    .parse(rows)
    .map(({ term, weight }) => ({ ...wordOfTerm(term), weight }))
    .filter((word) => word.surface !== typed && word.surface.startsWith(typed) && isListed(word))
    .sort((a, b) => b.weight - a.weight || (a.surface < b.surface ? -1 : 1))
    .map(({ surface }) => surface);
}
