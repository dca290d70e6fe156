/** Letters that Unicode does not decompose and people type without their strokes. */
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
};

/**
 * Marks that writers leave out: accents of European scripts, the vowel points of Hebrew and Arabic, and marks that only
 * choose a form of the character before them (variation selectors, enclosing marks).
 */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\p{VS}\p{Me}]/gu;

/**
 * The form in which words are compared: lower case, compatibility forms resolved (NFKD), accents
 * gone. Marks that carry meaning (Indic vowels, kana voicing) stay. Letters, digits and marks alone come out.
 */
export const fold = (word: string): string => (isPlain(word) ? word.toLowerCase() : foldMarks(word));

/** Letters and digits without any of that: most words, which need nothing but lower case. */
export const isPlain = (word: string): boolean => /^[A-Za-z0-9]*$/.test(word);

const foldMarks = (word: string): string =>
  word
    .toLowerCase()
    .normalize("NFKD")
    .replace(OPTIONAL_MARKS, "")
    .replace(/[ßæœøđðłþı]/gu, (letter) => PLAIN[letter] ?? letter)
    .toLowerCase()
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "");
