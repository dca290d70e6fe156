import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Composed } from "../platform/db/database";
import { literal, reusableForms } from "../platform/db/statements";
import {
  type AccessScope,
  type AccessScopeForm,
  accessScopeRows,
  hasOneRow,
  isVisibleEntry,
  isVisibleGroup,
} from "./access-scope";
import { MAX_COMPLETIONS_READ, MAX_CONTEXTS, MAX_READ_OCCURRENCES } from "./limits";
import {
  ALL_LANGUAGES,
  completedStems,
  isListed,
  isStopWord,
  PART_END,
  SAMPLES,
  STEM_END,
  STOP_WORDS,
  stemsOf,
  termOf,
  type Word,
  wordOfTerm,
  wordsOf,
} from "./text";
import type { PlacedRow } from "./written";

/** An occurrence in a title weighs as much as this number of occurrences in a text. */
const TITLE_WEIGHT = 3;

/** The letters of the samples, the smallest sample first. The whole index comes last and has no letter. */
const SOURCES = sql.raw(`'${JSON.stringify([...SAMPLES.toReversed(), ""])}'`);
/** The smallest samples have practically nothing of one location or document, so they are not looked up for these. */
const SMALLEST_SAMPLES = sql.raw(`'p', 'q'`);
const isLookedUp = sql`(source.value = '' OR NOT ${hasOneRow}
  AND (source.value NOT IN (${SMALLEST_SAMPLES}) OR access.path IN ('tenants', 'guest', 'clusters')))`;

/**
 * Counts each word with the typed beginning over the visible rows of the whole index, or else of the samples whose
 * occurrences are all read. One scan reads the samples in their order and then the whole index, up to a number of
 * occurrences, so it may not finish the last one. An occurrence in the title of a resource counts more. The words of a row are posted once for each of its scopes, so one scope
 * of each row counts. A scope that has one row of its kind is not looked up in samples: its name is suggested as a title.
 */
const countWords = reusableForms<AccessScopeForm>(
  (form) => sql`
  WITH access AS MATERIALIZED (${accessScopeRows}),
  read AS MATERIALIZED (
    SELECT source.key AS source, kind, access.path AS path, access.id AS id, scope, v.doc AS row, v.col = 'title' AS titled,
      substr(v.term, length(scope || source.value || kind) + 1) AS term
    FROM json_each(${SOURCES}) source CROSS JOIN access ON ${isLookedUp}
    CROSS JOIN json_each(${sql.placeholder("beginnings")}) b
    CROSS JOIN search_term_instances v ON v.term >= scope || source.value || kind || b.value
      AND v.term < scope || source.value || kind || b.value || char(1114111)
    LIMIT ${literal(MAX_READ_OCCURRENCES)}),
  ends AS MATERIALIZED (
    SELECT min(source) AS first, max(source) AS last, count(*) = ${literal(MAX_READ_OCCURRENCES)} AS is_cut FROM read),
  counted AS MATERIALIZED (
    SELECT f.kind AS kind, f.path AS path, f.id AS id, scope, row, term, titled, r.group_key AS group_key, type,
      iif(f.path IN ('documents', 'guest'), resource_id, NULL) AS resource, count(*) AS n
    FROM ends CROSS JOIN read f ON iif(is_cut AND first < last, f.source < last, f.source = last)
    CROSS JOIN search_rows r ON r.id = row CROSS JOIN search_entries e ON e.key = r.entry_key AND e.live = 1
    GROUP BY scope, f.kind, f.path, row, term, titled),
  visible AS MATERIALIZED (
    SELECT scope, path, kind, group_key, resource
    FROM (SELECT DISTINCT kind, path, id, scope, group_key, resource, type FROM counted) access WHERE ${isVisibleGroup(form)})
  SELECT term AS "term", sum(weight) AS "weight", min(row) AS "first", max(row) AS "last" FROM (
    SELECT term, row, max(n * iif(titled AND type <> 'text', ${literal(TITLE_WEIGHT)}, 1)) AS weight FROM counted c
    JOIN visible v ON v.scope = c.scope AND v.path = c.path AND v.kind = c.kind AND v.group_key = c.group_key AND v.resource IS c.resource
    WHERE term NOT IN (SELECT value FROM json_each(${sql.placeholder("skipped")})) AND substr(term, -2) <> ${sql.raw(`'${PART_END}'`)}
    GROUP BY row, term, titled)
  GROUP BY term ORDER BY sum(weight) DESC, term LIMIT ${literal(MAX_COMPLETIONS_READ)}`,
);

/** The terms of a written word, with its stem in each language. */
const termsOfWord = (surface: string): string[] =>
  stemsOf([{ surface, languages: ALL_LANGUAGES }]).map(({ stem }) => termOf({ stem, surface }));

