import { surfaceOf } from "./fold";
import { GRAMMARS, type Grammar } from "./grammars";
import type { Language } from "./languages";

/** Letters of the shortest compound, of a part, and of a first part that is in no list. */
const MIN_COMPOUND_LENGTH = 6;
const MIN_PART_LENGTH = 4;
const MIN_SHORT_PART_LENGTH = 3;
const MIN_UNKNOWN_LENGTH = 5;
/** Rank up to which a last part is frequent enough to split a word that is itself in the list. */
const COMMON_RANK = 1_500;
/** Parts of a compound. It limits the time for a word. */
const MAX_PARTS = 4;

/** The rank of words that the list lacks, and of words of the same text. */
const MORE_RANK = 1_000;
const OWN_RANK = 500;

/** The words that parts are looked up in. */
interface Lexicon extends Pick<Grammar, "minLastLength" | "hasCapitalNouns" | "nounsOf"> {
  /** The rank of each word, from 1. */
  words: ReadonlyMap<string, number>;
  more: ReadonlySet<string>;
  /** Words that the list writes with a capital letter. */
  capital: ReadonlySet<string>;
  prefixes: ReadonlySet<string>;
  endings: ReadonlySet<string>;
  links: readonly string[];
  elided: readonly string[];
  inflections: readonly string[];
}

/** The lexicons that this isolate has read: one that indexes or shows no text of a language never reads its list. */
const lexicons = new Map<Language, Lexicon>();
const setOfWords = (words: string): Set<string> => new Set(words.match(/\S+/g) ?? []);

/** Whether texts in a language have compounds. */
export const hasCompounds = (language: Language): boolean => GRAMMARS[language] !== undefined;

/** Whether only words with a capital letter can be compounds, because only nouns have one. */
export const needsCapital = (language: Language): boolean => GRAMMARS[language]?.hasCapitalNouns === true;

function lexiconOf(language: Language): Lexicon | null {
  const grammar = GRAMMARS[language];
  if (grammar === undefined) return null;
  const lexicon = lexicons.get(language) ?? readLexicon(grammar);
  lexicons.set(language, lexicon);
  return lexicon;
}

function readLexicon({ list, minLastLength, hasCapitalNouns, nounsOf, ...pieces }: Grammar): Lexicon {
  const more = setOfWords(pieces.more);
  const words = new Map([...more].map((word) => [word, MORE_RANK]));
  const capital = new Set(more);
  for (const [i, word] of list.split("\n").entries()) {
    const surface = surfaceOf(word);
    if (surface.length < MIN_PART_LENGTH || !isAlphabetic(surface) || words.has(surface)) continue;
    words.set(surface, i + 1);
    if (/^\p{Lu}/u.test(word)) capital.add(surface);
  }
  const listOf = (endings: string) => [...setOfWords(endings)];
  return {
    minLastLength,
    hasCapitalNouns,
    nounsOf,
    words,
    more,
    capital,
    prefixes: setOfWords(pieces.prefixes),
    endings: setOfWords(pieces.endings),
    links: listOf(pieces.links),
    elided: listOf(pieces.elided),
    inflections: listOf(pieces.inflections),
  };
}

const isAlphabetic = (surface: string): boolean => /^[a-z]+$/.test(surface);
const beginsWithVowel = (part: string): boolean => /^[aeiouy]/.test(part);

/** Whether a text consists of some of these pieces. */
function isMadeOf(text: string, pieces: ReadonlySet<string>): boolean {
  if (pieces.has(text)) return true;
  for (let end = 1; end < text.length; end += 1)
    if (pieces.has(text.slice(0, end)) && isMadeOf(text.slice(end), pieces)) return true;
  return false;
}

/** A known part: the known word, its rank, and whether the part is another form of it. */
interface Known {
  word: string;
  rank: number;
  isForm: boolean;
  /** The noun whose form the part may be: stemmers know few such forms. */
  noun?: string;
}

/** Looks up the parts of words of one text. `own` has the folded words of the text. */
class Parts {
  constructor(
    private readonly lexicon: Lexicon,
    private readonly own: ReadonlySet<string>,
  ) {}

