import { tagWord } from "../documents";
import { MAX_PHRASES, MAX_PREFIXES, MAX_TAG_CONDITIONS, MAX_TERM_LENGTH, MAX_WORDS } from "./limits";
import {
  ALL_LANGUAGES,
  codesIn,
  isSingleCharacter,
  isStopWord,
  mergeStems,
  type Spelling,
  type Stem,
  spellingsOf,
  stemsOf,
  stopStem,
  type Word,
  wordsOf,
} from "./text";

/** A word of a query. */
export interface QueryWord {
  surface: string;
  /** Its spellings, and its stems in every language. */
  spellings: readonly Spelling[];
  stems: readonly Stem[];
  /** The number of times it was typed. */
  weight: number;
  /** Whether words that begin with it match too: after a `*`, or for the last word while typing. */
  prefix: boolean;
  /** Its first position in the term, for a correction. */
  start: number;
  end: number;
}

/** The stems of a word in every language, or with `beginning` the first letters of a word. */
export interface QueryTerm {
  stems: readonly Stem[];
  beginning: boolean;
}

/** A tag of a query: `tag:inspection`, or `-tag:inspection`. */
interface TagCondition {
  word: string;
  excluded: boolean;
}

/** A parsed query. */
export interface Query {
  words: readonly QueryWord[];
  /** Terms that must occur next to each other, including stop words. Only the last one can be a beginning. */
  phrases: readonly (readonly QueryTerm[])[];
  /** Terms that must not occur. */
  excluded: readonly QueryTerm[];
  /** Whether the phrases count as the words, because all words of the query are stop words. */
  phrasesAreWords: boolean;
  /** Whether all words are stop words. Nearly every text has them, so few of their occurrences are read. */
  hasOnlyStopWords: boolean;
  /** The tags that a document must or must not have, by their words (`tagWord`). Only documents have tags. */
  tags: readonly TagCondition[];
  /**
   * Words that a snippet marks together: each run of a script without spaces, and each phrase that has only stop words.
   */
  runs: readonly (readonly string[])[];
}

/** Length from which the last word counts as the beginning of others; `word*` may be shorter. */
const MIN_TYPED_PREFIX_LENGTH = 3;

