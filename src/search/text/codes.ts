import { surfaceOf } from "./fold";
import { STOP_WORDS } from "./words";

/** Another form in which people type a part of a text, and the position of that part. */
export interface Code {
  /** The folded form: one word. */
  surface: string;
  /** UTF-16 offsets in the text. */
  start: number;
  end: number;
  /** Whether it is a part of one written word (`user` of `getUserName`), or several words as one (`DN 150`). */
  isPiece: boolean;
}

/** Letters or digits of a code, tokens of a chain, and pieces of a word. Longer ones are data. */
const MAX_LENGTH = 34;
const MAX_TOKENS = 9;
const MAX_PIECES = 8;
/** Pieces of a word with digits: hexadecimal numbers have more. */
const MAX_MIXED_PIECES = 4;
const MIN_PIECE_LENGTH = 2;
/** Letters of a word before a number ("level 3"), and of a unit behind it ("24 V", "150 mm"). */
const MAX_LABEL_LENGTH = 12;
const MAX_UNIT_LENGTH = 4;

/** Whether a word may have pieces. Most words have none, and this test is fast. */
const CHANGES = /[^\p{Nd}]\p{Nd}|\p{Nd}[^\p{Nd}]|\p{Ll}\p{Lu}|\u200c/u;
const ANY = /\p{Nd}|_|\p{Ll}\p{Lu}|\u200c/u;
/** Words, with the joiners of Persian between their pieces. */
const TOKEN = /(?:[\p{L}\p{M}\p{Nd}]|(?<=\p{L})\u200c(?=\p{L}))+/gu;
const DIGIT = /\p{Nd}/u;
/** Scripts without spaces between words. Their words are pairs of characters, and have no other form. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Between two numbers of a chain, between a number and its label or unit, and between parts of one written code. */
const IN_CHAIN = /^(?:[ \u00a0\u2009\u202f]|[-‐‑–/.]| [-–/] | ?\(|\) ?)$/u;
const BESIDE_NUMBER = /^[ \u00a0\u2009\u202f\-‐‑–/._]$/u;
const IN_CODE = /^[-‐‑–/_]$/u;
/** A number with groups of three digits. Decimals are separate words. */
const GROUPED =
  /(?<![\p{L}\p{Nd}.,])\p{Nd}{1,3}(?:([.,'’\u00a0\u2009\u202f ])\p{Nd}{3})(?:\1\p{Nd}{3})*(?=(?:[.,]\p{Nd}{1,2})?(?![\p{L}\p{Nd}]))/gu;
const BETWEEN_PIECES =
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=[\p{L}\p{M}])(?=\p{Nd})|(?<=\p{Nd})(?=\p{L})|(?=\u200c)/u;

interface Token {
  text: string;
  start: number;
  end: number;
  hasDigit: boolean;
}

/**
 * The other forms of the codes, numbers and identifiers in a text, so that joined and spaced forms find each other: `ISO 9001` as
 * `iso9001`, `12,500.00` as `12500`, `site_plan` as `siteplan`, and the pieces of `ISO9001` and of `getUserName`. The time is linear.
 */
export function* codesIn(text: string): Generator<Code> {
  if (!ANY.test(text)) return;
  const tokens: Token[] = [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({
    text: token,
    start: index,
    end: index + token.length,
    hasDigit: DIGIT.test(token),
  }));
  const gaps = tokens.map(({ start }, i) => text.slice(tokens[i - 1]?.end ?? 0, start));
  for (const token of tokens) yield* piecesOf(token);
  yield* written(tokens, gaps);
  yield* numbers(tokens, gaps);
  for (const { 0: number, index } of text.matchAll(GROUPED))
    yield { surface: surfaceOf(number), start: index, end: index + number.length, isPiece: false };
}

/** The words of a word that changes its case, or from letters to digits. */
function* piecesOf({ text, start, hasDigit }: Token): Generator<Code> {
  if (!CHANGES.test(text) || UNSPACED.test(text)) return;
  const pieces = text.split(BETWEEN_PIECES);
  if (pieces.length < 2 || pieces.length > (hasDigit ? MAX_MIXED_PIECES : MAX_PIECES)) return;
  let at = start;
  for (const piece of pieces) {
    const surface = surfaceOf(piece);
    if (surface.length >= MIN_PIECE_LENGTH && !STOP_WORDS.has(surface))
      yield { surface, start: at, end: at + piece.length, isPiece: true };
    at += piece.length;
  }
}

/** Several tokens as one word; none if they are too long. */
function* joined(tokens: readonly (Token | undefined)[]): Generator<Code> {
  const present = tokens.filter((token) => token !== undefined);
  const [first, last] = [present[0], present.at(-1)];
  if (first === undefined || last === undefined || present.length < 2) return;
  const surface = surfaceOf(present.map(({ text }) => text).join(""));
  if (surface.length <= MAX_LENGTH && !UNSPACED.test(surface))
    yield { surface, start: first.start, end: last.end, isPiece: false };
}

/** Codes that are written without spaces: `INV-2024/0013`, `site_plan`. */
function* written(tokens: readonly Token[], gaps: readonly string[]): Generator<Code> {
  for (const chain of chains(tokens, (i) => gaps[i] !== " " && IN_CODE.test(gaps[i] ?? ""))) {
    const [from, to] = chain;
    const whole = tokens.slice(from, to);
    const isNamed = gaps.slice(from + 1, to).every((gap) => gap === "_");
    if (!isNamed && !whole.some(({ hasDigit }) => hasDigit)) continue;
    if (whole.length <= MAX_TOKENS) yield* joined(whole);
    // A version or a date may follow the words of a name.
    if (isNamed && whole.length > 2) for (let i = from; i + 1 < to; i += 1) yield* joined(tokens.slice(i, i + 2));
  }
}

/** Numbers in groups, and a number with its label or its unit: phone numbers, `DE89 3704 0044`, `DN 150`, `24 V`. */
function* numbers(tokens: readonly Token[], gaps: readonly string[]): Generator<Code> {
  const isInChain = (i: number) =>
    tokens[i]?.hasDigit === true && tokens[i - 1]?.hasDigit === true && IN_CHAIN.test(gaps[i] ?? "");
  for (const [from, to] of chains(tokens, isInChain)) {
    const chain = tokens.slice(from, to);
    if (chain[0]?.hasDigit !== true) continue;
    const [label, unit] = [labelOf(tokens[from - 1], gaps[from]), unitOf(tokens[to], gaps[to])];
    if (chain.length <= MAX_TOKENS) {
      yield* joined(chain);
      if (label !== undefined) {
        yield* joined([label, ...chain]);
        if (IN_CODE.test(gaps[to] ?? "")) yield* joined([label, ...chain, unit]);
      }
      // The trunk prefix of a phone number is not dialled after the code of the country.
      const dialled = chain.filter(({ text }, i) => text !== "0" || !(gaps[from + i] ?? "").endsWith("("));
      if (dialled.length < chain.length) yield* joined(dialled);
    }
    if (chain.length > 1) yield* joined([label, label && chain[0]]);
    yield* joined([unit && chain.at(-1), unit]);
  }
}

/** Whether a token is letters. A function word is none, but a code in capital letters is one (`A`, `IT`). */
const isWord = ({ text, hasDigit }: Token): boolean =>
  !hasDigit && !(/\p{Ll}/u.test(text) && STOP_WORDS.has(text.toLowerCase()));

const labelOf = (token: Token | undefined, gap = ""): Token | undefined =>
  token !== undefined && BESIDE_NUMBER.test(gap) && isWord(token) && token.text.length <= MAX_LABEL_LENGTH
    ? token
    : undefined;

const unitOf = (token: Token | undefined, gap = ""): Token | undefined =>
  token !== undefined && BESIDE_NUMBER.test(gap) && isWord(token) && token.text.length <= MAX_UNIT_LENGTH
    ? token
    : undefined;

/**
 * The longest chains of tokens, each as `[from, to)`; `isLinked` says whether a token continues the token before it.
 */
function* chains(
  tokens: readonly Token[],
  isLinked: (i: number) => boolean,
): Generator<readonly [from: number, to: number]> {
  let from = 0;
  for (let i = 1; i <= tokens.length; i += 1)
    if (i === tokens.length || !isLinked(i)) {
      yield [from, i];
      from = i;
    }
}