/** Reads how often each possible completion of a word occurs: terms with its beginning, and forms of shorter stems. */
export function readFrequencies({ form, values }: AccessScope, { surface }: Word): Composed {
  const skipped = [...STOP_WORDS].filter((word) => word.startsWith(surface));
  return countWords(form, {
    ...values,
    beginnings: JSON.stringify([surface, ...completedStems(surface).map(({ stem }) => stem + STEM_END)]),
    skipped: JSON.stringify([...skipped, surface].flatMap(termsOfWord)),
  });
}

/** The newest visible rows that contain a word. */
const rowsWithWord = reusableForms<AccessScopeForm>(
  (form) => sql`
  WITH access AS MATERIALIZED (${accessScopeRows})
  SELECT coalesce((SELECT group_concat(value, ' ') FROM json_each(s.texts)), title) AS "text" FROM (
    SELECT f.rowid AS row, e.title AS title FROM search_terms f
    CROSS JOIN search_rows r ON r.id = f.rowid CROSS JOIN search_entries e ON e.key = r.entry_key
    WHERE f.search_terms MATCH (
      SELECT coalesce(group_concat('"' || scope || kind || b.value || '"', ' OR '), '""')
      FROM access CROSS JOIN json_each(${sql.placeholder("before")}) b)
      AND EXISTS (SELECT 1 FROM access WHERE scope IN (SELECT value FROM json_each(e.scopes)) AND ${isVisibleEntry(form)})
    ORDER BY f.rowid DESC LIMIT ${literal(MAX_CONTEXTS)}) LEFT JOIN text_sections s ON s.id = row`,
);

/** Reads the texts that decide how the last word is completed; null if no word before it is useful. */
export function readContexts({ form, values }: AccessScope, before: readonly Word[]): Composed | null {
  const telling = before.findLast((word) => !isStopWord(word));
  // No word contains a quote.
  return telling === undefined
    ? null
    : rowsWithWord(form, { ...values, before: JSON.stringify(termsOfWord(telling.surface)) });
}

/** A term, its weight, and two visible rows that contain it. */
const frequenciesSchema = z.array(z.object({ term: z.string(), weight: z.number(), first: z.int(), last: z.int() }));
const contextsSchema = z.array(z.object({ text: z.string() }));

interface Completion {
  /** Visible rows that contain it. */
  rows: PlacedRow[];
  /** Occurrences directly after the typed words, and in the same texts as them. */
  follows: number;
  near: number;
  weight: number;
}

/** A folded word that completes the last one, and visible rows that contain it; none if a context has it. */
type Completed = readonly [surface: string, rows: readonly PlacedRow[]];

/** The texts of the contexts. */
export const textsOf = (contexts: readonly unknown[]): string[] =>
  contextsSchema.parse(contexts).map(({ text }) => text);

/**
 * The completions of the last word. First the words that follow the typed words in a visible text, then words of the
 * same texts, then all others; the most frequent first. Weights of several places are added.
 * @param frequencies the rows of each place
 */
export function completionsOf(
  frequencies: readonly (readonly unknown[])[],
  contexts: readonly string[],
  before: readonly Word[],
  typed: string,
): Completed[] {
  const found = new Map<string, Completion>();
  const of = (surface: string): Completion => {
    const known = found.get(surface) ?? { rows: [], follows: 0, near: 0, weight: 0 };
    found.set(surface, known);
    return known;
  };
  const isCompletion = (word: Pick<Word, "surface">): boolean =>
    word.surface !== typed && word.surface.startsWith(typed) && isListed(word);
  for (const [place, rows] of frequencies.entries())
    for (const { term, weight, first, last } of frequenciesSchema.parse(rows)) {
      const word = wordOfTerm(term);
      if (!isCompletion(word)) continue;
      const completion = of(word.surface);
      completion.weight += weight;
      if (!completion.rows.some((known) => known.place === place))
        completion.rows.push(...[...new Set([first, last])].map((row) => ({ place, row })));
    }
  const phrase = before.slice(before.findLastIndex((word) => !isStopWord(word)));
  for (const text of contexts) {
    const words = [...wordsOf(text)];
    for (const [i, word] of words.entries()) {
      if (!isCompletion(word)) continue;
      const completion = of(word.surface);
      const isNext = phrase.every(({ surface }, at) => words[i - phrase.length + at]?.surface === surface);
      if (isNext) completion.follows += 1;
      else completion.near += 1;
    }
  }
  return [...found]
    .sort(
      ([a, one], [b, other]) =>
        other.follows - one.follows || other.near - one.near || other.weight - one.weight || (a < b ? -1 : 1),
    )
    .map(([surface, { rows }]) => [surface, rows]);
}