  #isAffix(part: string): boolean {
    return isMadeOf(part, this.lexicon.prefixes) || isMadeOf(part, this.lexicon.endings);
  }

  #rankOf(word: string): number | undefined {
    return (
      this.lexicon.words.get(word) ?? (word.length >= MIN_PART_LENGTH && this.own.has(word) ? OWN_RANK : undefined)
    );
  }

  /** A part that others follow: a word, a word with a link, or a word without its ending. */
  first(part: string): Known | null {
    if (this.#isAffix(part)) return null;
    const { links, elided } = this.lexicon;
    const rank = this.#rankOf(part);
    if (rank !== undefined) return { word: this.#withoutLink(part), rank, isForm: false };
    for (const link of links) {
      const bare = part.slice(0, -link.length);
      if (!part.endsWith(link) || bare.endsWith("s") || this.#isAffix(bare)) continue;
      const rankOfBare = this.#rankOf(bare);
      if (rankOfBare !== undefined) return { word: bare, rank: rankOfBare, isForm: true };
    }
    if (part.length < MIN_PART_LENGTH) return null;
    for (const ending of elided) {
      const rankOfWhole = this.#rankOf(part + ending);
      if (rankOfWhole !== undefined) return { word: part + ending, rank: rankOfWhole, isForm: true };
    }
    return null;
  }

  /** A part without its last s, if that is a word of the list too ("säkerhets" is "säkerhet"). */
  #withoutLink(part: string): string {
    const bare = part.slice(0, -1);
    return part.endsWith("s") && bare.length > MIN_PART_LENGTH && this.#rankOf(bare) !== undefined ? bare : part;
  }

  /** The last part: a word, or a word with an ending. */
  last(part: string): Known | null {
    const { minLastLength, inflections, more } = this.lexicon;
    if (this.#isAffix(part) || (part.length < minLastLength && !more.has(part))) return null;
    const rank = this.#rankOfNoun(part);
    const form = this.#nounOf(part);
    const noun = form === null ? {} : { noun: form.noun };
    if (rank !== undefined) return { word: part, rank, isForm: false, ...noun };
    for (const ending of inflections) {
      const bare = part.slice(0, -ending.length);
      if (!part.endsWith(ending) || bare.length < minLastLength) continue;
      const rankOfBare = this.#rankOfNoun(bare);
      if (rankOfBare !== undefined && !this.#isAffix(bare))
        return { word: part, rank: rankOfBare, isForm: true, ...noun };
    }
    return form && { word: part, rank: form.rank, isForm: true, ...noun };
  }

  /** The most frequent noun whose form a part may be. */
  #nounOf(part: string): { noun: string; rank: number } | null {
    const { minLastLength, inflections, more, nounsOf } = this.lexicon;
    let best: { noun: string; rank: number } | null = null;
    for (const ending of inflections) {
      if (!part.endsWith(ending)) continue;
      const bare = part.slice(0, -ending.length);
      for (const noun of [bare, ...nounsOf(bare)]) {
        const rank = noun.length < minLastLength && !more.has(noun) ? undefined : this.#rankOfNoun(noun);
        if (rank !== undefined && rank < (best?.rank ?? Infinity) && !this.#isAffix(noun)) best = { noun, rank };
      }
    }
    return best;
  }

  #rankOfNoun(part: string): number | undefined {
    const { hasCapitalNouns, capital } = this.lexicon;
    return !hasCapitalNouns || capital.has(part) || this.own.has(part) ? this.#rankOf(part) : undefined;
  }

  get links(): readonly string[] {
    return this.lexicon.links;
  }

  isPrefix(part: string): boolean {
    return isMadeOf(part, this.lexicon.prefixes);
  }
}

/** A part as it is written, and the word that it is. */
interface Part {
  written: string;
  word: string;
  noun?: string | undefined;
}

interface Split {
  parts: Part[];
  /** Order: the fewest parts, then the fewest that are other forms, then the most frequent ones. */
  cost: readonly [parts: number, forms: number, meanLogRank: number];
  lastRank: number;
}

const isBetter = (a: Split, b: Split | null): boolean => {
  if (b === null) return true;
  const at = a.cost.findIndex((value, i) => value !== b.cost[i]);
  return at >= 0 && (a.cost[at] ?? 0) < (b.cost[at] ?? 0);
};

/**
 * The best split into known parts. A word of the list itself is split if its parts are words of it, and are more frequent
 * than the whole or end in a common word.
 */
function knownSplit(surface: string, known: Parts, { words, hasCapitalNouns }: Lexicon): Part[] | null {
  let best: Split | null = null;
  const visit = (from: number, before: readonly Part[], forms: number, logRanks: number): void => {
    const rest = surface.slice(from);
    const last = before.length > 0 ? known.last(rest) : null;
    if (last !== null) {
      const parts = [...before, { written: rest, word: last.word, noun: last.noun }];
      const mean = (logRanks + Math.log(last.rank)) / parts.length;
      const split: Split = { parts, cost: [parts.length, forms + Number(last.isForm), mean], lastRank: last.rank };
      if (isBetter(split, best)) best = split;
    }
    if (before.length + 1 >= MAX_PARTS) return;
    for (let end = from + MIN_SHORT_PART_LENGTH; end <= surface.length - MIN_SHORT_PART_LENGTH; end += 1) {
      const part = surface.slice(from, end);
      const found = known.first(part);
      if (found !== null)
        visit(
          end,
          [...before, { written: part, word: found.word }],
          forms + Number(found.isForm),
          logRanks + Math.log(found.rank),
        );
    }
  };
  visit(0, [], 0, 0);
  const found = best as Split | null;
  const whole = words.get(surface);
  if (found === null || whole === undefined) return found?.parts ?? null;
  const [, forms, mean] = found.cost;
  const isFrequent = mean <= Math.log(whole) || found.lastRank <= COMMON_RANK || hasCapitalNouns;
  return forms === 0 && isFrequent ? found.parts : null;
}

/** A split in which only the last part is known, the longest one. */
function splitBeforeKnown(surface: string, known: Parts): Part[] | null {
  for (let end = MIN_UNKNOWN_LENGTH; end <= surface.length - MIN_UNKNOWN_LENGTH; end += 1) {
    const [part, rest] = [surface.slice(0, end), surface.slice(end)];
    if (!/[aeiouy]/.test(part) || known.isPrefix(part) || (beginsWithVowel(rest) && !part.endsWith("s"))) continue;
    const last = known.last(rest);
    if (last?.isForm === false)
      return [
        { written: part, word: known.links.includes("s") ? part.replace(/s$/, "") : part },
        { written: rest, word: rest, noun: last.noun },
      ];
  }
  return null;
}

/** Neighbouring parts as one word, without the link after the last of them. */
const joined = (parts: readonly Part[]): string =>
  parts.map(({ written, word }, i) => (i === parts.length - 1 ? word : written)).join("");

/**
 * The parts of a compound, and the compounds of neighbouring parts: "Staubsaugerbeutel" has "Staubsauger" and "Beutel".
 * Empty for another word. It splits a word into known words with links between them, and takes the most frequent ones (Koehn and
 * Knight, "Empirical Methods for Compound Splitting", 2003); the fewest parts win before that.
 * @param surface a folded word
 * @param own folded words of the same text, which are known too
 */
export function partsOf(surface: string, language: Language, own: ReadonlySet<string> = new Set()): string[] {
  if (surface.length < MIN_COMPOUND_LENGTH || !isAlphabetic(surface)) return [];
  const lexicon = lexiconOf(language);
  if (lexicon === null) return [];
  const known = new Parts(lexicon, own);
  const parts =
    knownSplit(surface, known, lexicon) ?? (lexicon.words.has(surface) ? null : splitBeforeKnown(surface, known));
  if (parts === null) return [];
  const runs: string[] = [];
  for (let from = 0; from < parts.length; from += 1)
    for (let end = from + 1; end <= parts.length; end += 1)
      if (end - from < parts.length) runs.push(joined(parts.slice(from, end)));
  const noun = parts.at(-1)?.noun;
  return noun === undefined ? runs : [...runs, noun];
}