const PIECE =
  /(?<minus>(?<![^\s"(])-)?(?<tag>(?<![\p{L}\p{N}])tag:(?=[^\s]))?(?:["“”„«»](?<phrase>[^"“”„«»]*)["“”„«»]|(?<plain>[^\s"“”„«»]+))/giu;

/** A quote inside a Hebrew abbreviation begins no phrase. The sign that replaces it has the same length. */
const GERSHAYIM = /(?<=\p{Script=Hebrew})["“”„](?=\p{Script=Hebrew})/gu;

/** A term with more words than this, and with at least two sentences, is a copied passage and no query that somebody typed. */
const MAX_TYPED_WORDS = 32;
const MIN_COPIED_SENTENCES = 2;
const SENTENCE_END = /[\p{L}\p{N})\]"”“»][.?!…](?!\S)/gu;
/** The signs of phrases and exclusions. In a copied passage they are quotation marks and dashes. */
const OPERATORS = /["“”„«»]|(?<![^\s"(])-/gu;

const TAG_SIGN = /((?<![\p{L}\p{N}])tag):/giu;

const isCopied = (text: string): boolean =>
  (text.match(/\S+/g) ?? []).length > MAX_TYPED_WORDS &&
  (text.match(SENTENCE_END) ?? []).length >= MIN_COPIED_SENTENCES;

/** The text of a term in which each sign of the query language is an operator. Its positions are those of the term. */
function queryText(term: string): string {
  const text = term.slice(0, MAX_TERM_LENGTH).replace(GERSHAYIM, "״");
  return isCopied(text) ? text.replace(OPERATORS, " ").replace(TAG_SIGN, "$1 ") : text;
}

/**
 * Parses any text as a query: words, `"a phrase"`, `-word`, `word*`, `tag:name`; everything else is punctuation. In a copied
 * passage, everything but the words is punctuation, because a quotation in it must not be in the texts. Every text is a valid query.
 */
export function parseQuery(term: string): Query {
  const text = queryText(term);
  const words: TypedWord[] = [];
  const phrases: QueryTerm[][] = [];
  const excluded = new Map<string, QueryTerm>();
  const runs: string[][] = [];
  const tags: TagCondition[] = [];
  for (const { groups, index, 0: piece } of text.matchAll(PIECE)) {
    const { minus, tag, phrase, plain } = groups ?? {};
    const inner = phrase ?? plain ?? "";
    if (tag !== undefined) {
      if (tags.length < MAX_TAG_CONDITIONS) tags.push({ word: tagWord(inner), excluded: minus !== undefined });
      continue;
    }
    const start = index + piece.indexOf(inner);
    const found = [...wordsOf(inner)].map((word) => typedWord(word, inner, start));
    const typed = found.filter(({ isTail }) => isTail !== true);
    if (minus !== undefined) {
      for (const word of typed) if (excluded.size < MAX_WORDS) excluded.set(word.stem, termOfQuery(word, true));
      continue;
    }
    runs.push(...runsOf(typed));
    if (phrase !== undefined) {
      const terms = phraseTerms(found);
      if (terms.length > 1 && phrases.length < MAX_PHRASES) phrases.push(terms);
      if (terms.length > 1 && found.every(isStopWord)) runs.push(found.map(({ surface }) => surface));
    }
    for (const word of typed) words.push({ ...word, prefix: isPrefix(word, text, phrase !== undefined) });
  }
  addCodes(words, text);
  const hasOnlyStopWords = words.every(isStopWord);
  const phrasesAreWords = phrases.length > 0 && hasOnlyStopWords;
  const asked = phrasesAreWords ? phrases.map(wordOfPhrase) : distinct(words);
  return { words: asked, phrases, excluded: [...excluded.values()], phrasesAreWords, hasOnlyStopWords, tags, runs };
}

/**
 * Other forms of codes: each word of `ISO 9001` also finds `ISO9001`, and `getUserName` finds its pieces. The pieces of a word with
 * digits are not looked up, because the index has `ISO 9001` as one word too.
 */
function addCodes(words: TypedWord[], text: string): void {
  const codes = [...codesIn(text)];
  const written = byStart(words);
  for (const { start, end, isPiece } of codes)
    if (isPiece && isInWord(written, start, end))
      words.push(...[...wordsOf(text.slice(start, end))].map((word) => typedWord(word, text.slice(start, end), start)));
  const all = byStart(words);
  for (const { surface, start, end, isPiece } of codes) {
    if (isPiece) continue;
    const stems = stemsOf([{ surface, languages: ALL_LANGUAGES }]);
    for (let at = firstFrom(all, start); (all[at]?.start ?? end) < end; at++) {
      const word = all[at];
      if (word !== undefined && word.end <= end) word.stems = mergeStems([...word.stems, ...stems]);
    }
  }
}

const byStart = (words: readonly TypedWord[]): TypedWord[] => [...words].sort((a, b) => a.start - b.start);

/** The index of the first word that begins at a position or after it, by halving. */
function firstFrom(words: readonly TypedWord[], start: number): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle]?.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a position is in a word without digits. */
function isInWord(words: readonly TypedWord[], start: number, end: number): boolean {
  for (let at = firstFrom(words, start + 1) - 1; at >= 0; at--) {
    const word = words[at];
    if (word === undefined || word.end <= start) return false;
    if (word.end >= end && !/\p{Nd}/u.test(word.surface)) return true;
  }
  return false;
}

/** A word of the index in every language and spelling, at its position in the term. */
type TypedWord = Word & Pick<QueryWord, "spellings" | "stems" | "prefix">;

function typedWord(word: Word, text: string, start: number): TypedWord {
  const asked = formsOf(word, text);
  return {
    ...word,
    ...asked,
    prefix: false,
    start: word.start + start,
    end: word.end + start,
    ...(word.firstEnd === undefined ? {} : { firstEnd: word.firstEnd + start }),
  };
}

/** The spellings and stems of a word of a script with spaces; a pair of characters has one form. */
function formsOf({ surface, start, end, firstEnd }: Word, text: string): Pick<QueryWord, "spellings" | "stems"> {
  if (firstEnd !== undefined)
    return { spellings: [{ surface, languages: ALL_LANGUAGES }], stems: [{ stem: surface, languages: ALL_LANGUAGES }] };
  const spellings = spellingsOf(text.slice(start, end), surface);
  return { spellings, stems: stemsOf(spellings) };
}

const termOfQuery = (word: TypedWord, isLast: boolean): QueryTerm => ({
  stems: isStopWord(word) ? [{ stem: stopStem(word), languages: ALL_LANGUAGES }] : word.stems,
  beginning: isLast && isSingleCharacter(word) && word.isTail !== true,
});

/**
 * The terms of a phrase without the last character of its last run, because a run of the text can continue after it.
 */
function phraseTerms(found: readonly TypedWord[]): QueryTerm[] {
  const asked = (found.at(-1)?.isTail === true ? found.slice(0, -1) : found).slice(0, MAX_WORDS);
  return asked.map((word, i) => termOfQuery(word, i === asked.length - 1));
}

/** A phrase that counts as one word. No term contains a space, so only the phrase lookup finds it. */
const wordOfPhrase = (phrase: readonly QueryTerm[]): QueryWord => {
  const text = phrase.map(({ stems: [first] }) => first?.stem ?? "").join(" ");
  const stems = [{ stem: text, languages: ALL_LANGUAGES }];
  return { surface: text, spellings: [], stems, weight: 1, prefix: false, start: 0, end: 0 };
};

/** The pairs of each run of a script without spaces. The pairs of a run overlap. */
function runsOf(words: readonly Word[]): string[][] {
  const runs: string[][] = [];
  let end = -1;
  for (const word of words) {
    if (word.firstEnd === undefined) continue;
    if (word.start < end) runs.at(-1)?.push(word.surface);
    else runs.push([word.surface]);
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

/** A stop word as a word: titles have it as an ordinary word, and texts at its position. */
const askedAlone = (word: TypedWord): TypedWord => ({
  ...word,
  stems: [...word.stems, { stem: stopStem(word), languages: ALL_LANGUAGES }],
});

/** Each word once, with its count. Stop words count only in a query without other words. */
function distinct(words: readonly TypedWord[]): QueryWord[] {
  const telling = words.filter((word) => !isStopWord(word));
  const found = new Map<string, QueryWord>();
  for (const word of telling.length > 0 ? telling : words.map(askedAlone)) {
    const known = found.get(word.stem);
    if (known !== undefined) {
      known.weight += 1;
      known.stems = mergeStems([...known.stems, ...word.stems]);
      known.prefix ||= word.prefix;
    } else if (found.size < MAX_WORDS) {
      const { surface, spellings, stems, prefix, start, end } = word;
      found.set(word.stem, { surface, spellings, stems, prefix, start, end, weight: 1 });
    }
  }
  const query = [...found.values()];
  const extra = query.filter(({ prefix }) => prefix).slice(0, -MAX_PREFIXES);
  for (const word of extra) word.prefix = false;
  return query;
}
