import { stemmer } from "stemmer";

/** One word of a text, its place, and its stem. */
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

/** Longer words are cut (UTF-16 code units). Such words are mostly data. */
const MAX_WORD_LENGTH = 40;

/**
 * Letters, digits and their marks; or one emoji with its joiners, colours and variation selectors. Signs of ordinary
 * text (©, ®, ™, ‼, ⁉, 〰, arrows) are not emoji.
 */
const RUN =
  /[\p{L}\p{N}\p{M}]+|\p{RI}\p{RI}|(?![©®™‼⁉〰\u2194-\u21aa])\p{ExtPict}[\ufe0e\ufe0f\p{EMod}\u{e0020}-\u{e007f}]*(?:\u200d\p{ExtPict}[\ufe0e\ufe0f\p{EMod}]*)*/gu;
const EMOJI = /^(?!\p{L})[\p{ExtPict}\p{RI}]/u;
/** The form of an emoji and the colour of its skin. Without them the emoji is the same word. */
const EMOJI_VARIANTS = /[\ufe0e\ufe0f\p{EMod}]/gu;

/**
 * Scripts without spaces between words, or with particles attached to words. They are indexed by pairs of characters.
 * The sound marks of kana and variation selectors belong to the character before them, in every script.
 */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\uff70\uff9e\uff9f\u3099\u309a\p{VS}]+/gu;
const SELECTOR = /\p{VS}/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const ONLY_MARKS = /^\p{M}+$/u;

/** Cache of stems in this isolate, because words repeat. */
const stems = new Map<string, string>();
const MAX_STEMS = 10_000;

function stemOf(surface: string): string {
  if (surface.length <= 2 || !/^[a-z]+$/.test(surface)) return surface;
  let stem = stems.get(surface);
  if (stem === undefined) {
    if (stems.size >= MAX_STEMS) stems.clear();
    stem = stemmer(surface);
    stems.set(surface, stem);
  }
  return stem;
}

function* spaced(text: string, start: number): Generator<Word> {
  const surface = fold(text).slice(0, MAX_WORD_LENGTH).toWellFormed();
  if (surface === "" || !(isPlain(surface) || LETTER_OR_DIGIT.test(surface))) return;
  yield { start, end: start + text.length, surface, stem: stemOf(surface) };
}

function emoji(text: string, start: number): Word {
  const surface = text.replace(EMOJI_VARIANTS, "").slice(0, MAX_WORD_LENGTH).toWellFormed();
  return { start, end: start + text.length, surface, stem: surface };
}

/** One character of the folded text (NFKC), and its place in the original text. */
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
      characters.push({ text, start: start + index, end: start + index + text.length });
    return characters;
  }
  let [unit, at, end] = ["", start, start];
  const close = () => {
    for (const text of fold(unit)) characters.push({ text, start: at, end });
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

/** Whether normalizing could move or compose the next code point with those before it. */
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
 * The words of a text in reading order, stop words included. With `initials`, plain words (letters and digits of ASCII)
 * with another first letter are skipped. Folding and stemming never change the first letter.
 */
export function* wordsOf(text: string, initials?: ReadonlySet<string>): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (isPlain(run)) {
      if (initials?.has(run.charAt(0).toLowerCase()) ?? true) yield* spaced(run, index);
      continue;
    }
    if (EMOJI.test(run)) {
      yield emoji(run, index);
      continue;
    }
    let at = 0;
    for (const { 0: part, index: from } of run.matchAll(UNSPACED)) {
      if (from > at) yield* spaced(run.slice(at, from), index + at);
      yield* pairs(part, index + from);
      at = from + part.length;
    }
    if (at < run.length) yield* spaced(run.slice(at), index + at);
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

/** Letters without a Unicode decomposition, and the letters that people type instead. */
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
 * Marks that writers often omit: accents of European scripts, the vowel points of Hebrew and Arabic, and marks that
 * only select a form of the character before them (variation selectors, enclosing marks).
 */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\p{VS}\p{Me}]/gu;

/**
 * The form in which words are compared: lower case, compatibility forms resolved (NFKD), without accents. Marks with a
 * meaning (Indic vowels, kana voicing) stay. The result has only letters, digits and marks.
 */
const fold = (word: string): string => (isPlain(word) ? word.toLowerCase() : foldMarks(word));

/** Whether a word has only ASCII letters and digits. Most words do, and need only lower case. */
const isPlain = (word: string): boolean => /^[A-Za-z0-9]*$/.test(word);

const foldMarks = (word: string): string =>
  limitMarks(word)
    .toLowerCase()
    .normalize("NFKD")
    .replace(OPTIONAL_MARKS, "")
    .replace(/[ßæœøđðłþı]/gu, (letter) => PLAIN[letter] ?? letter)
    .toLowerCase()
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "");

/**
 * At most 30 marks after a letter, which is more than any language writes ("Stream-Safe Text Format" of UAX #15).
 * Normalization sorts the marks of a letter, in quadratic time. Half-width sound marks become marks.
 */
const limitMarks = (text: string): string => text.replace(MANY_MARKS, "$1");
const MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** English function words. They say nothing about the subject of a text. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both but by
  can could did do does doing down during each few for from further had has have having he her here hers him his how i if in
  into is it its itself just me might more most must my no nor not of off on once only or other our out over own same shall she should so some
  such than that the their them then there these they this those through to too under until up upon very was we were what when
  where whether which while who whom why will with within would you your`.split(/\s+/),
);
