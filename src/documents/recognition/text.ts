import { frequentWordsOf, RECOGNITION_LANGUAGES, type RecognitionLanguage } from "../../platform/languages/recognition";
import type { RecognizedPage, RecognizedWord } from "../../platform/ports";
import { MIN_PAGE_CONFIDENCE, MIN_WORD_CONFIDENCE } from "../limits";

/** The mean confidence of words, 0 to 100; 0 without words. */
export const meanConfidence = (words: readonly Pick<RecognizedWord, "confidence">[]): number =>
  words.length === 0 ? 0 : words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length;

const wordsOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Frequent words of the languages that the engine can read. */
const READABLE: ReadonlyMap<RecognitionLanguage, ReadonlySet<string>> = new Map(
  RECOGNITION_LANGUAGES.map((language) => [language, new Set(frequentWordsOf(language))]),
);

/** Frequent words of other languages, whose scans are read as one of these. A scan in such a language has no name. */
const OTHERS: readonly ReadonlySet<string>[] = [
  "och att det som en på är av för med till den har de inte om ett i var vid",
  "og i det som en på er av af for med til at den har de ikke om et var fra",
  "ja on ei että se oli ovat kun tai joka mutta myös sekä hän niin kuin jos ole",
  "și de la în a cu pe din care un nu se o este pentru ce sunt mai al sau",
  "a v se na je že o s z do i ve k za by pro ale jako od po",
].map(wordsOf);

/** The least part of the words that are frequent ones in a text whose language is named. */
const MIN_FREQUENT_PART = 0.08;

/**
 * The language of a text by its frequent words, BCP 47; null if none of the languages that the engine was given leads.
 * @param given the languages in which the text was recognized
 */
export function languageOf(
  words: readonly Pick<RecognizedWord, "text">[],
  given: readonly RecognitionLanguage[],
): RecognitionLanguage | null {
  const read = words.map(({ text }) => text.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}]+$/gu, ""));
  const countOf = (frequent: ReadonlySet<string>): number => read.filter((word) => frequent.has(word)).length;
  const counts = [...READABLE].map(([language, frequent]) => ({ language, count: countOf(frequent) }));
  counts.sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  const most = Math.max(second?.count ?? 0, ...OTHERS.map(countOf));
  if (first === undefined || first.count <= most || first.count < MIN_FREQUENT_PART * read.length) return null;
  return given.includes(first.language) ? first.language : null;
}

/** The page without its doubtful words. If the whole page is doubtful, it has no words. */
export function legible(page: RecognizedPage): RecognizedPage {
  const words = page.words.filter(({ confidence }) => confidence >= MIN_WORD_CONFIDENCE);
  return { ...page, words: meanConfidence(words) >= MIN_PAGE_CONFIDENCE ? words : [] };
}

/** The paragraphs of a page. A word that is divided at the end of a line is joined. */
export function paragraphsOf(words: readonly RecognizedWord[]): string[] {
  // A paragraph is joined once at its end: a page can have a hundred thousand words in it.
  const paragraphs: { key: string; pieces: string[] }[] = [];
  let before: RecognizedWord | undefined;
  for (const word of words) {
    const { text, line } = word;
    const key = line.slice(0, line.lastIndexOf("."));
    const open = paragraphs.at(-1);
    if (open?.key !== key) paragraphs.push({ key, pieces: [text] });
    else {
      const isDivided =
        before !== undefined && before.line !== line && /\p{L}-$/u.test(before.text) && /^\p{Ll}/u.test(text);
      if (isDivided) open.pieces.push((open.pieces.pop() ?? "").slice(0, -1), text);
      else open.pieces.push(" ", text);
    }
    before = word;
  }
  return paragraphs.map(({ pieces }) => pieces.join(""));
}
