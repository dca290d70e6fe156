import { sql } from "drizzle-orm";
import { z } from "zod";
import { requireUser } from "../access";
import type { Context } from "../platform/context";
import { type Composed, runBatch } from "../platform/db/database";
import { literal, reusableForms } from "../platform/db/statements";
import { InstanceLimiter } from "../platform/http/rate-limit";
import {
  type AccessScope,
  type AccessScopeForm,
  accessScopeRows,
  isVisibleEntry,
  type SearchScope,
} from "./access-scope";
import { completionsOf, readContexts, readFrequencies, textsOf } from "./completions";
import { detailJoins, titleColumn } from "./details";
import { KIND_PREFIXES, RESULT_TYPE_OF } from "./kinds";
import {
  MAX_SUGGESTIONS,
  MAX_TITLE_WORDS,
  MAX_TYPED_LENGTH,
  MAX_WORD_SUGGESTIONS,
  SUGGESTIONS_PER_USER,
} from "./limits";
import { inEachPlace, type SearchPlace, withSearchPlaces } from "./places";
import { resultIdOf } from "./present";
import type { Suggestion } from "./schemas";
import { ENTRY_TYPES } from "./tables";
import { queryWordsOf, type Word } from "./text";
import { writtenForms } from "./written";

export const suggestionRateLimit = new InstanceLimiter("suggestions", SUGGESTIONS_PER_USER);

/**
 * Completions of the last typed word, and titles that contain all typed words. Only from resources that the caller
 * may see. @throws DomainError 401, 429.
 */
export async function suggest(context: Context, term: string, scope: SearchScope): Promise<Suggestion[]> {
  const caller = requireUser(context);
  suggestionRateLimit.consume(context, caller.userId);
  const typed = term.slice(-MAX_TYPED_LENGTH).toWellFormed();
  const words = queryWordsOf(typed);
  const last = words.at(-1);
  if (last === undefined) return [];
  return withSearchPlaces(context, caller, scope, null, async (places) =>
    places.length === 0 ? [] : suggestWithin(places, typed, words.slice(0, -1), last),
  );
}

async function suggestWithin(
  places: readonly SearchPlace[],
  typed: string,
  before: readonly Word[],
  last: Word,
): Promise<Suggestion[]> {
  const unfinished = last.end === typed.length;
  const found = await inEachPlace(places, async ({ context, access }) => {
    const contextual = unfinished ? readContexts(access, before) : null;
    const [named, frequencies, contexts] = await runBatch(context.workspace, [
      readTitles(access, before.slice(-MAX_TITLE_WORDS), last),
      ...(unfinished ? [readFrequencies(access, last)] : []),
      ...(contextual === null ? [] : [contextual]),
    ]);
    return {
      named: parseTitles(named?.results ?? []),
      frequencies: frequencies?.results ?? [],
      texts: textsOf(contexts?.results ?? []),
    };
  });
  const begun = typed.slice(0, last.start);
  const texts = found.flatMap((place) => place.texts);
  const completed = completionsOf(
    found.map(({ frequencies }) => frequencies),
    texts,
    before,
    last.surface,
  );
  const titles = titlesOf(found.map(({ named }) => named)).map(({ type, resource, title }) => ({
    text: title,
    resultType: RESULT_TYPE_OF[type],
    resultId: resultIdOf({ type, resource }, null),
  }));
  const shown = completed.slice(0, Math.max(MAX_WORD_SUGGESTIONS, MAX_SUGGESTIONS - titles.length));
  const written = await writtenForms(places, new Map(shown), texts);
  const finished = shown.map(([word]) => ({ text: begun + written(word), resultType: null, resultId: null }));
  return [...finished, ...titles].slice(0, MAX_SUGGESTIONS);
}

/** Titles of a response. */
const MAX_TITLES = 5;

const titleSchema = z.object({ type: z.enum(ENTRY_TYPES), resource: z.string(), title: z.string() });
type TitleRow = z.infer<typeof titleSchema>;

/** Converts the KindPrefix of words to the KindPrefix of names. */
const namePrefix = sql.raw(
  `CASE kind ${Object.values(KIND_PREFIXES)
    .map(({ word, name }) => `WHEN '${word}' THEN '${name}'`)
    .join(" ")} END`,
);

const readNames = reusableForms<AccessScopeForm>(
  (form) => sql`
    WITH access AS MATERIALIZED (${accessScopeRows}),
    found AS MATERIALIZED (
      SELECT DISTINCT e.type AS type, e.resource_id AS resource, 0 AS row, 0 AS position
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
function readTitles({ form, values }: AccessScope, words: readonly Word[], last: Word): Composed {
  // No word contains a quote.
  const match = [...words.map(({ surface }) => `"~${surface}" AND`), `"~${last.surface}" *`].join(" ");
  return readNames(form, { ...values, match });
}

const titlesSchema = z.array(titleSchema);
const parseTitles = (rows: readonly unknown[]): TitleRow[] => titlesSchema.parse(rows);

/** The newest titles of all places. Ids are in the order of creation, so the order does not depend on the databases of the workspaces. */
const titlesOf = (places: readonly TitleRow[][]): TitleRow[] =>
  places
    .flat()
    .sort((a, b) => (a.resource < b.resource ? 1 : -1))
    .slice(0, MAX_TITLES);
