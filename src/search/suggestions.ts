import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { requireUser } from "../access";
import type { Context } from "../platform/context";
import { runBatch, type Statement } from "../platform/db/database";
import { literal, reusableForms } from "../platform/db/statements";
import {
  type AccessScope,
  type AccessScopeForm,
  accessScopeOf,
  accessScopeRows,
  isVisibleEntry,
  KIND_PREFIXES,
  RESULT_TYPE_OF,
  type SearchScope,
} from "./access-scope";
import { detailJoins, titleColumn } from "./details";
import {
  MAX_SUGGESTION_TERMS,
  MAX_SUGGESTIONS,
  MAX_TITLE_WORDS,
  MAX_TYPED_LENGTH,
  MAX_WORD_SUGGESTIONS,
  suggestionRateLimit,
} from "./limits";
import { resultIdOf } from "./present";
import { completedStems } from "./query";
import { BM25F, firstTerm } from "./ranking";
import type { Suggestion } from "./schemas";
import { ENTRY_TYPES } from "./tables";
import { isListed, queryWordsOf, STEM_END, STOP_WORDS, termOf, type Word, wordOfTerm, wordsOf } from "./text";

/**
 * Completions of the last typed word, and titles that contain all typed words. Only from resources that the caller
 * may see. @throws DomainError 401, 429.
 */
export async function suggest(context: Context, term: string, scope: SearchScope): Promise<Suggestion[]> {
  const caller = requireUser(context);
  suggestionRateLimit.consume(caller.userId, context.now);
  const typed = term.slice(-MAX_TYPED_LENGTH).toWellFormed();
  const words = queryWordsOf(typed);
  const last = words.at(-1);
  const access = accessScopeOf(caller, scope);
  if (last === undefined || access === null) return [];
  const unfinished = last.end === typed.length;
  const [named, completions] = await runBatch(context.db, [
    readTitles(access, words.slice(0, -1).slice(-MAX_TITLE_WORDS), last),
    ...(unfinished ? [candidateWords(access, last)] : []),
  ]);
  const before = typed.slice(0, last.start);
  const completed = matchingWords(completions?.results ?? [], last.surface).map((word) => ({
    text: before + word,
    resultType: null,
    resultId: null,
  }));
  const titles = parseTitles(named?.results ?? []).map(({ type, resource, title }) => ({
    text: title,
    resultType: RESULT_TYPE_OF[type],
    resultId: resultIdOf({ type, resource }, null),
  }));
  const shown = completed.slice(0, Math.max(MAX_WORD_SUGGESTIONS, MAX_SUGGESTIONS - titles.length));
  return [...shown, ...titles].slice(0, MAX_SUGGESTIONS);
}

/** Titles of a response. */
const MAX_TITLES = 5;

const titleSchema = z.object({ type: z.enum(ENTRY_TYPES), resource: z.string(), title: z.string() });
type TitleRow = z.infer<typeof titleSchema>;

/** Converts the KindPrefix of words to that of names. */
const namePrefix = sql.raw(
  `CASE kind ${Object.values(KIND_PREFIXES)
    .map(({ word, name }) => `WHEN '${word}' THEN '${name}'`)
    .join(" ")} END`,
);

const readNames = reusableForms<AccessScopeForm>(
  (form) => sql`
    WITH access AS MATERIALIZED (${accessScopeRows}),
    found AS MATERIALIZED (
      SELECT DISTINCT e.type AS type, e.resource_id AS resource, 0 AS passage
      FROM access CROSS JOIN search_terms f CROSS JOIN search_entries e ON e.key = -f.rowid
      WHERE f.search_terms MATCH replace(${sql.placeholder("match")}, '~', scope || ${namePrefix})
        AND e.type <> 'text' AND ${isVisibleEntry(form)}
      LIMIT ${literal(MAX_TITLES)})
    SELECT r.type AS "type", resource AS "resource", ${titleColumn} FROM found r ${detailJoins}`,
);

/**
 * Reads visible clusters, locations, annotations and documents whose title contains all these words. The last word
 * matches as a beginning.
 */
function readTitles({ form, values }: AccessScope, words: readonly Word[], last: Word): Statement {
  // No word contains a quote.
  const match = [...words.map(({ surface }) => `"~${surface}" AND`), `"~${last.surface}" *`].join(" ");
  return readNames(form, { ...values, match });
}

const titlesSchema = z.array(titleSchema);
const parseTitles = (rows: readonly unknown[]): TitleRow[] => titlesSchema.parse(rows);

