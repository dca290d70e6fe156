import { requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { runBatch } from "../../platform/db/database";
import { suggestionFloods } from "../limits";
import { resultIdOf } from "../present";
import { RESULT_TYPE_OF, reachOf, type SearchScope } from "../reach";
import { queryWordsOf } from "../text/words";

import type { Suggestion } from "./schemas";
import { namedThings, readNamedThings } from "./titles";
import { candidateWords, matchingWords } from "./words";

/** Characters of a term that are read, from its end. */
const LONGEST_TERM = 500;
/** Words before the last one that titles must contain. */
const MOST_WORDS = 8;
/** Suggestions an answer has at most, of words and in all. */
const MOST_WORD_SUGGESTIONS = 5;
const MOST_SUGGESTIONS = 10;

/**
 * What the typed text may become: its last word completed, and names of things that hold all its
 * words. From what the caller may see alone. @throws DomainError 401, 429.
 */
export async function suggest(context: Context, term: string, scope: SearchScope): Promise<Suggestion[]> {
  const caller = requireUser(context);
  suggestionFloods.take(caller.userId, context.now);
  const typed = term.slice(-LONGEST_TERM).toWellFormed();
  const words = queryWordsOf(typed);
  const last = words.at(-1);
  const reach = reachOf(caller, scope);
  if (last === undefined || reach === null) return [];
  const unfinished = last.end === typed.length;
  const [named, completions] = await runBatch(context.db, [
    namedThings(reach, words.slice(0, -1).slice(-MOST_WORDS), last),
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
  const shown = completed.slice(0, Math.max(MOST_WORD_SUGGESTIONS, MOST_SUGGESTIONS - titles.length));
  return [...shown, ...titles].slice(0, MOST_SUGGESTIONS);
}
