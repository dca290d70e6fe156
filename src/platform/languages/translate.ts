import { DEFAULT_LANGUAGE, type InEachLanguage, type ReaderLanguage } from "./languages";
import { SENTENCES as de } from "./sentences/de";
import { SENTENCES as es } from "./sentences/es";
import { SENTENCES as fr } from "./sentences/fr";

/*
 * The service writes its sentences in English. A catalogue translates a sentence as gettext does: its key is the English sentence,
 * with `{0}` for a value. In the translation, `{0}` puts the value as it is, and `[0]` puts its translation, for a value that the
 * service has written itself.
 */

/** The catalogues. English has the sentences themselves. */
export const CATALOGUES: InEachLanguage<Readonly<Record<string, string>>> = { en: {}, de, fr, es };

/** Longest text and most sentences that are translated, so that the cost has a limit. Other texts stay in English. */
const MAX_TEXT_CHARACTERS = 4_000;
const MAX_SENTENCES = 8;
/** How deep translated values can contain others. */
const MAX_DEPTH = 4;

interface Pattern {
  /** The texts around the holes, and the numbers of the holes. */
  pieces: readonly string[];
  holes: readonly string[];
  translation: string;
}

const prepared = new Map<ReaderLanguage, readonly Pattern[]>();

/** The sentences with holes of a language. The most exact is first: it has the most characters outside of its holes. */
function patternsOf(language: ReaderLanguage): readonly Pattern[] {
  const known = prepared.get(language);
  if (known !== undefined) return known;
  const patterns = Object.entries(CATALOGUES[language])
    .filter(([sentence]) => /\{\d\}/.test(sentence))
    .map(([sentence, translation]) => {
      const parts = sentence.split(/\{(\d)\}/);
      const pieces = parts.filter((_, n) => n % 2 === 0);
      return { pieces, holes: parts.filter((_, n) => n % 2 === 1), translation, weight: pieces.join("").length };
    })
    .sort((a, b) => b.weight - a.weight);
  prepared.set(language, patterns);
  return patterns;
}

/** The values in the holes of a text; null if the text does not fit. It passes the text once. */
function valuesOf(text: string, { pieces, holes }: Pattern): Map<string, string> | null {
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return null;
  const values = new Map<string, string>();
  const end = text.length - last.length;
  let at = first.length;
  for (const [n, hole] of holes.entries()) {
    const piece = pieces[n + 1] ?? "";
    const found = n === holes.length - 1 ? end : text.indexOf(piece, at);
    if (found < at || found > end) return null;
    values.set(hole, text.slice(at, found));
    at = found + piece.length;
  }
  return values;
}

/** One sentence in a language; null if the catalogue does not have it. */
function translated(text: string, language: ReaderLanguage, depth: number): string | null {
  const catalogue = CATALOGUES[language];
  if (Object.hasOwn(catalogue, text)) return catalogue[text] ?? null;
  if (depth > MAX_DEPTH) return null;
  for (const pattern of patternsOf(language)) {
    const values = valuesOf(text, pattern);
    if (values === null) continue;
    return pattern.translation.replace(/\{(\d)\}|\[(\d)\]/g, (_, kept?: string, said?: string) => {
      const value = values.get(kept ?? said ?? "") ?? "";
      return said === undefined ? value : inLanguage(value, language, depth + 1);
    });
  }
  return null;
}

/** A text of one or several sentences. Unknown texts stay as they are. */
function inLanguage(text: string, language: ReaderLanguage, depth: number): string {
  const whole = translated(text, language, depth);
  if (whole !== null) return whole;
  const ends = [...text.matchAll(/[.?] /g)].slice(0, MAX_SENTENCES).map(({ index }) => index + 1);
  for (const end of ends.reverse()) {
    const head = translated(text.slice(0, end), language, depth);
    if (head === null) continue;
    const rest = text.slice(end + 1);
    const tail = depth > MAX_DEPTH ? rest : inLanguage(rest, language, depth + 1);
    if (tail !== rest) return `${head} ${tail}`;
  }
  // A sentence within another one has lost its full stop.
  return depth === 0 ? text : (translated(`${text}.`, language, depth)?.replace(/\.$/, "") ?? text);
}

/**
 * A text of the service in the language of its reader: the texts of its English sentences, with the values that they have. A text
 * that the catalogue does not have stays as it is. English costs nothing.
 */
export function say(text: string, language: ReaderLanguage): string {
  if (language === DEFAULT_LANGUAGE || text === "" || text.length > MAX_TEXT_CHARACTERS) return text;
  return inLanguage(text, language, 0);
}
