import { useEffect, useState } from "preact/hooks";
import { dataOf, type Suggestion } from "../../../../client/src/index.ts";
import { api } from "../platform/session.ts";

const MAX_SHOWN = 5;

/** Suggestions for a term during typing; none without a connection. */
export function useSuggestions(term: string): Suggestion[] {
  const [suggestions, setSuggestions] = useState<Suggestion[]>([]);
  useEffect(() => {
    if (term === "") return setSuggestions([]);
    const stop = new AbortController();
    const { signal } = stop;
    dataOf(api.POST("/v1/search/suggestions", { body: { term }, signal })).then(
      (answer) => !signal.aborted && setSuggestions(answer.suggestions.slice(0, MAX_SHOWN)),
      () => !signal.aborted && setSuggestions([]),
    );
    return () => stop.abort();
  }, [term]);
  return suggestions;
}
