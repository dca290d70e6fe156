import { ALL_LANGUAGES, type LanguageSet, setOf } from "./languages";

/** Longer words are cut (UTF-16 code units). Such words are mostly data. */
export const MAX_WORD_LENGTH = 40;

/** Letters without a Unicode decomposition, and the letters that people type instead; letters of Arabic and Persian that keyboards mix up. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  þ: "th",
  ı: "i",
  ς: "σ",
  ک: "ك",
  ی: "ي",
  ى: "ي",
  ہ: "ه",
  ە: "ه",
  ة: "ه",
  ۃ: "ه",
  ٱ: "ا",
};
const WITH_PLAIN_FORM = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "gu");

/**
 * Marks that writers often omit: accents of European scripts, the vowel points of Hebrew and Arabic, and marks that
 * only select a form of the character before them (variation selectors, enclosing marks).
 */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\p{VS}\p{Me}]/gu;

/** Whether a word has only ASCII letters and digits. Most words do, and need only lower case. */
export const isPlain = (word: string): boolean => /^[A-Za-z0-9]*$/.test(word);

/**
 * The form in which words are compared: lower case, compatibility forms resolved (NFKD), without accents, in digits of ASCII. Marks with a
 * meaning (Indic vowels, kana voicing) stay. The result has only letters, digits and marks.
 */
export const fold = (word: string): string => (isPlain(word) ? word.toLowerCase() : foldMarks(word));

const foldMarks = (word: string): string =>
  limitMarks(word)
    .toLowerCase()
    .normalize("NFKD")
    .replace(OPTIONAL_MARKS, "")
    .replace(WITH_PLAIN_FORM, (letter) => PLAIN[letter] ?? letter)
    .replace(OTHER_DIGITS, digitOf)
    .toLowerCase()
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "");

const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;

/** The digit of ASCII for a digit of any script. Unicode has the ten digits of each script in a row, from zero on. */
function digitOf(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value += 1;
  return String(value);
}

/**
 * At most 30 marks after a letter, which is more than any language writes ("Stream-Safe Text Format" of UAX #15).
 * Normalization sorts the marks of a letter, in quadratic time. Half-width sound marks become marks.
 */
export const limitMarks = (text: string): string => text.replace(MANY_MARKS, "$1");
const MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** The folded form of a word in the index. */
export const surfaceOf = (word: string): string => fold(word).slice(0, MAX_WORD_LENGTH).toWellFormed();

/** The two letters that people write for one that is not on their keyboard. */
const DIGRAPHS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe" };

/**
 * Two letters that may stand for one, and the languages that write them so. `ue` after a vowel or q is not an umlaut.
 */
const NORTHERN = setOf("german", "swedish", "norwegian", "danish", "finnish");
const SINGLE: Readonly<Record<string, LanguageSet>> = {
  ae: NORTHERN,
  oe: NORTHERN,
  ue: setOf("german"),
  aa: setOf("swedish", "norwegian", "danish"),
};
const DIGRAPH = /ae|oe|(?<![aeiouyq])ue|aa/g;

/**
 * Maximum number of digraphs of a word for which each combination of readings (two letters, or one) is tried. A word with
 * more digraphs has two readings: all of them as two letters, and all of them as one.
 */
const MAX_FREE_DIGRAPHS = 2;

/** The articles of Arabic and Hebrew, with the letters that are written before them. */
const ARTICLE = /^(?:[وفبك]?ال(?=\p{L}{2})|لل(?=\p{L}{2})|(?:כש|ש)?ו?ה(?=\p{L}{2}))/u;

/** A folded form of a word, and the languages in which it may be this word. */
export interface Spelling {
  surface: string;
  languages: LanguageSet;
}

/**
 * The forms in which a text may have a word of a query: as it was typed, with two letters for an umlaut ("Brücke",
 * "Bruecke"), and with one letter for two. Texts have one form, so only queries need these.
 */
export function spellingsOf(written: string, surface: string = surfaceOf(written)): Spelling[] {
  const spellings = new Map([[surface, ALL_LANGUAGES]]);
  if (isPlain(surface)) {
    const digraphs = surfaceOf(
      limitMarks(written)
        .normalize("NFC")
        .toLowerCase()
        .replace(/[äöüåø]/g, (letter) => DIGRAPHS[letter] ?? letter),
    );
    for (const form of [surface, digraphs])
      for (const single of withSingleLetters(form))
        spellings.set(single.surface, (spellings.get(single.surface) ?? 0) | single.languages);
    spellings.set(digraphs, ALL_LANGUAGES);
  }
  // An unfinished word with its article is the beginning of a stem without it.
  const bare = surface.replace(ARTICLE, "");
  if (bare !== surface) spellings.set(bare, (spellings.get(bare) ?? 0) | setOf("arabic", "hebrew"));
  return [...spellings].map(([form, languages]) => ({ surface: form, languages }));
}

function withSingleLetters(surface: string): Spelling[] {
  const found = [...surface.matchAll(DIGRAPH)];
  if (found.length === 0) return [];
  const all = 2 ** found.length - 1;
  const choices = found.length > MAX_FREE_DIGRAPHS ? [all] : Array.from({ length: all }, (_, i) => i + 1);
  return choices.map((choice) => {
    let [text, at, languages] = ["", 0, ALL_LANGUAGES];
    for (const [i, { 0: pair, index }] of found.entries()) {
      if ((choice & (1 << i)) === 0) continue;
      text += surface.slice(at, index) + pair.charAt(0);
      at = index + pair.length;
      languages &= SINGLE[pair] ?? 0;
    }
    return { surface: text + surface.slice(at), languages };
  });
}