/**
 * Rounds in which terms are weighed. Each round weighs the best terms of the round before over more of their visible
 * occurrences, so the cost is bounded and frequent words still come first.
 */
const WEIGHING_ROUNDS = [
  { occurrences: 4, best: 24 },
  { occurrences: 32, best: 12 },
  { occurrences: 256, best: 12 },
] as const;

const weighedTermsSchema = z.array(z.object({ term: z.string(), weight: z.number() }));

/**
 * The terms of a query `(term, paths)`, each with the weight of its first visible occurrences. A title weighs more than
 * text.
 */
const weighed = (terms: SQL, form: AccessScopeForm, occurrences: number): SQL => sql`
  SELECT term, paths, (
    SELECT coalesce(sum(weight), 0) FROM (
      SELECT iif(v.col = 'title' AND e.type <> 'text', ${literal(BM25F.titleWeight)}, 1) AS weight
      FROM (
        SELECT w.value ->> 0 AS kind, w.value ->> 1 AS path, w.value ->> 2 AS id, w.value ->> 3 AS scope
        FROM json_each(c.paths) w) access
      CROSS JOIN search_term_instances v ON v.term = access.scope || access.kind || c.term
      CROSS JOIN search_rows r ON r.id = v.doc CROSS JOIN search_entries e ON e.key = r.entry_key
      WHERE ${isVisibleEntry(form)} LIMIT ${literal(occurrences)})) AS weight
  FROM ${terms} c`;

/** All rounds, each over the best terms of the round before. */
const weighedTerms = (form: AccessScopeForm): SQL =>
  WEIGHING_ROUNDS.reduce(
    (terms, { occurrences, best }) => sql`(
      SELECT * FROM (${weighed(terms, form, occurrences)}) WHERE weight > 0
      ORDER BY weight DESC, term LIMIT ${literal(best)})`,
    sql`candidates`,
  );

/** The walk reads one term after another and skips their occurrences, so a common word costs one step. */
const readCandidates = reusableForms<AccessScopeForm>(
  (form) => sql`
  WITH RECURSIVE access AS MATERIALIZED (${accessScopeRows}),
  ranges AS MATERIALIZED (
    SELECT access.*, scope || kind || b.value AS beginning, scope || kind || b.value || char(1114111) AS ending
    FROM access CROSS JOIN json_each(${sql.placeholder("beginnings")}) b),
  walk AS (
    SELECT kind, path, id, scope, ending, ${firstTerm(sql`beginning`, sql`ending`)} AS posted FROM ranges
    UNION ALL
    SELECT kind, path, id, scope, ending, ${firstTerm(sql`posted || char(1)`, sql`ending`)}
    FROM walk WHERE posted IS NOT NULL LIMIT ${literal(MAX_SUGGESTION_TERMS)}),
  listed AS MATERIALIZED (
    SELECT DISTINCT kind, path, id, scope, substr(posted, length(scope || kind) + 1) AS term
    FROM walk WHERE posted IS NOT NULL),
  candidates AS MATERIALIZED (
    SELECT term, json_group_array(json_array(kind, path, id, scope)) AS paths FROM listed
    WHERE term NOT IN (SELECT value FROM json_each(${sql.placeholder("skipped")})) GROUP BY term)
  SELECT term AS "term", weight AS "weight" FROM ${weighedTerms(form)}`,
);

const STOP_TERMS = [...STOP_WORDS].flatMap((word) => [...wordsOf(word)]);

/**
 * Reads the possible completions of a word with their weights among visible resources: terms with the same beginning,
 * and forms of shorter stems.
 */
function candidateWords({ form, values }: AccessScope, { surface, stem }: Word): Statement {
  const skipped = STOP_TERMS.filter((word) => word.surface.startsWith(surface));
  return readCandidates(form, {
    ...values,
    beginnings: JSON.stringify([surface, ...completedStems(surface).map((completed) => completed + STEM_END)]),
    skipped: JSON.stringify([...skipped, { surface, stem }].map(termOf)),
  });
}

/** Words with this beginning that occur in visible resources. The word with the largest weight comes first. */
function matchingWords(rows: readonly unknown[], typed: string): string[] {
  return weighedTermsSchema
    .parse(rows)
    .map(({ term, weight }) => ({ ...wordOfTerm(term), weight }))
    .filter((word) => word.surface !== typed && word.surface.startsWith(typed) && isListed(word))
    .sort((a, b) => b.weight - a.weight || (a.surface < b.surface ? -1 : 1))
    .map(({ surface }) => surface);
}
