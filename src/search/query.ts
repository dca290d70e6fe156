import { stemmer } from "stemmer";
import { MAX_PHRASES, MAX_PREFIXES, MAX_TERM_LENGTH, MAX_WORDS } from "./limits";
import { isSingleCharacter, isStopWord, phraseStem, type Word, wordsOf } from "./text";

/** A word of a query. */
export interface QueryWord {
  surface: string;
  stem: string;
  /** The number of times it was typed. */
  weight: number;
  /** Whether words that begin with it match too: after a `*`, or for the last word while typing. */
  prefix: boolean;
  /** Its first position in the term, for a correction. */
  start: number;
  end: number;
}

/** A stem, or with `beginning` the first letters of a word. */
export interface QueryTerm {
  stem: string;
  beginning: boolean;
}

/** A parsed query. */
export interface Query {
  words: readonly QueryWord[];
  /** Terms that must occur next to each other, stop words included. Only the last one can be a beginning. */
  phrases: readonly (readonly QueryTerm[])[];
  /** Terms that must not occur. */
  excluded: readonly QueryTerm[];
  /** Whether the phrases count as the words, because all words of the query are stop words. */
  phrasesAreWords: boolean;
  /**
   * Stems that a snippet marks together: each run of a script without spaces, and each phrase that has only stop words.
   */
  runs: readonly (readonly string[])[];
}

/** Length from which the last word counts as the beginning of others; `word*` may be shorter. */
const MIN_TYPED_PREFIX_LENGTH = 3;

const PIECE = /(?<minus>(?<![^\s"(])-)?(?:["“”„«»](?<phrase>[^"“”„«»]*)["“”„«»]|(?<plain>[^\s"“”„«»]+))/gu;

/**
 * Parses any text as a query: words, `"a phrase"`, `-word`, `word*`; everything else is punctuation.
 * Every text is a valid query.
 */
export function parseQuery(term: string): Query {
  const text = term.slice(0, MAX_TERM_LENGTH);
  const words: TypedWord[] = [];
  const phrases: QueryTerm[][] = [];
  const excluded = new Map<string, QueryTerm>();
  const runs: string[][] = [];
  for (const { groups, index, 0: piece } of text.matchAll(PIECE)) {
    const { minus, phrase, plain } = groups ?? {};
    const inner = phrase ?? plain ?? "";
    const start = index + piece.indexOf(inner);
    const found = [...wordsOf(inner)].map((w) => shifted(w, start));
    const typed = found.filter(({ isTail }) => isTail !== true);
    if (minus !== undefined) {
      for (const word of typed) if (excluded.size < MAX_WORDS) excluded.set(word.stem, termOfQuery(word, true));
      continue;
    }
    runs.push(...runsOf(typed));
    if (phrase !== undefined) {
      const terms = phraseTerms(found);
      if (terms.length > 1 && phrases.length < MAX_PHRASES) phrases.push(terms);
      if (terms.length > 1 && found.every(isStopWord)) runs.push(found.map(({ stem }) => stem));
    }
    words.push(...typed.map((word) => ({ ...word, prefix: isPrefix(word, text, phrase !== undefined) })));
  }
  const phrasesAreWords = phrases.length > 0 && words.every(isStopWord);
  const asked = phrasesAreWords ? phrases.map(wordOfPhrase) : distinct(words);
  return { words: asked, phrases, excluded: [...excluded.values()], phrasesAreWords, runs };
}

type TypedWord = Word & { prefix: boolean };

const shifted = (word: Word, by: number): Word => ({
  ...word,
  start: word.start + by,
  end: word.end + by,
  ...(word.firstEnd === undefined ? {} : { firstEnd: word.firstEnd + by }),
});

const termOfQuery = (word: Word, isLast: boolean): QueryTerm => ({
  stem: phraseStem(word),
  beginning: isLast && isSingleCharacter(word) && word.isTail !== true,
});

/**
 * The terms of a phrase without the last character of its last run, because a run of the text can continue after it.
 */
function phraseTerms(found: readonly Word[]): QueryTerm[] {
  const asked = (found.at(-1)?.isTail === true ? found.slice(0, -1) : found).slice(0, MAX_WORDS);
  return asked.map((word, i) => termOfQuery(word, i === asked.length - 1));
}

/** A phrase that counts as one word. No term contains a space, so only the phrase lookup finds it. */
const wordOfPhrase = (phrase: readonly QueryTerm[]): QueryWord => {
  const text = phrase.map(({ stem }) => stem).join(" ");
  return { surface: text, stem: text, weight: 1, prefix: false, start: 0, end: 0 };
};

/** The stems of each run of a script without spaces. The pairs of a run overlap. */
function runsOf(words: readonly Word[]): string[][] {
  const runs: string[][] = [];
  let end = -1;
  for (const word of words) {
    if (word.firstEnd === undefined) continue;
    if (word.start < end) runs.at(-1)?.push(word.stem);
    else runs.push([word.stem]);
    end = word.end;
  }
  return runs;
}

function isPrefix(word: Word, text: string, quoted: boolean): boolean {
  if (isSingleCharacter(word)) return true;
  if (quoted) return false;
  const { surface, end } = word;
  if (text[end] === "*") return true;
  return end === text.length && surface.length >= MIN_TYPED_PREFIX_LENGTH;
}

/** Each word once, with its count. Stop words count only in a query without other words. */
function distinct(words: readonly TypedWord[]): QueryWord[] {
  const telling = words.filter((word) => !isStopWord(word));
  const found = new Map<string, QueryWord>();
  for (const word of telling.length > 0 ? telling : words) {
    const known = found.get(word.stem);
    if (known !== undefined) {
      known.weight += 1;
      known.prefix ||= word.prefix;
    } else if (found.size < MAX_WORDS) {
      const { surface, stem, prefix, start, end } = word;
      found.set(stem, { surface, stem, prefix, start, end, weight: 1 });
    }
  }
  const query = [...found.values()];
  const extra = query.filter(({ prefix }) => prefix).slice(0, -MAX_PREFIXES);
  for (const word of extra) word.prefix = false;
  return query;
}

/** Endings that the stemmer removes. */
const ENDINGS = (
  "s es ed ing ion ions er ers ly al ally ment ments ness ity ities ive ively ism able ably ible ibly ance ence ant ent " +
  "ful fully less ous ously ize izes ized izing ization ational ate ated ates ating ation ations"
).split(" ");

/**
 * Stems of possible completions that are shorter than the typed text ("constructi" → "construct"). A scan of terms that
 * begin with the typed text would miss them.
 */
export function completedStems(typed: string): string[] {
  if (!/^[a-z]{4,}$/.test(typed)) return [];
  const stems = new Set<string>();
  for (const ending of ENDINGS)
    for (let cut = 1; cut < ending.length; cut += 1)
      if (typed.endsWith(ending.slice(0, cut))) stems.add(stemmer(typed + ending.slice(cut)));
  return [...stems].filter((stem) => stem.length >= 3 && !stem.startsWith(typed));
}
