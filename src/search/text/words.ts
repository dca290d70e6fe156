import { simplify } from "./chinese";
import { fold, isPlain, limitMarks, MAX_WORD_LENGTH, surfaceOf } from "./fold";
import { DEFAULT_LANGUAGE, type Language } from "./languages";
import { stemOf } from "./stems";

/** One word of a text, its position, and its stem. */
export interface Word {
  /** UTF-16 offsets in the text. */
  start: number;
  end: number;
  /** The folded word; for scripts without spaces, two neighbouring characters of a run. */
  surface: string;
  stem: string;
  /** Only in scripts without spaces: the end of the first of the two characters. */
  firstEnd?: number;
  /**
   * The single last character of a run of several. The index contains it, so that the character is found. A query
   * ignores it.
   */
  isTail?: boolean;
}

/**
 * Letters, digits and their marks, but no letters that are apostrophes (U+02BC), with joiners and soft hyphens between letters, and
 * with the quotes inside Hebrew abbreviations; or one emoji with its joiners, colours and variation selectors. Signs of ordinary
 * text (©, ®, ™, ‼, ⁉, 〰, arrows) are not emoji.
 */
const RUN =
  /(?:(?![\u02b9-\u02bf\u02c8])[\p{L}\p{N}\p{M}]|(?<=[\p{L}\p{M}])[\u00ad\u200c\u200d](?=\p{L})|(?<=\p{Script=Hebrew})["'’”״׳](?=\p{Script=Hebrew}))+|\p{RI}\p{RI}|(?![©®™‼⁉〰\u2194-\u21aa])\p{ExtPict}[\ufe0e\ufe0f\p{EMod}\u{e0020}-\u{e007f}]*(?:\u200d\p{ExtPict}[\ufe0e\ufe0f\p{EMod}]*)*/gu;
const EMOJI = /^(?!\p{L})[\p{ExtPict}\p{RI}]/u;
/** The form of an emoji and the colour of its skin. Without them the emoji is the same word. */
const EMOJI_VARIANTS = /[\ufe0e\ufe0f\p{EMod}]/gu;

/**
 * Scripts without spaces between words, or with particles attached to words. They are indexed by pairs of characters.
 * The sound marks of kana and variation selectors belong to the character before them, in every script. Digits are words.
 */
const UNSPACED =
  /(?:(?!\p{Nd})[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\uff70\uff9e\uff9f\u3099\u309a\p{VS}])+/gu;
const SELECTOR = /\p{VS}/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const ONLY_MARKS = /^\p{M}+$/u;

function* spaced(text: string, start: number, language: Language): Generator<Word> {
  const surface = surfaceOf(text);
  if (surface === "" || !(isPlain(surface) || LETTER_OR_DIGIT.test(surface))) return;
  yield { start, end: start + text.length, surface, stem: stemOf(surface, language) };
}

function emoji(text: string, start: number): Word {
  const surface = text.replace(EMOJI_VARIANTS, "").slice(0, MAX_WORD_LENGTH).toWellFormed();
  return { start, end: start + text.length, surface, stem: surface };
}

/** One character of the folded text (NFKC, simplified Chinese), and its position in the original text. */
interface Character {
  text: string;
  start: number;
  end: number;
}

/** The folded characters of a run. Code points that compose (half-width kana with its sound mark, jamo) are one. */
function charactersOf(run: string, start: number): Character[] {
  const characters: Character[] = [];
  if (!SELECTOR.test(run) && limitMarks(run) === run && run.normalize("NFKC") === run) {
    for (const { 0: text, index } of run.matchAll(/./gsu))
      characters.push({ text: simplify(text), start: start + index, end: start + index + text.length });
    return characters;
  }
  let [unit, at, end] = ["", start, start];
  const close = () => {
    for (const text of fold(unit)) characters.push({ text: simplify(text), start: at, end });
    [unit, at] = ["", end];
  };
  for (const next of run) {
    if (unit !== "" && !belongsTo(unit, next)) close();
    unit = limitMarks(unit + next);
    end += next.length;
  }
  close();
  return characters;
}

const STARTS_WITH_MARK = /^\p{M}/u;

/** Whether normalizing could move the next code point or compose it with the code points before it. */
function belongsTo(unit: string, next: string): boolean {
  const normalized = next.normalize("NFKC");
  return STARTS_WITH_MARK.test(normalized) || (unit + next).normalize("NFKC") !== unit.normalize("NFKC") + normalized;
}

function* pairs(run: string, start: number): Generator<Word> {
  const all = charactersOf(run, start);
  // Marks at the start have lost their letter and belong to no word.
  const characters = all.slice(all.findIndex(({ text }) => !ONLY_MARKS.test(text)));
  if (all.every(({ text }) => ONLY_MARKS.test(text))) return;
  for (const [i, { text, start: from, end: firstEnd }] of characters.entries()) {
    const next = characters[i + 1];
    const surface = text + (next?.text ?? "");
    const word = { start: from, end: next?.end ?? firstEnd, firstEnd, surface, stem: surface };
    yield next === undefined && i > 0 ? { ...word, isTail: true } : word;
  }
}

/**
 * The words of a text in reading order, including stop words, with the stems of its language. With `initials`, plain
 * words (letters and digits of ASCII) with another first letter are skipped. Folding and stemming never change the
 * first letter.
 */
export function* wordsOf(
  text: string,
  language: Language = DEFAULT_LANGUAGE,
  initials?: ReadonlySet<string>,
): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (isPlain(run)) {
      if (initials?.has(run.charAt(0).toLowerCase()) ?? true) yield* spaced(run, index, language);
      continue;
    }
    if (EMOJI.test(run)) {
      yield emoji(run, index);
      continue;
    }
    let at = 0;
    for (const { 0: part, index: from } of run.matchAll(UNSPACED)) {
      if (from > at) yield* spaced(run.slice(at, from), index + at, language);
      yield* pairs(part, index + from);
      at = from + part.length;
    }
    if (at < run.length) yield* spaced(run.slice(at), index + at, language);
  }
}

/** The words of a query: without the last characters that only the index contains. */
export const queryWordsOf = (text: string): Word[] => [...wordsOf(text)].filter(({ isTail }) => isTail !== true);

/** Whether a word is one character of a script without spaces. It matches as the beginning of pairs. */
export const isSingleCharacter = ({ surface, firstEnd }: Word): boolean =>
  firstEnd !== undefined && [...surface].length === 1;

export const isStopWord = (word: Pick<Word, "surface">): boolean => STOP_WORDS.has(word.surface);

/** Whether suggestions and spelling can use a word. */
export const isListed = ({ surface }: Pick<Word, "surface">): boolean =>
  surface.length >= 3 && surface.length <= 30 && /^\p{L}[\p{L}\p{M}]*$/u.test(surface) && !STOP_WORDS.has(surface);

/** English function words. They say nothing about the subject of a text. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both but by
  can could did do does doing down during each few for from further had has have having he her here hers him his how i if in
  into is it its itself just me might more most must my no nor not of off on once only or other our out over own same shall she should so some
  such than that the their them then there these they this those through to too under until up upon very was we were what when
  where whether which while who whom why will with within would you your`.split(/\s+/),
);
