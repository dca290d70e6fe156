import lines from "./characters.txt";
import type { Fit } from "./fit";

/** Languages with thousands of characters: encodings with two bytes for a character, and the frequent characters by rank. */
const LANGUAGES = lines
  .trimEnd()
  .split("\n")
  .map((line) => {
    const [, encodings = "", characters = ""] = line.split("\t");
    return { encodings: encodings.split(" "), ranks: new Map(Array.from(characters, (char, rank) => [char, rank])) };
  });

export const MULTI_BYTE_ENCODINGS: readonly string[] = LANGUAGES.flatMap(({ encodings }) => encodings);

/** Costs as natural logarithms of a probability. */
const COST = { first: -3, punctuation: -4, halfWidth: -9, ascii: -2.7, beside: -6, rare: -12.5 };

/** A word or a line without spaces that has a character outside ASCII. */
const RUN = /[A-Za-z]*[\u0080-\u{10ffff}][A-Za-z\u0080-\u{10ffff}]*/gu;

/** How well a text fits the language of its encoding: by the frequency of its characters (Zipf's law). */
export function fitOfCharacters(text: string, encoding: string): Fit {
  const fit = { score: 0, high: 0, pairs: 0, wrong: 0, letters: 0, doubtful: 0 };
  const ranks = LANGUAGES.find(({ encodings }) => encodings.includes(encoding))?.ranks;
  for (const run of new Set(text.match(RUN))) {
    let wasAscii: boolean | null = null;
    for (const char of run) {
      const isAscii = char < "\u0080";
      if (wasAscii !== null && wasAscii !== isAscii) fit.score += COST.beside;
      wasAscii = isAscii;
      if (isAscii) {
        fit.score += COST.ascii;
        continue;
      }
      const rank = ranks?.get(char);
      const isPunctuation = /[\u3000-\u303f\uff01-\uff60\u2010-\u2026]/u.test(char);
      const cost =
        rank !== undefined
          ? COST.first - Math.log(rank + 3)
          : isPunctuation
            ? COST.punctuation
            : /[\uff61-\uff9f]/u.test(char)
              ? COST.halfWidth
              : COST.rare;
      fit.score += cost;
      fit.pairs++;
      fit.letters++;
      if (cost === COST.rare) fit.wrong++;
    }
  }
  return fit;
}
