import { isStopWord, type Word, wordsOf } from "../text/words";

/** A word of a query. */
export interface QueryWord {
  surface: string;
  stem: string;
  /** How often it was typed. */
  weight: number;
  /** Whether words that begin with it count too: asked for by `*`, or the last word while typing. */
  prefix: boolean;
  /** Where it stands in the term, for a correction; the first time it occurs. */
  start: number;
  end: number;
}

/** What a person asked for. */
export interface Query {
  words: readonly QueryWord[];
  /** Stems that must stand next to each other. */
  phrases: readonly (readonly string[])[];
  /** Stems that must not occur. */
  excluded: readonly string[];
}

/** Characters of a term that are read; what follows is left out. */
const LONGEST_TERM = 10_000;
/** Distinct words, phrases and exclusions of a query; what follows is left out. */
const MOST_WORDS = 32;
const MOST_PHRASES = 4;
/** Words that count as the beginning of others, the last ones of a query; the rest are whole words. */
const MOST_PREFIXES = 4;
/** Shortest last word that counts as the beginning of others; `word*` may be shorter. */
const SHORTEST_TYPED_PREFIX = 3;

const PIECE = /(?<minus>(?<![^\s"(])-)?(?:["“”„«»](?<phrase>[^"“”„«»]*)["“”„«»]|(?<plain>[^\s"“”„«»]+))/gu;

/**
 * Reads any text as a query: words, `"a phrase"`, `-word`, `word*`; everything else is punctuation.
 * There is no text it refuses.
 */
export function parseQuery(term: string): Query {
  const text = term.slice(0, LONGEST_TERM);
  const words: (Word & { prefix: boolean })[] = [];
  const phrases: string[][] = [];
  const excluded = new Set<string>();
  for (const { groups, index, 0: piece } of text.matchAll(PIECE)) {
    const { minus, phrase, plain } = groups ?? {};
    const inner = phrase ?? plain ?? "";
    const start = index + piece.indexOf(inner);
    const found = [...wordsOf(inner)].map((w) => ({ ...w, start: w.start + start, end: w.end + start }));
    if (minus !== undefined) {
      for (const { stem } of found) if (excluded.size < MOST_WORDS) excluded.add(stem);
      continue;
    }
    if (phrase !== undefined) {
      const stems = found.filter((word) => !isStopWord(word)).map(({ stem }) => stem);
      if (stems.length > 1 && phrases.length < MOST_PHRASES) phrases.push(stems.slice(0, MOST_WORDS));
    }
    words.push(...found.map((word) => ({ ...word, prefix: phrase === undefined && isPrefix(word, text) })));
  }
  return { words: distinct(words), phrases, excluded: [...excluded] };
}

function isPrefix({ surface, end }: Word, text: string): boolean {
  if (text[end] === "*") return true;
  return end === text.length && surface.length >= SHORTEST_TYPED_PREFIX;
}

/** Each word once, with its count. Stop words count only in a query of nothing else. */
function distinct(words: readonly (Word & { prefix: boolean })[]): QueryWord[] {
  const telling = words.filter((word) => !isStopWord(word));
  const found = new Map<string, QueryWord>();
  for (const word of telling.length > 0 ? telling : words) {
    const known = found.get(word.stem);
    if (known !== undefined) {
      known.weight += 1;
      known.prefix ||= word.prefix;
    } else if (found.size < MOST_WORDS) {
      const { surface, stem, prefix, start, end } = word;
      found.set(stem, { surface, stem, prefix, start, end, weight: 1 });
    }
  }
  const query = [...found.values()];
  const extra = query.filter(({ prefix }) => prefix).slice(0, -MOST_PREFIXES);
  for (const word of extra) word.prefix = false;
  return query;
}
