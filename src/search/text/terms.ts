import { isStopWord, type Word, wordsOf } from "./words";

/**
 * What stands before a word until the statement that writes it puts a scope and a kind there
 * (`postedTerms`): no word holds either. Names are apart, so that only they are looked through while typing.
 */
export const WORD_MARK = "~";
export const NAME_MARK = "^";

/** Ends the stem in a term, and what every term of a stem is less than: the character after it. */
export const STEM_END = "_";
export const AFTER_STEM = "`";

/**
 * A word as a term: its stem, then how its writing differs: letters to take off the stem (base 36; a stemmer changes
 * few), and those to add. All forms of a stem stand together, and the words can be read off the terms.
 */
export function termOf({ stem, surface }: Pick<Word, "stem" | "surface">): string {
  if (stem === surface) return stem + STEM_END;
  let same = 0;
  while (same < stem.length && stem[same] === surface[same]) same += 1;
  return stem + STEM_END + (stem.length - same).toString(36) + surface.slice(same);
}

/** The word that a term stands for. */
export function wordOfTerm(term: string): Pick<Word, "stem" | "surface"> {
  const end = term.indexOf(STEM_END);
  const [stem, form] = [term.slice(0, end), term.slice(end + 1)];
  if (form === "") return { stem, surface: stem };
  return { stem, surface: stem.slice(0, stem.length - Number.parseInt(form[0] ?? "0", 36)) + form.slice(1) };
}

/** A field as the index takes it: marked terms in order, and how many of them count as its length. */
export interface IndexedField {
  terms: string;
  length: number;
}

/**
 * A stop word in its place, as a term that phrases alone look up. No other word begins with this character, so neither
 * ranking nor spelling nor suggestions meet such a term.
 */
export const phraseStem = (word: Word): string => (isStopWord(word) ? STEM_END + word.stem : word.stem);

/** Words of a body that are indexed, beside as many stop words; passages have at most 120, so this bounds descriptions and metadata. */
const MAX_BODY_WORDS = 5_000;

/** All words in order, stop words marked, then `more`. Neither stop words nor last characters count in the length. */
function fieldOf(words: readonly Word[], more: readonly Word[], length: number): IndexedField {
  const inPlace = words.map((word) => (isStopWord(word) ? phraseStem(word) + STEM_END : termOf(word)));
  return { terms: [...inPlace, ...more.map(termOf)].map((term) => WORD_MARK + term).join(" "), length };
}

const isCounted = (word: Word): boolean => word.isTail !== true && !isStopWord(word);

/** The terms of a body. */
export function bodyField(text: string): IndexedField {
  const words: Word[] = [];
  let length = 0;
  for (const word of wordsOf(text)) {
    if (length === MAX_BODY_WORDS || words.length === 2 * MAX_BODY_WORDS) break;
    words.push(word);
    if (isCounted(word)) length += 1;
  }
  return fieldOf(words, [], length);
}

/** The terms of a title. Its stop words follow once more as ordinary words, so that "The Who" is found. */
export function titleField(title: string): IndexedField {
  const words = [...wordsOf(title)];
  return fieldOf(words, words.filter(isStopWord), words.filter(isCounted).length);
}

/** The distinct words of a title as they are written, by which it is found while they are typed. */
export const nameWords = (title: string): string =>
  [...new Set([...wordsOf(title)].map(({ surface }) => NAME_MARK + surface))].join(" ");
