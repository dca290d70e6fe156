import { stemmer } from "stemmer";
import { fold, isPlain } from "./fold";
import { STOP_WORDS } from "./stop-words";

/** One word of a text, where it stands, and the term it is found by. */
export interface Word {
  /** UTF-16 offsets in the text. */
  start: number;
  end: number;
  /** The folded word; for scripts without spaces, two characters of a run. */
  surface: string;
  stem: string;
}

/** Longer words are cut, code units: nobody types them, and they are mostly data. */
const LONGEST_WORD = 40;

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts written without spaces between words, or whose words carry particles: indexed by bigrams. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** Stems that were worked out in this isolate; words repeat, and a page of snippets holds thousands. */
const stems = new Map<string, string>();
const MOST_STEMS = 10_000;

function stemOf(surface: string): string {
  if (surface.length <= 2 || !/^[a-z]+$/.test(surface)) return surface;
  let stem = stems.get(surface);
  if (stem === undefined) {
    if (stems.size >= MOST_STEMS) stems.clear();
    stem = stemmer(surface);
    stems.set(surface, stem);
  }
  return stem;
}

function* spaced(text: string, start: number): Generator<Word> {
  const surface = fold(text).slice(0, LONGEST_WORD).toWellFormed();
  if (surface !== "") yield { start, end: start + text.length, surface, stem: stemOf(surface) };
}

function* bigrams(text: string, start: number): Generator<Word> {
  const characters = [...text];
  let at = start;
  for (const [i, character] of characters.entries()) {
    const next = characters[i + 1];
    if (next === undefined && i > 0) return;
    const pair = character + (next ?? "");
    const surface = fold(pair);
    yield { start: at, end: at + pair.length, surface, stem: surface };
    at += character.length;
  }
}

/**
 * The words of a text in reading order, stop words included. Of plain words (letters and digits of ASCII) those alone
 * whose first letter is in `initials`, where that is given: the only letter that neither folding nor stemming changes.
 */
export function* wordsOf(text: string, initials?: ReadonlySet<string>): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (isPlain(run)) {
      if (initials?.has(run.charAt(0).toLowerCase()) ?? true) yield* spaced(run, index);
      continue;
    }
    let at = 0;
    for (const { 0: part, index: from } of run.matchAll(UNSPACED)) {
      if (from > at) yield* spaced(run.slice(at, from), index + at);
      yield* bigrams(part, index + from);
      at = from + part.length;
    }
    if (at < run.length) yield* spaced(run.slice(at), index + at);
  }
}

export const isStopWord = (word: Pick<Word, "surface">): boolean => STOP_WORDS.has(word.surface);

/** Whether a word belongs in the list that suggestions and spelling draw on. */
export const isListed = ({ surface }: Pick<Word, "surface">): boolean =>
  surface.length >= 3 && surface.length <= 30 && /^\p{L}[\p{L}\p{M}]*$/u.test(surface) && !STOP_WORDS.has(surface);
