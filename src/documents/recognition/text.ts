import type { RecognizedPage, RecognizedWord } from "../../platform/ports";
import { MIN_PAGE_CONFIDENCE, MIN_WORD_CONFIDENCE } from "../limits";

/** The mean confidence of words, 0 to 100; 0 without words. */
export const meanConfidence = (words: readonly Pick<RecognizedWord, "confidence">[]): number =>
  words.length === 0 ? 0 : words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length;

/** Frequent words of each language that the engine has data for, by its BCP 47 code. */
const FREQUENT_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: new Set("the of and to is for that with as are this from be by not at have it was which".split(" ")),
  de: new Set("der die das und ist von mit für den auf nicht ein eine dem des im zu sich werden bei".split(" ")),
};

/** The language of a text by its frequent words, BCP 47; null if no language leads. */
export function languageOf(words: readonly Pick<RecognizedWord, "text">[]): string | null {
  const counts = Object.entries(FREQUENT_WORDS).map(([language, frequent]) => ({
    language,
    count: words.filter(({ text }) => frequent.has(text.toLowerCase())).length,
  }));
  counts.sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  return first !== undefined && first.count > (second?.count ?? 0) ? first.language : null;
}

/** The page without its doubtful words. If the whole page is doubtful, it has no words. */
export function legible(page: RecognizedPage): RecognizedPage {
  const words = page.words.filter(({ confidence }) => confidence >= MIN_WORD_CONFIDENCE);
  return { ...page, words: meanConfidence(words) >= MIN_PAGE_CONFIDENCE ? words : [] };
}

/** The paragraphs of a page. A word that is divided at the end of a line is joined. */
export function paragraphsOf(words: readonly RecognizedWord[]): string[] {
  const paragraphs: { key: string; line: string; text: string }[] = [];
  for (const { text, line } of words) {
    const key = line.slice(0, line.lastIndexOf("."));
    const open = paragraphs.at(-1);
    if (open?.key !== key) paragraphs.push({ key, line, text });
    else {
      const isDivided = open.line !== line && /\p{L}-$/u.test(open.text) && /^\p{Ll}/u.test(text);
      open.text = isDivided ? open.text.slice(0, -1) + text : `${open.text} ${text}`;
      open.line = line;
    }
  }
  return paragraphs.map(({ text }) => text);
}
