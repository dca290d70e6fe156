import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { requireUser } from "../access";
import type { Context } from "../platform/context";
import { runBatch, type Statement } from "../platform/db/database";
import { reusableForms } from "../platform/db/reusable";
import { literal } from "../platform/db/sets";
import {
  isVisibleEntry,
  LETTERS,
  RESULT_TYPE_OF,
  type Reach,
  type ReachForm,
  reachedRows,
  reachOf,
  type SearchScope,
} from "./access-scope";
import { detailJoins, titleColumn } from "./details";
import { suggestionRateLimit } from "./limits";
import { resultIdOf } from "./present";
import { completedStems } from "./query";
import { BM25F, firstTerm } from "./ranking/statement";
import type { Suggestion } from "./schemas";
import { ENTRY_TYPES } from "./tables";
import { STEM_END, termOf, wordOfTerm } from "./text/terms";
import { isListed, queryWordsOf, STOP_WORDS, type Word, wordsOf } from "./text/words";

/** Characters of a term that are read, from its end. */
const MAX_TYPED_LENGTH = 500;
/** Words before the last one that titles must contain. */
const MAX_TITLE_WORDS = 8;
/** Suggestions an answer has at most, of words and in all. */
const MAX_WORD_SUGGESTIONS = 5;
const MAX_SUGGESTIONS = 10;

/**
 * What the typed text may become: its last word completed, and names of things that hold all its
 * words. From what the caller may see alone. @throws DomainError 401, 429.
 */
export async function suggest(context: Context, term: string, scope: SearchScope): Promise<Suggestion[]> {
  const caller = requireUser(context);
  suggestionRateLimit.take(caller.userId, context.now);
  const typed = term.slice(-MAX_TYPED_LENGTH).toWellFormed();
  const words = queryWordsOf(typed);
  const last = words.at(-1);
  const reach = reachOf(caller, scope);
  if (last === undefined || reach === null) return [];
  const unfinished = last.end === typed.length;
  const [named, completions] = await runBatch(context.db, [
    namedThings(reach, words.slice(0, -1).slice(-MAX_TITLE_WORDS), last),
    ...(unfinished ? [candidateWords(reach, last)] : []),
  ]);
  const before = typed.slice(0, last.start);
  const completed = matchingWords(completions?.results ?? [], last.surface).map((word) => ({
    text: before + word,
    resultType: null,
    resultId: null,
  }));
  const titles = readNamedThings(named?.results ?? []).map(({ type, resource, title }) => ({
    text: title,
    resultType: RESULT_TYPE_OF[type],
    resultId: resultIdOf({ type, resource }, null),
  }));
  const shown = completed.slice(0, Math.max(MAX_WORD_SUGGESTIONS, MAX_SUGGESTIONS - titles.length));
  return [...shown, ...titles].slice(0, MAX_SUGGESTIONS);
}

/** Names suggested at most. */
const MAX_TITLES = 5;

const namedThingSchema = z.object({ type: z.enum(ENTRY_TYPES), resource: z.string(), title: z.string() });
type NamedThing = z.infer<typeof namedThingSchema>;

/** The letters of names, by those of words. */
const nameLetter = sql.raw(
  `CASE letter ${Object.values(LETTERS)
    .map(({ word, name }) => `WHEN '${word}' THEN '${name}'`)
    .join(" ")} END`,
);

const readNames = reusableForms<ReachForm>(
  (form) => sql`
    WITH reach AS MATERIALIZED (${reachedRows}),
    found AS MATERIALIZED (
      SELECT DISTINCT e.type AS type, e.resource_id AS resource, 0 AS passage
      FROM reach CROSS JOIN search_terms f CROSS JOIN search_entries e ON e.key = -f.rowid
      WHERE f.search_terms MATCH replace(${sql.placeholder("match")}, '~', scope || ${nameLetter})
        AND e.type <> 'text' AND ${isVisibleEntry(form)}
      LIMIT ${literal(MAX_TITLES)})
    SELECT r.type AS "type", resource AS "resource", ${titleColumn} FROM found r ${detailJoins}`,
);

/** Reads visible clusters, locations, annotations and documents whose title holds all these words, the last as a beginning. */
function namedThings({ form, values }: Reach, words: readonly Word[], last: Word): Statement {
  // No word holds a quote.
  const match = [...words.map(({ surface }) => `"~${surface}" AND`), `"~${last.surface}" *`].join(" ");
  return readNames(form, { ...values, match });
}

const namedThingsSchema = z.array(namedThingSchema);
const readNamedThings = (rows: readonly unknown[]): NamedThing[] => namedThingsSchema.parse(rows);

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

const weighedTermsSchema = z.array(z.object({ term: z.string(), weight: z.number() }));

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
function candidateWords({ form, values }: Reach, { surface, stem }: Word): Statement {
  const skipped = STOP_TERMS.filter((word) => word.surface.startsWith(surface));
  return readCandidates(form, {
    ...values,
    beginnings: JSON.stringify([surface, ...completedStems(surface).map((completed) => completed + STEM_END)]),
    skipped: JSON.stringify([...skipped, { surface, stem }].map(termOf)),
  });
}

/** Words that begin like this and occur in something visible, the weightiest first. */
function matchingWords(rows: readonly unknown[], typed: string): string[] {
  return weighedTermsSchema
    .parse(rows)
    .map(({ term, weight }) => ({ ...wordOfTerm(term), weight }))
    .filter((word) => word.surface !== typed && word.surface.startsWith(typed) && isListed(word))
    .sort((a, b) => b.weight - a.weight || (a.surface < b.surface ? -1 : 1))
    .map(({ surface }) => surface);
}
