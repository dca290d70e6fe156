/** A part of a line: glyphs that pdf.js put together, in logical order within themselves. */
export interface LinePart {
  text: string;
  /** Whether pdf.js turned the glyphs round. */
  isRtl: boolean;
  /** Start along the line, points. */
  at: number;
  /** Length along the line, points. */
  width: number;
  /** The gaps before its glyphs, as `pdf-spacing.ts` explains. Absent for text that another pdf.js has read. */
  gaps?: string | undefined;
}

type Direction = "rtl" | "ltr";

const RTL_LETTER =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u;
const isRtlLetter = (char: string): boolean => RTL_LETTER.test(char) && /\p{L}/u.test(char);

/** Whether a text has a letter of a script that is written from right to left. */
export const hasRtl = (text: string): boolean => RTL_LETTER.test(text);

/** Gap between two parts, in sizes of the letters, that is a space. */
const SPACE_GAP = 0.2;

const MIRRORED: Readonly<Record<string, string>> = {
  "(": ")",
  ")": "(",
  "[": "]",
  "]": "[",
  "{": "}",
  "}": "{",
  "<": ">",
  ">": "<",
  "«": "»",
  "»": "«",
};

/** Brackets as they were typed. A file has the glyphs, and the right glyph of a pair is the opening bracket. */
const unmirrored = (text: string): string => text.replace(/[()[\]{}<>«»]/g, (sign) => MIRRORED[sign] ?? sign);

/**
 * The text of a line with letters from right to left, in logical order: the parts are put in order from left to right, and
 * then sequences of one direction are turned round (UAX #9, rule L2, for whole parts).
 * @param size the size of the letters, points
 */
export function logicalText(parts: readonly LinePart[], size: number): string {
  const placed = withSpaces(
    withMarks(parts).sort((a, b) => a.at - b.at),
    size,
  );
  const base = baseOf(placed);
  const directions = resolved(placed.map(directionOf), base);
  const texts = placed.map(({ text }, i) => (directions[i] === "rtl" ? unmirrored(text) : text));
  const runs: { direction: Direction; texts: string[] }[] = [];
  for (const [i, text] of texts.entries()) {
    const direction = directions[i] ?? base;
    const last = runs.at(-1);
    if (last?.direction === direction) last.texts.push(text);
    else runs.push({ direction, texts: [text] });
  }
  const ordered = base === "rtl" ? runs.reverse() : runs;
  return ordered.map((run) => (run.direction === "rtl" ? run.texts.reverse() : run.texts).join("")).join("");
}

/** Combining marks that are separate parts go behind their letter. */
function withMarks(parts: readonly LinePart[]): LinePart[] {
  const letters = parts.filter(({ text }) => !/^\p{M}+$/u.test(text)).map((part) => ({ ...part }));
  letters.sort((a, b) => a.at - b.at);
  for (const mark of parts) {
    if (!/^\p{M}+$/u.test(mark.text)) continue;
    const bearer = lastBefore(letters, mark.at + mark.width / 2) ?? letters[0];
    if (bearer !== undefined) bearer.text += mark.text;
  }
  return letters;
}

/** The last part that begins at a place or before it. The parts are in order. */
function lastBefore(parts: readonly LinePart[], at: number): LinePart | undefined {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return parts[low - 1];
}

/** Adds a space wherever the line has a gap instead of a space. */
function withSpaces(parts: readonly LinePart[], size: number): LinePart[] {
  const spaced: LinePart[] = [];
  for (const part of parts) {
    const last = spaced.at(-1);
    const end = last === undefined ? 0 : last.at + last.width;
    if (last !== undefined && part.at - end > SPACE_GAP * size && !/\s$/.test(last.text) && !/^\s/.test(part.text))
      spaced.push({ text: " ", isRtl: false, at: end, width: part.at - end });
    spaced.push(part);
  }
  return spaced;
}

/** The direction of the line: the direction of most letters. */
function baseOf(parts: readonly LinePart[]): Direction {
  let [rtl, ltr] = [0, 0];
  for (const { text } of parts) for (const letter of text.match(/\p{L}/gu) ?? []) isRtlLetter(letter) ? rtl++ : ltr++;
  return rtl >= ltr ? "rtl" : "ltr";
}

/** The direction of a part by its letters and digits. Null for signs and spaces. */
function directionOf({ text, isRtl }: LinePart): Direction | null {
  if (isRtl && hasRtl(text) && /\p{L}/u.test(text)) return "rtl";
  return /[\p{L}\p{N}]/u.test(text) ? "ltr" : null;
}

/** Signs and spaces take the direction of both neighbours if it is the same, else the direction of the line. */
function resolved(directions: readonly (Direction | null)[], base: Direction): Direction[] {
  const next: (Direction | null)[] = [];
  for (let i = directions.length - 1, after: Direction | null = null; i >= 0; i--) {
    next[i] = after;
    after = directions[i] ?? after;
  }
  let before: Direction | null = null;
  return directions.map((own, i) => {
    if (own !== null) before = own;
    return own ?? (before !== null && before === next[i] ? before : base);
  });
}
