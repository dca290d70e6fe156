import { simplify } from "./chinese";
import { fold, limitMarks, MAX_WORD_LENGTH, spellingsOf } from "./fold";

/** Letters, digits and their marks. A name is divided into these and what is between them. */
const LETTERS = /[\p{L}\p{N}\p{M}]+/gu;
const HAN = /\p{Script=Han}/gu;
const SYNTAX = /[\\^$.*+?()[\]{}|]/g;

const foldRun = (run: string): string => fold(run).replace(HAN, simplify);
const foldSpaces = (between: string): string => between.replace(/\s+/gu, " ");

/** A text, each of its runs of letters and digits as `run` makes it. */
function mapRuns(text: string, run: (written: string) => string, between: (text: string) => string): string {
  const whole = limitMarks(text).normalize("NFKC");
  let [mapped, at] = ["", 0];
  for (const { 0: written, index } of whole.matchAll(LETTERS)) {
    mapped += between(whole.slice(at, index)) + run(written);
    at = index + written.length;
  }
  return mapped + between(whole.slice(at));
}

/** A pattern of the spellings of a run. A longer run than a word has one. */
function patternOf(run: string): string {
  const folded = foldRun(run);
  const spellings = folded.length > MAX_WORD_LENGTH ? [] : spellingsOf(run, folded);
  return `(?:${[...new Set([folded, ...spellings.map(({ surface }) => surface)])].join("|")})`;
}

/**
 * Tells whether a name contains `asked`. Words are folded and spelled as in a search: without case and accents, and with two
 * letters for one. Other characters must be equal.
 */
export function nameMatcher(asked: string): (name: string) => boolean {
  const pattern = mapRuns(asked, patternOf, (between) => foldSpaces(between).replace(SYNTAX, "\\$&"));
  const matches = new RegExp(pattern, "u");
  return (name) => matches.test(mapRuns(name, foldRun, foldSpaces));
}
