/** Characters of a term that are kept. */
const LONGEST_KEPT = 200;

/** A term as insights count it: lower case, one space between words, without control characters, cut. */
export const foldedTerm = (term: string): string =>
  term
    .slice(0, LONGEST_KEPT)
    .toWellFormed()
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
