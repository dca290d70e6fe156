import { MAX_BODY_WORDS, MAX_CODES_OF_TEXT, MAX_PARTS_OF_TEXT } from "../limits";
import { codesIn } from "./codes";
import { hasCompounds, needsCapital, partsOf } from "./compounds";
import type { Language } from "./languages";
import { stemOf } from "./stems";
import { isListed, isStopWord, type Word, wordsOf } from "./words";

/**
 * The marks before each word. The statement that writes the word replaces a mark by its scope and kind (`postedTerms`).
 * No word contains a mark. Words of names have another mark, so that suggestions read only names.
 */
export const WORD_MARK = "~";
export const NAME_MARK = "^";

/** The mark before each word of a sample. The statement that writes the word replaces it by the scope alone. */
export const SAMPLE_MARK = "=";

/** STEM_END ends the stem in a term. AFTER_STEM is the next character, so every term of a stem sorts before it. */
export const STEM_END = "_";
export const AFTER_STEM = "`";

/**
 * The term of a word: its stem, then the number of letters to remove from the stem (base 36; a stemmer changes few) and
 * the letters to add. All forms of a stem are neighbours in the index, and the word can be read from its term.
 */
export function termOf({ stem, surface }: Pick<Word, "stem" | "surface">): string {
  if (stem === surface) return stem + STEM_END;
  let same = 0;
  while (same < stem.length && stem[same] === surface[same]) same += 1;
  return stem + STEM_END + (stem.length - same).toString(36) + surface.slice(same);
}

/** Ends the term of a part of a compound, or of another form of a code, instead of a form. It sorts after all forms. */
export const PART_END = STEM_END + STEM_END;

/** The word of a term. */
export function wordOfTerm(term: string): Pick<Word, "stem" | "surface"> {
  const end = term.indexOf(STEM_END);
  const [stem, form] = [term.slice(0, end), term.slice(end + 1)];
  if (form === "") return { stem, surface: stem };
  return { stem, surface: stem.slice(0, stem.length - Number.parseInt(form[0] ?? "0", 36)) + form.slice(1) };
}

/** The stem of a tag of a document. No word begins with its sign, so it is found only by the tag. It stays when the tag is renamed. */
export const tagStem = (tagId: string): string => `\u00a7${tagId.replaceAll("-", "")}`;

/** The marked terms of the tags of a document. They have no position, like the parts of compounds. */
export const tagTerms = (tagIds: readonly string[]): string =>
  tagIds.map((id) => WORD_MARK + tagStem(id) + PART_END).join(" ");

/** A field in the form of the index: marked terms in order, and the number of terms that count as its length. */
interface IndexedField {
  terms: string;
  length: number;
}

/** A body, with the marked terms of the parts of its compounds and of the other forms of its codes. They follow all words, so that they divide no phrase. */
interface IndexedBody extends IndexedField {
  parts: string;
}

/**
 * The stem of a stop word at its position in a text: the word itself, in every language. Only phrases look up its term. No other word begins with this
 * character, so ranking, spelling and suggestions never read such a term.
 */
export const stopStem = ({ surface }: Pick<Word, "surface">): string => STEM_END + surface;

/** All words in order, stop words marked, then `more`. Neither stop words nor last characters count in the length. */
function termsOf(words: readonly Word[], more: readonly Word[] = []): string {
  const inOrder = words.map((word) => (isStopWord(word) ? stopStem(word) + STEM_END : termOf(word)));
  return [...inOrder, ...more.map(termOf)].map((term) => WORD_MARK + term).join(" ");
}

/** Joins lists of terms. */
export const joinTerms = (lists: readonly string[]): string => lists.filter((terms) => terms !== "").join(" ");

/** The words of a text that can be compounds or their parts: in German, only nouns, which have a capital letter. */
const nounsOf = (text: string, words: readonly Word[], language: Language): readonly Word[] =>
  needsCapital(language) ? words.filter(({ start }) => /^\p{Lu}/u.test(text.slice(start, start + 2))) : words;

/** The folded words of a text that make the parts of its compounds known. */
export const ownWords = (text: string, language: Language): string[] =>
  hasCompounds(language)
    ? nounsOf(text, [...wordsOf(text, language)].filter(isListed), language).map(({ surface }) => surface)
    : [];

/** The terms of the parts of compounds and of the other forms of codes, each once. `words` may be compounds. */
function partTerms(text: string, words: readonly Word[], language: Language, own: ReadonlySet<string>): string {
  const stems = new Set<string>();
  if (hasCompounds(language))
    for (const { surface } of words)
      for (const part of partsOf(surface, language, own)) {
        if (stems.size === MAX_PARTS_OF_TEXT) break;
        stems.add(stemOf(part, language));
      }
  const codes = new Set<string>();
  for (const { surface } of codesIn(text)) {
    if (codes.size === MAX_CODES_OF_TEXT) break;
    codes.add(stemOf(surface, language));
  }
  return [...new Set([...stems, ...codes])].map((stem) => WORD_MARK + stem + PART_END).join(" ");
}

const isCounted = (word: Word): boolean => word.isTail !== true && !isStopWord(word);

/** The terms of a body in its language. `own` has the `ownWords` of the text around it. */
export function bodyField(
  text: string,
  language: Language,
  own: ReadonlySet<string> = new Set(ownWords(text, language)),
): IndexedBody {
  const words: Word[] = [];
  let length = 0;
  for (const word of wordsOf(text, language)) {
    if (length === MAX_BODY_WORDS || words.length === 2 * MAX_BODY_WORDS) break;
    words.push(word);
    if (isCounted(word)) length += 1;
  }
  return { terms: termsOf(words), parts: partTerms(text, nounsOf(text, words, language), language, own), length };
}

/**
 * The terms of a title. Its stop words follow once more as ordinary words, so that "The Who" is found. Names of files are
 * often in lower case, so each word can be a compound.
 */
export function titleField(title: string, language: Language): IndexedField {
  const words = [...wordsOf(title, language)];
  const terms = [termsOf(words, words.filter(isStopWord)), partTerms(title, words, language, new Set())];
  return { terms: joinTerms(terms), length: words.filter(isCounted).length };
}

/** The distinct written words of a title. Suggestions find the title by them. */
export const nameWords = (title: string): string =>
  [...new Set([...wordsOf(title)].map(({ surface }) => NAME_MARK + surface))].join(" ");

/**
 * The samples of the index. One row of this number belongs to the sample or to a later one. A row belongs to one sample at
 * most, and posts its words once more under the letter of its sample. No kind has one of these letters.
 */
const SAMPLE_RATES: Readonly<Record<string, number>> = { m: 16, n: 64, o: 256, p: 1_024, q: 4_096 };
export const SAMPLES: readonly string[] = Object.keys(SAMPLE_RATES);

/** The sample of the row with this key; null for most rows. It depends on the key alone. */
export function sampleOf(key: string): string | null {
  const number = hashOf(key);
  return SAMPLES.findLast((sample) => number % (SAMPLE_RATES[sample] ?? 1) === 0) ?? null;
}

/** 32 bits of a text: FNV-1a, then the last steps of MurmurHash3, which spread it over the low bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The words of a text for a sample: only words that a suggestion can have. `kind` is the letter of their kind. */
export function sampledTerms(text: string, language: Language, sample: string | null, kind: string): string {
  if (sample === null) return "";
  const terms: string[] = [];
  for (const word of wordsOf(text, language)) {
    if (terms.length >= MAX_BODY_WORDS) break;
    if (isListed(word)) terms.push(` ${SAMPLE_MARK}${sample}${kind}${termOf(word)}`);
  }
  return terms.join("");
}
