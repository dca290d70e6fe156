import type { LinePart } from "./pdf-direction";

/** A glyph of a line, and what is before it. */
interface Glyph {
  text: string;
  /** Gap to the glyph before it on the line, sizes of the letters. */
  gap: number;
  /** Whether a space of the file is in the gap. */
  isAfterBlank: boolean;
  /** The space that pdf.js writes there, or nothing. */
  space: string;
}

/** Value of a code from which on a space of the file is in the gap. */
const BLANK = 10_000;
/** Gap from which on letters are apart, and gap which can be a space between two words of one letter, sizes of the letters. */
const [MIN_TRACKING, MIN_SPACE] = [0.045, 0.18];
/** A gap between words is wider than that between letters by this much at least, and by this share of it. */
const [MIN_WIDER, WIDER_SHARE] = [0.1, 0.5];
/** Minimum number of glyphs with wide spacing. Two can be the ends of two words. */
const MIN_RUN = 3;

/**
 * The glyphs of a line. `scripts/setup/pdfjs.mjs` adds a code for each character of a part: one more than the gap in
 * hundredths of the size of the letters, and `BLANK` more behind a space of the file. It is 0 for a space that pdf.js writes and
 * for the rest of a glyph of several characters. @returns null if a part has no codes
 */
function glyphsOf(parts: readonly LinePart[]): Glyph[] | null {
  const glyphs: Glyph[] = [];
  let space = "";
  for (const { text, gaps } of parts) {
    if (text.trim() === "") {
      space = " ";
      continue;
    }
    if (gaps?.length !== text.length) return null;
    for (let at = 0; at < text.length; at++) {
      const code = gaps.charCodeAt(at);
      const last = glyphs.at(-1);
      const char = text.charAt(at);
      if (code > 0 && !(last !== undefined && /\p{M}/u.test(char))) {
        const gap = (code - 1) % BLANK;
        glyphs.push({ text: char, gap: gap / 100, isAfterBlank: code > BLANK, space });
        space = "";
      } else if (char === " ") space = " ";
      else if (last !== undefined) last.text += char;
    }
  }
  return glyphs;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;

/** Gap from which on two words are apart, if letters are `letters` apart. */
const wordGap = (letters: number): number => letters + Math.max(MIN_WIDER, letters * WIDER_SHARE);

/** A stretch of a line: its text, or the words of letters with wide spacing, of which `text` has each letter apart. */
export interface Stretch {
  text: string;
  /** The space before it. */
  space: string;
  /** The words that its gaps show; null for ordinary text. */
  words: string[] | null;
  /** Whether the words count only if they are known: the letters can also be a list, or the parts words. */
  isUnsure: boolean;
}

/**
 * Divides a line into ordinary text and letters with wide spacing, by the gaps of the glyphs: the gaps within a word are like each
 * other, and those between words are wider or have a space. Null if the gaps are not known.
 */
export function stretchesOf(parts: readonly LinePart[]): Stretch[] | null {
  const glyphs = glyphsOf(parts);
  if (glyphs === null) return null;
  // In a line that is spaced as a whole, pairs of letters such as AV are near each other.
  const isSpaced = median(glyphs.slice(1).map(({ gap }) => gap)) >= MIN_TRACKING;
  const isApart = (glyph: Glyph | undefined) => glyph === undefined || isSpaced || glyph.gap >= MIN_TRACKING;
  const isSpace = ({ gap, isAfterBlank }: Glyph) => isAfterBlank || gap >= MIN_SPACE;
  const narrowest = glyphs
    .slice(1)
    .reduce((least, each) => (isSpace(each) ? Math.min(least, each.gap) : least), Infinity);
  const stretches: Stretch[] = [];
  let ordinary: Glyph[] = [];
  const endOrdinary = () => {
    if (ordinary.length > 0) stretches.push(ordinaryOf(ordinary, narrowest));
    ordinary = [];
  };
  for (let from = 0; from < glyphs.length; ) {
    let to = from;
    // A glyph is apart on both sides, or at an end of the line.
    while (to < glyphs.length && (to === 0 || isApart(glyphs[to])) && isApart(glyphs[to + 1])) to++;
    const run = glyphs.slice(from, to);
    if (run.length >= MIN_RUN && !run.slice(1).every(({ isAfterBlank }) => isAfterBlank)) {
      endOrdinary();
      stretches.push(spacedOf(run));
    } else ordinary.push(...run);
    if (to < glyphs.length) ordinary.push(...glyphs.slice(to, to + 1));
    from = to + 1;
  }
  endOrdinary();
  return stretches;
}

const textOf = (run: readonly Glyph[]): string =>
  run.map(({ text, space }, i) => (i === 0 ? "" : space) + text).join("");

/**
 * A stretch of ordinary text. A gap that is narrower than a space is within a word if the spaces of the line are clearly wider.
 * @param narrowest the narrowest space of the line, sizes of the letters; Infinity if it has none
 */
function ordinaryOf(run: readonly Glyph[], narrowest: number): Stretch {
  const isNarrow = ({ gap, isAfterBlank }: Glyph) => !isAfterBlank && gap < MIN_SPACE && gap + MIN_WIDER <= narrowest;
  const joined = run.map((glyph) => (isNarrow(glyph) ? { ...glyph, space: "" } : glyph));
  const [text, space] = [textOf(run), run[0]?.space ?? ""];
  const isOneWord = narrowest === Infinity && text.includes(" ");
  if (isOneWord) return { text, space, words: [textOf(joined)], isUnsure: true };
  return { text: textOf(joined), space, words: null, isUnsure: false };
}

function spacedOf(run: readonly Glyph[]): Stretch {
  const letters = median(run.slice(1).flatMap(({ gap, isAfterBlank }) => (isAfterBlank ? [] : [gap])));
  return { text: textOf(run), space: run[0]?.space ?? "", words: wordsOf(run), isUnsure: letters >= MIN_SPACE };
}

/** The words of a run of letters with wide spacing. Words that a space of the file divides can have different gaps. */
function wordsOf(run: readonly Glyph[]): string[] {
  const pieces: Glyph[][] = [];
  for (const glyph of run) {
    if (pieces.length === 0 || glyph.isAfterBlank) pieces.push([]);
    pieces.at(-1)?.push(glyph);
  }
  return pieces.flatMap((piece) => {
    const most = wordGap(median(piece.slice(1).map(({ gap }) => gap)));
    const words: string[] = [];
    for (const [i, { text, gap }] of piece.entries()) {
      if (i === 0 || gap > most) words.push(text);
      else words.push((words.pop() ?? "") + text);
    }
    return words;
  });
}

/** A letter with its marks, or letters that fonts draw as one. */
const LETTER = String.raw`(?:f[fil]{1,2}|\S\p{M}*)`;
const SPACED = new RegExp(`^ ?${LETTER}(?: ${LETTER})+ ?$`, "u");
/** Minimum number of letters of a letter-spaced run: four letters can be a list, such as the points of a compass. */
const MIN_SPACED = 5;

/** The letters of a run of single letters with a space between each two; null for other text. */
export function spacedLetters(text: string): string | null {
  return SPACED.test(text) ? text.replaceAll(" ", "") : null;
}

/** Whether letters with a space between each two are words with wide spacing, and not a list (`A B C D`, `x x x x`). */
export function areWords(letters: string): boolean {
  const codes = Array.from(letters.toLowerCase(), (letter) => letter.codePointAt(0) ?? 0);
  if (codes.length < MIN_SPACED || (letters.match(/\p{L}/gu)?.length ?? 0) < MIN_SPACED) return false;
  const step = (codes[1] ?? 0) - (codes[0] ?? 0);
  return !((step === 0 || step === 1) && codes.every((code, i) => i === 0 || code - (codes[i - 1] ?? 0) === step));
}
